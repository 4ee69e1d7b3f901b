import DequeModule

/// Connections that wait for octets which may never come, and when that is to be looked at again: no packet of theirs may come
/// before.
///
/// Each is looked at after a fixed time, so that the order in which they were added is that of their deadlines.
struct WaitingConnections {
  /// A connection's slot, and the capture time in nanoseconds after which it is looked at.
  struct Look {
    var slot: Int32
    var deadline: Int64
  }

  private var soon: Deque<Look> = []
  private var later: Deque<Look> = []

  /// Nanoseconds until a connection is looked at that waits for what its other side has acknowledged, given how long that waits.
  static func soon(_ configuration: Configuration) -> Int64 { configuration.acknowledgedHoleTimeout / 4 + 1 }
  /// The same of one that waits for what was not acknowledged.
  static func later(_ configuration: Configuration) -> Int64 { configuration.holeTimeout / 12 + 1 }

  /// Adds a connection, which is looked at after `deadline`.
  mutating func add(_ slot: Int, deadline: Int64, isSoon: Bool) {
    let entry = Look(slot: Int32(truncatingIfNeeded: slot), deadline: deadline)
    if isSoon { soon.append(entry) } else { later.append(entry) }
  }

  /// The next one to look at.
  var first: Look? {
    guard let one = soon.first, let other = later.first else { return soon.first ?? later.first }
    return one.deadline <= other.deadline ? one : other
  }

  /// Takes it away.
  mutating func removeFirst() {
    guard let first else { return }
    if soon.first?.deadline == first.deadline { soon.removeFirst() } else { later.removeFirst() }
  }

  /// Forgets all.
  mutating func removeAll() { self = WaitingConnections() }
}
