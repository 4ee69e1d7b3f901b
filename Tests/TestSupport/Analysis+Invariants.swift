import HTTPReassembly

// What MEASURES promises for any input.

extension Analysis {
  /// The promises that are broken, in words.
  func brokenInvariants() -> [String] {
    ledgerFaults() + messageFaults() + connectionFaults() + exchangeFaults() + apiFaults()
      + tableFaults(totals, connections, messages.map(\.message))
  }

  private func ledgerFaults() -> [String] {
    var faults = Faults()
    faults.expect(ledger.difference, 0, "ledger difference")
    faults.expect(ledger.pending, 0, "pending at the end")
    for octetClass in OctetClass.allCases {
      faults.require(ledger[octetClass] >= 0, "\(octetClass.name) is \(ledger[octetClass])")
    }
    faults.require(ledger.tlsOther >= 0, "tls sub-classes exceed tls")
    let secured = connections.compactMap(\.security)
    // Of QUIC, it is a part of `quic_packet`.
    let quic = connections.filter { $0.quicVersion != 0 }.compactMap(\.security).sum(\.record)
    faults.expect(secured.sum(\.record) - quic, ledger.tlsRecord, "tls_record of connections and ledger")
    faults.require(quic <= ledger.quicPacket, "tls_record of QUIC connections exceeds quic_packet")
    faults.require(
      secured.sum(\.handshake) >= ledger.tlsHandshake || connections.contains { $0.security == nil },
      "tls_handshake of connections and ledger")
    faults.require(ledger.synthetic <= ledger[.link], "synthetic exceeds link")
    let octets = messages.map(\.message.octets)
    faults.expect(octets.sum(\.startLine), ledger[.startLine], "start_line of messages and ledger")
    faults.expect(octets.sum(\.header), ledger[.header], "header of messages and ledger")
    faults.expect(octets.sum(\.body), ledger[.body], "body of messages and ledger")
    faults.expect(octets.sum(\.framing), ledger[.framing], "framing of messages and ledger")
    faults.expect(octets.sum(\.trailer), ledger[.trailer], "trailer of messages and ledger")
    faults.expect(
      messages.sum(\.message.control) + connections.sum(\.control), ledger[.control],
      "control of messages, connections and ledger")
    faults.expect(connections.sum(\.retransmitted), ledger[.retransmitted], "retransmitted of connections and ledger")
    faults.expect(
      connections.sum { $0.missing + $0.unseen }, ledger.missing, "missing and unseen of connections and ledger")
    return faults.found
  }

  private func messageFaults() -> [String] {
    var faults = Faults()
    faults.expect(Set(messages.map(\.number)).count, messages.count, "distinct message numbers")
    for message in messages {
      let parts = [
        message.octets.startLine, message.octets.header, message.octets.body, message.octets.framing,
        message.octets.trailer, message.tls, message.retransmitted, message.overhead, message.missing,
        message.control, message.tunnel,
      ]
      let sum =
        message.octets.total + message.tunnel + message.tls + message.control + message.retransmitted + message.overhead
      faults.expect(message.ipLength, sum, "ip_bytes of message \(message.number)")
      faults.require(parts.allSatisfy { $0 >= 0 }, "message \(message.number) has a negative figure: \(parts)")
      if message.exactness == .exact {
        faults.expect(message.missing + message.unseen, 0, "missing of exact message \(message.number)")
      }
    }
    // The sums of WebSockets are the sub-classes of the ledger (MEASURES §11).
    let sockets = messages.compactMap(\.frames)
    faults.expect(sockets.sum(\.frameLength), ledger.webSocketFrame, "frames of WebSockets and ledger")
    faults.expect(sockets.sum(\.payloadLength), ledger.webSocketPayload, "payload of WebSockets and ledger")
    faults.require(ledger.tunnelOther >= 0, "tunnel_other is negative")
    for message in messages {
      guard let frames = message.frames else { continue }
      faults.require(
        frames.frameLength + frames.payloadLength <= message.tunnel,
        "frames of message \(message.number) beyond its tunnel")
      if frames.exactness == .exact {
        faults.require(message.exactness != .inferred, "message \(message.number) of exact frames is inferred")
        faults.expect(message.missing + message.unseen, 0, "missing of exact frames of message \(message.number)")
      }
    }
    return faults.found
  }

  private func connectionFaults() -> [String] {
    var faults = Faults()
    let byConnection = Dictionary(grouping: messages, by: \.message.connection)
    // Subflows of Multipath TCP are one connection, whose messages are those of the first one.
    let subflows = Dictionary(grouping: connections.filter { $0.joined != nil }, by: \.joined)
    let firsts = Set(connections.filter { $0.joined == nil }.map(\.number))
    faults.require(subflows.keys.allSatisfy { $0.map(firsts.contains) ?? false }, "a subflow joined no connection")
    for connection in connections where connection.joined == nil {
      let own = byConnection[connection.number] ?? []
      let all = [connection] + (subflows[connection.number] ?? [])
      let ipLength = all.sum { $0.ipLength.client + $0.ipLength.server }
      let parts =
        own.sum(\.message.ipLength)
        + all.sum { $0.setup + $0.handshake + $0.control + $0.teardown + $0.unattributed }
      faults.expect(parts, ipLength, "ip_bytes of connection \(connection.number) by its parts")
      faults.expect(own.count, connection.messages, "messages of connection \(connection.number)")
      for subflow in all.dropFirst() {
        faults.expect(
          subflow.messages + (byConnection[subflow.number] ?? []).count, 0, "messages of subflow \(subflow.number)")
        faults.expect(subflow.multipath, connection.multipath, "connection of subflow \(subflow.number)")
        faults.require(
          subflow.setup + subflow.handshake + subflow.control + subflow.teardown + subflow.unattributed
            <= subflow.ipLength.client + subflow.ipLength.server,
          "subflow \(subflow.number) has more than its packets")
      }
      let retransmitted = own.sum(\.message.retransmitted)
      faults.require(
        retransmitted <= all.sum(\.retransmitted), "retransmitted of connection \(connection.number)")
      // Octets of a message may be in a record that was captured in part, and so not opened.
      if connection.security?.opening != .partly {
        faults.require(own.sum(\.message.missing) <= connection.missing, "missing of connection \(connection.number)")
      }
      let secured = own.sum(\.message.tls)
      faults.require(secured <= connection.security?.record ?? 0, "tls of messages of connection \(connection.number)")
      // In a tunnel only what is inside may be TLS's.
      let isOpened = connection.security?.record ?? 0 > 0
      let isTunnel = connection.flags.contains(.tunnel)
      faults.require(
        own.allSatisfy { $0.message.isSecure == isOpened || isTunnel && isOpened && $0.message.tls == 0 },
        "scheme of messages of connection \(connection.number)")
      for subflow in all {
        let figures = [
          subflow.setup, subflow.handshake, subflow.teardown, subflow.unattributed, subflow.missing, subflow.control,
        ]
        faults.require(figures.allSatisfy { $0 >= 0 }, "connection \(subflow.number) is negative: \(figures)")
      }
      for message in own {
        faults.require(
          message.client == connection.client && message.server == connection.server,
          "endpoints of message \(message.number) are not those of its connection")
      }
    }
    return faults.found
  }

  private func exchangeFaults() -> [String] {
    var faults = Faults()
    let numbers = Set(exchanges.map(\.number))
    faults.expect(numbers.count, exchanges.count, "distinct exchange numbers")
    for message in messages {
      faults.require(numbers.contains(message.exchange), "message \(message.number) is in no exchange")
    }
    let byExchange = Dictionary(grouping: messages, by: \.message.exchange)
    for exchange in exchanges {
      let own = byExchange[exchange.number] ?? []
      faults.require(
        own.allSatisfy { $0.message.stream == exchange.stream || $0.message.stream == nil },
        "messages of exchange \(exchange.number) are on another stream")
      faults.expect(own.sum(\.message.ipLength), exchange.ipLength, "ip_bytes of exchange \(exchange.number)")
      let requests = own.filter { $0.kind == .request }
      faults.expect(requests.map(\.number), [exchange.request].compactMap(\.self), "request of \(exchange.number)")
      let finals = own.filter { $0.kind == .response }
      faults.expect(finals.map(\.number), [exchange.response].compactMap(\.self), "response of \(exchange.number)")
      faults.expect(
        requests.sum(\.message.octets.total), exchange.requestLength, "request length of \(exchange.number)")
      faults.expect(
        own.filter { $0.kind != .request }.sum(\.message.octets.total), exchange.responseLength,
        "response length of \(exchange.number)")
      for message in own {
        faults.require(
          message.method == exchange.method && message.host == exchange.host && message.path == exchange.path,
          "message \(message.number) is named unlike its exchange")
      }
    }
    return faults.found
  }

  private func apiFaults() -> [String] {
    var faults = Faults()
    let requests = messages.filter { $0.kind == .request }
    let responses = messages.filter { $0.kind != .request }
    faults.expect(totals.apis.sum(\.requests), requests.count, "requests of APIs")
    faults.expect(totals.apis.sum(\.responses), responses.filter { $0.kind == .response }.count, "responses of APIs")
    faults.expect(totals.apis.sum(\.request.ipLength), requests.sum(\.message.ipLength), "request ip_bytes of APIs")
    faults.expect(totals.apis.sum(\.response.ipLength), responses.sum(\.message.ipLength), "response ip_bytes of APIs")
    faults.expect(
      totals.apis.sum { $0.request.control + $0.response.control }, messages.sum(\.message.control), "control of APIs")
    faults.expect(
      totals.apis.sum { $0.request.expandedHeader + $0.response.expandedHeader },
      messages.sum { $0.message.expandedHeader ?? 0 }, "expanded header of APIs")
    faults.expect(totals.apis.sum(\.missing), messages.sum(\.message.missing), "missing of APIs")
    let texts = Set(totals.apis.flatMap { [$0.host, $0.path, $0.method] } + totals.hosts.map(\.host))
      .subtracting([.none])
    faults.expect(totals.texts.count, texts.count, "texts still held")
    return faults.found
  }
}

/// What does not add up of the tables that refine others, in words.
package func tableFaults(_ totals: Totals, _ connections: [Connection], _ messages: [Message]) -> [String] {
  var faults = Faults()
  let hosts = totals.hosts
  faults.expect(hosts.sum(\.up), connections.sum(\.ipLength.client), "up of hosts and connections")
  faults.expect(hosts.sum(\.down), connections.sum(\.ipLength.server), "down of hosts and connections")
  faults.expect(hosts.sum(\.connections.total), connections.count, "connections of hosts")
  faults.expect(hosts.sum(\.requests), messages.count { $0.kind == .request }, "requests of hosts")
  faults.expect(hosts.sum(\.responses), messages.count { $0.kind == .response }, "responses of hosts")
  faults.expect(
    hosts.map(\.exchanges).sum { $0.http1.octets + $0.http2.octets + $0.http3.octets }, messages.sum(\.ipLength),
    "ip_bytes of exchanges by version")
  faults.expect(hosts.sum(\.octets.total), messages.sum(\.octets.total), "message octets of hosts")
  faults.expect(hosts.sum(\.overhead), messages.sum(\.overhead), "overhead of hosts")
  faults.expect(
    hosts.sum(\.control), messages.sum(\.control) + connections.sum(\.control), "control of hosts and connections")
  faults.expect(hosts.sum(\.retransmitted), connections.sum(\.retransmitted), "retransmitted of hosts and connections")
  faults.expect(hosts.sum(\.handshake), connections.sum(\.handshake), "handshake of hosts and connections")
  faults.expect(
    hosts.sum(\.tls), connections.compactMap(\.security).sum(\.record), "tls_record of hosts and connections")
  faults.expect(
    hosts.sum(\.unopened), totals.ledger.tlsApplicationData + totals.ledger.quicProtected,
    "unopened of hosts and ledger")
  for host in hosts {
    let name = totals.texts.string(host.host)
    let parts = [
      host.octets.total, host.tls, host.control, host.handshake, host.setup, host.teardown, host.retransmitted,
      host.overhead, host.unopened, host.unattributed, host.tunnel,
    ]
    faults.expect(parts.reduce(0, +), host.ipLength, "ip_bytes of host \(name) by its parts")
    faults.require(
      (parts + [host.up, host.down]).allSatisfy { $0 >= 0 },
      "host \(name) is negative: \(parts), \(host.up), \(host.down)")
  }
  let fieldsOfAPIs = Dictionary(grouping: totals.fields) { [$0.host, $0.path, $0.method] }
  faults.expect(
    totals.fields.sum(\.octets), totals.ledger[.startLine] + totals.ledger[.header] + totals.ledger[.trailer],
    "octets of fields and ledger")
  for api in totals.apis where totals.anomalies[.fieldTableFull] == 0 {
    let rows = fieldsOfAPIs[[api.host, api.path, api.method]] ?? []
    for (isRequest, octets) in [(true, api.request.octets), (false, api.response.octets)] {
      let own = rows.filter { $0.isRequest == isRequest }
      faults.expect(
        own.sum(\.octets), octets.startLine + octets.header + octets.trailer,
        "octets of fields and API \(totals.texts.string(api.path))")
      faults.require(
        own.allSatisfy {
          $0.octets >= 0 && $0.repeatedOctets <= $0.octets && $0.expandedOctets >= 0 && $0.messages > 0
        },
        "a field of API \(totals.texts.string(api.path)) has an impossible figure")
    }
  }
  faults.expect(totals.contents.sum(\.octets), totals.ledger[.body], "body octets of contents and ledger")
  for content in totals.contents {
    faults.require(
      content.codedOctets + content.uncodedOctets <= content.octets && content.repeatedOctets <= content.octets
        && content.coded + content.uncoded <= content.contents && content.knownNotModified <= content.notModified,
      "contents have impossible figures: \(content)")
  }
  for octetClass in OctetClass.allCases {
    faults.expect(
      totals.timeline.sum { $0[octetClass] }, totals.ledger[octetClass], "\(octetClass.name) of timeline and ledger")
  }
  faults.expect(totals.timeline.sum(\.packets), totals.ledger.packets, "packets of timeline and ledger")
  for row in totals.timeline {
    faults.require(
      row.octets.allSatisfy { $0 >= 0 },
      "the interval at \(row.start), \(row.direction.name), is negative: \(row.octets)")
    faults.require(row.start < row.end, "the interval at \(row.start) ends at \(row.end)")
  }
  for (row, next) in zip(totals.timeline, totals.timeline.dropFirst()) {
    faults.require(
      row.end <= next.start || row.start == next.start && row.direction.rawValue < next.direction.rawValue,
      "the intervals at \(row.start) and \(next.start) overlap")
  }
  return faults.found
}

/// Gathers what is not as it must be.
private struct Faults {
  var found: [String] = []

  mutating func expect<Value: Equatable>(_ value: Value, _ expected: Value, _ what: @autoclosure () -> String) {
    if value != expected { found.append("\(what()): \(value), not \(expected)") }
  }

  mutating func require(_ condition: Bool, _ what: @autoclosure () -> String) {
    if !condition { found.append(what()) }
  }
}

extension Sequence {
  fileprivate func sum(_ value: (Element) -> Int) -> Int { reduce(0) { $0 + value($1) } }
}
