import DequeModule

/// The processes that packets of one connection name. The last name counts.
///
/// On one machine both ends can be local processes. The capture then names both, if it gives the packets' directions.
struct ConnectionProcesses {
  private var sides = Sides<TextID>(repeating: .none)
  /// The process named by packets without a known direction.
  private var unsided = TextID.none

  /// Notes the process of a packet that `side` sent, and retains its text. Returns whether it replaces another one.
  mutating func note(_ mention: ProcessMention, from side: Side, _ texts: inout TextPool) -> Bool {
    switch mention.party {
    case .unknown: Self.replace(&unsided, mention.process, &texts)
    case .sender: Self.replace(&sides[side], mention.process, &texts)
    case .receiver: Self.replace(&sides[1 - side], mention.process, &texts)
    }
  }

  private static func replace(_ known: inout TextID, _ process: TextID, _ texts: inout TextPool) -> Bool {
    guard known != process else { return false }
    texts.retain(process)
    texts.release(known)
    defer { known = process }
    return known != .none
  }

  /// The same processes with the sides exchanged.
  var reversed: ConnectionProcesses {
    var other = self
    other.sides = Sides(sides[1], sides[0])
    return other
  }

  /// The process that rows name: the client's, else the process without a known side, else the server's.
  ///
  /// While the client is unknown, it is the process if there is only one.
  @inline(__always)
  func named(client: Side?) -> TextID {
    if sides[0] == .none, sides[1] == .none { return unsided }
    guard let client else {
      let (first, second) = (sides[0], sides[1])
      return first == .none || first == second ? second : second == .none ? first : .none
    }
    if sides[client] != .none { return sides[client] }
    return unsided != .none ? unsided : sides[1 - client]
  }

  /// The process of the connection's row, which retains the process's text. The other texts are released.
  mutating func settle(client: Side, _ texts: inout TextPool) -> TextID {
    let process = named(client: client)
    texts.retain(process)
    texts.release([sides[0], sides[1], unsided])
    self = ConnectionProcesses()
    return process
  }
}

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
