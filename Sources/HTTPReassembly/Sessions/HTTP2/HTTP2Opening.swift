/// What a client sends before its first frame (RFC 9113 §3.4).
enum HTTP2Preface {
  /// `PRI * HTTP/2.0`, an empty line, `SM`, and one more.
  static let text: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
  /// Octets of it.
  static let length = 24

  /// Whether octets are those of the preface from `offset` on, as far as both reach.
  static func matches(_ octets: RawSpan, from offset: Int = 0) -> Bool {
    for index in 0..<min(octets.byteCount, length - offset) where octets.octet(index) != text.octet(offset + index) {
      return false
    }
    return true
  }
}

/// What HTTP/1 hands on when its connection goes on with HTTP/2 (RFC 7540 §3.2): the request is stream 1, and its response comes
/// there.
struct HTTP2Upgrade {
  /// The row of the exchange.
  var exchange: RowIndex
  /// The side that sends requests.
  var requestSide: Side
  /// The side that final messages called the client.
  var namedClient: Side?
  /// The size of the dynamic table that the request allows the server, in octets; nil when it does not say.
  var tableSize: Int?
}
