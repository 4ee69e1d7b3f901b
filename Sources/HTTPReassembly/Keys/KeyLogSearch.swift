/// Finds the entries of a key log wherever in a line they are.
///
/// Logging systems write a prefix before each line, or quote it. Some programs write no line ends.
struct KeyLogSearch {
  /// The offset of the first octet that was not read.
  private(set) var offset = 0

  /// Spaces that may stand between two parts of an entry.
  private static let spaceLimit = 8
  /// The longest name in octets: a session's identifier, with `Session-ID:` before it.
  private static let longestName = 75

  /// Starts at the first octet. An entry directly behind `#` is a comment.
  init(_ octets: RawSpan) {
    // The search then starts behind the first letter of its label.
    guard octets.byteCount > 0, octets.octet(0) == 0x23 else { return }
    while offset < octets.byteCount, octets.octet(offset) == 0x23 || octets.isSpace(offset) { offset += 1 }
    if offset < octets.byteCount { offset += 1 }
  }

  /// The next entry. Without one, `offset` is the end, or the start of an entry that is not complete in octets that go on.
  mutating func next(_ octets: RawSpan, isWhole: Bool) -> KeyLogLine? {
    while offset < octets.byteCount {
      switch Self.entry(octets, at: offset, isWhole: isWhole) {
      case .found(let line, let end):
        offset = end
        return line
      case .cut where !isWhole: return nil
      case .cut, .none: break
      }
      offset += 1
    }
    return nil
  }

  /// An entry at an offset.
  private enum Entry {
    /// It is complete, and ends at an offset.
    case found(KeyLogLine, end: Int)
    /// The octets end before it does.
    case cut
    /// There is none.
    case none
  }

  private static func entry(_ octets: RawSpan, at start: Int, isWhole: Bool) -> Entry {
    let first = octets.octet(start)
    guard first == UInt8(ascii: "C") || first == UInt8(ascii: "S") || first == UInt8(ascii: "R"),
      start == 0 || octets.octet(start - 1) != UInt8(ascii: "_")
    else { return .none }
    var offset = start
    while offset < octets.byteCount, octets.isOfLabel(offset), offset - start <= SecretLabel.longest { offset += 1 }
    guard offset < octets.byteCount else { return offset - start > SecretLabel.longest ? .none : .cut }
    let label = start..<offset
    guard SecretLabel(octets.extracting(label)) != nil else { return .none }
    guard octets.passSpaces(&offset, limit: spaceLimit) else { return offset < octets.byteCount ? .none : .cut }
    let nameStart = offset
    while offset < octets.byteCount, !octets.isSpace(offset), offset - nameStart <= longestName { offset += 1 }
    let name = nameStart..<offset
    guard octets.passSpaces(&offset, limit: spaceLimit) else { return offset < octets.byteCount ? .none : .cut }
    let master: StaticString = "Master-Key:"
    let secretStart = offset
    if octets.extracting(offset..<octets.byteCount).starts(with: master) { offset += master.utf8CodeUnitCount }
    let digits = offset
    // A label may follow at once. It begins with up to two letters that are digits, too.
    while offset < octets.byteCount, octets.isDigit(offset), offset - digits <= 130 { offset += 1 }
    if offset == octets.byteCount, !isWhole { return .cut }
    let count = offset - digits
    guard let length = [128, 96, 64].first(where: { 0...2 ~= count - $0 }) else { return .none }
    let end = digits + length
    guard count == length || octets.isStartOfLabel(end..<offset) else { return .none }
    return KeyLogLine(octets, label: label, name: name, secret: secretStart..<end).map { .found($0, end: end) } ?? .none
  }
}

extension RawSpan {
  fileprivate func isSpace(_ offset: Int) -> Bool { octet(offset) == 0x20 || octet(offset) == 0x09 }

  /// Passes spaces; false if there are none or too many, or the octets end with them.
  fileprivate func passSpaces(_ offset: inout Int, limit: Int) -> Bool {
    let start = offset
    while offset < byteCount, isSpace(offset), offset - start <= limit { offset += 1 }
    return offset > start && offset - start <= limit && offset < byteCount
  }

  /// Whether an octet can belong to a label.
  fileprivate func isOfLabel(_ offset: Int) -> Bool {
    let octet = octet(offset)
    return UInt8(ascii: "A")...UInt8(ascii: "Z") ~= octet || octet == UInt8(ascii: "_") || octet == UInt8(ascii: "0")
  }

  /// Whether letters begin a label that goes on behind them.
  fileprivate func isStartOfLabel(_ letters: Range<Int>) -> Bool {
    guard letters.upperBound < byteCount, isOfLabel(letters.upperBound) else { return false }
    return letters.allSatisfy { UInt8(ascii: "A")...UInt8(ascii: "F") ~= octet($0) }
  }

  /// Whether an octet is a hexadecimal digit.
  fileprivate func isDigit(_ offset: Int) -> Bool {
    let octet = octet(offset)
    return UInt8(ascii: "0")...UInt8(ascii: "9") ~= octet
      || UInt8(ascii: "a")...UInt8(ascii: "f") ~= octet | 0x20
  }
}

/// The mark of a secret: its label, its source, and whether it has opened a record.
struct SecretMark {
  let rawValue: UInt8

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init(_ label: SecretLabel, source: Int) { rawValue = label.rawValue | UInt8(source) << 4 }

  /// The bit of a secret that has opened a record.
  static let used: UInt8 = 0x08
  /// The number of sources that are told apart.
  static let sources = 16
  /// The source of secrets that follow from others.
  static let derived = 0
  /// The source of secrets in captures.
  static let captures = 1

  /// The source of a key log's secrets, by its number from 0. The last source stands for all further logs.
  static func source(ofLog number: Int) -> Int { min(2 + number, sources - 1) }

  var label: UInt8 { rawValue & 0x07 }
  var source: Int { Int(rawValue >> 4) }
  var isUsed: Bool { rawValue & Self.used != 0 }
}

/// The place of a secret in a key log's memory. It stays valid.
struct SecretPlace {
  fileprivate(set) var offset: Int

  init(offset: Int) { self.offset = offset }
}

/// The secrets of a run, and the connections that they opened.
public struct SecretTotals: Sendable, Equatable {
  /// Secrets in captures.
  public var captures = SecretCounts()
  /// Secrets of each key log, by its number. The last element stands for all further logs, too.
  public var logs: [SecretCounts] = []
  /// The number of TLS connections with application data.
  public var openings = TLSOpenings()
  /// Whether a capture had its first secrets behind packets that were read without them, and a connection was not opened.
  public var cameLate = false

  /// No secrets.
  public init() {}

  init(captures: SecretCounts, logs: [SecretCounts], openings: TLSOpenings) {
    self.captures = captures
    self.logs = logs
    self.openings = openings
  }
}

/// TLS connections with application data, by whether it was opened.
public struct TLSOpenings: Sendable, Equatable {
  /// All of them.
  public var connections = 0
  /// Those that were opened.
  public var opened = 0
  /// Those that were opened in part.
  public var openedPartly = 0

  /// No connections.
  public init() {}
}

/// The secrets of one source: a key log, or the captures.
public struct SecretCounts: Sendable, Equatable {
  /// Octets that were read.
  public var octets = 0
  /// Secrets that no earlier line or source had.
  public var secrets = 0
  /// Lines with a secret that another source had.
  public var repeated = 0
  /// Secrets that opened at least one record.
  public var used = 0

  /// No secrets.
  public init() {}
}
