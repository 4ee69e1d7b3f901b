import HTTPReassembly

/// What every report of a run is told, whatever its format.
public struct ReportContext: Sendable {
  /// What the totals are grouped by.
  public var grouping: Configuration.Grouping
  /// What is left out; nil: nothing.
  public var redaction: Redaction?
  /// The version of the program, without its name.
  public var toolVersion: String
  /// What is analysed, as the user named it: capture files or interfaces.
  public var captures: [String]
  /// What a HAR has beyond figures.
  public var harContent: Set<HARContent>

  /// Gathers what is known.
  public init(
    grouping: Configuration.Grouping, redaction: Redaction? = nil, toolVersion: String, captures: [String] = [],
    harContent: Set<HARContent> = []
  ) {
    self.grouping = grouping
    self.redaction = redaction
    self.toolVersion = toolVersion
    self.captures = captures
    self.harContent = harContent
  }
}
