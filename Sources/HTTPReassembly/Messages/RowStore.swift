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
  mutating func finishMessage(_ row: RowIndex) {
    messages[Int(row)].isFinal = true
    finalMessages.append(row)
  }

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
