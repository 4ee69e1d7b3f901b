/// What messages say beyond their figures, as far as a HAR may have it (`--har-content`). Nothing of it is in a HAR unless
/// it was asked for: it has passwords, tokens and personal data in it.
public enum HARContent: String, CaseIterable, Sendable {
  /// Names and values of header fields, cookies, reason phrases, redirect targets.
  case headers
  /// The query of request targets.
  case queries
  /// Content without its codings.
  case bodies
}

/// What is particular to a HAR among the reports of a run.
public struct HAROptions: Sendable {
  /// What is written of what messages say.
  public var content: Set<HARContent>
  /// The version of the program that writes it, without its name.
  public var creatorVersion: String

  /// Figures only, unless `content` asks for more.
  public init(content: Set<HARContent> = [], creatorVersion: String = "") {
    self.content = content
    self.creatorVersion = creatorVersion
  }
}

/// How much of what messages say is kept. Figures are never left out.
struct HARLimits {
  /// Octets kept of one message's start-line and field lines: twice what most servers take at most.
  var headerLength = 64 << 10
  /// Field lines kept of one message: servers take 100 to 200 at most.
  var fieldCount = 1000
  /// Octets of content kept of one message: what an API answers, many times over.
  var bodyLength = 1 << 20
  /// Octets held at once, of all messages whose rows are not final yet.
  var heldLength = 64 << 20
  /// Octets of content in one HAR: those who read it mostly hold all of it in memory, several times.
  var fileBodyLength = 256 << 20
}
