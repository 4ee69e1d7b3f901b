/// The cost of one server name's TLS and QUIC connections that are closed, or for the most part. Lengths are octets.
public struct SecureHostTotals: Sendable, Equatable {
  /// The name that clients asked for, lower-case. Empty if the ClientHello names none or was not captured.
  public var serverName: [UInt8] = []
  /// The number of connections.
  public var connections = 0
  /// The number of those connections that are QUIC.
  public var quicConnections = 0
  /// `ip_bytes` from the clients.
  public var up = 0
  /// `ip_bytes` to the clients.
  public var down = 0
  /// The capture times of the first packet and of the last, in nanoseconds since the Unix epoch; nil without connections.
  public var span: ClosedRange<Int64>?
  /// The source that named the process of a connection first; nil if none did.
  public var processSource: ProcessSource?

  /// Adds a final connection.
  fileprivate mutating func add(_ connection: Connection, texts: borrowing TextPool) {
    connections += 1
    if connection.applicationProtocol == .quic { quicConnections += 1 }
    up += connection.ipLength.client
    down += connection.ipLength.server
    let (first, last) = (min(connection.opened, connection.closed), max(connection.opened, connection.closed))
    span = min(span?.lowerBound ?? first, first)...max(span?.upperBound ?? last, last)
    if processSource == nil { processSource = texts.process(connection.process)?.source }
  }
}

/// Totals of TLS and QUIC connections that are closed, or for the most part, by server name, updated when connections become final.
struct SecureHosts {
  /// Names with totals of their own. Beyond it, connections are counted without a name. People read only the first few.
  static let limit = 4096

  private var totals: [[UInt8]: SecureHostTotals] = [:]

  /// The connections with application data.
  private(set) var openings = TLSOpenings()

  /// Adds a final connection.
  mutating func add(_ connection: Connection, texts: borrowing TextPool) {
    guard let security = connection.security else { return }
    if security.opening != .none {
      openings.connections += 1
      if security.opening == .yes { openings.opened += 1 }
      if security.opening == .partly { openings.openedPartly += 1 }
    }
    let length = connection.ipLength.client + connection.ipLength.server
    guard security.opening != .yes, security.opening != .partly || connection.unopened > length / 2 else { return }
    var name = texts.octets(security.serverName)
    if totals.count >= Self.limit, totals[name] == nil { name = [] }
    totals[name, default: SecureHostTotals(serverName: name)].add(connection, texts: texts)
  }

  /// The totals, most octets first; equal ones by name.
  var sorted: [SecureHostTotals] {
    totals.values.sorted { a, b in
      let (mine, other) = (a.up + a.down, b.up + b.down)
      return mine == other ? a.serverName.lexicographicallyPrecedes(b.serverName) : mine > other
    }
  }
}
