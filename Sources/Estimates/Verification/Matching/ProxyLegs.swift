import HTTPReassembly

/// A side of a proxy.
public enum ProxyLeg: String, CaseIterable, Sendable {
  /// From the client to the proxy.
  case client
  /// From the proxy to the server.
  case server
}

/// The two sides of a proxy in one capture: each exchange is there twice, once with the proxy and once with the server.
///
/// A server's address is a proxy's if nine in ten of its answered exchanges contain an equal exchange with another server in time.
/// The proxy may name another host. Another machine than the client sends all of these inner exchanges, or the proxy's own. An app
/// that sends equal requests to two servers sends both from one machine.
struct ProxyLegs {
  /// The messages of the side between client and proxy, as indices into the list of all.
  private(set) var client: Set<Int> = []
  /// The messages of the side between proxy and server.
  private(set) var server: Set<Int> = []

  /// The fewest exchanges that are there twice.
  private static let leastPairs = 5
  /// The largest number of equal exchanges that are examined for one.
  private static let candidateLimit = 64
  /// Nanoseconds by which the capture's times on two interfaces may be off.
  private static let slack: Int64 = 1_000_000

  private struct Key: Hashable {
    var path: String
    var method: String
    var query: String
    var status: Int
  }

  /// Finds the sides in the messages of a capture.
  init(_ wire: [WireMessage]) {
    let exchanges = WireExchange.all(wire)
    func row(_ exchange: WireExchange) -> Message? { (exchange.request ?? exchange.response).map { wire[$0].row } }
    // The exchanges are in the order of their first octets, and so are those of each key.
    var equal: [Key: [Int]] = [:]
    for (index, exchange) in exchanges.enumerated() where exchange.response != nil && exchange.request != nil {
      equal[Self.key(exchange), default: []].append(index)
    }
    // Parallel exchanges that are equal each contain one of their own.
    var inner: [Endpoint: Set<Int>] = [:]
    var answered: [Endpoint: Int] = [:]
    for (index, exchange) in exchanges.enumerated() where exchange.response != nil && exchange.request != nil {
      guard let outer = row(exchange) else { continue }
      answered[outer.server, default: 0] += 1
      let candidates = equal[Self.key(exchange)] ?? []
      let first = exchange.start.saturatingSubtract(Self.slack)
      let position = candidates.partitioningIndex { exchanges[$0].start >= first }
      for candidate in candidates[position...].prefix(Self.candidateLimit) where candidate != index {
        let other = exchanges[candidate]
        if other.start > exchange.end { break }
        guard let sent = row(other), sent.server != outer.server, sent.connection != outer.connection,
          other.end.saturatingSubtract(Self.slack) <= exchange.end,
          other.end.saturatingSubtract(other.start) < exchange.end.saturatingSubtract(exchange.start)
        else { continue }
        if sent.client.address == outer.client.address {
          guard sent.client.address == outer.server.address, other.key == exchange.key else { continue }
        }
        if inner[outer.server, default: []].insert(candidate).inserted { break }
      }
    }
    for (proxy, inner) in inner {
      let senders = Set(inner.compactMap { row(exchanges[$0])?.client.address })
      guard inner.count >= Self.leastPairs, inner.count * 10 >= answered[proxy, default: 0] * 9,
        senders.count == 1
      else { continue }
      let targets = Set(inner.compactMap { row(exchanges[$0])?.server })
      let outer = exchanges.filter { row($0)?.server == proxy }
      for exchange in outer { client.formUnion(Self.messages(exchange)) }
      for index in inner { server.formUnion(Self.messages(exchanges[index])) }
      // The proxy's other exchanges belong to its side, too, unless a client on its machine may have sent them.
      guard senders.isDisjoint(with: outer.compactMap { row($0)?.client.address }) else { continue }
      for exchange in exchanges {
        guard let sent = row(exchange), senders.contains(sent.client.address), targets.contains(sent.server)
        else { continue }
        server.formUnion(Self.messages(exchange))
      }
    }
    // The middle of a chain of proxies is both.
    client.subtract(server)
  }

  private static func key(_ exchange: WireExchange) -> Key {
    Key(path: exchange.key.path, method: exchange.method, query: exchange.query ?? "", status: exchange.status)
  }

  private static func messages(_ exchange: WireExchange) -> [Int] {
    [exchange.request, exchange.response].compactMap { $0 } + exchange.interims
  }

  /// Whether the capture has both sides.
  var isEmpty: Bool { client.isEmpty || server.isEmpty }

  /// The messages of all but the other side.
  func messages(_ leg: ProxyLeg, _ wire: [WireMessage]) -> [WireMessage] {
    let others = leg == .client ? server : client
    return wire.indices.filter { !others.contains($0) }.map { wire[$0] }
  }
}

extension Verification {
  /// The side of a proxy that a log was held against, where the capture has both.
  public struct Leg: Sendable {
    /// The side.
    public var leg: ProxyLeg
    /// Whether it was asked for; else it is the one that fits.
    public var isChosen: Bool
    /// The messages of the other side, which are in no figure.
    public var leftOut: Int
  }

  /// Compares a log with the wire, or with one side of a proxy where the capture has both: the one that fits, or `leg`.
  ///
  /// - Parameters: As for `init`.
  public static func comparing(
    _ log: AppLog, _ wire: [WireMessage], timings: [Int: ExchangeTimings] = [:], leftOut: WireTable.LeftOut? = nil,
    closed: [String: Int] = [:], tolerance: Int64 = 5_000_000_000, leg: ProxyLeg? = nil
  ) -> Verification {
    func compare(_ wire: [WireMessage]) -> Verification {
      Verification(log, wire, timings: timings, leftOut: leftOut, closed: closed, tolerance: tolerance)
    }
    let legs = ProxyLegs(wire)
    guard !legs.isEmpty else { return compare(wire) }
    var best: (verification: Verification, rank: [Int])?
    for side in leg.map({ [$0] }) ?? ProxyLeg.allCases {
      let messages = legs.messages(side, wire)
      var verification = compare(messages)
      verification.leg = Leg(leg: side, isChosen: leg != nil, leftOut: wire.count - messages.count)
      let rank = verification.fit
      if let best, !best.rank.lexicographicallyPrecedes(rank) { continue }
      best = (verification, rank)
    }
    return best?.verification ?? compare(wire)
  }

  /// The measure of a log's fit, for comparison: matched rows, then octets without a cause, exact rows and octets of difference.
  private var fit: [Int] {
    let summary = VerificationSummary(self)
    let difference = rows.reduce(0) { sum, row in
      let (more, overflow) = sum.addingReportingOverflow(Int(clamping: (row.total.difference ?? 0).magnitude))
      return overflow ? .max : more
    }
    return [summary.matched.count + summary.rowsWithoutFigures, -summary.unexplained, summary.exactRows, -difference]
  }
}
