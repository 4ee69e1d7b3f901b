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

  /// Exchanges by host, path and status, those with the most octets first.
  func outcomes(_ rows: AddedRows<ShownAPI, AddedFigures>) -> PageTable {
    PageTable(
      ["host", "path", "status"], ["exchanges", "ip_bytes", "time"], rows, weight: \.octets,
      name: { [.text($0.host), .text($0.path), $0.status == 0 ? .null : .integer($0.status)] },
      figures: { [.integer($0.count), .integer($0.octets), .milliseconds($0.time)] })
  }
}

extension PageData {
  /// Fields by name and direction, those with the most repeated octets first.
  var fields: PageTable {
    PageTable(
      ["direction", "name"], ["lines", "bytes", "repeated_lines", "repeated_bytes"], figures.fields, weight: \.octets,
      name: { field in
        let name = fieldNames.names[field.number]
        return [.text(field.isRequest ? "up" : "down"), name.isEmpty ? .null : .text(self.name.text(name))]
      },
      figures: { [.integer($0.count), .integer($0.octets), .integer($0.partCount), .integer($0.partOctets)] })
  }

  /// What content codings achieved.
  var codings: PageTable {
    let sorted = figures.codings.rows.sorted { a, b in
      a.value.octets == b.value.octets ? a.key < b.key : a.value.octets > b.value.octets
    }
    return PageTable(
      ["coding", "messages", "bytes", "decoded_messages", "coded_bytes", "decoded_bytes"],
      sorted.map { [.text($0.key)] + Self.values($0.value) },
      rest: figures.codings.hasOthers ? [.null] + Self.values(figures.codings.others) : nil)
  }

  private static func values(_ coding: CodingFigures) -> [PageValue] {
    [coding.messages, coding.octets, coding.decodedMessages, coding.codedOctets, coding.decodedOctets]
      .map { .integer($0) }
  }

  /// Content without coding, by what gzip would have saved.
  var uncompressed: PageTable {
    PageTable(
      ["direction", "host", "path"], ["messages", "bytes", "compressible_messages", "saved_bytes"],
      figures.uncompressed, weight: \.partOctets,
      name: { [.text($0.isRequest ? "up" : "down"), .text($0.host), .text($0.path)] },
      figures: { [.integer($0.count), .integer($0.octets), .integer($0.partCount), .integer($0.partOctets)] })
  }

  /// Contents that the same host and path had sent before.
  var repeated: PageTable {
    PageTable(
      ["host", "path"], ["responses", "bytes"], figures.repeated, weight: \.octets,
      name: { [.text($0.host), .text($0.path)] }, figures: { [.integer($0.count), .integer($0.octets)] })
  }

  /// What came again of all contents that were fetched, and what was not fetched because it had not changed.
  var contents: PageValue {
    let contents = figures.contents
    return .object([
      ("responses", .integer(contents.count)), ("bytes", .integer(contents.octets)),
      ("repeated_responses", .integer(contents.partCount)), ("repeated_bytes", .integer(contents.partOctets)),
      ("not_modified", .integer(figures.notModified.count)),
      ("not_modified_bytes", .integer(figures.notModified.octets)),
    ])
  }
}
