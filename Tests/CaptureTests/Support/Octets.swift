/// The two byte orders that a file may have.
enum Order: CaseIterable {
  case little
  case big

  /// The octets of an integer.
  func callAsFunction<Integer: FixedWidthInteger>(_ value: Integer) -> [UInt8] {
    let little = (0..<Integer.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> Integer($0 * 8)) }
    return self == .little ? little : little.reversed()
  }
}

/// Octets that differ from their neighbours, and from those of another seed.
func pattern(_ count: Int, seed: Int = 0) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ seed &* 31 &+ $0 >> 8) }
}
