/// A number of octets in people's spelling: `4096`, `20 kB`, `1.5 MiB`.
public struct OctetAmount: Sendable, Equatable {
  /// The number; at most 10¹⁸.
  public let octets: Int

  /// Parses a number of octets; nil for other text, negative numbers, fractions of an octet, and more than 10¹⁸.
  public init?(_ text: String) {
    if let plain = Decimal64(text, scale: 0) {
      octets = plain.units
    } else if let scaled = Decimal64.scaled(text, Self.units) {
      octets = scaled
    } else {
      return nil
    }
  }

  private static let units = [
    "B": 1, "kB": 1000, "MB": 1_000_000, "GB": 1_000_000_000, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
  ]
}

extension Decimal64 {
  /// A number with a unit after it, with or without a space between; nil when it is not a whole number of the smallest unit.
  static func scaled(_ text: String, _ units: [String: Int]) -> Int? {
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let name = text.dropFirst(number.count).drop { $0 == " " }
    guard let factor = units[String(name)], let thousandths = Decimal64(String(number), scale: 3)?.units else {
      return nil
    }
    let (product, overflows) = thousandths.multipliedReportingOverflow(by: factor)
    guard !overflows, product % 1000 == 0 else { return nil }
    return product / 1000
  }
}
