import DequeModule

/// The messages of one side that are in progress or still take charges, oldest first.
///
/// Nearly everything is about the newest one, so it lies in the connection itself and is changed in place; those before
/// it only wait for late charges.
struct MessageQueue {
  /// The newest message; means nothing while the queue is empty.
  var newest = OpenMessage(start: 0, exchange: 0)
  /// Whether there is none.
  private(set) var isEmpty = true
  private var older: Deque<OpenMessage> = []
  /// As many messages beside the newest as there is room for in memory, at least.
  private(set) var room = 0

  /// How many there are.
  var count: Int { isEmpty ? 0 : older.count + 1 }

  /// The messages by position, the oldest at 0.
  subscript(index: Int) -> OpenMessage {
    _read { if index == older.count { yield newest } else { yield older[index] } }
    _modify { if index == older.count { yield &newest } else { yield &older[index] } }
  }

  /// Adds a message: it is the newest from now on.
  mutating func append(_ message: OpenMessage) {
    if !isEmpty {
      older.append(newest)
      room = max(room, older.count)
    }
    newest = message
    isEmpty = false
  }

  /// Takes the oldest message away; nil when there is none.
  mutating func popFirst() -> OpenMessage? {
    if let first = older.popFirst() {
      // A queue keeps the room that it once needed: much of it is given back.
      if room >= 4, older.count * 4 <= room {
        older = older.compact
        room = older.count
      }
      return first
    }
    guard !isEmpty else { return nil }
    isEmpty = true
    return newest
  }
}

extension Deque {
  /// The same elements, with room for no others.
  var compact: Deque {
    var copy = Deque(minimumCapacity: count)
    copy.append(contentsOf: self)
    return copy
  }
}
