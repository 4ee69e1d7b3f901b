import Shared

/// The octets of a status-line (RFC 9112, section 4).
///
/// Formula: `HTTP/1.1` + SP + three digits + SP + reason phrase + CRLF, with the phrase of the IANA registry.
///
/// Cannot be known: the phrase that the server sent. The URL loading system does not hand it out, and a server may send
/// another or none. A code without a registered phrase is counted without one.
enum StatusLine {
  static func octets(status: Int) -> Int {
    "HTTP/1.1".utf8.count + 1 + 3 + 1 + (ReasonPhrase.registered[status]?.utf8.count ?? 0) + 2
  }
}
