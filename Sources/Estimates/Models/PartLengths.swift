import HTTPReassembly

/// Octets of a message by its parts: on the wire, as a model estimates them, or the difference of both.
///
/// A model with one figure for several parts puts it in one part, and 0 in the others; its page says which. So the parts' errors
/// show the parts that it ignores, and the total's error the octets that it gets wrong. Sums of hostile figures saturate at the
/// ends of `Int`.
public struct PartLengths: Sendable, Hashable {
  /// Start-line with its terminator.
  public var line = 0
  /// Field lines with their terminators, and the empty line.
  public var header = 0
  /// Content as transferred.
  public var body = 0
  /// Chunk framing and trailer section: all other octets of a message.
  public var framing = 0

  /// All parts are 0.
  public init() {}

  /// Parts with these figures.
  public init(line: Int = 0, header: Int = 0, body: Int = 0, framing: Int = 0) {
    self.line = line
    self.header = header
    self.body = body
    self.framing = framing
  }

  /// The measured octets.
  public init(_ octets: MessageOctets) {
    self.init(
      line: octets.startLine, header: octets.header, body: octets.body, framing: octets.framing + octets.trailer)
  }

  /// The sum of the four parts; on the wire it is `message_bytes`.
  public var total: Int { line.adding(header).adding(body).adding(framing) }

  /// Adds part by part.
  public mutating func add(_ other: PartLengths) {
    line = line.adding(other.line)
    header = header.adding(other.header)
    body = body.adding(other.body)
    framing = framing.adding(other.framing)
  }

  /// The difference part by part: estimate less wire is the error, with its sign.
  public static func - (estimate: PartLengths, wire: PartLengths) -> PartLengths {
    PartLengths(
      line: estimate.line.adding(-wire.line), header: estimate.header.adding(-wire.header),
      body: estimate.body.adding(-wire.body), framing: estimate.framing.adding(-wire.framing))
  }

  /// A part's figure.
  public subscript(part: MessagePart) -> Int {
    switch part {
    case .line: line
    case .header: header
    case .body: body
    case .framing: framing
    case .total: total
    }
  }
}

/// The parts that have errors of their own.
public enum MessagePart: String, Sendable, CaseIterable {
  /// Start-line.
  case line
  /// Header section.
  case header
  /// Content as transferred.
  case body
  /// Chunk framing and trailer section.
  case framing
  /// The whole message.
  case total
}

extension Int {
  /// The sum, saturated at the ends of the range.
  fileprivate func adding(_ other: Int) -> Int {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? (other > 0 ? .max : .min) : sum
  }
}
