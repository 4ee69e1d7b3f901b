/// The owners of the latest octets of a stream (MEASURES §2, "Charging overhead"; §7).
///
/// It answers "whose octet was this?" for packets, records, retransmissions, conflicts and late octets, under any protocol. Messages of HTTP/1
/// follow each other, and their session removes the oldest ones. Frames of HTTP/2 and HTTP/3 take turns, and the oldest stretches are
/// forgotten.
struct Owners {
  /// Octets of the stream with one owner.
  struct Stretch {
    /// Position of its first octet.
    var start: StreamPosition
    /// Position after its last octet; `.never` until it is known.
    var end: StreamPosition
    var owner: MessageReference

    /// The row of its message.
    @inline(__always)
    var row: RowIndex { owner.row }

    /// Whether it still takes octets.
    @inline(__always)
    var isInProgress: Bool { end == .never }
  }

  /// The newest stretch. Without an owner it is no stretch, but its end is the position up to which frames have been given to owners.
  ///
  /// Nearly all accesses need it.
  private(set) var newest = Stretch(start: .unknown, end: .unknown, owner: .none)
  private var older = IndexRing<Stretch>()
  /// The position from which owners are known: those of octets before it are forgotten. `.unknown` before the stream starts.
  private(set) var start = StreamPosition.unknown

  /// Whether the newest octets have no owner. Where messages follow each other, no message takes charges then.
  @inline(__always)
  var isEmpty: Bool { newest.owner == .none }

  /// The number of stretches.
  @inline(__always)
  var count: Int { older.count &+ (isEmpty ? 0 : 1) }

  /// Octets of memory on the heap.
  var memory: Int { older.memory }

  /// Whether the newest message still takes octets.
  @inline(__always)
  var hasMessageInProgress: Bool { !isEmpty && newest.isInProgress }

  /// The stretch at an index, the oldest at 0.
  subscript(index: Int) -> Stretch {
    @inline(__always) get { index == older.count ? newest : older[index] }
  }

  /// Starts the stream at a position.
  mutating func begin(at position: StreamPosition) {
    start = position
    newest = Stretch(start: position, end: position, owner: .none)
  }

  // MARK: Messages after messages

  /// Adds a message that starts at a position. It owns all that follows, until it ends.
  @inline(__always)
  mutating func append(_ message: MessageReference, from start: StreamPosition) {
    // A message in the tunnel of the newest one ends what that one owns.
    if newest.isInProgress { newest.end = start }
    append(Stretch(start: start, end: .never, owner: message))
  }

  @inline(__always)
  private mutating func append(_ stretch: Stretch) {
    if !isEmpty { older.append(newest) }
    newest = stretch
  }

  /// Ends the newest message before a position.
  @inline(__always)
  mutating func endNewest(at position: StreamPosition) { newest.end = position }

  /// Gives the newest message, which has ended, all that follows: a tunnel that it opened.
  @inline(__always)
  mutating func continueNewest() { newest.end = .never }

  /// Forgets the oldest stretch; there must be one.
  @inline(__always)
  mutating func removeFirst() {
    if older.isEmpty {
      precondition(!isEmpty)
      start = max(start, newest.end)
      newest.owner = .none
    } else {
      start = max(start, older[0].end)
      older.removeFirst()
    }
  }

  /// Gives unneeded memory back.
  mutating func releaseMemory() { older.releaseIfEmpty() }

  // MARK: Frames that take turns

  /// Gives the octets of frames up to a position to a message, a tunnel, or none. At most `limit` stretches are remembered.
  @inline(__always)
  mutating func extend(to position: StreamPosition, _ owner: MessageReference, limit: Int) {
    guard position > newest.end else { return }
    if newest.owner == owner {
      newest.end = position
      return
    }
    append(Stretch(start: newest.end, end: position, owner: owner))
    if count > limit { removeFirst() }
  }

  // MARK: Owners of positions

  /// The index of the stretch that contains a position, or of the first one behind it.
  private func index(of position: StreamPosition) -> Int {
    if newest.start <= position { return newest.end > position ? older.count : count }
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

  /// The message of the first octet in a range that any message owns.
  func firstOwner(in range: Range<StreamPosition>) -> MessageReference {
    var index = index(of: range.lowerBound)
    while index < count, self[index].start < range.upperBound {
      if !self[index].owner.isNone { return self[index].owner }
      index += 1
    }
    return .none
  }

  /// Calls `body` with the parts of a range and their owners, in order. Forgotten and future parts have no owner.
  func forEachPart(of range: Range<StreamPosition>, _ body: (Range<StreamPosition>, MessageReference) -> Void) {
    var position = range.lowerBound
    if position < start {
      let to = min(start, range.upperBound)
      body(position..<to, .none)
      position = to
    }
    var index = index(of: position)
    while position < range.upperBound, index < count {
      let stretch = self[index]
      let from = min(max(stretch.start, position), range.upperBound)
      if from > position { body(position..<from, .none) }
      position = min(stretch.end, range.upperBound)
      if position > from { body(from..<position, stretch.owner) }
      index += 1
    }
    if position < range.upperBound { body(position..<range.upperBound, .none) }
  }

  // MARK: Charges

  /// Charges a packet or a record to the messages that own its octets. Calls `tunnelled` with repeated octets of tunnels. Returns the octets
  /// that neither owns.
  @inline(__always)
  func charge(
    _ charge: Charge, _ rows: inout RowStore, tunnelled: (UInt64, Range<StreamPosition>) -> Void = { _, _ in }
  ) -> Int {
    // Nearly every packet: octets of the newest message.
    let isInNewest =
      charge.position >= newest.start && charge.position + max(charge.retransmitted, 1) <= newest.end
      && newest.owner.change(&rows) { message in
        message.take(charge)
        message.retransmitted += charge.retransmitted
      }
    return isInNewest ? 0 : chargeAny(charge, &rows, tunnelled)
  }

  @inline(never)
  private func chargeAny(
    _ charge: Charge, _ rows: inout RowStore, _ tunnelled: (UInt64, Range<StreamPosition>) -> Void
  ) -> Int {
    var unowned = 0
    // The first octet of a retransmission may be forgotten. Its owner is not known then, and a later one is another message.
    let isForgotten = charge.retransmitted > 0 && charge.position < start
    let first = isForgotten ? .none : firstOwner(in: charge.range)
    if !first.change(&rows, { $0.take(charge) }) { unowned += charge.unplaced }
    guard charge.retransmitted > 0 else { return unowned }
    forEachPart(of: charge.position..<charge.position + charge.retransmitted) { part, owner in
      if owner.change(&rows, { $0.retransmitted += part.count }) { return }
      if let stream = owner.tunnel { tunnelled(stream, part) } else { unowned += part.count }
    }
    return unowned
  }

  /// Flags the messages that own octets of a range: these were sent again with different content. Calls `tunnelled` with those of tunnels.
  func flagConflict(
    _ range: Range<StreamPosition>, _ rows: inout RowStore,
    tunnelled: (UInt64, Range<StreamPosition>) -> Void = { _, _ in }
  ) {
    forEachPart(of: range) { part, owner in
      if owner.change(&rows, { _ = $0.flags.insert(.conflicting) }) { return }
      if let stream = owner.tunnel { tunnelled(stream, part) }
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
