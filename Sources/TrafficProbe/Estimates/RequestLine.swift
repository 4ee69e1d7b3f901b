/// The octets of a request-line (RFC 9112, section 3).
///
/// Formula: method + SP + target + SP + `HTTP/1.1` + CRLF.
///
/// Cannot be known: whether HTTP/2 or 3 was spoken, which have no such line. The figure is then that of the same
/// request in HTTP/1.1, unless task metrics replace it.
enum RequestLine {
  static func octets(method: String, target: RequestTarget) -> Int {
    method.utf8.count + 1 + target.octets + 1 + "HTTP/1.1".utf8.count + 2
  }
}
