/// Lines of header sections that came lately, so that they need not be taken apart when they come again: header sections say
/// nearly the same each time, which is why HTTP/2 numbers their lines (RFC 7541 §2.3).
///
/// What is remembered decides nothing. A line is familiar when each of its octets is that of one which was read before.
/// It is looked for by some of its octets and by where it stands in its section, so that lines which begin alike do not
/// replace each other.
struct FamiliarLines {
  /// Lines that are remembered.
  private static let count = 512
  /// Octets of a line with its CRLF at most.
  static let longest = 256
  /// Octets of a line at least: they are looked at to find it.
  private static let shortest = 8
  /// Strangers in a row after which a slot remembers only one in twice as many: to remember a line costs more than to take it apart.
  private static let restlessness: UInt8 = 8
  /// Lines of a section that are remembered: more than nearly all have, and those of a flood are not worth it.
  static let sectionLimit = 32

  /// What a line means to a reader of messages.
  enum Meaning: UInt8 {
    /// Nothing.
    case none
    /// The value of a field, whose text is kept.
    case host, contentType, contentEncoding, transferEncoding
    /// A field that asks to switch protocols: Upgrade with a protocol, Connection with `upgrade`.
    case upgrade, connectionUpgrade
    /// A request-line of a registered method, whose target is a path, and of a known version.
    case request
    /// A status-line of a known version.
    case response

    /// Whether it is what a start-line means, and no field line.
    @inline(__always)
    var isStartLine: Bool { self == .request || self == .response }
  }

  /// A line that is remembered.
  struct Line {
    /// Octets with the CRLF; 0 when there is no line.
    fileprivate(set) var length: Int16 = 0
    /// Where the value of a field is in the line.
    private var valueStart: Int16 = 0
    private var valueEnd: Int16 = 0
    var meaning = Meaning.none
    /// What a request's method means for framing.
    var method = MethodKind.ordinary
    /// The status code of a response, or the octets of a request's query; -1 when it has none.
    var number: Int32 = 0
    /// The value of a field, the path of a request.
    var text = TextID.none
    /// The method of a request.
    var methodText = TextID.none
    /// The version of a message.
    var version = TextID.none
    /// The number of a field's name, where tables want to know.
    var name: UInt16 = 0
    /// The mark of a field's value, or of a request's target, where tables want to know.
    var mark: UInt64 = 0
    /// How many lines in a row were not in its slot when they were looked for, up to `restlessness`: values that are new with
    /// each message, as dates are.
    fileprivate(set) var strangers: UInt8 = 0

    init(meaning: Meaning = .none) { self.meaning = meaning }

    /// Where the value of a field is in the line.
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

  /// The field line at `start`, the `index`th of its section, if it is a familiar one and whole: then it ends with CRLF, and
  /// what follows does not fold it. Returns its slot.
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
    if lines[slot].strangers != 0 { lines[slot].strangers = 0 }
    return slot
  }

  /// The start-line in `range`, if it is a familiar one. Returns its slot.
  @inline(__always)
  mutating func startLine(in range: Range<Int>, of section: RawSpan) -> Int? {
    guard !lines.isEmpty, let slot = Self.slot(startLine: range, section), Int(lines[slot].length) == range.count,
      lines[slot].meaning.isStartLine
    else { return nil }
    guard isSame(section, range.lowerBound, range.count, as: slot) else { return nil }
    if lines[slot].strangers != 0 { lines[slot].strangers = 0 }
    return slot
  }

  /// What is remembered in a slot.
  subscript(slot: Int) -> Line {
    @inline(__always) _read { yield lines[slot] }
  }

  @inline(__always)
  private func isSame(_ section: RawSpan, _ start: Int, _ length: Int, as slot: Int) -> Bool {
    octets.withOctets { section.hasSameOctets(at: start, as: $0, at: slot &* Self.longest, count: length) }
  }

  /// Remembers the field line in `range`, the `index`th of its section, instead of another line.
  mutating func remember(
    field range: Range<Int>, of section: RawSpan, index: Int, _ line: Line, _ texts: inout TextPool
  ) {
    guard index < Self.sectionLimit, range.count >= Self.shortest, range.count <= Self.longest else { return }
    let slot = Self.slot(section.littleEndian64(within: range.lowerBound) ^ UInt64(truncatingIfNeeded: index &+ 1))
    if lines.isEmpty || !isRestless(slot) { remember(range, of: section, in: slot, line, &texts) }
  }

  /// Whether a line is not to be remembered, because those that came for its slot lately were all strangers; counts it as one.
  @inline(__always)
  private mutating func isRestless(_ slot: Int) -> Bool {
    let strangers = lines[slot].strangers
    lines[slot].strangers = strangers == 3 * Self.restlessness ? Self.restlessness : strangers &+ 1
    return strangers > Self.restlessness
  }

  /// Remembers the start-line in `range` instead of another line.
  mutating func remember(startLine range: Range<Int>, of section: RawSpan, _ line: Line, _ texts: inout TextPool) {
    guard range.count <= Self.longest, let slot = Self.slot(startLine: range, section),
      lines.isEmpty || !isRestless(slot)
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

  /// Forgets every line, and gives up their texts.
  mutating func forgetAll(_ texts: inout TextPool) {
    for line in lines { texts.release([line.text, line.methodText, line.version]) }
    lines = []
    octets = []
  }

  @inline(__always)
  private static func slot(_ mixed: UInt64) -> Int {
    Int(truncatingIfNeeded: (mixed &* 0x9e37_79b9_7f4a_7c15) >> 55)
  }

  /// Start-lines differ in what is before the version, and in their length.
  @inline(__always)
  private static func slot(startLine range: Range<Int>, _ section: RawSpan) -> Int? {
    guard range.count >= 14, range.upperBound <= section.byteCount else { return nil }
    let last = max(range.upperBound &- 19, range.lowerBound)
    let middle = range.lowerBound &+ (range.count &- 8) / 2
    let mixed =
      section.littleEndian64(within: last) &* 0xff51_afd7_ed55_8ccd
      ^ section.littleEndian64(within: middle) &+ UInt64(truncatingIfNeeded: range.count)
    return slot(mixed ^ mixed >> 29)
  }
}
