import HTTPReassembly

extension PageData {
  /// The exchanges that are shown one by one, in the order of their starts.
  ///
  /// `api` is the position of the exchange's API among the shown ones. `up` and `down` are the octets of the parts of
  /// `MessageParts`, empty where unknown.
  func exchanges(_ apis: APIsTable) -> PageTable {
    let hashes = apis.shownHashes
    let positions = Dictionary(zip(hashes, hashes.indices)) { first, _ in first }
    let parts = apis.parts
    return PageTable(
      [
        "exchange", "connection", "api", "method", "host", "path", "status", "version", "started", "dns", "connect",
        "tls", "send", "wait", "receive", "request_bytes", "response_bytes", "ip_bytes", "type", "decoded_body", "up",
        "down", "client", "server", "missing", "exactness", "flags", "frames",
      ],
      figures.exchanges.shown(hashes).map { row in
        let exchange = row.exchange
        let timings = exchange.timings
        return [
          .integer(exchange.number), exchange.connection == 0 ? .null : .integer(exchange.connection),
          .optional(positions[row.api]), .text(row.method), .text(row.host), .text(row.path),
          exchange.response == nil ? .null : .integer(exchange.status), .text(row.version),
          .milliseconds(exchange.started &- start), .milliseconds(timings.dns), .milliseconds(timings.connect),
          .milliseconds(timings.tls), .milliseconds(timings.send), .milliseconds(timings.wait),
          .milliseconds(timings.receive), .integer(exchange.requestLength), .integer(exchange.responseLength),
          .integer(exchange.ipLength),
        ] + values(row.parts, parts)
      }, total: figures.exchanges.count)
  }

  private func values(_ known: ExchangeParts?, _ parts: MessageParts) -> [PageValue] {
    guard let known else {
      return [.null, .null, .list([]), .list([]), .null, .null, .null, .null, .text(""), .list([])]
    }
    return [
      known.contentType.map { contentType($0) } ?? .null, .optional(known.decodedBody),
      .list(parts.octets(known.up).map { .integer($0) }), .list(parts.octets(known.down).map { .integer($0) }),
      .text(name.endpoint(known.client)), .text(name.endpoint(known.server)), .integer(known.missing),
      .text(known.exactness.name), .text(known.flags.labels.joined(separator: " ")),
      .list(known.frames.map { frames($0.facts, isFromServer: $0.isFromServer) }),
    ]
  }

  /// One direction of a WebSocket: its figures, and its frames in steps of `width` from `first` on.
  private func frames(_ facts: WebSocketFacts, isFromServer: Bool) -> PageValue {
    .object(
      [("direction", .text(isFromServer ? "down" : "up"))]
        + zip(WebSocketFigures.names, WebSocketFigures(facts).values).map { ($0, .integer($1)) } + [
          ("close_code", .optional(facts.closeCode)), ("first", .milliseconds(facts.firstTime &- start)),
          ("width", .milliseconds(facts.density.width)), ("density", .list(facts.density.frames.map { .integer($0) })),
        ])
  }

  private func contentType(_ number: Int) -> PageValue {
    number == 0 ? .text("(others)") : .text(name.text(figures.contentTypes.names[number]))
  }

  /// The connections with the most octets.
  var connections: PageTable {
    PageTable(
      [
        "connection", "host", "client", "server", "protocol", "opened", "duration", "packets", "client_ip_bytes",
        "server_ip_bytes", "setup_bytes", "handshake_bytes", "teardown_bytes", "unattributed_bytes",
        "retransmitted_bytes", "missing_bytes", "messages", "end", "flags",
      ],
      figures.connections.rows.map { row in
        let connection = row.connection
        return [
          .integer(connection.number), .text(row.host), .text(name.endpoint(connection.client)),
          .text(name.endpoint(connection.server)), .text(connection.applicationProtocol.name),
          .milliseconds(connection.opened &- start), .milliseconds(connection.closed &- connection.opened),
          .integer(connection.packets.client + connection.packets.server), .integer(connection.ipLength.client),
          .integer(connection.ipLength.server), .integer(connection.setup), .integer(connection.handshake),
          .integer(connection.teardown), .integer(connection.unattributed), .integer(connection.retransmitted),
          .integer(connection.missing), .integer(connection.messages), .text(connection.end.name),
          .text(connection.flags.labels.joined(separator: " ")),
        ]
      }, total: figures.connections.count)
  }

  /// The cost of opening and closing connections, by client, server and host. The highest cost beyond one connection comes first.
  var pairs: PageTable {
    let sorted = figures.savings.sortedPairs
    let hidden = sorted.dropFirst(PageLimits.rows).map(\.figures)
    let others = figures.savings.pairs.others
    let rest: [PageValue] = [
      .null, .null, .null, .integer(hidden.reduce(others.connections) { $0 + $1.connections }),
      .integer(hidden.reduce(others.octets) { $0 + $1.octets }),
      .integer(hidden.reduce(0) { $0 + $1.beyondFirst }),
    ]
    return PageTable(
      ["host", "client", "server", "connections", "bytes", "beyond_first"],
      sorted.prefix(PageLimits.rows).map { pair, row in
        [
          .text(pair.host), .text(name.address(pair.client)), .text(name.endpoint(pair.server)),
          .integer(row.connections), .integer(row.octets), .integer(row.beyondFirst),
        ]
      }, total: sorted.count, hasUncounted: figures.savings.pairs.hasOthers,
      rest: hidden.isEmpty && !figures.savings.pairs.hasOthers ? nil : rest)
  }

  /// Clients by the octets of their connections.
  var clients: PageTable {
    let sorted = figures.clients.rows.sorted { a, b in
      let (mine, other) = (a.value.up + a.value.down, b.value.up + b.value.down)
      return mine == other ? a.key.isBefore(b.key) : mine > other
    }
    var rest = figures.clients.others
    for (_, row) in sorted.dropFirst(PageLimits.rows) {
      rest.connections += row.connections
      rest.messages += row.messages
      rest.up += row.up
      rest.down += row.down
    }
    let isCut = figures.clients.hasOthers || sorted.count > PageLimits.rows
    func values(_ row: ClientFigures) -> [PageValue] {
      [row.connections, row.messages, row.up, row.down].map { .integer($0) }
    }
    return PageTable(
      ["client", "connections", "messages", "up", "down"],
      sorted.prefix(PageLimits.rows).map { [.text(name.address($0.key))] + values($0.value) },
      total: sorted.count, hasUncounted: figures.clients.hasOthers, rest: isCut ? [.null] + values(rest) : nil)
  }

  /// WebSockets by API and direction, most octets first.
  var webSockets: PageTable {
    PageTable(
      ["host", "path", "direction"], WebSocketFigures.names, figures.webSockets,
      weight: { $0.frameLength + $0.payloadLength },
      name: { [.text($0.host), .text($0.path), .text($0.isFromServer ? "down" : "up")] },
      figures: { $0.values.map { .integer($0) } })
  }

  /// The steps between marks, in order of time.
  var steps: PageTable {
    func figures(_ steps: ArraySlice<StepTotals>) -> [PageValue] {
      [
        steps.reduce(0) { $0 + $1.packets }, steps.reduce(0) { $0 + $1[.up] }, steps.reduce(0) { $0 + $1[.down] },
        steps.reduce(0) { $0 + $1.total },
      ].map { .integer($0) }
    }
    let (all, rest) = (totals.steps, totals.steps.dropFirst(PageLimits.rows))
    return PageTable(
      ["step", "label", "packets", "up", "down", "bytes"],
      all.indices.prefix(PageLimits.rows).map { index in
        let label = all[index].number == 0 ? all[index].name : name.text(all[index].label)
        return [.integer(all[index].number), .text(label)] + figures(all[index...index])
      }, total: all.count, rest: rest.isEmpty ? nil : [.null, .null] + figures(rest))
  }

  /// Final responses by status code, and the octets of their exchanges. A response whose start was not seen has none.
  var statuses: PageTable {
    PageTable(
      ["status", "exchanges", "ip_bytes"],
      figures.statuses.rows.sorted { $0.key < $1.key }.map {
        [$0.key == 0 ? .null : .integer($0.key), .integer($0.value.count), .integer($0.value.octets)]
      })
  }

  /// Exchanges by host, path and status, most octets first.
  func outcomes(_ rows: AddedRows<ShownAPI, AddedFigures>) -> PageTable {
    PageTable(
      ["host", "path", "status"], ["exchanges", "ip_bytes", "time"], rows, weight: \.octets,
      name: { [.text($0.host), .text($0.path), $0.status == 0 ? .null : .integer($0.status)] },
      figures: { [.integer($0.count), .integer($0.octets), .milliseconds($0.time)] })
  }
}
