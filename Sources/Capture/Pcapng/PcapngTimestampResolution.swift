/// What the ticks of a pcapng interface are worth: its `if_tsresol` and `if_tsoffset` (draft-ietf-opsawg-pcapng §4.2).
struct PcapngTimestampResolution: Equatable {
  // Nanoseconds are `(ticks * multiplier / divisor) >> shift + offset`.
  private let multiplier: Int128
  private let divisor: Int128
  private let shift: Int
  private let offset: Int128

  /// From the option's octet, whose default is 6 (microseconds), and the seconds to add to each timestamp.
  init(_ option: UInt8 = 6, offsetSeconds: Int64 = 0) {
    let exponent = Int(option & 0x7f)
    offset = Int128(offsetSeconds) * 1_000_000_000
    if option & 0x80 != 0 {
      (multiplier, divisor, shift) = (1_000_000_000, 1, exponent)
    } else if exponent <= 9 {
      (multiplier, divisor, shift) = (Self.power(10, 9 - exponent), 1, 0)
    } else {
      // 64 bits of ticks are below 10^20: beyond 29 digits nothing is left of them.
      (multiplier, divisor, shift) = (1, Self.power(10, min(exponent - 9, 20)), 0)
    }
  }

  /// Nanoseconds since the Unix epoch, rounded down, and held to what 64 bits can say (to the year 2262).
  @inline(__always)
  func nanoseconds(_ ticks: UInt64) -> Int64 {
    var value = Int128(ticks) * multiplier
    if divisor != 1 { value /= divisor }
    return Int64(clamping: (value >> shift) + offset)
  }

  private static func power(_ base: Int128, _ exponent: Int) -> Int128 {
    (0..<exponent).reduce(1) { product, _ in product * base }
  }
}
