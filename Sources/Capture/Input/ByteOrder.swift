/// The byte order of a file or of a section of it.
enum ByteOrder {
  case little
  case big

  /// An integer that was loaded as if it were little-endian, in this order.
  @inline(__always)
  func callAsFunction<Integer: FixedWidthInteger>(_ value: Integer) -> Integer {
    self == .little ? value : value.byteSwapped
  }
}
