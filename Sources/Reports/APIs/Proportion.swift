/// A share in people's spelling, `5%` or `0.05`, kept exactly. So a share at a threshold is not beyond it because of rounding.
public struct Proportion: Sendable, Equatable {
  /// Millionths of the whole; at most 1,000 times the whole.
  package let millionths: Int
  /// The text as given.
  public let text: String

  /// Parses a share; nil for other text, negative numbers, more than 100000%, or a finer share than a millionth.
  public init?(_ text: String) {
    self.text = text
    let isPercent = text.hasSuffix("%")
    guard
      let value = Decimal64(isPercent ? String(text.dropLast()) : text, scale: isPercent ? 4 : 6),
      value.units <= 1_000_000_000
    else { return nil }
    millionths = value.units
  }

  /// Whether growth is more than this share of the old value. Growth from 0 is more than any share.
  func isExceeded(by growth: Int128, of old: Int128) -> Bool { growth * 1_000_000 > old * Int128(millionths) }
}

/// A number of at least 0, with or without a decimal point, in whole units of a power of ten.
struct Decimal64 {
  /// The number times ten to the power of the scale.
  let units: Int

  /// Parses digits with at most one point; nil for anything else. Nil also when more than `scale` decimals are not 0, or the
  /// number is beyond 10¹⁸ units.
  init?(_ text: String, scale: Int) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }) else {
      return nil
    }
    var decimals = parts.count == 2 ? Array(parts[1]) : []
    while decimals.last == UInt8(ascii: "0") { decimals.removeLast() }
    guard decimals.count <= scale else { return nil }
    decimals += Array(repeating: UInt8(ascii: "0"), count: scale - decimals.count)
    var value = 0
    for digit in Array(parts[0]) + decimals {
      value = value * 10 + Int(digit - 0x30)
      guard value <= 1_000_000_000_000_000_000 / 10 else { return nil }
    }
    units = value
  }
}
