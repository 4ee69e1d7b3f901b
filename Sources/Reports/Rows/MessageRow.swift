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
  static func append<Row: RowWriter & ~Copyable>(_ message: Message, texts: borrowing TextPool, to row: inout Row) {
    row.integer(message.number)
    row.integerUnlessZero(message.exchange)
    row.integerUnlessZero(message.connection)
    row.name(message.kind.literal)
    row.integers([Int(message.firstTime), Int(message.lastTime)])
    row.endpoint(message.client)
    row.endpoint(message.server)
    row.name(message.isSecure ? "https" : "http" as StaticString)
    row.text(message.method, texts)
    row.host(message.host, texts)
    row.name(message.hostSource.literal)
    row.path(message.path, texts)
    row.integer(message.queryLength)
    row.integerUnlessZero(message.status)
    row.text(message.version, texts)
    row.text(message.contentType, texts)
    row.text(message.contentEncoding, texts)
    row.text(message.transferEncoding, texts)
    let octets = message.octets
    row.integers([octets.startLine, octets.header, octets.body, octets.framing, octets.trailer, octets.total])
    row.integer(message.decodedBody)
    row.integers([message.retransmitted, message.overhead, message.ipLength, message.missing])
    row.name(message.exactness.literal)
    row.flags(message.flags.rawValue, names: MessageFlags.names)
  }
}
