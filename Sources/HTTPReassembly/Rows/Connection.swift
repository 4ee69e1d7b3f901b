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

/// Whether the application data of a TLS connection was opened.
public enum TLSOpening: UInt8, Sendable {
  /// There was none.
  case none
  /// All of it.
  case yes
  /// Nothing of it.
  case no
  /// Some records of it.
  case partly

  /// The name in reports.
  public var name: String { "\(literal)" }

  /// The name, as it stands in the program.
  package var literal: StaticString {
    switch self {
    case .none: ""
    case .yes: "yes"
    case .no: "no"
    case .partly: "partly"
    }
  }
}

/// Secrets that are known of a TLS connection.
public struct KnownSecrets: OptionSet, Sendable, Hashable {
  /// One bit a label.
  public var rawValue: UInt8
  /// Wraps a bit set.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Labels of key logs (RFC 9850), by bit.
  public static let names = [
    "CLIENT_RANDOM", "CLIENT_EARLY_TRAFFIC_SECRET", "CLIENT_HANDSHAKE_TRAFFIC_SECRET",
    "SERVER_HANDSHAKE_TRAFFIC_SECRET",
    "CLIENT_TRAFFIC_SECRET_0", "SERVER_TRAFFIC_SECRET_0", "RSA",
  ]

  /// The labels of those that are known.
  public var labels: [String] {
    Self.names.indices.filter { rawValue & 1 << UInt8($0) != 0 }.map { Self.names[$0] }
  }
}

/// What the TLS of a connection says of itself. Lengths are octets.
public struct ConnectionSecurity: Sendable {
  /// The name that the client asked for (RFC 6066 §3), lower-case; `TextID.none` where it is not known.
  public var serverName = TextID.none
  /// The protocol that the server chose (RFC 7301), as far as that can be seen; `TextID.none` where it cannot.
  public var applicationProtocol = TextID.none
  /// The version that the server chose, as on the wire (0x0303 is TLS 1.2); 0 where it is not known.
  public var version: UInt16 = 0
  /// The cipher suite that the server chose (IANA); nil where it is not known.
  public var suite: UInt16?
  /// Whether the session was resumed; nil where it is not known.
  public var isResumed: Bool?
  /// Whether its application data was opened.
  public var opening = TLSOpening.none
  /// The secrets of it that are known.
  public var secrets: KnownSecrets = []
  /// Whether records that its suite protects can be opened at all.
  public var isSuiteOpened = false
  /// Whether the ClientHello may have another one encrypted in it (RFC 9849): the log may name secrets by that one's random.
  public var hasEncryptedHello = false
  /// The first four octets of the ClientHello's random; nil where that was not seen.
  public var clientRandomStart: UInt32?
  /// Octets of handshake and change_cipher_spec records, and the headers of the segments that carry nothing else.
  public var handshake = 0
  /// Octets of opened records beside the application's data.
  public var record = 0
  /// Whether `serverName` may be a public name that stands for another one, which is encrypted (RFC 9849).
  public var isServerNamePublic = false
  /// The most octets of content that the records of application data can have which were not opened: what its suite adds to each is taken
  /// off. In TLS 1.3 messages of the handshake look the same, and padding is not known. Nil where the suite is not known, or not what it
  /// adds.
  public var mostUnopened: Int? = 0

  /// Nothing is known.
  public init() {}

  /// The version's name: `1.0` to `1.3`, `SSL 3.0`, or its number; empty where it is not known.
  public var versionName: String {
    switch version {
    case 0: ""
    case 0x0300: "SSL 3.0"
    case 0x0301...0x0304: "1.\(version - 0x0301)"
    default: "0x" + String(version, radix: 16)
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
  /// QUIC.
  case quic
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
    case .quic: "quic"
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

  /// One of its ends was more than one process in turn: its row has the last one.
  public static let severalProcesses = ConnectionFlags(rawValue: 1 << 9)

  /// Names in reports, by bit.
  public static let names = [
    "no_handshake", "one_sided", "conflicting", "out_of_window", "holes", "simultaneous_open", "port_reused",
    "hold_limit", "tunnel", "several_processes",
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
/// `ipLength.client + ipLength.server` is the sum of the `ipLength` of its messages, `setup`, `handshake`, `control`, `teardown` and
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
  /// What its TLS says of itself; nil of a connection without TLS.
  public var security: ConnectionSecurity?
  /// Octets of its streams that no packet holds, those inside messages included.
  public var missing = 0
  /// Octets of its streams that are in packets, and counted, but beyond the packets' snap length.
  public var unseen = 0
  /// Messages on it.
  public var messages = 0
  /// Octets of records and packets that were not opened; they are `unattributed`.
  public var unopened = 0
  /// The process that it belongs to (`TextPool.process`), on one machine the client's; `TextID.none` when that is not known.
  public var process = TextID.none
  /// How it ended.
  public var end = ConnectionEnd.captureEnd
  /// Oddities.
  public var flags: ConnectionFlags = []

  /// An empty connection.
  public init() {}

  /// Octets of the handshake of TLS or QUIC, and the headers of the packets that carry nothing else.
  public var handshake: Int { security?.handshake ?? 0 }
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
