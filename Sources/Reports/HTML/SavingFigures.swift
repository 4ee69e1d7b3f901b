import HTTPReassembly

/// The costs of exchanges and connections behind possible savings, and the closed connections, gathered as rows become final.
///
/// Within `PageLimits`: below 10 MiB, however large and hostile the capture is.
struct SavingFigures {
  private let name: PageName
  /// Exchanges that ended with a redirection, their octets on the wire and their time.
  private(set) var redirects = AddedRows<ShownAPI, AddedFigures>(AddedFigures())
  /// Exchanges that ended with an error or without a response, their octets on the wire and their time.
  private(set) var errors = AddedRows<ShownAPI, AddedFigures>(AddedFigures())
  /// Figures by client, server and host.
  private(set) var pairs = AddedRows<AddressPair, PairFigures>(PairFigures())
  /// Connections of TLS or QUIC without a message, and all of their octets, by host.
  private(set) var closed = AddedRows<String, AddedFigures>(AddedFigures())
  /// All octets of the other connections.
  private(set) var open = 0
  /// Octets that opened and closed those.
  private(set) var openings = 0
  /// Their octets that belong to no message.
  private(set) var unattributed = 0
  /// Hosts of connections that are not final, by number.
  private var hosts: [Int: String] = [:]
  /// Recent connections that are in `hosts`, which most messages belong to.
  private var recent = [Int](repeating: -1, count: 64)

  init(_ name: PageName) { self.name = name }

  mutating func add(_ message: Message, texts: borrowing TextPool) {
    let place = message.connection & (recent.count - 1)
    guard message.host != .none, recent[place] != message.connection else { return }
    if hosts[message.connection] == nil {
      guard hosts.count < PageLimits.connectionsInProgress else { return }
      hosts[message.connection] = name.host(texts.octets(message.host))
    }
    recent[place] = message.connection
  }

  mutating func add(_ exchange: Exchange, texts: borrowing TextPool) {
    guard exchange.isRedirection || exchange.hasFailed else { return }
    let shown = ShownAPI(
      host: name.host(texts.octets(exchange.host)), path: name.path(texts.octets(exchange.apiPath)),
      status: exchange.response == nil ? 0 : exchange.status)
    if exchange.hasFailed {
      errors.add(shown) { $0.add(exchange.ipLength, time: exchange.timings.duration) }
    } else {
      redirects.add(shown) { $0.add(exchange.ipLength, time: exchange.timings.duration) }
    }
  }

  /// Adds a connection, and returns its host: of its first message, else of its ClientHello.
  mutating func add(_ connection: Connection, texts: borrowing TextPool) -> String {
    // A subflow that joined another one is final before it.
    var host = ""
    if !hosts.isEmpty {
      host = connection.joined.flatMap { hosts[$0] } ?? hosts.removeValue(forKey: connection.number) ?? ""
    }
    if host.isEmpty, let security = connection.security { host = name.host(texts.octets(security.serverName)) }
    let cost = connection.setup + connection.handshake + connection.teardown
    if let security = connection.security, security.opening != .yes, connection.messages == 0 {
      closed.add(host) { $0.add(connection.ipLength.client + connection.ipLength.server) }
    } else {
      open += connection.ipLength.client + connection.ipLength.server
      openings += cost
      unattributed += connection.unattributed
    }
    if cost > 0 {
      pairs.add(AddressPair(client: connection.client.address, server: connection.server, host: host)) {
        $0.add(cost, isTunnel: connection.flags.contains(.tunnel))
      }
    }
    return host
  }
}

extension Exchange {
  /// Whether the response asks for another request elsewhere (RFC 9110 §15.4).
  fileprivate var isRedirection: Bool { [301, 302, 303, 307, 308].contains(status) }
}
