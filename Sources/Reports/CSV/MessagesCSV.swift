import HTTPReassembly

/// `messages.csv`: one row a message, by number. Lengths are octets, times nanoseconds since the Unix epoch.
enum MessagesCSV {
  /// The file's name.
  static let fileName = "messages.csv"
  /// The columns; new ones only at the end.
  static let columns = [
    "message", "exchange", "connection", "type", "first_time", "last_time", "client", "server", "scheme", "method",
    "host", "host_source", "path", "query_bytes", "status", "version", "content_type", "content_encoding",
    "transfer_encoding", "start_line_bytes", "header_bytes", "body_bytes", "framing_bytes", "trailer_bytes",
    "message_bytes", "decoded_body_bytes", "retransmitted_bytes", "overhead_bytes", "ip_bytes", "missing_bytes",
    "exactness", "flags",
  ]

  /// Appends the cells of a message.
  static func append(_ message: Message, texts: borrowing TextPool, to row: inout CSVRow) {
    row.integer(message.number)
    row.integerUnlessZero(message.exchange)
    row.integerUnlessZero(message.connection)
    row.name(message.kind.name)
    row.time(message.firstTime)
    row.time(message.lastTime)
    row.endpoint(message.client)
    row.endpoint(message.server)
    row.name(message.isSecure ? "https" : "http")
    row.text(texts.octets(message.method))
    row.host(texts.octets(message.host))
    row.name(message.hostSource.name)
    row.path(texts.octets(message.path))
    row.integer(message.queryLength)
    row.integerUnlessZero(message.status)
    row.text(texts.octets(message.version))
    row.text(texts.octets(message.contentType))
    row.text(texts.octets(message.contentEncoding))
    row.text(texts.octets(message.transferEncoding))
    row.integer(message.octets.startLine)
    row.integer(message.octets.header)
    row.integer(message.octets.body)
    row.integer(message.octets.framing)
    row.integer(message.octets.trailer)
    row.integer(message.octets.total)
    row.integer(message.decodedBody)
    row.integer(message.retransmitted)
    row.integer(message.overhead)
    row.integer(message.ipLength)
    row.integer(message.missing)
    row.name(message.exactness.name)
    row.flags(message.flags.rawValue, names: MessageFlags.names)
  }
}
