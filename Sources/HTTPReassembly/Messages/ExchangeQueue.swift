/// The exchanges of one connection that are not final, oldest first, numbered in the order of their start.
struct ExchangeQueue {
  private var rows = IndexRing<RowIndex>()
  /// Number of the oldest exchange.
  private(set) var first = 0

  /// The number of exchanges.
  var count: Int { rows.count }

  /// Octets of memory that the queue takes beside its rows.
  var memory: Int { rows.memory }

  /// Number of the next exchange, after the newest one.
  @inline(__always)
  var end: Int { first &+ rows.count }

  /// Adds an exchange as the newest.
  @inline(__always)
  mutating func append(_ row: RowIndex) { rows.append(row) }

  /// Gives unneeded memory back.
  mutating func releaseMemory() { rows.releaseIfEmpty() }

  /// Removes the oldest exchange; the queue must not be empty.
  @inline(__always)
  mutating func removeFirst() {
    rows.removeFirst()
    first += 1
  }

  /// The row of the exchange with this number; nil if the exchange is final or has not started.
  @inline(__always)
  func row(_ number: Int) -> RowIndex? {
    number >= first && number < end ? rows[number &- first] : nil
  }
}
