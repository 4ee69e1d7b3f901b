import HTTPReassembly
import Tabular

/// The URL of a request (RFC 3986), made of text from the wire. The result is always ASCII and a URL: octets that a URL must not
/// have are percent-encoded.
enum HARURL {
  /// Scheme, host and path, and the query if it is to be shown.
  static func text(isSecure: Bool, host: [UInt8], path: [UInt8], query: [UInt8]?) -> [UInt8] {
    var url = Array((isSecure ? "https://" : "http://").utf8)
    appendAuthority(host, to: &url)
    // The asterisk-form has no path (RFC 9112 §3.3), and CONNECT's authority-form has none.
    if path != [UInt8(ascii: "*")], !path.isEmpty {
      if path.first != UInt8(ascii: "/") { url.append(UInt8(ascii: "/")) }
      append(path, to: &url) { isPathCharacter($0) }
    }
    if let query {
      url.append(UInt8(ascii: "?"))
      append(query, to: &url) { isPathCharacter($0) || $0 == UInt8(ascii: "?") }
    }
    return url
  }

  /// The URL of a server for which only the endpoint is known.
  static func text(of server: Endpoint, _ redaction: Redaction?) -> [UInt8] {
    var buffer = RowBuffer()
    buffer.append(server)
    let host = Array(buffer.octets)
    return text(isSecure: false, host: redaction?.host(host) ?? host, path: [], query: nil)
  }

  private static func appendAuthority(_ host: [UInt8], to url: inout [UInt8]) {
    var end = host.count
    while end > 0, (0x30...0x39).contains(host[end - 1]) { end -= 1 }
    let hasPort = end > 0 && end < host.count && host[end - 1] == UInt8(ascii: ":")
    let name = hasPort ? Array(host[..<(end - 1)]) : host
    if name.first == UInt8(ascii: "["), name.last == UInt8(ascii: "]"), isIPv6(name.dropFirst().dropLast()) {
      url += name
    } else {
      append(name, to: &url) { isUnreserved($0) || isSubDelimiter($0) }
    }
    if hasPort { url += host[(end - 1)...] }
  }

  private static func isIPv6(_ text: ArraySlice<UInt8>) -> Bool {
    text.contains(UInt8(ascii: ":"))
      && text.allSatisfy { isHexadecimal($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
  }

  /// Appends octets. Octets that are not allowed are percent-encoded, and so is a percent sign that starts no escape.
  private static func append(_ octets: [UInt8], to url: inout [UInt8], _ isAllowed: (UInt8) -> Bool) {
    for (index, octet) in octets.enumerated() {
      let isEscape =
        octet == UInt8(ascii: "%") && index + 2 < octets.count && isHexadecimal(octets[index + 1])
        && isHexadecimal(octets[index + 2])
      if isEscape || isAllowed(octet) {
        url.append(octet)
      } else {
        url.append(UInt8(ascii: "%"))
        url.append(upperCaseDigit(octet >> 4))
        url.append(upperCaseDigit(octet & 0xf))
      }
    }
  }

  private static func upperCaseDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") - 10 + value
  }

  private static func isHexadecimal(_ octet: UInt8) -> Bool {
    switch octet {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
    default: false
    }
  }

  private static func isUnreserved(_ octet: UInt8) -> Bool {
    switch octet {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func isSubDelimiter(_ octet: UInt8) -> Bool { "!$&'()*+,;=".utf8.contains(octet) }

  private static func isPathCharacter(_ octet: UInt8) -> Bool {
    isUnreserved(octet) || isSubDelimiter(octet) || octet == UInt8(ascii: ":") || octet == UInt8(ascii: "@")
      || octet == UInt8(ascii: "/")
  }
}
