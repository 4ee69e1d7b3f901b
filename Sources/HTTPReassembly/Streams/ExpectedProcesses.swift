import DequeModule

/// What the running system said of connections whose first packet has not come to the analysis yet: the system is asked when a connection
/// opens, and packets wait in queues.
struct ExpectedProcesses {
  private struct Expected {
    var process: ProcessIdentity
    /// The end that it has.
    var local: Endpoint
    /// When the connection opened; nil when that was before anybody looked.
    var time: Int64?
  }

  /// Connections that are waited for; beyond it the one told first is forgotten. Packets wait for some seconds at most, and busy machines open
  /// some hundred connections in a second.
  static let limit = 1 << 14
  /// Nanoseconds between the opening of a connection and its first packet here: the clocks are one and the same, and ports are used again only
  /// later, as a rule.
  static let patience: Int64 = 5_000_000_000

  private var known: [ConnectionKey: [Expected]] = [:]
  private var order: Deque<ConnectionKey> = []

  /// Whether nothing is waited for.
  var isEmpty: Bool { order.isEmpty }

  /// Whether a connection whose first packet came at `opened` can be one that opened at `time`.
  static func isSame(_ opened: Int64, _ time: Int64) -> Bool { abs(opened &- time) <= patience }

  /// Adds a process; of one connection both ends can have one.
  mutating func add(_ process: ProcessIdentity, _ key: ConnectionKey, _ local: Endpoint, at time: Int64?) {
    while order.count >= Self.limit, let first = order.popFirst() { known[first] = nil }
    let expected = Expected(process: process, local: local, time: time)
    if var others = known[key] {
      others.removeAll { $0.local == local }
      known[key] = others + [expected]
    } else {
      known[key] = [expected]
      order.append(key)
    }
  }

  /// Takes the processes of a connection whose first packet came at `time`.
  mutating func take(_ key: ConnectionKey, at time: Int64) -> [(process: ProcessIdentity, local: Endpoint)] {
    guard let found = known.removeValue(forKey: key) else { return [] }
    if order.first == key { order.removeFirst() } else { order.removeAll { $0 == key } }
    return found.filter { $0.time.map { Self.isSame(time, $0) } ?? true }.map { ($0.process, $0.local) }
  }
}
