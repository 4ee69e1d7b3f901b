/// What the connections of one host cost (MEASURES §9). All lengths are octets.
///
/// Messages count for the host that they name. What a connection has beside its messages, and messages that name none, count
/// for the host of the connection: that of its first message, else the name in its ClientHello, else the name that DNS gave for the
/// server's address, else that address. So the rows add up to the `ip_bytes` of all connections, also where one connection carries messages
/// of several hosts.
public struct HostTotals: Sendable {
  /// The host; `TextID.none` for what is beyond `Configuration.hostLimit`.
  public var host = TextID.none
  /// Where the name came from.
  public var sources: HostSources = []
  /// Connections of the host, by what they carry.
  public var connections = ConnectionCountsByProtocol()
  /// Connections of the host that carried more than one request.
  public var reusedConnections = 0
  /// Connections of the host whose TLS session was resumed.
  public var resumedConnections = 0
  /// Requests that name the host.
  public var requests = 0
  /// Those of them that were not the first one of their connection.
  public var reusingRequests = 0
  /// Final responses to requests that name the host, or that are on a connection of the host and whose request was not captured.
  public var responses = 0
  /// `ip_bytes` from the clients.
  public var up = 0
  /// `ip_bytes` from the servers.
  public var down = 0
  /// Message octets by what they are.
  public var octets = MessageOctets()
  /// What opened records of TLS have beside the application's data.
  public var tls = 0
  /// HTTP/2 octets that are no message's fields or content.
  public var control = 0
  /// Handshakes of TLS and QUIC, and the headers of the packets that carry nothing else.
  public var handshake = 0
  /// Headers of the segments that open connections.
  public var setup = 0
  /// Headers of the segments that close connections.
  public var teardown = 0
  /// Payload octets sent again.
  public var retransmitted = 0
  /// Network and transport octets that are charged to messages.
  public var overhead = 0
  /// Octets of records and packets that were not opened.
  public var unopened = 0
  /// All else: payload that is neither HTTP nor TLS, and the headers of segments that carry no message.
  public var unattributed = 0

  /// Nothing.
  public init() {}

  /// `ip_bytes`: the sum of both directions, and of everything that they are.
  public var ipLength: Int { up + down }
}

/// Connections by what they carry.
public struct ConnectionCountsByProtocol: Sendable, Equatable {
  /// HTTP/1, opened TLS included.
  public var http1 = 0
  /// HTTP/2, opened TLS included.
  public var http2 = 0
  /// TLS that was not opened.
  public var tls = 0
  /// QUIC.
  public var quic = 0
  /// Anything else, and connections without payload.
  public var other = 0

  /// None.
  public init() {}

  /// How many there are.
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
}

/// Where the name of a host came from: every way in which it did.
public struct HostSources: OptionSet, Sendable, Hashable {
  /// One bit a source, in the order of `HostSource`.
  public var rawValue: UInt8
  /// Wraps a bit set.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// One source; none for an unknown one.
  public init(_ source: HostSource) { rawValue = source == .unknown ? 0 : 1 << (source.rawValue - 1) }

  /// Names in reports, by bit: those of `HostSource`.
  public static let names: [String] = [
    HostSource.target, .hostField, .authority, .serverNameIndication, .publicServerName, .dns, .address,
  ].map(\.name)
}
