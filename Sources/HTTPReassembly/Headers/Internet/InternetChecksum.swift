/// A running sum of the Internet checksum (RFC 1071).
struct InternetChecksum {
  private var sum: UInt64 = 0

  /// Adds octets; every range but the last must be of even length.
  mutating func add(_ octets: RawSpan, _ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= octets.byteCount)
    var position = range.lowerBound
    // Words of any width give the same folded sum (RFC 1071 §2 C). The carries go to the upper half.
    while position + 8 <= range.upperBound {
      let word = UInt64(bigEndian: octets.integer(within: position))
      sum += word >> 32 + word & 0xffff_ffff
      position += 8
    }
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
  var isCorrect: Bool {
    var folded = sum
    while folded >> 16 != 0 { folded = folded >> 16 + folded & 0xffff }
    return folded == 0xffff
  }
}
