import DequeModule

/// The processes of connections whose first packet is still on its way to the analysis.
///
/// The running system is asked when a connection opens, while its packets wait in queues.
struct ExpectedProcesses {
  private struct Expected {
    var process: ProcessIdentity
    /// The process's own endpoint.
    var local: Endpoint
    /// The time when the connection opened; nil when it opened before the first look.
    var time: Int64?
  }

  /// The maximum number of awaited connections. Beyond it, the oldest is forgotten.
  ///
  /// Packets wait for some seconds at most, and busy machines open some hundred connections in a second.
  static let limit = 1 << 14
  /// The longest time in nanoseconds between the opening of a connection and its first packet here.
  ///
  /// Both times come from the same clock. Ports are usually reused only later.
  static let patience: Int64 = 5_000_000_000

  private var known: [ConnectionKey: [Expected]] = [:]
  private var order: Deque<ConnectionKey> = []

  /// Whether no connection is awaited.
  var isEmpty: Bool { order.isEmpty }

  /// Whether a connection whose first packet came at `opened` can have opened at `time`.
  static func isSame(_ opened: Int64, _ time: Int64) -> Bool { abs(opened &- time) <= patience }

  /// Adds a process. Both ends of one connection can have one.
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

  /// Removes and returns the processes of a connection whose first packet came at `time`.
  mutating func take(_ key: ConnectionKey, at time: Int64) -> [(process: ProcessIdentity, local: Endpoint)] {
    guard let found = known.removeValue(forKey: key) else { return [] }
    if order.first == key { order.removeFirst() } else { order.removeAll { $0 == key } }
    return found.filter { $0.time.map { Self.isSame(time, $0) } ?? true }.map { ($0.process, $0.local) }
  }
}
