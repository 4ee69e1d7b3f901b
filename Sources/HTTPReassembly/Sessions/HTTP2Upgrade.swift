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
