extension [UInt8] {
  /// Appends an integer with seven bits in each octet, the lowest first (ULEB128).
  mutating func append(unsigned value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends an integer with its sign in the lowest bit (zigzag), seven bits in each octet.
  mutating func append(signed value: Int64) { append(unsigned: UInt64(bitPattern: value &<< 1 ^ value &>> 63)) }

  /// Appends the octets of an integer, the lowest first.
  mutating func append(littleEndian value: UInt64, count: Int = 8) {
    for index in 0..<count { append(UInt8(truncatingIfNeeded: value &>> UInt64(index * 8))) }
  }
}
