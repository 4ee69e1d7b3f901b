import HTTPReassembly

/// `exchanges`: one row an exchange, by number. Lengths are octets, `started` is in nanoseconds since the Unix
/// epoch, phases are in milliseconds.
enum ExchangeRow {
  /// The table's name.
  static let name = "exchanges"
  /// The columns; new ones only at the end.
  static let columns: [Column] = [
    .integer("exchange"), .integer("connection").orUnknown, .integer("request").orUnknown,
    .integer("response").orUnknown, .text("method").orUnknown, .text("host").orUnknown, .text("path").orUnknown,
    .integer("status").orUnknown, .integer("started"), .real("dns_ms").orUnknown, .real("connect_ms").orUnknown,
    .real("tls_ms").orUnknown, .real("send_ms").orUnknown, .real("wait_ms").orUnknown, .real("receive_ms").orUnknown,
    .integer("request_bytes"), .integer("response_bytes"), .integer("ip_bytes"),
  ]

  /// Appends the cells of an exchange.
  static func append<Row: RowWriter & ~Copyable>(_ exchange: Exchange, texts: borrowing TextPool, to row: inout Row) {
    row.integer(exchange.number)
    row.integerUnlessZero(exchange.connection)
    row.integer(exchange.request)
    row.integer(exchange.response)
    row.text(exchange.method, texts)
    row.host(exchange.host, texts)
    row.path(exchange.path, texts)
    row.integerUnlessZero(exchange.status)
    row.time(exchange.started)
    row.milliseconds(exchange.timings.dns)
    row.milliseconds(exchange.timings.connect)
    row.milliseconds(exchange.timings.tls)
    row.milliseconds(exchange.timings.send)
    row.milliseconds(exchange.timings.wait)
    row.milliseconds(exchange.timings.receive)
    row.integers([exchange.requestLength, exchange.responseLength, exchange.ipLength])
  }
}
