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
