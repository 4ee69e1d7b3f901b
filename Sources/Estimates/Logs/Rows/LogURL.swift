/// The parts of an absolute URL (RFC 3986, section 3.1) that a log's row needs. Only the case of scheme and host is normalized,
/// and the empty path, which every client sends as `/` (RFC 9112, section 3.2.1). Nothing is decoded.
struct LogURL: Equatable {
  /// The scheme, lower-case.
  let scheme: String
  /// Host and port, lower-case, without userinfo; empty where the URL has no authority (`data:`).
  let host: String
  /// The path as written.
  let path: String
  /// The query as written, without the `?`; nil without a query.
  let query: String?
  /// Octets of the query without the `?`; nil without a query.
  var queryLength: Int? { query?.utf8.count }

  /// Parses a URL; nil without a scheme.
  init?(_ text: String) {
    let octets = text.utf8
    guard let colon = octets.firstIndex(of: UInt8(ascii: ":")), colon != octets.startIndex,
      octets[..<colon].allSatisfy(Self.isScheme)
    else { return nil }
    scheme = text[..<colon].lowercased()
    var rest = text[octets.index(after: colon)...]
    guard rest.utf8.starts(with: "//".utf8) else {
      (host, path, query) = ("", String(rest), nil)
      return
    }
    rest = rest.dropFirst(2)
    let end = rest.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    let authority = rest[..<(end ?? rest.endIndex)]
    let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")).map { authority.utf8.index(after: $0) }
    host = authority[(at ?? authority.startIndex)...].lowercased()
    (path, query) = Self.target(rest[(end ?? rest.endIndex)...])
  }

  /// Splits the text after an authority into path and query.
  static func target(_ text: Substring) -> (path: String, query: String?) {
    let octets = text.utf8
    let target = text[..<(octets.firstIndex(of: UInt8(ascii: "#")) ?? octets.endIndex)]
    guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else {
      return (target.isEmpty ? "/" : String(target), nil)
    }
    let query = String(target[target.utf8.index(after: mark)...])
    return (mark == target.startIndex ? "/" : String(target[..<mark]), query)
  }

  private static func isScheme(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}
