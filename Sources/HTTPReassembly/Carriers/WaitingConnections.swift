import DequeModule

/// Connections that wait for octets which may never come, with the times of their next checks.
///
/// A check is needed because no packet of the connection may come before. Each connection is checked after a fixed time,
/// so the order of insertion is the order of deadlines.
struct WaitingConnections {
  /// A connection's slot, and the capture time in nanoseconds after which it is checked.
  struct Look {
    var slot: Int32
    var deadline: Int64
  }

  private var soon: Deque<Look> = []
  private var later: Deque<Look> = []

  /// Nanoseconds until the check of a connection that awaits octets acknowledged by its other side.
  static func soon(_ configuration: Configuration) -> Int64 { configuration.acknowledgedHoleTimeout / 4 + 1 }
  /// Nanoseconds until the check of a connection that awaits octets which were not acknowledged.
  static func later(_ configuration: Configuration) -> Int64 { configuration.holeTimeout / 12 + 1 }

  /// Adds a connection, which is checked after `deadline`.
  mutating func add(_ slot: Int, deadline: Int64, isSoon: Bool) {
    let entry = Look(slot: Int32(truncatingIfNeeded: slot), deadline: deadline)
    if isSoon { soon.append(entry) } else { later.append(entry) }
  }

  /// The next connection to check.
  var first: Look? {
    guard let one = soon.first, let other = later.first else { return soon.first ?? later.first }
    return one.deadline <= other.deadline ? one : other
  }

  /// Removes the next connection.
  mutating func removeFirst() {
    guard let first else { return }
    if soon.first?.deadline == first.deadline { soon.removeFirst() } else { later.removeFirst() }
  }

  /// Removes all connections.
  mutating func removeAll() { self = WaitingConnections() }
}
