/// The preface that a client sends before its first frame (RFC 9113 §3.4).
enum HTTP2Preface {
  /// `PRI * HTTP/2.0`, an empty line, `SM`, and another empty line.
  static let text: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
  /// The number of its octets.
  static let length = 24

  /// Whether octets match the preface from `offset` on, as far as both reach.
  static func matches(_ octets: RawSpan, from offset: Int = 0) -> Bool {
    for index in 0..<min(octets.byteCount, length - offset) where octets.octet(index) != text.octet(offset + index) {
      return false
    }
    return true
  }
}

/// The state that HTTP/1 passes to HTTP/2 on its connection (RFC 7540 §3.2).
///
/// The request is stream 1, and its response comes there.
struct HTTP2Upgrade {
  /// The row of the exchange.
  var exchange: RowIndex
  /// The side that sends requests.
  var requestSide: Side
  /// The side that final messages called the client.
  var namedClient: Side?
  /// The size in octets of the dynamic table that the request allows the server; nil if not given.
  var tableSize: Int?
}
