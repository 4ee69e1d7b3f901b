/// The columns of the log, the same in the CSV file and in the SQLite table. The first eight are common in traffic logs of apps.
enum ProbeColumns {
  static let names = [
    "host", "path", "type", "occur_time", "length", "line_length", "header_length", "body_length", "method", "status",
    "query_length", "framing_length", "hop", "exchange", "source", "unknown", "error",
    "content_type", "end_time", "duration_ms", "dns_ms", "connect_ms", "tls_ms", "send_ms", "wait_ms", "receive_ms",
    "pending", "compressed_length",
  ]
}
