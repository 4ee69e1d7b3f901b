/// What the connections of TLS and QUIC to one server name cost that were not opened, or not wholly. Lengths are octets.
public struct SecureHostTotals: Sendable, Equatable {
  /// The name that clients asked for, lower-case; empty for connections whose ClientHello names none, or was not captured.
  public var serverName: [UInt8] = []
  /// Connections.
  public var connections = 0
  /// Those of them that are QUIC.
  public var quicConnections = 0
  /// `ip_bytes` from the clients.
  public var up = 0
  /// `ip_bytes` to the clients.
  public var down = 0
}

/// Totals of TLS and QUIC connections that were not wholly opened by server name, kept up as connections become final.
struct SecureHosts {
  /// Names with totals of their own; beyond it connections are counted without a name. They are shown to people, who read the first
  /// few.
  static let limit = 4096

  private var totals: [[UInt8]: SecureHostTotals] = [:]

  /// Adds a final connection.
  mutating func add(_ connection: Connection, texts: borrowing TextPool) {
    guard let security = connection.security, security.opening != .yes else { return }
    var name = texts.octets(security.serverName)
    if totals.count >= Self.limit, totals[name] == nil { name = [] }
    totals[name, default: SecureHostTotals(serverName: name)].connections += 1
    if connection.applicationProtocol == .quic { totals[name]?.quicConnections += 1 }
    totals[name]?.up += connection.ipLength.client
    totals[name]?.down += connection.ipLength.server
  }

  /// The totals, the most octets first, of equal ones by name.
  var sorted: [SecureHostTotals] {
    totals.values.sorted { a, b in
      let (mine, other) = (a.up + a.down, b.up + b.down)
      return mine == other ? a.serverName.lexicographicallyPrecedes(b.serverName) : mine > other
    }
  }
}
