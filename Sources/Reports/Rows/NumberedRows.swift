import HTTPReassembly
import Tabular

/// `messages`: one row a message, by number. Lengths are octets, times nanoseconds since the Unix epoch.
enum MessageRow {
  /// The table's name.
  static let name = "messages"
  /// The columns; new ones only at the end.
  static let columns: [TableColumn] = [
    .integer("message"), .integer("exchange").orUnknown, .integer("connection").orUnknown, .text("type"),
    .time("first_time"), .time("last_time"), .text("client"), .text("server"), .text("scheme"),
    .text("method").orUnknown, .text("host").orUnknown, .text("host_source").orUnknown, .text("path").orUnknown,
    .integer("query_bytes").orUnknown, .integer("status").orUnknown, .text("version").orUnknown,
    .text("content_type").orUnknown, .text("content_encoding").orUnknown, .text("transfer_encoding").orUnknown,
    .integer("start_line_bytes"), .integer("header_bytes"), .integer("body_bytes"), .integer("framing_bytes"),
    .integer("trailer_bytes"), .integer("message_bytes"), .integer("decoded_body_bytes").orUnknown,
    .integer("retransmitted_bytes"), .integer("overhead_bytes"), .integer("ip_bytes"), .integer("missing_bytes"),
    .text("exactness"), .text("flags"), .integer("stream").orUnknown, .integer("tls_bytes"), .integer("control_bytes"),
    .integer("expanded_start_line_bytes").orUnknown, .integer("expanded_header_bytes").orUnknown,
    .integer("unseen_bytes"), .text("pairing"), .text("api_path").orUnknown, .integer("grpc_messages").orUnknown,
    .integer("grpc_status").orUnknown, .text("process").orUnknown, .integer("pid").orUnknown, .text("app").orUnknown,
    .text("process_source").orUnknown,
  ]

  /// Writes the row of a message.
  static func write<Row: RowWriter & ~Copyable>(_ message: Message, texts: borrowing TextPool, to row: inout Row) {
    row.begin()
    row.integer(message.number)
    row.integerUnlessZero(message.exchange)
    row.integerUnlessZero(message.connection)
    row.name(message.kind.literal)
    row.integers([Int(message.firstTime), Int(message.lastTime)])
    row.endpoint(message.client)
    row.endpoint(message.server)
    row.name(message.isSecure ? "https" : "http" as StaticString)
    row.text(message.method, texts)
    row.host(message.host, texts, of: message.kind)
    row.name(message.hostSource.literal)
    row.path(message.path, texts, of: message.kind)
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
    row.integerUnlessZero(Int(message.stream))
    row.integers([message.tls, message.control])
    row.integer(message.expandedStartLine)
    row.integer(message.expandedHeader)
    row.integer(message.unseen)
    row.name(message.pairing.literal)
    row.path(message.apiPath, texts, of: message.kind)
    row.integer(message.grpcMessages)
    row.integer(message.grpcStatus)
    row.process(message.process, texts)
    row.endpointParts(client: message.client, server: message.server)
    row.end()
  }
}

/// `exchanges`: one row an exchange, by number. Lengths are octets, `started` is in nanoseconds since the Unix
/// epoch, phases are in milliseconds.
enum ExchangeRow {
  /// The table's name.
  static let name = "exchanges"
  /// The columns; new ones only at the end.
  static let columns: [TableColumn] = [
    .integer("exchange"), .integer("connection").orUnknown, .integer("request").orUnknown,
    .integer("response").orUnknown, .text("method").orUnknown, .text("host").orUnknown, .text("path").orUnknown,
    .integer("status").orUnknown, .time("started"), .real("dns_ms").orUnknown, .real("connect_ms").orUnknown,
    .real("tls_ms").orUnknown, .real("send_ms").orUnknown, .real("wait_ms").orUnknown, .real("receive_ms").orUnknown,
    .integer("request_bytes"), .integer("response_bytes"), .integer("ip_bytes"), .integer("stream").orUnknown,
    .text("version").orUnknown, .text("pairing"), .text("api_path").orUnknown, .text("process").orUnknown,
  ]

  /// Writes the row of an exchange.
  static func write<Row: RowWriter & ~Copyable>(_ exchange: Exchange, texts: borrowing TextPool, to row: inout Row) {
    row.begin()
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
    row.integerUnlessZero(Int(exchange.stream))
    row.text(exchange.version, texts)
    row.name(exchange.pairing.literal)
    row.path(exchange.apiPath, texts)
    row.processName(exchange.process, texts)
    row.end()
  }
}

/// `connections`: one row a connection, by number. Lengths are octets, times nanoseconds since the Unix epoch.
enum ConnectionRow {
  /// The table's name.
  static let name = "connections"
  /// The columns; new ones only at the end.
  static let columns: [TableColumn] = [
    .integer("connection"), .text("client"), .text("server"), .text("protocol").orUnknown, .time("opened"),
    .time("closed"), .integer("client_packets"), .integer("server_packets"), .integer("client_ip_bytes"),
    .integer("server_ip_bytes"), .integer("client_payload_bytes"), .integer("server_payload_bytes"),
    .integer("setup_bytes"), .integer("teardown_bytes"), .integer("unattributed_bytes"),
    .integer("retransmitted_bytes"), .integer("missing_bytes"), .integer("messages"), .text("end"), .text("flags"),
    .text("sni").orUnknown, .text("alpn").orUnknown, .text("tls_version").orUnknown, .text("cipher_suite").orUnknown,
    .text("tls_resumed").orUnknown, .text("tls_opened").orUnknown, .integer("handshake_bytes"),
    .integer("tls_record_bytes"),
    .integer("control_bytes"), .text("process").orUnknown, .integer("pid").orUnknown, .text("app").orUnknown,
    .text("process_source").orUnknown, .integer("tls_plaintext_at_most_bytes").orUnknown,
  ]

  /// Writes the row of a connection.
  static func write<Row: RowWriter & ~Copyable>(
    _ connection: Connection, texts: borrowing TextPool, to row: inout Row
  ) {
    row.begin()
    row.integer(connection.number)
    row.endpoint(connection.client)
    row.endpoint(connection.server)
    row.name(connection.applicationProtocol.literal)
    row.time(connection.opened)
    row.time(connection.closed)
    row.integer(connection.packets.client)
    row.integer(connection.packets.server)
    row.integer(connection.ipLength.client)
    row.integer(connection.ipLength.server)
    row.integer(connection.payloadLength.client)
    row.integer(connection.payloadLength.server)
    row.integer(connection.setup)
    row.integer(connection.teardown)
    row.integer(connection.unattributed)
    row.integer(connection.retransmitted)
    row.integer(connection.missing)
    row.integer(connection.messages)
    row.name(connection.end.literal)
    row.flags(UInt64(connection.flags.rawValue), names: ConnectionFlags.names)
    append(connection.security, texts: texts, to: &row)
    row.integer(connection.control)
    row.process(connection.process, texts)
    if let security = connection.security, let most = security.mostUnopened {
      row.integer(most)
    } else {
      row.empty()
    }
    row.endpointParts(client: connection.client, server: connection.server)
    row.end()
  }

  /// Appends the connection's facts about TLS.
  private static func append<Row: RowWriter & ~Copyable>(
    _ security: ConnectionSecurity?, texts: borrowing TextPool, to row: inout Row
  ) {
    guard let security else {
      for _ in 0..<6 { row.empty() }
      return row.integers([0, 0])
    }
    row.host(security.serverName, texts)
    row.text(security.applicationProtocol, texts)
    if security.version == 0 { row.empty() } else { row.name(security.versionName) }
    if let name = security.suiteName { row.name(name) } else { row.empty() }
    if let isResumed = security.isResumed { row.name(isResumed ? "yes" : "no" as StaticString) } else { row.empty() }
    row.name(security.opening.literal)
    row.integers([security.handshake, security.record])
  }
}
