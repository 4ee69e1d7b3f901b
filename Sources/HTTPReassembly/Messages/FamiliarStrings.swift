import Packets

/// Huffman-coded strings that came lately, with their texts and the marks of these. Most values come again and again: to find one takes half of
/// the time of decoding it, and saves its mark.
///
/// A string and its text lie one behind the other in a ring, where new ones overwrite the oldest.
package struct FamiliarStrings {
  private struct Entry {
    /// Where the string begins, counted from the first octet that the ring ever had.
    var start = 0
    var codedLength: Int32 = 0
    var textLength: Int32 = 0
    var mark: UInt64 = 0
  }

  /// Places of strings, by their first and last octets. A sender who makes them share one only makes each string be decoded.
  private static let count = 1024
  /// Octets of the ring.
  private static let room = 1 << 17
  /// The longest string, in octets, and the shortest one for which a search is worth it.
  private static let longest = 4096
  private static let shortest = 3

  private var entries: [Entry] = []
  private var ring: [UInt8] = []
  /// The octets that the ring ever had.
  private var end = 0

  @inline(__always)
  private static func place(_ coded: RawSpan) -> Int? {
    guard coded.byteCount >= shortest, coded.byteCount <= longest else { return nil }
    return Int(truncatingIfNeeded: coded.hashOfEnds() >> 54)
  }

  /// Writes the text of a familiar string into `text` from `start` on, which has enough room. It is mutating so that nothing is retained for
  /// the call.
  ///
  /// - Returns: Its length and its mark; nil for another string.
  @inline(__always)
  mutating func text(of coded: RawSpan, to text: inout [UInt8], at start: Int) -> (length: Int, mark: UInt64)? {
    guard !entries.isEmpty, let place = Self.place(coded) else { return nil }
    let entry = entries[place]
    let length = coded.byteCount
    guard Int(entry.codedLength) == length, end &- entry.start <= Self.room else { return nil }
    let first = entry.start & (Self.room - 1)
    return ring.withOctets { ring in
      guard ring.commonLength(at: first, with: coded, at: 0, atMost: length) == length else { return nil }
      ring.copy(first + length..<first + length + Int(entry.textLength), to: &text, at: start)
      return (Int(entry.textLength), entry.mark)
    }
  }

  /// Remembers a string and its text. Returns the mark of the text.
  mutating func remember(_ coded: RawSpan, _ text: RawSpan) -> UInt64 {
    let mark = OctetMark.of(text)
    guard let place = Self.place(coded) else { return mark }
    if entries.isEmpty {
      entries = Array(repeating: Entry(), count: Self.count)
      ring = Array(repeating: 0, count: Self.room)
    }
    let length = coded.byteCount + text.byteCount
    // None goes over the end of the ring.
    if end & (Self.room - 1) + length > Self.room { end = (end / Self.room + 1) * Self.room }
    let first = end & (Self.room - 1)
    coded.copy(0..<coded.byteCount, to: &ring, at: first)
    text.copy(0..<text.byteCount, to: &ring, at: first + coded.byteCount)
    entries[place] = Entry(
      start: end, codedLength: Int32(coded.byteCount), textLength: Int32(text.byteCount), mark: mark)
    end += length
    return mark
  }
}
