import HTTPReassembly

/// Options of a HAR that other reports of a run lack.
public struct HAROptions: Sendable {
  /// The parts of messages that are written besides figures.
  public var content: Set<HARContent>
  /// The version of the writing program, without its name.
  public var creatorVersion: String

  /// By default, figures only.
  public init(content: Set<HARContent> = [], creatorVersion: String = "") {
    self.content = content
    self.creatorVersion = creatorVersion
  }
}

/// Limits of the kept parts of messages. Figures are never left out.
struct HARLimits {
  /// Octets kept of one message's start-line and field lines: twice the limit of most servers.
  var headerLength = 64 << 10
  /// Field lines kept of one message: servers accept at most 100 to 200.
  var fieldCount = 1000
  /// Octets of content kept of one message: many times an API's usual response.
  var bodyLength = 1 << 20
  /// Octets of memory held at once, for all messages whose rows are not final yet.
  var heldLength = 64 << 20
  /// Octets of content in one HAR: most readers hold all of it in memory, several times.
  var fileBodyLength = 256 << 20
}

/// The kept parts of one message.
struct HARMessageContent {
  /// The request-line or status-line without terminator; empty when it was not kept.
  var startLine: [UInt8] = []
  /// Field lines of the header section, in order.
  var fields: [HARField] = []
  /// Whether a part of the header section is left out.
  var isHeaderCut = false
  /// The start of the content without its codings.
  var body: [UInt8] = []
  /// Whether `body` lacks a part of the content.
  var isBodyCut = false
  /// Octets of the whole content without its codings; nil when it was not seen whole or could not be decoded.
  var decodedLength: Int?

  /// Octets that count against `HARLimits.headerLength`.
  fileprivate var headerLength = 0
  /// Octets of memory on the heap for its start-line and fields.
  fileprivate var headerMemory = 0

  /// Octets of memory of an array that grew to `count` octets: it doubles, and the allocator has some for itself.
  fileprivate static func memory(of count: Int) -> Int {
    count == 0 ? 0 : 48 + MemoryBudget.grown(count)
  }

  /// Octets that count against `HARLimits.heldLength`: its own, its place in a table that is at most half empty, and all that it owns.
  fileprivate var memory: Int {
    2 * MemoryLayout<HARMessageContent>.stride + headerMemory + Self.memory(of: body.count)
  }
}

/// Gathers parts of messages until their rows are final, within limits.
final class HARContentObserver: MessageObserver {
  private let content: Set<HARContent>
  private let limits: HARLimits
  private var messages: [Int: HARMessageContent] = [:]
  /// Octets of memory that the gathered parts take.
  private(set) var memory = 0

  init(_ content: Set<HARContent>, limits: HARLimits = HARLimits()) {
    self.content = content
    self.limits = limits
  }

  func startLine(_ line: RawSpan, of message: Int, kind: MessageKind) {
    guard kind != .interim, content.contains(.headers) || kind == .request && content.contains(.queries) else { return }
    with(message) { gathered, held in
      guard hasRoom(for: line.byteCount, gathered, held) else { return gathered.isHeaderCut = true }
      line.append(0..<line.byteCount, to: &gathered.startLine)
      gathered.headerLength += line.byteCount
      gathered.headerMemory += HARMessageContent.memory(of: line.byteCount)
    }
  }

  func fieldLine(_ line: RawSpan, name: Range<Int>?, value: Range<Int>?, of message: Int) {
    // Interim responses have one line of sums, and malformed field lines are not kept.
    guard content.contains(.headers), let name, let value, messages[message] != nil else { return }
    with(message) { gathered, held in
      guard gathered.fields.count < limits.fieldCount, hasRoom(for: line.byteCount, gathered, held) else {
        return gathered.isHeaderCut = true
      }
      var field = HARField()
      line.append(name, to: &field.name)
      line.append(value, to: &field.value)
      gathered.fields.append(field)
      gathered.headerLength += line.byteCount
      gathered.headerMemory +=
        2 * MemoryLayout<HARField>.stride + HARMessageContent.memory(of: field.name.count)
        + HARMessageContent.memory(of: field.value.count)
    }
  }

  func content(_ octets: RawSpan, of message: Int) {}

  func decodedContent(_ octets: RawSpan, of message: Int) {
    guard content.contains(.bodies) else { return }
    with(message) { gathered, held in
      let room = min(limits.bodyLength - gathered.body.count, limits.heldLength - held)
      let kept = min(max(room, 0), octets.byteCount)
      octets.append(0..<kept, to: &gathered.body)
      if kept < octets.byteCount { gathered.isBodyCut = true }
    }
  }

  func end(of message: Int, decodedLength: Int?) {
    guard let index = messages.index(forKey: message) else { return }
    messages.values[index].decodedLength = decodedLength
  }

  /// The gathered parts of a message, which are then forgotten.
  func take(_ message: Int) -> HARMessageContent? {
    guard let gathered = messages.removeValue(forKey: message) else { return nil }
    memory -= gathered.memory
    return gathered
  }

  private func with(_ message: Int, _ body: (inout HARMessageContent, Int) -> Void) {
    let held = memory
    let before = messages[message]?.memory ?? 0
    body(&messages[message, default: HARMessageContent()], held)
    memory += (messages[message]?.memory ?? 0) - before
  }

  private func hasRoom(for length: Int, _ gathered: HARMessageContent, _ held: Int) -> Bool {
    gathered.headerLength + length <= limits.headerLength && held + length <= limits.heldLength
  }
}
