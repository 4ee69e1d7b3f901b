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

/// The owners of the latest octets of one direction, whose frames belong to many messages (MEASURES §2, §7).
struct FrameOwners {
  private struct Stretch {
    /// The position after its last octet. It starts where the stretch before ends.
    var end: StreamPosition
    var owner: MessageReference
  }

  private var stretches = IndexRing<Stretch>()
  /// The start of the oldest stretch.
  private(set) var start = StreamPosition.unknown
  /// The position up to which owners are known.
  private(set) var end = StreamPosition.unknown
  /// The owner of the latest owned octets.
  private(set) var latest = MessageReference.none

  /// Octets of memory on the heap.
  var memory: Int { stretches.memory }

  /// Starts the stream at a position.
  mutating func begin(at position: StreamPosition) {
    start = position
    end = position
  }

  /// Gives the octets up to a position to a message, or to none.
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

  /// The index of the stretch that contains a position, or of the first stretch behind it.
  private func index(of position: StreamPosition) -> Int {
    var (low, high) = (0, stretches.count)
    while low < high {
      let middle = (low + high) / 2
      if stretches[middle].end > position { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// The owner of an octet.
  func owner(of position: StreamPosition) -> MessageReference {
    guard position >= start else { return .none }
    let index = index(of: position)
    return index < stretches.count ? stretches[index].owner : .none
  }

  /// The owner of the first owned octet of a range.
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

  /// Calls `body` with the parts of a range and their owners, in order. Forgotten and future parts have no owner.
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
