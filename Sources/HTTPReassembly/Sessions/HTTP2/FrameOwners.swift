/// A message, by its row and by its number: rows are used again, numbers are not.
struct MessageReference: Equatable {
  var row: RowIndex
  var number: Int

  /// No message.
  static var none: MessageReference { MessageReference(row: -1, number: 0) }

  @inline(__always)
  var isNone: Bool { row < 0 }

  /// Whether the message still takes octets and charges.
  @inline(__always)
  func isOpen(_ rows: borrowing RowStore) -> Bool {
    row >= 0 && rows.messages.contains(Int(row))
      && rows.messages.look(Int(row)) { $0.message.number == number && !$0.isFinal }
  }
}

/// Whose octet was this? The latest octets of one direction, whose frames belong to many messages (MEASURES §2, §7).
struct FrameOwners {
  private struct Stretch {
    /// Position after its last octet; it starts where the one before ends.
    var end: StreamPosition
    var owner: MessageReference
  }

  private var stretches = IndexRing<Stretch>()
  /// Where the oldest stretch starts.
  private(set) var start = StreamPosition.unknown
  /// Position up to which owners are known.
  private(set) var end = StreamPosition.unknown
  /// The message that octets belonged to last.
  private(set) var latest = MessageReference.none

  /// Octets of memory that it takes on the heap.
  var memory: Int { stretches.memory }

  /// The stream starts at a position.
  mutating func begin(at position: StreamPosition) {
    start = position
    end = position
  }

  /// Octets up to a position belong to a message, or to none.
  @inline(__always)
  mutating func extend(to position: StreamPosition, _ owner: MessageReference, limit: Int) {
    guard position > end else { return }
    end = position
    if !owner.isNone { latest = owner }
    if !stretches.isEmpty, stretches[stretches.count - 1].owner == owner {
      stretches[stretches.count - 1].end = position
      return
    }
    stretches.append(Stretch(end: position, owner: owner))
    if stretches.count > limit {
      start = stretches[0].end
      stretches.removeFirst()
    }
  }

  /// The index of the stretch that a position is in, or of the first one behind it.
  private func index(of position: StreamPosition) -> Int {
    var (low, high) = (0, stretches.count)
    while low < high {
      let middle = (low + high) / 2
      if stretches[middle].end > position { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// The message that owns the first octet of a range that any message owns.
  func firstOwner(in range: Range<StreamPosition>) -> MessageReference {
    guard range.upperBound > start else { return .none }
    var index = index(of: range.lowerBound)
    var low = index == 0 ? start : stretches[index - 1].end
    while index < stretches.count, low < range.upperBound {
      if !stretches[index].owner.isNone { return stretches[index].owner }
      low = stretches[index].end
      index += 1
    }
    return .none
  }

  /// Hands over the parts of a range with their owners, in their order; what is not known any more, or not yet, has none.
  func forEachPart(of range: Range<StreamPosition>, _ body: (Range<StreamPosition>, MessageReference) -> Void) {
    var position = range.lowerBound
    if position < start {
      let to = min(max(start, position), range.upperBound)
      body(position..<to, .none)
      position = to
    }
    var index = index(of: position)
    while position < range.upperBound, index < stretches.count {
      let to = min(stretches[index].end, range.upperBound)
      if to > position { body(position..<to, stretches[index].owner) }
      position = max(position, to)
      index += 1
    }
    if position < range.upperBound { body(position..<range.upperBound, .none) }
  }
}
