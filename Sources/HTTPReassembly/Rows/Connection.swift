/// How a connection ended.
public enum ConnectionEnd: UInt8, Sendable {
  /// Both sides sent FIN.
  case fin
  /// A side sent RST.
  case rst
  /// No packet of it was seen for the idle time-out.
  case idle
  /// The connection was evicted from a full table.
  case evicted
  /// The capture ended.
  case captureEnd

  /// The name in reports.
  public var name: String { "\(literal)" }

  /// The name as a static string.
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
  /// There was no application data.
  case none
  /// All application data was opened.
  case yes
  /// No application data was opened.
  case no
  /// Some records were opened.
  case partly

  /// The name in reports.
  public var name: String { "\(literal)" }

  /// The name as a static string.
  package var literal: StaticString {
    switch self {
    case .none: ""
    case .yes: "yes"
    case .no: "no"
    case .partly: "partly"
    }
  }
}

/// The secrets of a TLS connection that are known.
public struct KnownSecrets: NamedBits, Sendable, Hashable {
  /// One bit for each label.
  public var rawValue: UInt8
  /// Wraps a bit set.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Labels of key logs (RFC 9850), by bit.
  public static let names = [
    "CLIENT_RANDOM", "CLIENT_EARLY_TRAFFIC_SECRET", "CLIENT_HANDSHAKE_TRAFFIC_SECRET",
    "SERVER_HANDSHAKE_TRAFFIC_SECRET",
    "CLIENT_TRAFFIC_SECRET_0", "SERVER_TRAFFIC_SECRET_0", "RSA",
  ]
}

/// Facts about the TLS of a connection. Lengths are in octets.
public struct ConnectionSecurity: Sendable, Equatable {
  /// The name that the client asked for (RFC 6066 §3), lower-case; `TextID.none` if unknown.
  public var serverName = TextID.none
  /// The protocol that the server chose (RFC 7301); `TextID.none` if unknown.
  public var applicationProtocol = TextID.none
  /// The version that the server chose, as on the wire (0x0303 is TLS 1.2); 0 if unknown.
  public var version: UInt16 = 0
  /// The cipher suite that the server chose (IANA); nil if unknown.
  public var suite: UInt16?
  /// Whether the session was resumed; nil if unknown.
  public var isResumed: Bool?
  /// Whether its application data was opened.
  public var opening = TLSOpening.none
  /// The secrets of the connection that are known.
  public var secrets: KnownSecrets = []
  /// Whether records of its cipher suite can be opened at all.
  public var isSuiteOpened = false
  /// Whether the ClientHello may contain an encrypted one (RFC 9849). The log may then name secrets by the inner one's random.
  public var hasEncryptedHello = false
  /// The first four octets of the ClientHello's random; nil if not seen.
  public var clientRandomStart: UInt32?
  /// Octets of handshake and change_cipher_spec records, and headers of segments that carry nothing else.
  public var handshake = 0
  /// Octets of opened records without the application's data.
  public var record = 0
  /// Whether `serverName` may be a public name that stands for an encrypted one (RFC 9849).
  public var isServerNamePublic = false
  /// The largest possible content of unopened application data records, in octets: the overhead of the suite is subtracted. In TLS 1.3 it
  /// includes handshake messages, which look the same, and padding. Nil if the suite or its overhead is unknown.
  public var mostUnopened: Int? = 0

  /// Creates a value with nothing known.
  public init() {}

  /// Adds the costs of other TLS on the same connection.
  mutating func addCosts(of other: ConnectionSecurity) {
    handshake += other.handshake
    record += other.record
    if let own = mostUnopened, let its = other.mostUnopened {
      mostUnopened = own + its
    } else {
      mostUnopened = nil
    }
    if opening == .none {
      opening = other.opening
    } else if opening != other.opening, other.opening != .none {
      opening = .partly
    }
  }

  /// Adds TLS in another tunnel of the connection. Neither names it if they have different names.
  mutating func add(_ other: ConnectionSecurity, _ texts: inout TextPool) {
    if texts.octets(serverName) != texts.octets(other.serverName) {
      texts.release(serverName)
      serverName = .none
    }
    texts.release(other.serverName)
    texts.release(other.applicationProtocol)
    addCosts(of: other)
  }

  /// The version's name: `1.0` to `1.3`, `SSL 3.0`, or its number; empty if unknown.
  public var versionName: String {
    switch version {
    case 0: ""
    case 0x0300: "SSL 3.0"
    case 0x0301...0x0304: "1.\(version - 0x0301)"
    default: "0x" + String(version, radix: 16)
    }
  }
}

/// The protocol that a connection carries.
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

  /// The name as a static string.
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

/// Oddities of one connection, as in the `flags` column.
public struct ConnectionFlags: NamedBits, Sendable, Hashable {
  /// One bit for each flag.
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
  /// Octets of the streams are missing from the capture.
  public static let holes = ConnectionFlags(rawValue: 1 << 4)
  /// Both sides sent a SYN before seeing the other's.
  public static let simultaneousOpen = ConnectionFlags(rawValue: 1 << 5)
  /// An earlier connection used the same endpoints.
  public static let portReused = ConnectionFlags(rawValue: 1 << 6)
  /// Data held for reordering went beyond the limit.
  public static let holdLimit = ConnectionFlags(rawValue: 1 << 7)
  /// The connection became a tunnel by CONNECT or Upgrade.
  public static let tunnel = ConnectionFlags(rawValue: 1 << 8)

  /// One of its ends belonged to several processes in turn; the row has the last one.
  public static let severalProcesses = ConnectionFlags(rawValue: 1 << 9)

  /// The server refused QUIC: it negotiated another version in vain, or closed the connection during the handshake.
  public static let quicRefused = ConnectionFlags(rawValue: 1 << 10)

  /// Names in reports, by bit.
  public static let names = [
    "no_handshake", "one_sided", "conflicting", "out_of_window", "holes", "simultaneous_open", "port_reused",
    "hold_limit", "tunnel", "several_processes", "quic_refused",
  ]
}

/// A figure for each direction of a connection.
public struct Directional<Value> {
  /// From the client to the server.
  public var client: Value
  /// From the server to the client.
  public var server: Value

  /// Creates a pair.
  public init(client: Value, server: Value) {
    self.client = client
    self.server = server
  }
}

extension Directional: Sendable where Value: Sendable {}
extension Directional: Equatable where Value: Equatable {}

/// One TCP connection. Lengths are in octets; times are capture times in nanoseconds since the Unix epoch.
///
/// `ipLength.client + ipLength.server` is exactly the sum of `setup`, `handshake`, `control`, `teardown`, `unattributed`, and the
/// `ipLength` of its messages.
public struct Connection: Sendable, Equatable {
  /// Number in the order of the first packets, from 1.
  public var number = 0
  /// The side that opened the connection. If that is unknown, the side that sends requests.
  public var client = Endpoint(address: IPAddress(high: 0, low: 0), port: 0)
  /// The other side.
  public var server = Endpoint(address: IPAddress(high: 0, low: 0), port: 0)
  /// The protocol that it carries.
  public var applicationProtocol = ConnectionProtocol.none
  /// Capture time of its first packet.
  public var opened: Int64 = 0
  /// Capture time of its last packet.
  public var closed: Int64 = 0
  /// The number of packets.
  public var packets = Directional(client: 0, server: 0)
  /// Octets of IP headers, TCP headers and payload.
  public var ipLength = Directional(client: 0, server: 0)
  /// Octets of TCP payload, retransmissions included.
  public var payloadLength = Directional(client: 0, server: 0)
  /// Header octets of handshake segments.
  public var setup = 0
  /// Header octets of teardown segments.
  public var teardown = 0
  /// Octets of headers and payload that belong to no message.
  public var unattributed = 0
  /// Octets of HTTP/2 frames and the connection preface that are charged to no message.
  public var control = 0
  /// Payload octets whose sequence numbers were captured before.
  public var retransmitted = 0
  /// Facts about its TLS; nil without TLS.
  public var security: ConnectionSecurity?
  /// Octets of its streams that are in no packet, including those inside messages.
  public var missing = 0
  /// Octets of its streams that packets had and are counted, but that lie beyond the snap length.
  public var unseen = 0
  /// The number of messages.
  public var messages = 0
  /// Octets of records and packets that were not opened; they are `unattributed`.
  public var unopened = 0
  /// The process of the connection (`TextPool.process`); on one machine, the client's. `TextID.none` if unknown.
  public var process = TextID.none
  /// The prefix of a proxy's protocol (`TextPool.prefix`); `TextID.none` without one.
  public var prefix = TextID.none
  /// The version of QUIC, as on the wire; 0 for all else.
  public var quicVersion: UInt32 = 0
  /// The server's token of the connection of Multipath TCP (RFC 8684 §2.2) that it is a subflow of; nil if it is none, or not known.
  public var multipath: UInt32?
  /// The number of the subflow that began that connection, if this one joined it. Messages and costs of the whole connection are in its row.
  public var joined: Int?
  /// How it ended.
  public var end = ConnectionEnd.captureEnd
  /// Oddities of the connection.
  public var flags: ConnectionFlags = []

  /// Creates an empty connection.
  public init() {}

  /// The name of `quicVersion`: `1`, `2`, `draft-29`, or its number; empty without QUIC.
  public var quicVersionName: String {
    switch quicVersion {
    case 0: ""
    case 1: "1"
    case 0x6b33_43cf: "2"
    case 0xff00_0000...0xff00_00ff: "draft-\(quicVersion & 0xff)"
    default: "0x" + String(quicVersion, radix: 16)
    }
  }

  /// The name of `multipath`: eight hexadecimal digits; empty without one.
  public var multipathName: String {
    guard let multipath else { return "" }
    let digits = String(multipath, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  /// Octets of the TLS or QUIC handshake, and headers of packets that carry nothing else.
  public var handshake: Int { security?.handshake ?? 0 }
}

extension Connection {
  /// Adds the facts and costs of streams that several subflows carried.
  mutating func add(_ streams: Connection, flags added: ConnectionFlags) {
    applicationProtocol = streams.applicationProtocol
    security = streams.security
    unattributed += streams.unattributed
    control += streams.control
    retransmitted += streams.retransmitted
    missing += streams.missing
    unseen += streams.unseen
    messages += streams.messages
    unopened += streams.unopened
    flags.formUnion(added)
  }
}

/// Counts of a connection in progress, each as in `Connection`. Lengths are in octets, times in nanoseconds since the Unix epoch.
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
  /// At most 2³² − 1, to save memory: there can be very many connections, each with these counts.
  var messages: UInt32 = 0
  var flags: ConnectionFlags = []

  init(number: Int, opened: Int64, closed: Int64) {
    self.number = number
    self.opened = opened
    self.closed = closed
  }
}
