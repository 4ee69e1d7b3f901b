/// How a connection ended.
public enum ConnectionEnd: UInt8, Sendable {
  /// Both sides sent FIN.
  case fin
  /// A side sent RST.
  case rst
  /// Nothing was seen of it for the idle time-out.
  case idle
  /// It was evicted from a full table.
  case evicted
  /// The capture ended.
  case captureEnd

  /// The name in reports.
  public var name: String { "\(literal)" }

  /// The name, as it stands in the program.
  package var literal: StaticString {
    switch self {
    case .fin: "fin"
    case .rst: "rst"
    case .idle: "idle"
    case .evicted: "evicted"
    case .captureEnd: "capture_end"
    }
  }
}

/// What a connection carries.
public enum ConnectionProtocol: UInt8, Sendable {
  /// No payload was seen.
  case none
  /// HTTP/1.x or HTTP/0.9.
  case http1
  /// HTTP/2.
  case http2
  /// TLS that was not opened.
  case tls
  /// Something else.
  case other

  /// The name in reports.
  public var name: String { "\(literal)" }

  /// The name, as it stands in the program.
  package var literal: StaticString {
    switch self {
    case .none: ""
    case .http1: "http/1"
    case .http2: "http/2"
    case .tls: "tls"
    case .other: "other"
    }
  }
}

/// Oddities of one connection, as they stand in the `flags` column.
public struct ConnectionFlags: OptionSet, Sendable, Hashable {
  /// One bit a flag.
  public var rawValue: UInt32
  /// Wraps a bit set.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The handshake was not captured.
  public static let noHandshake = ConnectionFlags(rawValue: 1 << 0)
  /// Only one direction was captured.
  public static let oneSided = ConnectionFlags(rawValue: 1 << 1)
  /// Payload was sent again with different content.
  public static let conflicting = ConnectionFlags(rawValue: 1 << 2)
  /// Payload came that no receiver would take.
  public static let outOfWindow = ConnectionFlags(rawValue: 1 << 3)
  /// Some octets of the streams were not captured.
  public static let holes = ConnectionFlags(rawValue: 1 << 4)
  /// Both sides sent a SYN without seeing the other's.
  public static let simultaneousOpen = ConnectionFlags(rawValue: 1 << 5)
  /// Its endpoints were used by an earlier connection.
  public static let portReused = ConnectionFlags(rawValue: 1 << 6)
  /// Data held for reordering went beyond the limit.
  public static let holdLimit = ConnectionFlags(rawValue: 1 << 7)
  /// It became a tunnel by CONNECT or Upgrade.
  public static let tunnel = ConnectionFlags(rawValue: 1 << 8)

  /// Names in reports, by bit.
  public static let names = [
    "no_handshake", "one_sided", "conflicting", "out_of_window", "holes", "simultaneous_open", "port_reused",
    "hold_limit", "tunnel",
  ]
}

/// A figure for each direction of a connection.
public struct Directional<Value> {
  /// From the client to the server.
  public var client: Value
  /// From the server to the client.
  public var server: Value

  /// Makes a pair.
  public init(client: Value, server: Value) {
    self.client = client
    self.server = server
  }
}

extension Directional: Sendable where Value: Sendable {}
extension Directional: Equatable where Value: Equatable {}

/// One TCP connection. Lengths are octets; times are capture times in nanoseconds since the Unix epoch.
///
/// `ipLength.client + ipLength.server` is the sum of the `ipLength` of its messages, `setup`, `control`, `teardown` and
/// `unattributed`, exactly.
public struct Connection: Sendable {
  /// Number in the order of the first packets, from 1.
  public var number = 0
  /// The side that opened it, else the side that sends requests.
  public var client = Endpoint(address: IPAddress(high: 0, low: 0), port: 0)
  /// The other side.
  public var server = Endpoint(address: IPAddress(high: 0, low: 0), port: 0)
  /// What it carries.
  public var applicationProtocol = ConnectionProtocol.none
  /// Capture time of its first packet.
  public var opened: Int64 = 0
  /// Capture time of its last packet.
  public var closed: Int64 = 0
  /// Packets.
  public var packets = Directional(client: 0, server: 0)
  /// IP headers, TCP headers and payload.
  public var ipLength = Directional(client: 0, server: 0)
  /// TCP payload, retransmissions included.
  public var payloadLength = Directional(client: 0, server: 0)
  /// Header octets of handshake segments.
  public var setup = 0
  /// Header octets of teardown segments.
  public var teardown = 0
  /// Headers and payload that belong to no message.
  public var unattributed = 0
  /// Octets of HTTP/2 frames, and of its preface, that are charged to no message.
  public var control = 0
  /// Payload octets whose sequence numbers were captured before.
  public var retransmitted = 0
  /// Octets of its streams that no packet holds, those inside messages included.
  public var missing = 0
  /// Octets of its streams that are in packets, and counted, but beyond the packets' snap length.
  public var unseen = 0
  /// Messages on it.
  public var messages = 0
  /// How it ended.
  public var end = ConnectionEnd.captureEnd
  /// Oddities.
  public var flags: ConnectionFlags = []

  /// An empty connection.
  public init() {}
}

/// What has been counted of a connection that is being followed. Lengths are octets, times nanoseconds since the Unix epoch;
/// `Connection` says what each means.
struct ConnectionCounts {
  var number: Int
  var opened: Int64
  var closed: Int64
  var setup = 0
  var teardown = 0
  var unattributed = 0
  var control = 0
  var retransmitted = 0
  var missing = 0
  var unseen = 0
  /// No more than 2³² − 1: there can be very many connections, each with these counts.
  var messages: UInt32 = 0
  var flags: ConnectionFlags = []

  init(number: Int, opened: Int64, closed: Int64) {
    self.number = number
    self.opened = opened
    self.closed = closed
  }
}
