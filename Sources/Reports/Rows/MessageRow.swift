import HTTPReassembly

/// `messages`: one row a message, by number. Lengths are octets, times nanoseconds since the Unix epoch.
enum MessageRow {
  /// The table's name.
  static let name = "messages"
  /// The columns; new ones only at the end.
  static let columns: [Column] = [
    .integer("message"), .integer("exchange").orUnknown, .integer("connection").orUnknown, .text("type"),
    .integer("first_time"), .integer("last_time"), .text("client"), .text("server"), .text("scheme"),
    .text("method").orUnknown, .text("host").orUnknown, .text("host_source").orUnknown, .text("path").orUnknown,
    .integer("query_bytes").orUnknown, .integer("status").orUnknown, .text("version").orUnknown,
    .text("content_type").orUnknown, .text("content_encoding").orUnknown, .text("transfer_encoding").orUnknown,
    .integer("start_line_bytes"), .integer("header_bytes"), .integer("body_bytes"), .integer("framing_bytes"),
    .integer("trailer_bytes"), .integer("message_bytes"), .integer("decoded_body_bytes").orUnknown,
    .integer("retransmitted_bytes"), .integer("overhead_bytes"), .integer("ip_bytes"), .integer("missing_bytes"),
    .text("exactness"), .text("flags"),
  ]

  /// Appends the cells of a message.
  static func append<Row: RowWriter>(_ message: Message, texts: borrowing TextPool, to row: inout Row) {
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
