import HTTPReassembly
import Tabular

/// `messages`: one row a message, by number. Lengths are octets, times nanoseconds since the Unix epoch.
enum MessageRow {
  /// The table's name.
  static let name = "messages"
  /// The columns.
  static let columns = ColumnList.of { write(Message(), texts: TextPool(), to: &$0) }

  /// Writes the row of a message.
  static func write<Row: RowWriter & ~Copyable>(_ message: Message, texts: borrowing TextPool, to row: inout Row) {
    row.begin()
    row[.integer("message")].integer(message.number)
    row[.integer("exchange").orUnknown].integerUnlessZero(message.exchange)
    row[.integer("connection").orUnknown].integerUnlessZero(message.connection)
    row[.text("type")].name(message.kind.literal)
    row[.time("first_time")].time(message.firstTime)
    row[.time("last_time")].time(message.lastTime)
    row[.text("client")].endpoint(message.client)
    row[.text("server")].endpoint(message.server)
    row[.text("scheme")].name(message.isSecure ? "https" : "http" as StaticString)
    row[.text("method").orUnknown].text(message.method, texts)
    // An interim response has the name of its request.
    let isRepeated = message.kind == .interim
    row[.text("host").orUnknown].host(message.host, texts, isRepeated: isRepeated)
    row[.text("host_source").orUnknown].name(message.hostSource.literal)
    row[.text("path").orUnknown].path(message.path, texts, isRepeated: isRepeated)
    row[.integer("query_bytes").orUnknown].integer(message.queryLength)
    row[.integer("status").orUnknown].integerUnlessZero(message.status)
    row[.text("version").orUnknown].text(message.version, texts)
    row[.text("content_type").orUnknown].text(message.contentType, texts)
    row[.text("content_encoding").orUnknown].text(message.contentEncoding, texts)
    row[.text("transfer_encoding").orUnknown].text(message.transferEncoding, texts)
    let octets = message.octets
    row[.integers("start_line_bytes", "header_bytes", "body_bytes", "framing_bytes", "trailer_bytes", "message_bytes")]
      .integers([octets.startLine, octets.header, octets.body, octets.framing, octets.trailer, octets.total])
    row[.integer("decoded_body_bytes").orUnknown].integer(message.decodedBody)
    row[.integers("retransmitted_bytes", "overhead_bytes", "ip_bytes", "missing_bytes")].integers([
      message.retransmitted, message.overhead, message.ipLength, message.missing,
    ])
    row[.text("exactness")].name(message.exactness.literal)
    row[.text("flags")].flags(message.flags.rawValue, names: MessageFlags.names)
    row[.integer("stream").orUnknown].integer(message.stream.map { Int(clamping: $0) })
    row[.integers("tls_bytes", "control_bytes")].integers([message.tls, message.control])
    row[.integer("expanded_start_line_bytes").orUnknown].integer(message.expandedStartLine)
    row[.integer("expanded_header_bytes").orUnknown].integer(message.expandedHeader)
    row[.integer("unseen_bytes")].integer(message.unseen)
    row[.text("pairing")].name(message.pairing.literal)
    row[.text("api_path").orUnknown].path(message.apiPath, texts, isRepeated: isRepeated)
    row[.integer("grpc_messages").orUnknown].integer(message.grpcMessages)
    row[.integer("grpc_status").orUnknown].integer(message.grpcStatus)
    row.process(message.process, texts)
    row[.integer("tunnel_bytes")].integer(message.tunnel)
    row.endpointParts(client: message.client, server: message.server)
    row.end()
  }
}

/// `exchanges`: one row an exchange, by number. Lengths are octets, `started` is in nanoseconds since the Unix
/// epoch, phases are in milliseconds.
enum ExchangeRow {
  /// The table's name.
  static let name = "exchanges"
  /// The columns.
  static let columns = ColumnList.of { write(Exchange(), texts: TextPool(), to: &$0) }

  /// Writes the row of an exchange.
  static func write<Row: RowWriter & ~Copyable>(_ exchange: Exchange, texts: borrowing TextPool, to row: inout Row) {
    row.begin()
    row[.integer("exchange")].integer(exchange.number)
    row[.integer("connection").orUnknown].integerUnlessZero(exchange.connection)
    row[.integer("request").orUnknown].integer(exchange.request)
    row[.integer("response").orUnknown].integer(exchange.response)
    row[.text("method").orUnknown].text(exchange.method, texts)
    row[.text("host").orUnknown].host(exchange.host, texts)
    row[.text("path").orUnknown].path(exchange.path, texts)
    row[.integer("status").orUnknown].integerUnlessZero(exchange.status)
    row[.time("started")].time(exchange.started)
    row[.real("dns_ms").orUnknown].milliseconds(exchange.timings.dns)
    row[.real("connect_ms").orUnknown].milliseconds(exchange.timings.connect)
    row[.real("tls_ms").orUnknown].milliseconds(exchange.timings.tls)
    row[.real("send_ms").orUnknown].milliseconds(exchange.timings.send)
    row[.real("wait_ms").orUnknown].milliseconds(exchange.timings.wait)
    row[.real("receive_ms").orUnknown].milliseconds(exchange.timings.receive)
    row[.integers("request_bytes", "response_bytes", "ip_bytes")].integers([
      exchange.requestLength, exchange.responseLength, exchange.ipLength,
    ])
    row[.integer("stream").orUnknown].integer(exchange.stream.map { Int(clamping: $0) })
    row[.text("version").orUnknown].text(exchange.version, texts)
    row[.text("pairing")].name(exchange.pairing.literal)
    row[.text("api_path").orUnknown].path(exchange.apiPath, texts)
    row[.text("process").orUnknown].processName(exchange.process, texts)
    row[.integer("tunnel_bytes")].integer(exchange.tunnelLength)
    row[.integer("events").orUnknown].integer(exchange.events)
    row.end()
  }
}

/// `connections`: one row a connection, by number. Lengths are octets, times nanoseconds since the Unix epoch.
enum ConnectionRow {
  /// The table's name.
  static let name = "connections"
  /// The columns.
  static let columns = ColumnList.of { write(Connection(), texts: TextPool(), to: &$0) }

  /// Writes the row of a connection.
  static func write<Row: RowWriter & ~Copyable>(
    _ connection: Connection, texts: borrowing TextPool, to row: inout Row
  ) {
    row.begin()
    row[.integer("connection")].integer(connection.number)
    row[.text("client")].endpoint(connection.client)
    row[.text("server")].endpoint(connection.server)
    row[.text("protocol").orUnknown].name(connection.applicationProtocol.literal)
    row[.time("opened")].time(connection.opened)
    row[.time("closed")].time(connection.closed)
    row[.integer("client_packets")].integer(connection.packets.client)
    row[.integer("server_packets")].integer(connection.packets.server)
    row[.integer("client_ip_bytes")].integer(connection.ipLength.client)
    row[.integer("server_ip_bytes")].integer(connection.ipLength.server)
    row[.integer("client_payload_bytes")].integer(connection.payloadLength.client)
    row[.integer("server_payload_bytes")].integer(connection.payloadLength.server)
    row[.integer("setup_bytes")].integer(connection.setup)
    row[.integer("teardown_bytes")].integer(connection.teardown)
    row[.integer("unattributed_bytes")].integer(connection.unattributed)
    row[.integer("retransmitted_bytes")].integer(connection.retransmitted)
    row[.integer("missing_bytes")].integer(connection.missing)
    row[.integer("messages")].integer(connection.messages)
    row[.text("end")].name(connection.end.literal)
    row[.text("flags")].flags(UInt64(connection.flags.rawValue), names: ConnectionFlags.names)
    append(connection.security, texts: texts, to: &row)
    row[.integer("control_bytes")].integer(connection.control)
    row.process(connection.process, texts)
    row[.integer("tls_plaintext_at_most_bytes").orUnknown].integer(connection.security?.mostUnopened)
    row.prefix(connection.prefix, texts)
    row.note { [.text("quic_version").orUnknown, .text("mptcp").orUnknown] }
    if connection.quicVersion == 0 { row.empty() } else { row.name(connection.quicVersionName) }
    if connection.multipath == nil { row.empty() } else { row.name(connection.multipathName) }
    row.endpointParts(client: connection.client, server: connection.server)
    row.end()
  }

  /// Appends the connection's facts about TLS.
  private static func append<Row: RowWriter & ~Copyable>(
    _ security: ConnectionSecurity?, texts: borrowing TextPool, to row: inout Row
  ) {
    row.note {
      ["sni", "alpn", "tls_version", "cipher_suite", "tls_resumed", "tls_opened"].map { .text($0).orUnknown }
        + .integers("handshake_bytes", "tls_record_bytes")
    }
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
