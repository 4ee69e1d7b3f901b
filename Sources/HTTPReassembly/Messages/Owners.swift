/// A message, by its row and its number. Rows are reused; numbers are not.
struct MessageReference: Equatable {
  var row: RowIndex
  var number: Int

  /// No message.
  static var none: MessageReference { MessageReference(row: -1, number: 0) }

  /// No message, but the tunnel of a stream.
  static func tunnel(_ stream: UInt64) -> MessageReference { MessageReference(row: -2, number: Int(stream)) }

  /// The stream whose tunnel it is; nil for all else.
  var tunnel: UInt64? { row == -2 ? UInt64(number) : nil }

  @inline(__always)
  var isNone: Bool { row < 0 }

  /// Whether the message still takes octets and charges.
  @inline(__always)
  func isOpen(_ rows: borrowing RowStore) -> Bool {
    row >= 0 && rows.messages.contains(Int(row))
      && rows.messages.look(Int(row)) { $0.message.number == number && !$0.isFinal }
  }
}

/// The owners of the latest octets of one direction: stretches in their order, each of a message, of a tunnel or of none (MEASURES §2, §6,
/// §7).
///
/// Packets, records and retransmissions are charged through it, under any protocol. Positions are positions of the reader's stream. HTTP/1
/// keeps the stretches of messages that still take charges, with unowned octets between them; HTTP/2 and HTTP/3 keep the latest ones.
struct Owners {
  /// Octets in a row with one owner.
  struct Stretch {
    /// The position of its first octet.
    var start: StreamPosition
    /// The position after its last octet; `.never` until it is known.
    var end: StreamPosition
    var owner: MessageReference

    /// The row of its message.
    @inline(__always)
    var row: RowIndex { owner.row }

    /// Whether it still takes octets.
    @inline(__always)
    var isInProgress: Bool { end == .never }
  }

  /// The newest stretch. Nearly all accesses need it. Without any, its end is `.unknown`, and its start is where one may begin.
  private(set) var newest = Stretch(start: .unknown, end: .unknown, owner: .none)
  private var older = IndexRing<Stretch>()

  /// Whether there is no stretch.
  @inline(__always)
  private var isEmpty: Bool { newest.end == .unknown }

  /// Whether the newest stretch is of a message. All stretches of HTTP/1 are.
  @inline(__always)
  var hasMessage: Bool { newest.row >= 0 }

  /// The number of stretches.
  @inline(__always)
  var count: Int { isEmpty ? 0 : older.count &+ 1 }

  /// Octets of memory on the heap.
  var memory: Int { older.memory }

  /// Whether the newest stretch still takes octets.
  @inline(__always)
  var hasMessageInProgress: Bool { newest.isInProgress }

  /// The position of the oldest octet whose owner is known.
  var start: StreamPosition { older.isEmpty ? newest.start : older[0].start }

  /// The stretch at an index, the oldest at 0.
  subscript(index: Int) -> Stretch {
    @inline(__always) get { index == older.count ? newest : older[index] }
  }

  // MARK: Changes

  /// Adds a stretch that starts at a position. Its owner owns all that follows, until it ends.
  @inline(__always)
  mutating func append(_ owner: MessageReference, from start: StreamPosition) {
    if !isEmpty {
      // A message in the tunnel of the newest one ends what that one owns.
      if newest.isInProgress { newest.end = start }
      older.append(newest)
    }
    newest = Stretch(start: start, end: .never, owner: owner)
  }

  /// Ends the newest stretch before a position.
  @inline(__always)
  mutating func endNewest(at position: StreamPosition) { newest.end = position }

  /// Gives the newest message, which has ended, all that follows: a tunnel that it opened.
  @inline(__always)
  mutating func continueNewest() { newest.end = .never }

  /// Removes the oldest stretch; there must be one.
  @inline(__always)
  mutating func removeFirst() {
    if older.isEmpty {
      precondition(!isEmpty)
      newest = Stretch(start: newest.end, end: .unknown, owner: .none)
    } else {
      older.removeFirst()
    }
  }

  /// Gives unneeded memory back.
  mutating func releaseMemory() { older.releaseIfEmpty() }

  /// Starts the stream at a position, if its octets have owners without interruption.
  mutating func begin(at position: StreamPosition) { newest.start = position }

  /// Gives the octets behind the newest stretch to an owner, up to a position. Forgets the oldest stretch beyond the limit.
  @inline(__always)
  mutating func extend(to position: StreamPosition, _ owner: MessageReference, limit: Int) {
    let end = isEmpty ? newest.start : newest.end
    guard position > end else { return }
    if isEmpty || newest.owner != owner {
      append(owner, from: end)
      if older.count >= max(limit, 1) { older.removeFirst() }
    }
    newest.end = position
  }

  // MARK: Owners of octets

  /// The index of the stretch that contains a position, or of the first stretch behind it.
  private func index(of position: StreamPosition) -> Int {
    if !isEmpty, position >= newest.start { return newest.end > position ? older.count : count }
    var (low, high) = (0, older.count)
    while low < high {
      let middle = (low + high) / 2
      if older[middle].end > position { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// The owner of an octet.
  func owner(of position: StreamPosition) -> MessageReference {
    let index = index(of: position)
    return index < count && self[index].start <= position ? self[index].owner : .none
  }

  /// The owner of the first owned octet of a range. Forgotten octets may have had another one: a range that begins with them has none.
  func firstOwner(in range: Range<StreamPosition>) -> MessageReference {
    guard range.lowerBound >= start else { return .none }
    var index = index(of: range.lowerBound)
    while index < count, self[index].start < range.upperBound {
      if !self[index].owner.isNone { return self[index].owner }
      index += 1
    }
    return .none
  }

  /// Calls `body` with the parts of a range and their owners, in order. Forgotten, unowned and future parts have no owner.
  func forEachPart(of range: Range<StreamPosition>, _ body: (Range<StreamPosition>, MessageReference) -> Void) {
    var position = range.lowerBound
    var index = index(of: position)
    while position < range.upperBound, index < count {
      let stretch = self[index]
      let from = min(max(stretch.start, position), range.upperBound)
      if position < from { body(position..<from, .none) }
      let to = min(max(stretch.end, from), range.upperBound)
      if from < to { body(from..<to, stretch.owner) }
      position = to
      index += 1
    }
    if position < range.upperBound { body(position..<range.upperBound, .none) }
  }

  // MARK: Charges

  /// Charges a packet or a record to the messages of HTTP/1 that own its octets. Returns the octets that no message owns.
  @inline(__always)
  func charge(_ charge: Charge, _ rows: inout RowStore) -> Int {
    // Nearly every packet: octets of the newest message.
    if charge.position >= newest.start, charge.end <= newest.end {
      rows.messages.change(Int(newest.row)) { open in
        open.message.take(charge)
        open.message.retransmitted += charge.retransmitted
      }
      return 0
    }
    return chargeParts(charge, &rows)
  }

  /// Charges a packet or a record to the open messages that own its octets. Returns the octets that none of them owns, without the repeated
  /// octets of tunnels in streams: `tunnelled` gets those.
  ///
  /// The owner of the first owned octet gets the packet's headers. If there is none, they stay with the connection.
  @inline(never)
  func chargeParts(
    _ charge: Charge, _ rows: inout RowStore, tunnelled: (UInt64, Range<StreamPosition>) -> Void = { _, _ in }
  ) -> Int {
    var unowned = 0
    let owner = firstOwner(in: charge.range)
    if owner.isOpen(rows) {
      rows.messages[Int(owner.row)].message.take(charge)
    } else {
      unowned = charge.unplaced
    }
    guard charge.retransmitted > 0 else { return unowned }
    forEachPart(of: charge.position..<charge.position + charge.retransmitted) { part, owner in
      if owner.isOpen(rows) {
        rows.messages[Int(owner.row)].message.retransmitted += part.count
      } else if let stream = owner.tunnel {
        tunnelled(stream, part)
      } else {
        unowned += part.count
      }
    }
    return unowned
  }

  /// Charges a segment without payload to the newest message. Returns the octets without an owner.
  @inline(__always)
  func chargeNewest(_ overhead: Int, _ rows: inout RowStore) -> Int {
    guard hasMessage else { return overhead }
    rows.messages[Int(newest.row)].message.overhead += overhead
    rows.messages[Int(newest.row)].message.returned += overhead
    return 0
  }

  /// Flags the open messages that own octets of a range: these were sent again with different content. `tunnelled` gets the octets of
  /// tunnels in streams.
  func flagConflict(
    _ range: Range<StreamPosition>, _ rows: inout RowStore,
    tunnelled: (UInt64, Range<StreamPosition>) -> Void = { _, _ in }
  ) {
    forEachPart(of: range) { part, owner in
      if owner.isOpen(rows) {
        rows.messages[Int(owner.row)].message.flags.insert(.conflicting)
      } else if let stream = owner.tunnel {
        tunnelled(stream, part)
      }
    }
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
