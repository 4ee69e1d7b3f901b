/// The cost of one host's connections (MEASURES §9). All lengths are octets.
///
/// Messages count for the host that they name. Other octets of a connection, and messages that name no host, count for the connection's
/// host. It is the host of its first message. Without one, it is the name in its ClientHello, then the DNS name of the server's address,
/// then the address. So the rows add up to the `ip_bytes` of all connections, even if a connection carries messages of several hosts.
public struct HostTotals: Sendable, Equatable {
  /// The host; `TextID.none` for hosts beyond `Configuration.hostLimit`.
  public var host = TextID.none
  /// The sources of the name.
  public var sources: HostSources = []
  /// Connections of the host by protocol.
  public var connections = ConnectionCountsByProtocol()
  /// The number of the host's connections that carried more than one request.
  public var reusedConnections = 0
  /// The number of the host's connections whose TLS session was resumed.
  public var resumedConnections = 0
  /// The number of requests that name the host.
  public var requests = 0
  /// The number of those requests that were not the first of their connection.
  public var reusingRequests = 0
  /// The number of final responses: to requests that name the host, or on a connection of the host if the request was not captured.
  public var responses = 0
  /// `ip_bytes` from the clients.
  public var up = 0
  /// `ip_bytes` from the servers.
  public var down = 0
  /// Octets of messages by kind.
  public var octets = MessageOctets()
  /// Octets of opened TLS records without the application's data.
  public var tls = 0
  /// Octets in tunnels that messages opened, without those of CONNECT.
  public var tunnel = 0
  /// Octets of HTTP/2 that are neither fields nor content of a message.
  public var control = 0
  /// Octets of TLS and QUIC handshakes, and headers of packets that carry nothing else.
  public var handshake = 0
  /// Header octets of segments that open connections.
  public var setup = 0
  /// Header octets of segments that close connections.
  public var teardown = 0
  /// Octets of payload that were sent again.
  public var retransmitted = 0
  /// Octets of network and transport headers that are charged to messages.
  public var overhead = 0
  /// Octets of records and packets that were not opened.
  public var unopened = 0
  /// Exchanges of the host, and their `ip_bytes`, by the version of HTTP.
  public var exchanges = ExchangesByVersion()
  /// The protocols that the host's messages offer elsewhere.
  public var alternatives: AlternativeServices = []
  /// The protocols that HTTPS records of DNS offer for the host.
  public var httpsRecords: AlternativeServices = []
  /// The host's QUIC connections.
  public var quic = QUICAttempts()
  /// All other octets: payload that is neither HTTP nor TLS, and headers of segments that carry no message.
  public var unattributed = 0

  /// Creates totals of zero.
  public init() {}

  /// `ip_bytes`: the sum of both directions.
  public var ipLength: Int { up + down }
}

/// The fate of a host's QUIC connections.
public struct QUICAttempts: Sendable, Equatable {
  /// Connections without any packet from the server.
  public var unanswered = 0
  /// Connections that the server refused: it named other versions, or closed the connection during the handshake.
  public var refused = 0
  /// Connections after which the client opened one of TLS over TCP within `ConnectionRaces.window`.
  public var raced = 0

  /// Creates counts of zero.
  public init() {}

  /// The number of those that did not succeed.
  public var failed: Int { unanswered + refused }

  mutating func add(_ other: QUICAttempts) {
    unanswered += other.unanswered
    refused += other.refused
    raced += other.raced
  }
}

/// Exchanges and their `ip_bytes` by the version of HTTP.
public struct ExchangesByVersion: Sendable, Equatable {
  /// The exchanges of one version.
  public struct Sum: Sendable, Equatable {
    /// The number of exchanges.
    public var count = 0
    /// The octets of all their messages, with what carried them.
    public var octets = 0

    fileprivate mutating func add(_ other: Sum) {
      count += other.count
      octets += other.octets
    }
  }

  /// HTTP/1, and exchanges whose version is not known.
  public var http1 = Sum()
  /// HTTP/2.
  public var http2 = Sum()
  /// HTTP/3.
  public var http3 = Sum()

  /// Creates sums of zero.
  public init() {}

  /// Adds an exchange of a major version.
  mutating func add(_ octets: Int, version: Int) {
    let one = Sum(count: 1, octets: octets)
    switch version {
    case 2: http2.add(one)
    case 3: http3.add(one)
    default: http1.add(one)
    }
  }

  mutating func add(_ other: ExchangesByVersion) {
    http1.add(other.http1)
    http2.add(other.http2)
    http3.add(other.http3)
  }
}

/// The number of connections by protocol.
public struct ConnectionCountsByProtocol: Sendable, Equatable {
  /// HTTP/1, over opened TLS too.
  public var http1 = 0
  /// HTTP/2, over opened TLS too.
  public var http2 = 0
  /// TLS that was not opened.
  public var tls = 0
  /// QUIC.
  public var quic = 0
  /// Anything else, and connections without payload.
  public var other = 0

  /// Creates counts of zero.
  public init() {}

  /// The number of all connections.
  public var total: Int { http1 + http2 + tls + quic + other }

  mutating func count(_ applicationProtocol: ConnectionProtocol) {
    switch applicationProtocol {
    case .http1: http1 += 1
    case .http2: http2 += 1
    case .tls: tls += 1
    case .quic: quic += 1
    case .none, .other: other += 1
    }
  }

  mutating func add(_ more: ConnectionCountsByProtocol) {
    http1 += more.http1
    http2 += more.http2
    tls += more.tls
    quic += more.quic
    other += more.other
  }
}

/// All sources of a host's name.
public struct HostSources: NamedBits, Sendable, Hashable {
  /// One bit for each source, in the order of `HostSource`.
  public var rawValue: UInt8
  /// Wraps a bit set.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Creates a set of one source; empty if it is unknown.
  public init(_ source: HostSource) { rawValue = source == .unknown ? 0 : 1 << (source.rawValue - 1) }

  /// Names in reports, by bit: the names of `HostSource`.
  public static let names: [String] = [
    HostSource.target, .hostField, .authority, .serverNameIndication, .publicServerName, .dns, .address,
  ].map(\.name)
}

/// Totals by host, updated when messages and connections become final.
///
/// A message is final before its connection. The other octets of a connection are its figures minus its messages. So the table keeps the
/// sum of the messages of each open connection.
struct HostTable {
  /// Facts about a connection that is not final.
  fileprivate struct Open {
    /// The position of the host of the first message that names one.
    var host: Int32 = -1
    /// The host of the latest message, and its position.
    var latest = TextID.none
    var latestPosition: Int32 = -1
    var requests = 0
    var up = 0
    var down = 0
    var tls = 0
    var retransmitted = 0

    /// Adds a message.
    @inline(__always)
    fileprivate mutating func add(_ message: borrowing Message, _ directions: Directional<Int>) {
      up += directions.client
      down += directions.server
      tls += message.tls
      retransmitted += message.retransmitted
      if message.kind == .request { requests += 1 }
    }
  }

  /// Whether the table is wanted.
  let isWanted: Bool
  private(set) var totals: [HostTotals] = []
  private var positions: [TextID: Int32] = [:]
  /// Connections that are not final.
  private var open: ConnectionSlots<Open>
  /// Totals of messages that name no host, and of final subflows, by open connection.
  private var nameless: [Int: HostTotals] = [:]
  /// Connections that may have been opened in a race.
  private var races = ConnectionRaces()
  private var limit: Int
  private let textLimit: Int
  /// How many times totals are in memory.
  private let copies: Int
  /// Octets of the names of all hosts together.
  private var textLength = 0

  init(configuration: Configuration) {
    isWanted = configuration.tables.contains(.hosts)
    open = ConnectionSlots(isWanted: isWanted, initial: Open())
    limit = configuration.hostLimit
    textLimit = configuration.hostTextLimit
    copies = configuration.isLookedAt ? 2 : 1
  }

  /// Octets of memory that the table takes, without the names, which are in the pool of texts. Totals count twice if they are read during
  /// the run: a reader has a copy.
  var memory: Int {
    copies * totals.count * MemoryLayout<HostTotals>.stride + positions.capacity * 24
      + open.memory
      + nameless.capacity * (MemoryLayout<HostTotals>.stride + 16) + races.memory
  }

  /// Ends the growth of the table: new hosts have no row of their own, as beyond the limit.
  mutating func close() { limit = min(limit, totals.count) }

  /// Adds a final message. It does not change; it is `inout` so that it is not copied.
  mutating func add(_ message: inout Message, texts: inout TextPool, anomalies: inout AnomalyLog) {
    let slot = open.slot(of: message.connection)
    let isFirst = open[slot].requests == 0
    let directions = message.directions
    open[slot].add(message, directions)
    guard message.host != .none else {
      nameless[message.connection, default: HostTotals()].add(message, directions, isFirst: isFirst)
      return
    }
    if open[slot].latest != message.host {
      open[slot].latestPosition = position(of: message.host, texts: &texts, anomalies: &anomalies)
      open[slot].latest = message.host
      if open[slot].host < 0 { open[slot].host = open[slot].latestPosition }
    }
    let position = Int(open[slot].latestPosition)
    if totals[position].host != .none { totals[position].sources.formUnion(HostSources(message.hostSource)) }
    totals[position].add(message, directions, isFirst: isFirst)
  }

  /// Adds a final exchange. Its messages must have been added, and its connection must not.
  mutating func add(_ exchange: inout Exchange, _ texts: borrowing TextPool) {
    // "HTTP/" comes before the number.
    let digit = texts.withOctets(exchange.version) { $0.byteCount > 5 ? $0.octet(5) : 0 }
    let version = Int(digit) - Int(UInt8(ascii: "0"))
    let known = position(of: exchange)
    guard let position = known else {
      nameless[exchange.connection, default: HostTotals()].exchanges.add(exchange.ipLength, version: version)
      return
    }
    totals[Int(position)].exchanges.add(exchange.ipLength, version: version)
  }

  /// The position of an exchange's host, nearly always the host of the connection's latest message; nil if it names none.
  @inline(__always)
  private mutating func position(of exchange: borrowing Exchange) -> Int32? {
    guard exchange.host != .none else { return nil }
    let slot = open.slot(of: exchange.connection)
    if open[slot].latest == exchange.host { return open[slot].latestPosition }
    // A host beyond the limit counts in the row of all of them.
    return positions[exchange.host] ?? positions[.none]
  }

  /// Adds a final connection. All its messages must have been added.
  mutating func add(
    _ connection: Connection, _ names: borrowing NameTable, texts: inout TextPool, anomalies: inout AnomalyLog
  ) {
    let open = open.remove(connection.number)
    // A subflow of Multipath TCP counts for the host of the one that it joined, which is final later.
    if let first = connection.joined { return nameless[first, default: HostTotals()].add(connection, besides: open) }
    let position = position(of: connection, open, names, texts: &texts, anomalies: &anomalies)
    if let row = nameless.removeValue(forKey: connection.number) { totals[position].add(row) }
    totals[position].add(connection, besides: open)
    guard connection.security != nil else { return }
    if names.hasServices {
      totals[position].httpsRecords.formUnion(names.services(of: texts.octets(totals[position].host)))
    }
    if races.take(connection, of: position) { totals[position].quic.raced += 1 }
  }

  // MARK: Hosts

  /// The position of a connection's host (MEASURES §9).
  private mutating func position(
    of connection: Connection, _ open: Open, _ names: borrowing NameTable, texts: inout TextPool,
    anomalies: inout AnomalyLog
  ) -> Int {
    if open.host >= 0 { return Int(open.host) }
    if let security = connection.security, security.serverName != .none {
      let position = Int(position(of: security.serverName, texts: &texts, anomalies: &anomalies))
      return noting(security.isServerNamePublic ? .publicServerName : .serverNameIndication, at: position)
    }
    let name = names.name(of: connection.server.address)
    let host = texts.intern(name ?? Array(connection.server.address.description.utf8))
    defer { texts.release(host) }
    let position = Int(position(of: host, texts: &texts, anomalies: &anomalies))
    return noting(name == nil ? .address : .dns, at: position)
  }

  private mutating func noting(_ source: HostSource, at position: Int) -> Int {
    if totals[position].host != .none { totals[position].sources.formUnion(HostSources(source)) }
    return position
  }

  private mutating func position(
    of host: TextID, texts: inout TextPool, anomalies: inout AnomalyLog
  ) -> Int32 {
    if let position = positions[host] { return position }
    var host = host
    let length = texts.length(host)
    if totals.count >= limit || textLength + length > textLimit {
      anomalies.note(.hostTableFull)
      host = .none
      if let position = positions[host] { return position }
    } else {
      textLength += length
      texts.retain(host)
    }
    var new = HostTotals()
    new.host = host
    positions[host] = Int32(totals.count)
    totals.append(new)
    return Int32(totals.count - 1)
  }

  /// The totals, sorted by the octets of hosts; the row beyond the limit is first. Messages without a host are missing until their
  /// connection is final.
  func sorted(texts: borrowing TextPool) -> [HostTotals] {
    func isBefore(_ a: HostTotals, _ b: HostTotals, _ texts: borrowing TextPool) -> Bool {
      texts.octets(a.host).lexicographicallyPrecedes(texts.octets(b.host))
    }
    var order = Array(totals.indices)
    order.sort { isBefore(totals[$0], totals[$1], texts) }
    return order.map { totals[$0] }
  }
}

extension HostTotals {
  @inline(__always)
  fileprivate mutating func add(_ message: borrowing Message, _ directions: Directional<Int>, isFirst: Bool) {
    up += directions.client
    down += directions.server
    octets += message.octets
    tls += message.tls
    tunnel += message.tunnel
    control += message.control
    retransmitted += message.retransmitted
    overhead += message.overhead
    alternatives.formUnion(message.alternatives)
    if message.kind == .request {
      requests += 1
      if !isFirst { reusingRequests += 1 }
    } else if message.kind == .response {
      responses += 1
    }
  }

  /// Adds the octets of a final connection beside its messages.
  fileprivate mutating func add(_ connection: Connection, besides open: HostTable.Open) {
    connections.count(connection.applicationProtocol)
    if open.requests > 1 { reusedConnections += 1 }
    if connection.security?.isResumed == true { resumedConnections += 1 }
    if connection.isQUIC {
      // Where the client's first packet was not captured, the direction is a guess.
      if connection.packets.server == 0, !connection.flags.contains(.noHandshake) { quic.unanswered += 1 }
      if connection.flags.contains(.quicRefused) { quic.refused += 1 }
    }
    let tls = (connection.security?.record ?? 0) - open.tls
    let retransmitted = connection.retransmitted - open.retransmitted
    up += connection.ipLength.client - open.up
    down += connection.ipLength.server - open.down
    self.tls += tls
    self.retransmitted += retransmitted
    control += connection.control
    handshake += connection.handshake
    setup += connection.setup
    teardown += connection.teardown
    unopened += connection.unopened
    unattributed += connection.unattributed - tls - retransmitted - connection.unopened
  }

  /// Adds totals that waited for the host of their connection.
  fileprivate mutating func add(_ other: HostTotals) {
    connections.add(other.connections)
    up += other.up
    down += other.down
    octets += other.octets
    tls += other.tls
    tunnel += other.tunnel
    control += other.control
    handshake += other.handshake
    setup += other.setup
    teardown += other.teardown
    retransmitted += other.retransmitted
    overhead += other.overhead
    unopened += other.unopened
    unattributed += other.unattributed
    requests += other.requests
    reusingRequests += other.reusingRequests
    responses += other.responses
    exchanges.add(other.exchanges)
    alternatives.formUnion(other.alternatives)
    httpsRecords.formUnion(other.httpsRecords)
    quic.add(other.quic)
  }
}
