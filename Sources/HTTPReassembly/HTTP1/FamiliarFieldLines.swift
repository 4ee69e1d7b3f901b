/// Field lines that came lately and mean nothing to a reader of messages, so that they need only be recognised when they
/// come again: header sections say nearly the same each time, which is why HTTP/2 numbers their lines (RFC 7541 §2.3).
///
/// What is remembered decides nothing. A line is familiar when each of its octets is that of one which was read before.
struct FamiliarFieldLines {
  private static let count = 128
  /// Octets of a line with its CRLF at most.
  private static let room = 256
  /// A line is looked for by its first eight octets.
  private static let least = 8

  /// Octets of the line at each place; 0 when there is none.
  private var lengths: [Int16] = []
  private var octets: [UInt8] = []

  /// Octets of the line at `start`, the `index`th of its section, if it is a familiar one and whole: then it ends with CRLF,
  /// and what follows does not fold it. 0 when it is not.
  @inline(__always)
  func length(at start: Int, in section: RawSpan, index: Int) -> Int {
    guard !lengths.isEmpty, start + Self.least <= section.byteCount else { return 0 }
    let place = Self.place(section, start, index)
    let length = Int(lengths[place])
    guard length > 0, start + length < section.byteCount, !section.octet(start + length).isWhitespace else { return 0 }
    let isSame = octets.withOctets { known in
      section.hasSameOctets(at: start, as: known, at: place * Self.room, count: length)
    }
    return isSame ? length : 0
  }

  /// Remembers the line at `range`, the `index`th of its section, instead of another one: it must be an `OrdinaryFieldLine`.
  mutating func remember(_ range: Range<Int>, of section: RawSpan, index: Int) {
    guard range.count >= Self.least, range.count <= Self.room else { return }
    if lengths.isEmpty {
      lengths = Array(repeating: 0, count: Self.count)
      octets = Array(repeating: 0, count: Self.count * Self.room)
    }
    let place = Self.place(section, range.lowerBound, index)
    lengths[place] = Int16(range.count)
    section.copy(range, to: &octets, at: place * Self.room)
  }

  /// Of fields whose names begin alike, each has a place of its own by where it stands in the section.
  @inline(__always)
  private static func place(_ section: RawSpan, _ start: Int, _ index: Int) -> Int {
    let mixed = (section.littleEndian64(within: start) ^ UInt64(truncatingIfNeeded: index)) &* 0x9e37_79b9_7f4a_7c15
    return Int(mixed >> 57)
  }
}
