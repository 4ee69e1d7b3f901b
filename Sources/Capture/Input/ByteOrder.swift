/// The byte order of a file or of a section of it.
enum ByteOrder {
  case little
  case big

  /// An integer that was loaded as if it were little-endian, in this order.
  @inline(__always)
  func callAsFunction<Integer: FixedWidthInteger>(_ value: Integer) -> Integer {
    self == .little ? value : value.byteSwapped
  }

  /// Two 32-bit integers, the first one first, that were loaded as if they were one little-endian integer.
  @inline(__always)
  func halves(_ value: UInt64) -> (UInt32, UInt32) {
    (self(UInt32(truncatingIfNeeded: value)), self(UInt32(truncatingIfNeeded: value >> 32)))
  }
}
