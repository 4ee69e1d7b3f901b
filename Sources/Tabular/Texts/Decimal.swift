/// Decimal digits of unsigned integers, four or eight at a time. Most of a report is numbers.
///
/// Unsafe: it writes at an address; callers must provide `room` octets.
@usableFromInline
enum Decimal {
  /// Octets that `write` may touch: 20 digits, and octets beyond the end of a short number.
  @inlinable static var room: Int { 28 }

  /// Writes a number without leading zeros. Returns the number of digits.
  @inlinable
  @inline(__always)
  static func write(_ value: UInt64, at target: UnsafeMutablePointer<UInt8>) -> Int {
    if value < 10 {
      unsafe target[0] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value)
      return 1
    }
    guard value >= 10_000 else { return unsafe writeFour(UInt32(truncatingIfNeeded: value), at: target) }
    return unsafe writeLong(value, at: target)
  }

  /// Writes a number from 10 to 9,999. It writes four octets, and returns the number of digits.
  @inlinable
  @inline(__always)
  static func writeFour(_ value: UInt32, at target: UnsafeMutablePointer<UInt8>) -> Int {
    let hundreds = (value &* 10_486) >> 20
    let twos = hundreds | (value &- hundreds &* 100) << 16
    let tens = (twos &* 103) >> 10 & 0x000f_000f
    let digits = tens | (twos &- tens &* 10) << 8
    // The first digit is the lowest octet, so leading zeros are trailing zero octets. The value is not 0.
    let zeros = digits.trailingZeroBitCount & ~7
    let text = (digits | 0x3030_3030) >> UInt32(truncatingIfNeeded: zeros)
    unsafe UnsafeMutableRawPointer(target).storeBytes(of: text.littleEndian, as: UInt32.self)
    return 4 &- zeros &>> 3
  }

  @inline(never)
  @usableFromInline
  static func writeLong(_ value: UInt64, at target: UnsafeMutablePointer<UInt8>) -> Int {
    guard value >= 100_000_000 else { return unsafe writeShort(value, at: target) }
    let (high, low) = value.quotientAndRemainder(dividingBy: 100_000_000)
    let length: Int
    if high < 100_000_000 {
      length = unsafe writeShort(high, at: target)
    } else {
      let (highest, middle) = high.quotientAndRemainder(dividingBy: 100_000_000)
      let first = unsafe writeShort(highest, at: target)
      unsafe writeEight(middle, skipping: 0, at: target + first)
      length = first + 8
    }
    unsafe writeEight(low, skipping: 0, at: target + length)
    return length + 8
  }

  /// Writes a number below 10⁸. It writes eight octets, and returns the number of digits.
  @inline(__always)
  private static func writeShort(_ value: UInt64, at target: UnsafeMutablePointer<UInt8>) -> Int {
    if value < 10 {
      unsafe target[0] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value)
      return 1
    }
    let digits = eightDigits(value)
    // Leading zeros are removed as in `writeFour`.
    let zeros = digits.trailingZeroBitCount / 8
    unsafe store((digits | ascii) >> UInt64(zeros * 8), at: target)
    return 8 - zeros
  }

  /// Writes a number below 10⁸ with its eight digits, without the first `skipped`. It writes eight octets.
  @inline(__always)
  static func writeEight(_ value: UInt64, skipping skipped: Int, at target: UnsafeMutablePointer<UInt8>) {
    unsafe store((eightDigits(value) | ascii) >> UInt64(skipped * 8), at: target)
  }

  /// A number of ten digits, with the first eight and the last two as text.
  static func tenDigits(_ value: Int) -> (value: Int, digits: UInt64, lastDigits: UInt16) {
    let (first, last) = UInt64(value).quotientAndRemainder(dividingBy: 100)
    return (value, eightDigits(first) | ascii, UInt16(truncatingIfNeeded: (eightDigits(last) | ascii) >> 48))
  }

  private static var ascii: UInt64 { 0x3030_3030_3030_3030 }

  @inline(__always)
  private static func store(_ octets: UInt64, at target: UnsafeMutablePointer<UInt8>) {
    unsafe UnsafeMutableRawPointer(target).storeBytes(of: octets.littleEndian, as: UInt64.self)
  }

  /// The eight digits of a number below 10⁸, one in each octet, the first one lowest. It splits the number into groups of four, two and one
  /// digit, each step in all lanes at once. Division by 100 and by 10 is multiplication and shift, exact for these values.
  @inline(__always)
  private static func eightDigits(_ value: UInt64) -> UInt64 {
    let high = value / 10_000
    let fours = high | (value &- high &* 10_000) << 32
    let hundreds = (fours &* 10_486) >> 20 & 0x0000_007f_0000_007f
    let twos = hundreds | (fours &- hundreds &* 100) << 16
    let tens = (twos &* 103) >> 10 & 0x000f_000f_000f_000f
    return tens | (twos &- tens &* 10) << 8
  }
}
