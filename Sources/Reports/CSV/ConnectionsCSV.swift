import HTTPReassembly

/// `connections.csv`: one row a connection, by number. Lengths are octets, times nanoseconds since the Unix epoch.
enum ConnectionsCSV {
  /// The file's name.
  static let fileName = "connections.csv"
  /// The columns; new ones only at the end.
  static let columns = [
    "connection", "client", "server", "protocol", "opened", "closed", "client_packets", "server_packets",
    "client_ip_bytes", "server_ip_bytes", "client_payload_bytes", "server_payload_bytes", "setup_bytes",
    "teardown_bytes", "unattributed_bytes", "retransmitted_bytes", "missing_bytes", "messages", "end", "flags",
  ]

  /// Appends the cells of a connection.
  static func append(_ connection: Connection, to row: inout CSVRow) {
    row.integer(connection.number)
    row.endpoint(connection.client)
    row.endpoint(connection.server)
    row.name(connection.applicationProtocol.name)
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
    row.name(connection.end.name)
    row.flags(UInt64(connection.flags.rawValue), names: ConnectionFlags.names)
  }
}
