/// The rows in progress. Each row is made, changed and handed over in place, by its index.
///
/// A row takes its slot with the first octet of its message, and frees it after the report has seen it. Connections hold indices, not rows.
struct RowStore {
  /// Messages that are not final.
  var messages = Slab<OpenMessage>()
  /// Exchanges that are not final.
  var exchanges = Slab<OpenExchange>()
  /// The frames of messages' tunnels that are WebSockets.
  var webSockets = Slab<OwnMemory<WebSocketReader>>()
  /// Final rows that the report has not seen yet, in the order in which they became final.
  private var finalMessages = FinalRows()
  private var finalExchanges = FinalRows()
  /// Ended messages that still take charges, all connections together, without the newest one of each direction.
  var lingering = 0
  /// The numbers of connections with octets that may belong elsewhere. None of their rows is exact.
  var doubtedConnections: Set<Int> = []
  /// The texts of prefixes, by the numbers of open connections that have one.
  var prefixes: [Int: TextID] = [:]

  init() {}

  /// Octets of memory that the rows take.
  @inline(__always)
  var memory: Int {
    messages.octets &+ exchanges.octets &+ webSockets.count &* WebSocketReader.memory
  }

  /// The number of exchanges that are not final, all connections together.
  @inline(__always)
  var openExchanges: Int { exchanges.count &- finalExchanges.count }

  /// The number of messages that are not final, all connections together.
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

  /// Makes the row of a message final: it changes no more.
  @inline(__always)
  mutating func finishMessage(_ row: RowIndex) {
    if !doubtedConnections.isEmpty { doubtMessage(row) }
    messages[Int(row)].isFinal = true
    finalMessages.append(row)
  }

  /// Makes the row of an exchange final: it changes no more.
  @inline(__always)
  mutating func finishExchange(_ row: RowIndex) {
    if !doubtedConnections.isEmpty { doubtExchange(row) }
    finalExchanges.append(row)
  }

  /// Whether octets of a message's connection may belong elsewhere, so that its row is not exact.
  func isDoubted(_ row: RowIndex) -> Bool {
    !doubtedConnections.isEmpty
      && messages.look(Int(row)) { doubtedConnections.contains($0.message.connection) }
  }

  @inline(never)
  private mutating func doubtMessage(_ row: RowIndex) {
    messages.change(Int(row)) { open in
      guard doubtedConnections.contains(open.message.connection) else { return }
      open.message.exactness.weaken()
      if open.message.pairing == .exact { open.message.pairing = .inferred }
    }
  }

  @inline(never)
  private mutating func doubtExchange(_ row: RowIndex) {
    exchanges.change(Int(row)) { open in
      guard doubtedConnections.contains(open.exchange.connection), open.exchange.pairing == .exact else { return }
      open.exchange.pairing = .inferred
    }
  }

  /// The oldest final message that has not been handed over; its row stays until it is discarded.
  @inline(__always)
  mutating func nextFinalMessage() -> RowIndex? { finalMessages.next() }

  /// The oldest final exchange that has not been handed over.
  @inline(__always)
  mutating func nextFinalExchange() -> RowIndex? { finalExchanges.next() }
}

/// Final rows that wait for the report, in the order in which they became final. Nearly always, all are taken before more come, so the
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

  /// Rows that memory is kept for. One packet makes few rows final, the end of a capture many.
  private static var capacityLimit: Int { 4096 }
}

/// The slot of a row in a `RowStore`, either a message's or an exchange's.
typealias RowIndex = Int32

/// The owner of octets: a message by its row and its number, the tunnel of a stream, or none.
///
/// Rows are reused; numbers are not. Every connection has two references at rest, so one takes eight octets: the row and the low half of the
/// number, which comes again after 2^32 messages.
struct MessageReference: Equatable {
  private var value: UInt64

  /// A message.
  @inline(__always)
  init(row: RowIndex, number: Int) {
    value = UInt64(UInt32(truncatingIfNeeded: row)) << 32 | UInt64(UInt32(truncatingIfNeeded: number))
  }

  private init(value: UInt64) { self.value = value }

  /// No message.
  @inline(__always)
  static var none: MessageReference { MessageReference(value: .max) }

  /// No message, but the tunnel of a stream (RFC 9000 §2.1: a number has 62 bits).
  static func tunnel(_ stream: UInt64) -> MessageReference { MessageReference(value: 1 << 63 | stream) }

  /// The stream whose tunnel it is; nil for all else.
  var tunnel: UInt64? { isNone && self != .none ? value & (1 << 63 - 1) : nil }

  /// Whether it is no message.
  @inline(__always)
  var isNone: Bool { value >> 63 != 0 }

  /// The row of the message; negative for none.
  @inline(__always)
  var row: RowIndex { RowIndex(truncatingIfNeeded: Int64(bitPattern: value) >> 32) }

  /// Whether the message still takes octets and charges.
  @inline(__always)
  func isOpen(_ rows: borrowing RowStore) -> Bool {
    guard !isNone, rows.messages.contains(Int(row)) else { return false }
    let number = UInt32(truncatingIfNeeded: value)
    return rows.messages.look(Int(row)) { UInt32(truncatingIfNeeded: $0.message.number) == number && !$0.isFinal }
  }

  /// Changes the message if it still takes octets and charges. Returns whether it does.
  @inline(__always)
  func change(_ rows: inout RowStore, _ body: (inout Message) -> Void) -> Bool {
    guard !isNone, rows.messages.contains(Int(row)) else { return false }
    let number = UInt32(truncatingIfNeeded: value)
    return rows.messages.change(Int(row)) { open in
      guard UInt32(truncatingIfNeeded: open.message.number) == number, !open.isFinal else { return false }
      body(&open.message)
      return true
    }
  }

  /// Charges a segment without payload, which acknowledges octets of the message. Returns the octets that the message does not take.
  @inline(__always)
  func chargeAcknowledgment(_ overhead: Int, _ rows: inout RowStore) -> Int {
    let isTaken = change(&rows) { message in
      message.overhead += overhead
      message.returned += overhead
    }
    return isTaken ? 0 : overhead
  }
}

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
