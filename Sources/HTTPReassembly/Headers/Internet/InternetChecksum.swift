/// A running sum of the Internet checksum (RFC 1071).
struct InternetChecksum {
  private var sum: UInt64 = 0

  /// Adds octets; every range but the last must be of even length.
  mutating func add(_ octets: RawSpan, _ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= octets.byteCount)
    // Words of any width give the same folded sum, and words in the other byte order give it swapped (RFC 1071 §2 B and C). The carries go
    // to the upper halves. The loop has no other exit, so that the compiler takes several words at once.
    var (low, high): (UInt64, UInt64) = (0, 0)
    let words = range.count / 8
    for index in 0..<words {
      let word = octets.littleEndian64(within: range.lowerBound &+ 8 &* index)
      low &+= word & 0xffff_ffff
      high &+= word &>> 32
    }
    sum += UInt64(Self.folded(low &+ high).byteSwapped)
    var position = range.lowerBound + 8 * words
    if position + 4 <= range.upperBound {
      sum += UInt64(octets.bigEndian32(position))
      position += 4
    }
    if position + 2 <= range.upperBound {
      sum += UInt64(octets.bigEndian16(position))
      position += 2
    }
    if position < range.upperBound { sum += UInt64(octets.octet(position)) << 8 }
  }

  /// Adds a word of a pseudo-header.
  mutating func add(_ word: UInt32) { sum += UInt64(word) }

  /// Adds an address of a pseudo-header. An IPv4 address counts as four octets.
  mutating func add(_ address: IPAddress) {
    if !address.isIPv4 {
      sum += address.high >> 32 + address.high & 0xffff_ffff
      sum += address.low >> 32
    }
    sum += address.low & 0xffff_ffff
  }

  /// Whether the sum, including the checksum field, is correct.
  var isCorrect: Bool { Self.folded(sum) == 0xffff }

  private static func folded(_ sum: UInt64) -> UInt16 {
    var folded = sum
    while folded >> 16 != 0 { folded = folded >> 16 + folded & 0xffff }
    return UInt16(truncatingIfNeeded: folded)
  }
}
