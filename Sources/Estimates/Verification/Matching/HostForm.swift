/// The form of a host by which a log and the wire are compared. Apps log the name that people see, and clients send its A-labels
/// (RFC 5890 §2.3.2.1). Programs write an IPv6 address with brackets or without, and with the zone that only their machine knows.
enum HostForm {
  /// A host without a port: its name in A-labels, its IPv6 address in brackets and without a zone.
  static func compared(_ host: String) -> String {
    let octets = host.utf8
    guard octets.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "%") }) else {
      return host
    }
    if let address = address(host) { return address }
    let decoded = octets.contains(UInt8(ascii: "%")) ? MatchKey.decoded(host).lowercased() : host
    guard decoded.utf8.contains(where: { $0 >= 0x80 }) else { return decoded }
    return decoded.split(separator: ".", omittingEmptySubsequences: false).map(label).joined(separator: ".")
  }

  /// The host with its address in brackets and without a zone; nil for a name, and for an IPv4 address.
  private static func address(_ host: String) -> String? {
    let address = host.drop(while: { $0 == "[" }).prefix(while: { $0 != "]" && $0 != "%" })
    let isAddress = address.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
    guard isAddress, address.utf8.count(where: { $0 == UInt8(ascii: ":") }) > 1 else { return nil }
    return "[\(address)]"
  }

  /// The longest label (RFC 1035 §2.3.4).
  private static let longestLabel = 63

  /// A label as an A-label; as it is where it needs none, or is longer than labels are.
  private static func label(_ label: Substring) -> String {
    let scalars = Array(label.unicodeScalars.prefix(longestLabel + 1))
    guard scalars.count <= longestLabel, let encoded = punycode(scalars.map(\.value)) else { return String(label) }
    return encoded
  }

  /// Encodes code points by Punycode (RFC 3492 §6.3), with `xn--` before them; nil for ASCII alone.
  private static func punycode(_ points: [UInt32]) -> String? {
    var output = points.filter { $0 < 0x80 }.map { UInt8($0) }
    guard output.count < points.count else { return nil }
    let basic = output.count
    if basic > 0 { output.append(UInt8(ascii: "-")) }
    var (next, delta, bias, handled) = (UInt32(0x80), 0, 72, basic)
    while handled < points.count, let least = points.filter({ $0 >= next }).min() {
      delta += Int(least - next) * (handled + 1)
      next = least
      for point in points {
        if point < next { delta += 1 }
        guard point == next else { continue }
        var (rest, base) = (delta, 36)
        while case let threshold = min(max(base - bias, 1), 26), rest >= threshold {
          output.append(digit(threshold + (rest - threshold) % (36 - threshold)))
          rest = (rest - threshold) / (36 - threshold)
          base += 36
        }
        output.append(digit(rest))
        bias = adapted(delta, handled + 1, isFirst: handled == basic)
        (delta, handled) = (0, handled + 1)
      }
      delta += 1
      next += 1
    }
    return "xn--" + String(decoding: output, as: UTF8.self)
  }

  /// The next bias (RFC 3492 §6.1).
  private static func adapted(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
    var delta = delta / (isFirst ? 700 : 2)
    delta += delta / count
    var base = 0
    while delta > 455 {
      delta /= 35
      base += 36
    }
    return base + 36 * delta / (delta + 38)
  }

  private static func digit(_ value: Int) -> UInt8 { UInt8(value < 26 ? value + 97 : value + 22) }
}
