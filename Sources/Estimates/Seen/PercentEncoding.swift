/// Percent-encoding of the parts of a URL (RFC 3986 §2.1).
enum PercentEncoding {
  /// The octets with each `%` and its two hexadecimal digits replaced by their octet. A `%` without two digits stays.
  static func decoded(_ octets: some Collection<UInt8>) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(octets.count)
    var rest = octets[...]
    while let octet = rest.popFirst() {
      if octet == UInt8(ascii: "%"), let (high, low) = digits(rest) {
        decoded.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        decoded.append(octet)
      }
    }
    return decoded
  }

  /// The values of the two hexadecimal digits that `octets` start with; nil when they do not.
  private static func digits(_ octets: some Collection<UInt8>) -> (high: UInt8, low: UInt8)? {
    var first = octets.prefix(2)
    guard let high = first.popFirst().flatMap(value), let low = first.popFirst().flatMap(value) else { return nil }
    return (high, low)
  }

  /// The value of a hexadecimal digit, in either case.
  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }
}
