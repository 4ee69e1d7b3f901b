import HTTPReassembly

extension PageData {
  /// The exchanges with the most octets.
  var exchanges: PageTable {
    PageTable(
      [
        "exchange", "connection", "method", "host", "path", "status", "started", "dns", "connect", "tls", "send",
        "wait",
        "receive", "request_bytes", "response_bytes", "ip_bytes",
      ],
      figures.exchanges.rows.map { row in
        let exchange = row.exchange
        let timings = exchange.timings
        return [
          .integer(exchange.number), exchange.connection == 0 ? .null : .integer(exchange.connection),
          .text(row.method), .text(row.host), .text(row.path), exchange.status == 0 ? .null : .integer(exchange.status),
          .milliseconds(exchange.started - start), .milliseconds(timings.dns), .milliseconds(timings.connect),
          .milliseconds(timings.tls), .milliseconds(timings.send), .milliseconds(timings.wait),
          .milliseconds(timings.receive), .integer(exchange.requestLength), .integer(exchange.responseLength),
          .integer(exchange.ipLength),
        ]
      }, total: figures.exchanges.count)
  }

  /// The connections with the most octets.
  var connections: PageTable {
    PageTable(
      [
        "connection", "client", "server", "protocol", "opened", "duration", "packets", "client_ip_bytes",
        "server_ip_bytes", "setup_bytes", "teardown_bytes", "unattributed_bytes", "retransmitted_bytes",
        "missing_bytes",
        "messages", "end", "flags",
      ],
      figures.connections.rows.map { connection in
        let flags = ConnectionFlags.names.indices.filter { connection.flags.rawValue >> UInt32($0) & 1 == 1 }
        return [
          .integer(connection.number), .text(name.endpoint(connection.client)),
          .text(name.endpoint(connection.server)), .text(connection.applicationProtocol.name),
          .milliseconds(connection.opened - start), .milliseconds(connection.closed - connection.opened),
          .integer(connection.packets.client + connection.packets.server), .integer(connection.ipLength.client),
          .integer(connection.ipLength.server), .integer(connection.setup), .integer(connection.teardown),
          .integer(connection.unattributed), .integer(connection.retransmitted), .integer(connection.missing),
          .integer(connection.messages), .text(connection.end.name),
          .text(flags.map { ConnectionFlags.names[$0] }.joined(separator: " ")),
        ]
      }, total: figures.connections.count)
  }

  /// Exchanges by place and status, those with the most octets first.
  func outcomes(_ rows: AddedRows<PlaceName, AddedFigures>) -> PageTable {
    PageTable(
      ["host", "path", "status"], ["exchanges", "ip_bytes", "time"], rows, weight: \.octets,
      name: { [.text($0.host), .text($0.path), $0.status == 0 ? .null : .integer($0.status)] },
      figures: { [.integer($0.count), .integer($0.octets), .milliseconds($0.time)] })
  }
}
