import HTTPReassembly

/// `connections`: one row a connection, by number. Lengths are octets, times nanoseconds since the Unix epoch.
enum ConnectionRow {
  /// The table's name.
  static let name = "connections"
  /// The columns; new ones only at the end.
  static let columns: [Column] = [
    .integer("connection"), .text("client"), .text("server"), .text("protocol").orUnknown, .integer("opened"),
    .integer("closed"), .integer("client_packets"), .integer("server_packets"), .integer("client_ip_bytes"),
    .integer("server_ip_bytes"), .integer("client_payload_bytes"), .integer("server_payload_bytes"),
    .integer("setup_bytes"), .integer("teardown_bytes"), .integer("unattributed_bytes"),
    .integer("retransmitted_bytes"), .integer("missing_bytes"), .integer("messages"), .text("end"), .text("flags"),
  ]

  /// Appends the cells of a connection.
  static func append<Row: RowWriter & ~Copyable>(_ connection: Connection, to row: inout Row) {
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
  }
}
