/// The rows that are being made: each is made where it lies, changed there by its index, and handed over from there.
///
/// A row takes its slot with the first octet of its message, and gives it back when the report has seen it. Connections hold
/// indices, and no rows.
struct RowStore {
  /// Messages that are not final.
  var messages = Slab<OpenMessage>()
  /// Exchanges that are not final.
  var exchanges = Slab<OpenExchange>()
  /// Final rows that the report has not seen yet, in the order in which they became final.
  private var finalMessages = FinalRows()
  private var finalExchanges = FinalRows()
  /// Ended messages that still take charges, all connections together, but for the newest one of each direction.
  var lingering = 0

  init() {}

  /// Octets of memory that the rows take.
  @inline(__always)
  var memory: Int {
    messages.count &* MemoryLayout<OpenMessage>.stride &+ exchanges.count &* MemoryLayout<OpenExchange>.stride
  }

  /// Exchanges that are not final, all connections together.
  @inline(__always)
  var openExchanges: Int { exchanges.count &- finalExchanges.count }

  /// Messages that are not final, all connections together.
  var openMessages: Int { messages.count - finalMessages.count }

  /// A message that is not final, or not yet handed over.
  subscript(message row: RowIndex) -> Message {
    @inline(__always) _read { yield messages[Int(row)].message }
    @inline(__always) _modify { yield &messages[Int(row)].message }
  }

  // MARK: Final rows

  /// Whether no final row waits for the report.
  @inline(__always)
  var isHandedOver: Bool { finalMessages.isEmpty && finalExchanges.isEmpty }

  /// A message is final: its row changes no more.
  @inline(__always)
  mutating func finishMessage(_ row: RowIndex) { finalMessages.append(row) }

  /// An exchange is final: its row changes no more.
  @inline(__always)
  mutating func finishExchange(_ row: RowIndex) { finalExchanges.append(row) }

  /// The message that became final first and has not been handed over yet; its row stays until it is discarded.
  @inline(__always)
  mutating func nextFinalMessage() -> RowIndex? { finalMessages.next() }

  /// The same of exchanges.
  @inline(__always)
  mutating func nextFinalExchange() -> RowIndex? { finalExchanges.next() }
}

/// Rows that became final and wait for the report, in that order. All are taken before more come, nearly always, so that the
/// memory is used from its start again.
private struct FinalRows {
  private var rows: [RowIndex] = []
  private var end = 0
  private var first = 0

  @inline(__always)
  var isEmpty: Bool { first == end }

  @inline(__always)
  var count: Int { end &- first }

  @inline(__always)
  mutating func append(_ row: RowIndex) {
    if end < rows.count { rows[end] = row } else { rows.append(row) }
    end &+= 1
  }

  @inline(__always)
  mutating func next() -> RowIndex? {
    guard first < end else {
      if rows.count > Self.capacityLimit { rows = [] }
      first = 0
      end = 0
      return nil
    }
    first &+= 1
    return rows[first &- 1]
  }

  /// Rows for which memory is kept: what one packet makes final is a few, and what the end of a capture does is many.
  private static var capacityLimit: Int { 4096 }
}

/// The slot of a row in a `RowStore`: of a message or of an exchange.
typealias RowIndex = Int32

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

/// A queue of small values that takes no memory while it is empty, and room for a few when it is not.
///
/// Not a `Deque`, whose smallest one takes several times as much: most connections have one or two elements.
struct IndexRing<Element> {
  private var ring: [Element] = []
  private var head: Int32 = 0
  private var length: Int32 = 0

  @inline(__always)
  var count: Int { Int(length) }

  @inline(__always)
  var isEmpty: Bool { length == 0 }

  /// Octets of memory that it takes on the heap.
  var memory: Int { ring.isEmpty ? 0 : ring.capacity * MemoryLayout<Element>.stride + 48 }

  /// The element at an index, the oldest at 0.
  subscript(index: Int) -> Element {
    @inline(__always) get { ring[slot(index)] }
    @inline(__always) _modify { yield &ring[slot(index)] }
  }

  @inline(__always)
  private func slot(_ index: Int) -> Int {
    let slot = Int(head) &+ index
    return slot < ring.count ? slot : slot &- ring.count
  }

  /// Adds an element, the newest from now on.
  @inline(__always)
  mutating func append(_ element: Element) {
    guard Int(length) < ring.count else { return grow(element) }
    length += 1
    ring[slot(Int(length) - 1)] = element
  }

  @inline(never)
  private mutating func grow(_ element: Element) {
    var larger: [Element] = []
    larger.reserveCapacity(max(2 * count, 2))
    for index in 0..<count { larger.append(self[index]) }
    larger.append(element)
    length += 1
    while larger.count < larger.capacity { larger.append(element) }
    ring = larger
    head = 0
  }

  /// Takes the oldest element away, which there must be. Much room that is no longer needed is given back.
  @inline(__always)
  mutating func removeFirst() {
    precondition(length > 0)
    head = Int32(truncatingIfNeeded: slot(1))
    length -= 1
    if ring.count >= 8, count * 4 <= ring.count { shrink() }
  }

  @inline(never)
  private mutating func shrink() {
    var smaller: [Element] = []
    smaller.reserveCapacity(max(2 * count, 2))
    for index in 0..<count { smaller.append(self[index]) }
    let filler = self[0]
    while smaller.count < smaller.capacity { smaller.append(filler) }
    ring = smaller
    head = 0
  }

  /// Gives the memory back if there is no element.
  mutating func releaseIfEmpty() { if isEmpty { self = IndexRing() } }
}
