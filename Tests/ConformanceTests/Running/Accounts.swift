import HTTPReassembly
import TestSupport
import Testing

extension CaptureRun {
  /// Expects what has to add up in every run (MEASURES §1 to §3).
  func expectBalance(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let differences =
      ledgerDifferences + connectionDifferences + messageDifferences + exchangeDifferences + apiDifferences
      + tableFaults(totals, connections, messages.map(\.message))
    #expect(differences.isEmpty, "\(name)", sourceLocation: sourceLocation)
  }

  private var ledgerDifferences: [String] {
    var accounts = Accounts()
    accounts.compare("difference", ledger.difference, 0)
    accounts.compare("pending", ledger.pending, 0)
    accounts.compare("total", ledger.total, ledger.original)
    for octetClass in OctetClass.allCases where ledger[octetClass] < 0 {
      accounts.compare(octetClass.name, ledger[octetClass], 0)
    }
    accounts.compare("retransmitted", connections.sum(\.retransmitted), ledger[.retransmitted])
    accounts.compare("missing", connections.sum(\.missing) + connections.sum(\.unseen), ledger.missing)
    return accounts.differences
  }

  /// `ip_bytes(connection) = Σ ip_bytes(messages) + setup + handshake + teardown + unattributed`.
  private var connectionDifferences: [String] {
    var accounts = Accounts()
    let messagesOf = Dictionary(grouping: messages, by: \.message.connection)
    // The subflows of Multipath TCP are one connection, with the number of the first one.
    for (number, subflows) in Dictionary(grouping: connections, by: { $0.joined ?? $0.number }) {
      let own = messagesOf[number] ?? []
      let parts =
        own.sum(\.message.ipLength)
        + subflows.sum { $0.setup + $0.handshake + $0.control + $0.teardown + $0.unattributed }
      let whole = subflows.sum { $0.ipLength.client + $0.ipLength.server }
      accounts.compare("ip_bytes of connection \(number)", parts, whole)
    }
    for connection in connections {
      let own = messagesOf[connection.number]?.count ?? 0
      accounts.compare("messages of connection \(connection.number)", own, connection.messages)
    }
    let known = Set(connections.map(\.number))
    accounts.compare("connections by number", known.count, connections.count)
    accounts.compare("messages without connection", messagesOf.keys.count { !known.contains($0) }, 0)
    return accounts.differences
  }

  /// The messages have the octets of the classes that messages are made of.
  private var messageDifferences: [String] {
    var accounts = Accounts()
    accounts.compare("start_line", messages.sum(\.message.octets.startLine), ledger[.startLine])
    accounts.compare("header", messages.sum(\.message.octets.header), ledger[.header])
    accounts.compare("body", messages.sum(\.message.octets.body), ledger[.body])
    accounts.compare("framing", messages.sum(\.message.octets.framing), ledger[.framing])
    accounts.compare("trailer", messages.sum(\.message.octets.trailer), ledger[.trailer])
    return accounts.differences
  }

  /// An exchange has the octets of its messages.
  private var exchangeDifferences: [String] {
    var accounts = Accounts()
    let messagesOf = Dictionary(grouping: messages, by: \.message.exchange)
    for exchange in exchanges {
      let own = messagesOf[exchange.number] ?? []
      accounts.compare("ip_bytes of exchange \(exchange.number)", own.sum(\.message.ipLength), exchange.ipLength)
      accounts.compare(
        "octets of exchange \(exchange.number)", own.sum(\.message.octets.total),
        exchange.requestLength + exchange.responseLength)
    }
    accounts.compare("exchanges", messagesOf.count, exchanges.count)
    return accounts.differences
  }

  /// The totals by API have the octets of all messages.
  private var apiDifferences: [String] {
    var accounts = Accounts()
    let requests = messages.filter(\.isRequest)
    let responses = messages.filter { !$0.isRequest }
    accounts.compare("requests by API", apis.sum(\.requests), requests.count)
    accounts.compare("responses by API", apis.sum(\.responses), messages.count { $0.message.kind == .response })
    accounts.compare(
      "octets of requests by API", apis.sum(\.request.octets.total), requests.sum(\.message.octets.total))
    accounts.compare("ip_bytes of requests by API", apis.sum(\.request.ipLength), requests.sum(\.message.ipLength))
    accounts.compare(
      "octets of responses by API", apis.sum(\.response.octets.total), responses.sum(\.message.octets.total))
    accounts.compare("ip_bytes of responses by API", apis.sum(\.response.ipLength), responses.sum(\.message.ipLength))
    accounts.compare(
      "decoded bodies by API", apis.sum(\.response.decodedBody), responses.sum { $0.message.decodedBody ?? 0 })
    accounts.compare("missing by API", apis.sum(\.missing), messages.sum(\.message.missing))
    return accounts.differences
  }
}

/// Gathers what does not add up, in words.
private struct Accounts {
  var differences: [String] = []

  mutating func compare(_ what: @autoclosure () -> String, _ value: Int, _ expected: Int) {
    if value != expected { differences.append("\(what()): \(value), not \(expected)") }
  }
}

extension Sequence {
  fileprivate func sum(_ value: (Element) -> Int) -> Int { reduce(0) { $0 + value($1) } }
}
