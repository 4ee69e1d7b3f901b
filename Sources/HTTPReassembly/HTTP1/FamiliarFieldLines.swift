/// Field lines that came lately, so that they need not be taken apart when they come again: header sections say nearly the
/// same each time, which is why HTTP/2 numbers their lines (RFC 7541 §2.3).
///
/// What is remembered decides nothing. A line is familiar when each of its octets is that of one which was read before.
struct FamiliarFieldLines {
  private static let count = 128
  /// Octets of a line with its CRLF at most.
  private static let room = 256
  /// Lines of a section that are remembered: more than nearly all have, and those of a flood are not worth it.
  private static let firstLines = 32
  /// A line is looked for by its first eight octets.
  private static let least = 8

  /// What is known of a line.
  struct Line {
    /// Octets with the CRLF; 0 when there is no line.
    fileprivate(set) var length: Int16 = 0
    private var valueStart: Int16 = 0
    private var valueEnd: Int16 = 0
    /// What the line means to a reader of messages; nil: nothing.
    private(set) var meaning: KnownField?

    fileprivate init() {}

    fileprivate init(length: Int, value: Range<Int>, meaning: KnownField?) {
      self.length = Int16(length)
      valueStart = Int16(value.lowerBound)
      valueEnd = Int16(value.upperBound)
      self.meaning = meaning
    }

    /// Where its value is in it.
    @inline(__always)
    var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
  }

  private var lines: [Line] = []
  private var octets: [UInt8] = []

  /// The line at `start`, the `index`th of its section, if it is a familiar one and whole: then it ends with CRLF, and what
  /// follows does not fold it.
  @inline(__always)
  func line(at start: Int, in section: RawSpan, index: Int) -> Line? {
    guard index < Self.firstLines, !lines.isEmpty, start + Self.least <= section.byteCount else { return nil }
    let place = Self.place(section, start, index)
    let line = lines[place]
    let length = Int(line.length)
    guard length > 0, start + length < section.byteCount, !section.octet(start + length).isWhitespace else {
      return nil
    }
    let isSame = octets.withOctets { known in
      section.hasSameOctets(at: start, as: known, at: place * Self.room, count: length)
    }
    return isSame ? line : nil
  }

  /// Remembers the line at `range`, the `index`th of its section, instead of another one: it must be an `OrdinaryFieldLine`.
  /// `value` is where its value is in it.
  mutating func remember(
    _ range: Range<Int>, of section: RawSpan, index: Int, value: Range<Int>, _ meaning: KnownField?
  ) {
    guard index < Self.firstLines, range.count >= Self.least, range.count <= Self.room else { return }
    if lines.isEmpty {
      lines = Array(repeating: Line(), count: Self.count)
      octets = Array(repeating: 0, count: Self.count * Self.room)
    }
    let place = Self.place(section, range.lowerBound, index)
    lines[place] = Line(length: range.count, value: value, meaning: meaning)
    section.copy(range, to: &octets, at: place * Self.room)
  }

  /// Of fields whose names begin alike, each has a place of its own by where it stands in the section.
  @inline(__always)
  private static func place(_ section: RawSpan, _ start: Int, _ index: Int) -> Int {
    let mixed = (section.littleEndian64(within: start) ^ UInt64(truncatingIfNeeded: index)) &* 0x9e37_79b9_7f4a_7c15
    return Int(mixed >> 57)
  }
}
