import HTTPReassembly

/// `exchanges.csv`: one row an exchange, by number. Lengths are octets, `started` is in nanoseconds since the Unix
/// epoch, phases are in milliseconds.
enum ExchangesCSV {
  /// The file's name.
  static let fileName = "exchanges.csv"
  /// The columns; new ones only at the end.
  static let columns = [
    "exchange", "connection", "request", "response", "method", "host", "path", "status", "started", "dns_ms",
    "connect_ms", "tls_ms", "send_ms", "wait_ms", "receive_ms", "request_bytes", "response_bytes", "ip_bytes",
  ]

  /// Appends the cells of an exchange.
  static func append(_ exchange: Exchange, texts: borrowing TextPool, to row: inout CSVRow) {
    row.integer(exchange.number)
    row.integerUnlessZero(exchange.connection)
    row.integer(exchange.request)
    row.integer(exchange.response)
    row.text(texts.octets(exchange.method))
    row.host(texts.octets(exchange.host))
    row.path(texts.octets(exchange.path))
    row.integerUnlessZero(exchange.status)
    row.time(exchange.started)
    row.milliseconds(exchange.timings.dns)
    row.milliseconds(exchange.timings.connect)
    row.milliseconds(exchange.timings.tls)
    row.milliseconds(exchange.timings.send)
    row.milliseconds(exchange.timings.wait)
    row.milliseconds(exchange.timings.receive)
    row.integer(exchange.requestLength)
    row.integer(exchange.responseLength)
    row.integer(exchange.ipLength)
  }
}
