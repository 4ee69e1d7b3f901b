/// The exchanges of one connection that are not final, oldest first, numbered in the order in which they started.
struct ExchangeQueue {
  private var rows = IndexRing<RowIndex>()
  /// Number of the oldest exchange.
  private(set) var first = 0

  /// How many there are.
  var count: Int { rows.count }

  /// Octets of memory that the queue takes beside its rows.
  var memory: Int { rows.memory }

  /// Number after that of the newest exchange: the next one's.
  @inline(__always)
  var end: Int { first &+ rows.count }

  /// Adds an exchange, the newest from now on.
  @inline(__always)
  mutating func append(_ row: RowIndex) { rows.append(row) }

  /// Gives memory back that is not needed now.
  mutating func releaseMemory() { rows.releaseIfEmpty() }

  /// Takes the oldest exchange away, which there must be.
  @inline(__always)
  mutating func removeFirst() {
    rows.removeFirst()
    first += 1
  }

  /// The row of the exchange with this number; nil when it is final, or not there yet.
  @inline(__always)
  func row(_ number: Int) -> RowIndex? {
    number >= first && number < end ? rows[number &- first] : nil
  }
}
