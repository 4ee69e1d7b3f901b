/// The owners of octets: the messages of one direction that still take charges, oldest first, with their ranges of the stream (MEASURES §2,
/// "Charging overhead").
///
/// Packets, records and retransmissions are charged through it, under any protocol. A range is one of the TCP stream, and its owner is the
/// index of a row.
struct OwnerMap {
  /// A message that owns a range of the stream.
  struct Owner {
    /// Position of its first octet.
    var start: StreamPosition
    /// Position after its last octet; `.never` until it is known.
    var end: StreamPosition
    /// The row of the message.
    var row: RowIndex

    /// Whether it still takes octets.
    @inline(__always)
    var isInProgress: Bool { end == .never }
  }

  /// The newest owner; meaningless without any. Nearly all accesses need it.
  private(set) var newest = Owner(start: .unknown, end: .unknown, row: -1)
  private var older = IndexRing<Owner>()

  /// Whether no message takes charges.
  @inline(__always)
  var isEmpty: Bool { newest.row < 0 }

  /// The number of messages that take charges.
  @inline(__always)
  var count: Int { isEmpty ? 0 : older.count &+ 1 }

  /// Octets of memory that the map takes on the heap.
  var memory: Int { older.memory }

  /// Whether the newest message still takes octets.
  @inline(__always)
  var hasMessageInProgress: Bool { !isEmpty && newest.isInProgress }

  /// The owner at an index, the oldest at 0.
  subscript(index: Int) -> Owner {
    @inline(__always) get { index == older.count ? newest : older[index] }
  }

  /// Adds a message that starts at a position. It owns all that follows, until it ends.
  @inline(__always)
  mutating func append(_ row: RowIndex, from start: StreamPosition) {
    if !isEmpty {
      // A message in the tunnel of the newest one ends what that one owns.
      if newest.isInProgress { newest.end = start }
      older.append(newest)
    }
    newest = Owner(start: start, end: .never, row: row)
  }

  /// Gives unneeded memory back.
  mutating func releaseMemory() { older.releaseIfEmpty() }

  /// Ends the newest message before a position.
  @inline(__always)
  mutating func endNewest(at position: StreamPosition) { newest.end = position }

  /// Gives the newest message, which has ended, all that follows: a tunnel that it opened.
  @inline(__always)
  mutating func continueNewest() { newest.end = .never }

  /// Removes the oldest message; there must be one.
  @inline(__always)
  mutating func removeFirst() {
    if older.isEmpty {
      precondition(!isEmpty)
      newest.row = -1
    } else {
      older.removeFirst()
    }
  }

  /// Whether a message owns the octet at a position.
  func owns(_ position: StreamPosition) -> Bool {
    for index in 0..<count where self[index].start <= position && position < self[index].end { return true }
    return false
  }

  /// Charges a packet or a record to the messages that own its octets. Returns the octets that no message owns.
  @inline(__always)
  mutating func charge(_ charge: Charge, _ rows: inout RowStore) -> Int {
    // Nearly every packet: new octets of the newest message.
    if charge.retransmitted == 0, !isEmpty, charge.position >= newest.start {
      guard charge.position < newest.end else { return charge.unplaced }
      rows.messages[Int(newest.row)].message.take(charge)
      return 0
    }
    return chargeOlder(charge, &rows)
  }

  @inline(never)
  private func chargeOlder(_ charge: Charge, _ rows: inout RowStore) -> Int {
    var unplaced = charge.unplaced
    var position = charge.position
    let end = charge.position + charge.retransmitted
    var unowned = 0
    var index = count - 1
    // Goes from the newest back to the owner of the first octet, or to the oldest one.
    while index > 0, self[index].start > position { index -= 1 }
    while index >= 0, index < count {
      let owner = self[index]
      // The owner of the first octet gets the packet's headers. If it has no owner, they stay with the connection, unless the charge says
      // otherwise.
      if unplaced > 0, charge.position + charge.length > owner.start, charge.position < owner.end {
        rows.messages[Int(owner.row)].message.take(charge)
        unplaced = 0
      }
      let low = max(position, owner.start)
      let high = min(end, owner.end)
      if low < high {
        rows.messages[Int(owner.row)].message.retransmitted += high - low
        unowned += low - position
        position = high
      }
      if position >= end || owner.start >= end, unplaced == 0 || owner.start >= charge.end { break }
      index += 1
    }
    return unowned + unplaced + max(end - position, 0)
  }

  /// Charges a segment without payload to the newest message. Returns the octets without an owner.
  @inline(__always)
  mutating func chargeNewest(_ overhead: Int, _ rows: inout RowStore) -> Int {
    if isEmpty { return overhead }
    rows.messages[Int(newest.row)].message.overhead += overhead
    rows.messages[Int(newest.row)].message.returned += overhead
    return 0
  }

  /// Flags the messages that own octets of a range: these were sent again with different content.
  func flagConflict(_ range: Range<StreamPosition>, _ rows: inout RowStore) {
    for index in 0..<count where self[index].start < range.upperBound && self[index].end > range.lowerBound {
      rows.messages[Int(self[index].row)].message.flags.insert(.conflicting)
    }
  }

  /// Gives late octets of a gap that was given up to the messages that miss them. They count as content, because a gap elsewhere ends a
  /// message, or as octets of the tunnel that the message opened. Returns how many found an owner, by kind.
  func acceptLate(_ range: Range<StreamPosition>, _ rows: inout RowStore) -> (body: Int, tunnel: Int) {
    var left = range.count
    var tunnel = 0
    for index in 0..<count {
      let owner = self[index]
      let inside = min(range.upperBound, owner.end) - max(range.lowerBound, owner.start)
      let (missing, start) = rows.messages.look(Int(owner.row)) { ($0.message.missing, $0.tunnelStart) }
      guard missing > 0, inside > 0 else { continue }
      let count = min(inside, missing, left)
      rows.messages[Int(owner.row)].message.missing -= count
      if range.lowerBound >= start {
        rows.messages[Int(owner.row)].message.tunnel += count
        tunnel += count
      } else {
        rows.messages[Int(owner.row)].message.octets.body += count
      }
      left -= count
    }
    return (range.count - left - tunnel, tunnel)
  }
}

extension Message {
  /// Takes all of a charge but the octets that have a position.
  @inline(__always)
  mutating func take(_ charge: Charge) {
    overhead += charge.overhead
    tls += charge.record
    retransmitted += charge.repeatedRecord
  }
}
