/// The packet numbers of one side in one space (RFC 9000 §12.3).
struct PacketNumbers {
  /// The largest number of an opened packet; -1 before the first.
  private(set) var largest = -1
  /// The numbers among the latest that have come, a bit for each, by the number modulo the window.
  private var seen = InlineArray<16, UInt64>(repeating: 0)

  /// How many of the latest numbers are remembered, to tell a packet that was captured twice.
  static let window = 1024
  /// Numbers have at most 62 bits.
  private static let limit = 1 << 62

  /// The number with these low bits that is nearest to the one behind `largest` (RFC 9000 §A.3).
  static func decode(_ truncated: Int, bits: Int, after largest: Int) -> Int {
    let expected = largest + 1
    let window = 1 << bits
    let candidate = expected & ~(window - 1) | truncated
    if candidate <= expected - window / 2, candidate < limit - window { return candidate + window }
    return candidate > expected + window / 2 && candidate >= window ? candidate - window : candidate
  }

  /// Notes the number of an opened packet. Returns whether it did not come before. Numbers far behind are not remembered, and count as new.
  mutating func note(_ number: Int) -> Bool {
    if number > largest {
      if number - largest >= Self.window {
        seen = .init(repeating: 0)
      } else {
        // The places between belonged to numbers that are too far behind now.
        for between in largest + 1..<number { seen[between / 64 % 16] &= ~(1 << UInt64(between % 64)) }
      }
      largest = number
      seen[number / 64 % 16] |= 1 << UInt64(number % 64)
      return true
    }
    guard largest - number < Self.window else { return true }
    let bit: UInt64 = 1 << UInt64(number % 64)
    defer { seen[number / 64 % 16] |= bit }
    return seen[number / 64 % 16] & bit == 0
  }
}
