/// Packs numbers of a few bits each, one behind the other, from the lowest bit of the first octet on.
struct BitPacking {
  private var pending: UInt64 = 0
  private var pendingBits = 0

  /// The number of bits that a number needs.
  static func width(_ value: UInt64) -> Int { 64 - value.leadingZeroBitCount }

  /// Appends the lowest `width` bits of a number, whose other bits are 0.
  @inline(__always)
  mutating func append(_ value: UInt64, width: Int, to octets: inout [UInt8]) {
    pending |= value << UInt64(pendingBits)
    pendingBits += width
    guard pendingBits >= 64 else { return }
    octets.append(littleEndian: pending)
    pendingBits -= 64
    // A shift by 64 gives 0.
    pending = value >> UInt64(width - pendingBits)
  }

  /// Appends the remaining bits, with zeros up to a whole octet.
  mutating func finish(to octets: inout [UInt8]) {
    octets.append(littleEndian: pending, count: (pendingBits + 7) / 8)
    self = BitPacking()
  }
}
