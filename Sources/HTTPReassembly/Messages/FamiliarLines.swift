/// Recent lines of header sections, which need no parsing when they come again. Header sections repeat most of their lines, which is why
/// HTTP/2 numbers them (RFC 7541 §2.3).
///
/// Remembered lines never change a result. A line is familiar if all its octets equal those of a line that was parsed before. A lookup uses
/// some octets of the line and its place in the section. So lines with the same start do not replace each other.
struct FamiliarLines {
  /// The number of lines remembered.
  private static let count = 512
  /// The longest remembered line with its CRLF, in octets.
  static let longest = 256
  /// The shortest remembered line, in octets: the lookup reads this many.
  private static let shortest = 8
  /// Lines of a section that are remembered. Nearly all sections have fewer, and the lines of a flood are not worth it.
  static let sectionLimit = 32

  /// The meaning of a line for a reader of messages.
  enum Meaning: UInt8 {
    /// No meaning.
    case none
    /// The value of a field, whose text is kept.
    case host, contentType, contentEncoding, transferEncoding
    /// A field that asks to switch protocols: Upgrade with a protocol, Connection with `upgrade`.
    case upgrade, connectionUpgrade
    /// A request-line of a registered method and a known version, with a path as its target. A line with a query is remembered up to
    /// its `?`; its version is then HTTP/1.1.
    case request
    /// A status-line of a known version.
    case response

    /// Whether the meaning is a start-line's.
    @inline(__always)
    var isStartLine: Bool { self == .request || self == .response }
  }

  /// A remembered line.
  struct Line {
    /// The length with the CRLF, in octets; 0 without a line.
    fileprivate(set) var length: Int16 = 0
    /// The offset of a field's value in the line, or of a request's target, which here goes on to the line's end.
    private var valueStart: Int16 = 0
    private var valueEnd: Int16 = 0
    var meaning = Meaning.none
    /// The effect of a request's method on framing.
    var method = MethodKind.ordinary
    /// The status code of a response, or the length of a request's query in octets; -1 without one.
    var number: Int32 = 0
    /// The value of a field, or the path of a request.
    var text = TextID.none
    /// The method of a request.
    var methodText = TextID.none
    /// The version of a message.
    var version = TextID.none
    /// The number of a field's name, if tables need it.
    var name: UInt16 = 0
    /// The mark of a field's value or of a request's target, if tables need it.
    var mark: UInt64 = 0
    /// The lines that were not found in this slot.
    fileprivate var strangers = StrangerCount()

    init(meaning: Meaning = .none) { self.meaning = meaning }

    /// The range of a field's value in the line.
    @inline(__always)
    var value: Range<Int> {
      get { Int(valueStart)..<Int(valueEnd) }
      set {
        valueStart = Int16(truncatingIfNeeded: newValue.lowerBound)
        valueEnd = Int16(truncatingIfNeeded: newValue.upperBound)
      }
    }
  }

  private var lines: [Line] = []
  private var octets: [UInt8] = []

  /// Finds the field line at `start`, which is at `index` in its section. Returns its slot if it is familiar and whole: it ends with CRLF,
  /// and the next line does not fold it.
  @inline(__always)
  mutating func field(at start: Int, in section: RawSpan, index: Int) -> Int? {
    guard index < Self.sectionLimit, !lines.isEmpty, start &+ Self.shortest <= section.byteCount else { return nil }
    let slot = Self.slot(section.littleEndian64(within: start) ^ UInt64(truncatingIfNeeded: index &+ 1))
    let length = Int(lines[slot].length)
    let end = start &+ length
    // The same octets may have been a start-line elsewhere.
    guard length > 0, end < section.byteCount, !section.octet(within: end).isWhitespace,
      !lines[slot].meaning.isStartLine
    else { return nil }
    guard isSame(section, start, length, as: slot) else { return nil }
    lines[slot].strangers.end()
    return slot
  }

  /// Finds the start-line in `range`, or the start-line up to its query. Returns its slot if it is familiar.
  @inline(__always)
  mutating func startLine(in range: Range<Int>, of section: RawSpan) -> Int? {
    guard !lines.isEmpty, let slot = Self.slot(startLine: range, section), Int(lines[slot].length) == range.count,
      lines[slot].meaning.isStartLine
    else { return nil }
    guard isSame(section, range.lowerBound, range.count, as: slot) else { return nil }
    lines[slot].strangers.end()
    return slot
  }

  /// The line in a slot.
  subscript(slot: Int) -> Line {
    @inline(__always) _read { yield lines[slot] }
  }

  @inline(__always)
  private func isSame(_ section: RawSpan, _ start: Int, _ length: Int, as slot: Int) -> Bool {
    octets.withOctets { section.hasSameOctets(at: start, as: $0, at: slot &* Self.longest, count: length) }
  }

  /// Remembers the field line in `range`, at `index` in its section, in place of another line.
  mutating func remember(
    field range: Range<Int>, of section: RawSpan, index: Int, _ line: Line, _ texts: inout TextPool
  ) {
    guard index < Self.sectionLimit, range.count >= Self.shortest, range.count <= Self.longest else { return }
    let slot = Self.slot(section.littleEndian64(within: range.lowerBound) ^ UInt64(truncatingIfNeeded: index &+ 1))
    if lines.isEmpty || lines[slot].strangers.admitsOneMore() { remember(range, of: section, in: slot, line, &texts) }
  }

  /// Remembers the start-line in `range`, or the start-line up to its query, in place of another line.
  mutating func remember(startLine range: Range<Int>, of section: RawSpan, _ line: Line, _ texts: inout TextPool) {
    guard range.count <= Self.longest, let slot = Self.slot(startLine: range, section),
      lines.isEmpty || lines[slot].strangers.admitsOneMore()
    else { return }
    remember(range, of: section, in: slot, line, &texts)
  }

  private mutating func remember(
    _ range: Range<Int>, of section: RawSpan, in slot: Int, _ line: Line, _ texts: inout TextPool
  ) {
    if lines.isEmpty {
      lines = Array(repeating: Line(), count: Self.count)
      octets = Array(repeating: 0, count: Self.count * Self.longest)
    }
    texts.retain(line.text)
    texts.retain(line.methodText)
    texts.retain(line.version)
    let old = lines[slot]
    var line = line
    line.length = Int16(range.count)
    line.strangers = old.strangers
    lines[slot] = line
    section.copy(range, to: &octets, at: slot * Self.longest)
    texts.release([old.text, old.methodText, old.version])
  }

  /// Forgets every line and releases its texts.
  mutating func forgetAll(_ texts: inout TextPool) {
    for line in lines { texts.release([line.text, line.methodText, line.version]) }
    lines = []
    octets = []
  }

  @inline(__always)
  private static func slot(_ mixed: UInt64) -> Int {
    Int(truncatingIfNeeded: (mixed &* 0x9e37_79b9_7f4a_7c15) >> 55)
  }

  /// Start-lines differ before the version, and in their length. Those without their query differ at their ends.
  @inline(__always)
  private static func slot(startLine range: Range<Int>, _ section: RawSpan) -> Int? {
    guard range.count >= 8, range.upperBound <= section.byteCount else { return nil }
    if section.octet(within: range.upperBound &- 1) == ASCII.questionMark {
      let mixed =
        section.littleEndian64(within: range.upperBound &- 8) &* 0xff51_afd7_ed55_8ccd
        ^ section.littleEndian64(within: range.lowerBound) &+ UInt64(truncatingIfNeeded: range.count)
      return slot(mixed ^ mixed >> 29)
    }
    guard range.count >= 14 else { return nil }
    let last = max(range.upperBound &- 19, range.lowerBound)
    let middle = range.lowerBound &+ (range.count &- 8) / 2
    let mixed =
      section.littleEndian64(within: last) &* 0xff51_afd7_ed55_8ccd
      ^ section.littleEndian64(within: middle) &+ UInt64(truncatingIfNeeded: range.count)
    return slot(mixed ^ mixed >> 29)
  }
}

/// How many texts in a row were not found in a slot of remembered ones. Values that change with each message, like dates, cause this. To
/// remember a text costs more than to parse it, so a slot that is never right remembers only one in sixteen.
struct StrangerCount {
  private static let patience: UInt8 = 8
  /// Up to three times the patience.
  private var inARow: UInt8 = 0

  /// Counts a text that was not found. Returns whether it is to be remembered.
  @inline(__always)
  mutating func admitsOneMore() -> Bool {
    let before = inARow
    inARow = before == 3 * Self.patience ? Self.patience : before &+ 1
    return before <= Self.patience
  }

  /// A text was found.
  @inline(__always)
  mutating func end() { if inARow != 0 { inARow = 0 } }
}
