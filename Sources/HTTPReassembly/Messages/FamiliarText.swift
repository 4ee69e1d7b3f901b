import Packets

/// Recent lines of header sections, and recent sections; empty while an observer needs every line.
struct FamiliarText {
  var lines = FamiliarLines()
  var sections = FamiliarSections()
  /// Strings of field sections. No text of a row depends on them.
  let strings = OwnMemory(FamiliarStrings())

  mutating func forgetAll(_ texts: inout TextPool) {
    lines.forgetAll(&texts)
    sections.forgetAll(&texts)
  }
}

/// Recent header sections, by which the next ones are read: nearly all lines of a section equal those of the section before it on its
/// connection, and the others have the same names. The facts of equal lines are taken as they are, and only new values are looked at.
///
/// Remembered sections never change a result. A section that has other names, or another value of a field with a meaning, is read line by
/// line (`MessageHead`).
struct FamiliarSections {
  /// The number of sections remembered.
  private static let count = 128
  /// The longest remembered section without its empty line, in octets.
  static let longest = 1024
  /// The most lines of a remembered section.
  static let lineLimit = 32

  /// A remembered line.
  private struct Line {
    /// The meaning of another value.
    enum Value: UInt8 {
      /// No meaning.
      case free
      /// The length of the content.
      case contentLength
      /// Another one, or one that has to be read anew.
      case fixed
    }

    /// Octets with the CRLF.
    var length: Int16 = 0
    /// Octets of the name and its colon.
    var nameLength: Int16 = 0
    var value = Value.fixed
  }

  /// A remembered section.
  private struct Section {
    /// The number of lines; 0 without a section.
    var lines = 0
    /// Octets without the empty line.
    var length = 0
    /// The sections of another kind that came to this slot.
    var strangers = StrangerCount()
    /// With its texts retained.
    var facts = SectionFacts()
  }

  /// Lines that differ from the remembered ones. A section has more of them if it is of another kind.
  private struct Changes {
    struct Change {
      var line = 0
      var length = 0
      var value = 0..<0
    }

    private(set) var lines: InlineArray<8, Change> = .init(repeating: Change())
    private(set) var count = 0

    @inline(__always)
    var isFull: Bool { count == lines.count }

    @inline(__always)
    mutating func append(_ change: Change) {
      lines[count] = change
      count &+= 1
    }
  }

  private var sections: [Section] = []
  /// Lines, notes and octets of the sections: slot by slot, each with room for the limit.
  private var lines: [Line] = []
  private var notes: [FieldNotes.Line] = []
  private var octets: [UInt8] = []

  /// The slot of a section: of a connection, and of a status or a request, which has the status 0. Connections that share a slot often
  /// have the same server; requests share none with responses. Returns nil for a section that is not worth it.
  @inline(__always)
  static func slot(_ section: RawSpan, connection: Int, status: Int) -> Int? {
    guard section.byteCount >= 8 else { return nil }
    let message = UInt64(truncatingIfNeeded: connection &* 1024 &+ status)
    let mixed = section.littleEndian64(within: 0) ^ message &* 0xff51_afd7_ed55_8ccd
    return Int(truncatingIfNeeded: (mixed &* 0x9e37_79b9_7f4a_7c15) >> 58) << 1 | (status == 0 ? 0 : 1)
  }

  /// The facts of the section in a slot. Their texts are not retained for the caller.
  @inline(__always)
  func facts(in slot: Int) -> SectionFacts { sections[slot].facts }

  /// Reads the section at the start of `octets` by the one in a slot, which then is this one. Adds its lines to the notes.
  ///
  /// - Returns: Its length without the empty line, in octets; nil if it is another kind of section, or not whole.
  mutating func read(_ section: RawSpan, in slot: Int, limit: Int, _ fieldNotes: inout FieldNotes) -> Int? {
    guard !sections.isEmpty, sections[slot].lines > 0 else { return nil }
    var changes = Changes()
    guard let length = compare(section, slot, limit, &changes) else { return nil }
    for index in 0..<changes.count { take(changes.lines[index], section, slot, notesAreWanted: fieldNotes.isWanted) }
    if changes.count > 0 {
      section.copy(0..<length, to: &octets, at: slot * Self.longest)
      sections[slot].length = length
    }
    sections[slot].strangers.end()
    if fieldNotes.isWanted {
      let first = slot * Self.lineLimit
      fieldNotes.add(notes[first..<first + sections[slot].lines])
    }
    return length
  }

  /// Finds the lines that differ. Returns the length of the section; nil if it is another kind of section.
  @inline(__always)
  private func compare(
    _ section: RawSpan, _ slot: Int, _ limit: Int, _ changes: inout Changes
  ) -> Int? {
    let (first, end) = (slot * Self.lineLimit, slot * Self.lineLimit + sections[slot].lines)
    let knownEnd = slot * Self.longest + sections[slot].length
    var known = slot * Self.longest
    var offset = 0
    var line = first
    return octets.withOctets { octets in
      while true {
        var same = section.commonLength(
          at: offset, with: octets, at: known, atMost: min(knownEnd - known, section.byteCount - offset))
        while line < end, same >= Int(lines[line].length) {
          let length = Int(lines[line].length)
          same &-= length
          offset &+= length
          known &+= length
          line &+= 1
        }
        guard line < end else { break }
        // The name and its colon are the same. The line is read as `OrdinaryFieldLine` would read it.
        let start = offset &+ Int(lines[line].nameLength)
        guard same >= Int(lines[line].nameLength), lines[line].value != .fixed, !changes.isFull,
          let lineFeed = section.firstOffset(
            in: start..<section.byteCount, { $0.matches(ASCII.lineFeed) | $0.nonASCIIOctets }),
          section.octet(lineFeed) == ASCII.lineFeed, section.octet(lineFeed - 1) == ASCII.carriageReturn,
          lineFeed + 1 < section.byteCount, !section.octet(lineFeed + 1).isWhitespace, lineFeed + 1 - offset <= limit
        else { return nil }
        changes.append(
          .init(
            line: line &- first, length: lineFeed + 1 - offset, value: section.trimmingWhitespace(start..<lineFeed - 1))
        )
        known &+= Int(lines[line].length)
        offset = lineFeed + 1
        line &+= 1
      }
      return offset <= Self.longest && section.isLineEnd(at: offset) ? offset : nil
    }
  }

  /// Takes the new value of a line.
  @inline(__always)
  private mutating func take(_ change: Changes.Change, _ section: RawSpan, _ slot: Int, notesAreWanted: Bool) {
    let line = slot * Self.lineLimit + change.line
    let added = change.length - Int(lines[line].length)
    if added != 0 {
      lines[line].length = Int16(change.length)
      sections[slot].facts.move(behind: change.line, by: added)
    }
    if notesAreWanted {
      notes[line].length = Int32(change.length)
      notes[line].expanded = Int32(change.length)
      notes[line].value = OctetMark.of(section.extracting(change.value))
    }
    if lines[line].value == .contentLength {
      sections[slot].facts.section.framing.replaceContentLength(section, change.value)
    }
  }

  /// Remembers a section that was read line by line, and is the one in the notes.
  mutating func remember(
    _ section: RawSpan, _ facts: SectionFacts, in slot: Int, _ fieldNotes: borrowing FieldNotes, _ texts: inout TextPool
  ) {
    guard !section.isEmpty, section.byteCount <= Self.longest else { return }
    if sections.isEmpty { makeRoom(withNotes: fieldNotes.isWanted) }
    guard sections[slot].strangers.admitsOneMore() else { return }
    texts.release(sections[slot].facts.texts)
    sections[slot].lines = 0
    sections[slot].facts = SectionFacts()
    let first = slot * Self.lineLimit
    var offset = 0
    var count = 0
    while offset < section.byteCount {
      guard count < Self.lineLimit, let end = section.firstOffset(of: ASCII.lineFeed, in: offset..<section.byteCount),
        let colon = section.firstOffset(of: ASCII.colon, in: offset..<end)
      else { return }
      let line = Line(
        length: Int16(end + 1 - offset), nameLength: Int16(colon + 1 - offset),
        value: Self.value(KnownField(section, offset..<colon)))
      lines[first + count] = line
      if fieldNotes.isWanted { notes[first + count] = fieldNotes.section[count] }
      offset = end + 1
      count += 1
    }
    section.copy(0..<section.byteCount, to: &octets, at: slot * Self.longest)
    sections[slot].lines = count
    sections[slot].length = section.byteCount
    sections[slot].facts = facts
    texts.retain(facts.texts)
  }

  private static func value(_ field: KnownField?) -> Line.Value {
    switch field {
    case nil: .free
    case .contentLength: .contentLength
    default: .fixed
    }
  }

  private mutating func makeRoom(withNotes: Bool) {
    sections = Array(repeating: Section(), count: Self.count)
    lines = Array(repeating: Line(), count: Self.count * Self.lineLimit)
    octets = Array(repeating: 0, count: Self.count * Self.longest)
    guard withNotes else { return }
    notes = Array(repeating: .init(name: 0, length: 0, expanded: 0, value: 0), count: Self.count * Self.lineLimit)
  }

  /// Forgets every section and releases its texts.
  mutating func forgetAll(_ texts: inout TextPool) {
    for section in sections { texts.release(section.facts.texts) }
    self = FamiliarSections()
  }
}

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
