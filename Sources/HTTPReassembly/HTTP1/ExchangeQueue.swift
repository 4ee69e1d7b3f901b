import DequeModule

/// The exchanges of one connection that are not final, oldest first, numbered in the order in which they started.
///
/// As in `MessageQueue`, the newest one lies in the connection itself, and nothing is copied to look at one field of it.
struct ExchangeQueue {
  private var newest = OpenExchange()
  private var isEmpty = true
  private var older: Deque<OpenExchange> = []
  /// As many exchanges beside the newest as there is room for in memory, at least.
  private(set) var room = 0
  /// Number of the oldest exchange.
  private(set) var first = 0

  /// How many there are.
  var count: Int { isEmpty ? 0 : older.count + 1 }

  /// Number after that of the newest exchange: the next one's.
  var end: Int { first + count }

  /// Adds an exchange: it is the newest from now on.
  mutating func append(_ exchange: OpenExchange) {
    if !isEmpty {
      older.append(newest)
      room = max(room, older.count)
    }
    newest = exchange
    isEmpty = false
  }

  /// Takes the oldest exchange away; nil when there is none.
  mutating func popFirst() -> OpenExchange? {
    guard !isEmpty else { return nil }
    first += 1
    if let first = older.popFirst() {
      // A queue keeps the room that it once needed: much of it is given back.
      if room >= 4, older.count * 4 <= room {
        older = older.compact
        room = older.count
      }
      return first
    }
    isEmpty = true
    return newest
  }

  /// Something of the exchange with this number; nil when it is not here.
  @inline(__always)
  func read<Value>(_ ordinal: Int, _ value: (borrowing OpenExchange) -> Value) -> Value? {
    guard ordinal >= first, ordinal < end else { return nil }
    let index = ordinal - first
    return index == older.count ? value(newest) : value(older[index])
  }

  /// Changes the exchange with this number, if it is here.
  @inline(__always)
  mutating func change(_ ordinal: Int, _ body: (inout OpenExchange) -> Void) {
    guard ordinal >= first, ordinal < end else { return }
    let index = ordinal - first
    if index == older.count { body(&newest) } else { body(&older[index]) }
  }
}
