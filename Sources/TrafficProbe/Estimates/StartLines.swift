import Shared

/// The octets of a request-line (RFC 9112, section 3).
///
/// Formula: method + SP + target + SP + `HTTP/1.1` + CRLF.
///
/// Cannot be known: whether the connection used HTTP/2 or 3, which have no such line. The figure is then the line of the same
/// request in HTTP/1.1, unless task metrics replace it.
enum ExpectedRequestLine {
  static func octets(method: String, target: ExpectedTarget) -> Int {
    method.utf8.count + 1 + target.octets + 1 + "HTTP/1.1".utf8.count + 2
  }
}

/// The octets of a status-line (RFC 9112, section 4).
///
/// Formula: `HTTP/1.1` + SP + three digits + SP + reason phrase + CRLF, with the phrase of the IANA registry.
///
/// Cannot be known: the phrase that the server sent. The URL loading system does not deliver it, and a server may send another or
/// none. A code without a registered phrase counts without one.
enum ExpectedStatusLine {
  static func octets(status: Int) -> Int {
    "HTTP/1.1".utf8.count + 1 + 3 + 1 + (ReasonPhrase.registered[status]?.utf8.count ?? 0) + 2
  }
}
