import DequeModule

/// Payload that cannot be delivered yet, because something before it has not been captured.
struct HeldSegment {
  /// The position of the first octet.
  var position: StreamPosition
  /// Octets on the wire.
  var length: Int
  /// The captured octets: the whole segment, or a prefix if there is a snap length.
  var octets: [UInt8]
  /// The packet that brought it.
  var arrival: SegmentArrival
  /// Whether its checksum is wrong, although checksums of its direction tell. A copy with a right one replaces it.
  var isSuspect = false

  var end: StreamPosition { position + length }
}

/// Facts about the packet that brought a piece of payload.
struct SegmentArrival {
  /// Capture time in nanoseconds since the Unix epoch.
  var time: Int64
  /// The position in the opposite stream up to which the sender had received it; `.unknown` without ACK.
  var acknowledged: StreamPosition
  /// The position of the segment's first octet, which may be before the piece.
  var segment: StreamPosition
  /// The number of packets of the connection so far, including this one.
  var ordinal: Int
  /// Network and transport octets of the packet, which the owner of the piece's first octet is charged for.
  ///
  /// It is 0 for the further pieces of one packet.
  var overhead: Int

  /// The arrival of no packet.
  static let none = SegmentArrival(time: 0, acknowledged: .unknown, segment: .unknown, ordinal: 0, overhead: 0)
}

/// The start of a wait, by capture time and by the packets of the connection.
struct WaitStart {
  /// Capture time in nanoseconds since the Unix epoch.
  var time: Int64
  /// The number of packets of the connection so far.
  var ordinal: Int

  /// A start before all others.
  static let never = WaitStart(time: -(1 << 62), ordinal: 0)

  /// The later start of two.
  static func latest(_ one: WaitStart, _ other: WaitStart) -> WaitStart {
    WaitStart(time: max(one.time, other.time), ordinal: max(one.ordinal, other.ordinal))
  }
}

/// The difference between two copies of octets.
enum Difference {
  /// They are equal, as far as both were captured.
  case none
  /// They differ, and the checksums tell the good one.
  case badCopy
  /// They differ, and nothing tells the good one.
  case conflict
}

/// The held segments of one direction, in order and without overlap.
struct HeldSegments {
  private var segments: Deque<HeldSegment> = []
  /// The number of held payload octets.
  private(set) var octetCount = 0

  /// Octets of memory, including the segments' records.
  var memory: Int { octetCount + segments.count * StreamMemory.heldSegment }

  var isEmpty: Bool { segments.isEmpty }
  var count: Int { segments.count }
  var first: HeldSegment? { segments.first }
  var last: HeldSegment? { segments.last }
  /// The position of the first held octet; `.never` when no octet is held.
  var firstPosition: StreamPosition { segments.first?.position ?? .never }
  /// The position after the last held octet; `.unknown` when no octet is held.
  var end: StreamPosition { segments.last?.end ?? .unknown }

  /// Removes and returns the first segment.
  mutating func removeFirst() -> HeldSegment {
    let segment = segments.removeFirst()
    octetCount -= segment.octets.count
    return segment
  }

  /// Puts back the rest of a segment that was removed.
  mutating func prepend(_ segment: HeldSegment) {
    octetCount += segment.octets.count
    segments.prepend(segment)
  }

  /// Removes the octets held before `position`, and returns them in pieces.
  mutating func removeBefore(_ position: StreamPosition) -> [HeldSegment] {
    var removed: [HeldSegment] = []
    while let first = segments.first, first.position < position {
      var before = removeFirst()
      if before.end > position {
        var rest = before
        let count = position - before.position
        rest.octets.removeFirst(min(count, rest.octets.count))
        rest.position = position
        rest.length -= count
        rest.arrival.overhead = 0
        prepend(rest)
        before.length = count
        before.octets.removeLast(max(before.octets.count - count, 0))
      }
      removed.append(before)
    }
    return removed
  }

  /// Removes the octets held from `position` on, and returns them in pieces.
  mutating func removeFrom(_ position: StreamPosition) -> [HeldSegment] {
    var removed: [HeldSegment] = []
    while let last = segments.last, last.end > position {
      var beyond = segments.removeLast()
      octetCount -= beyond.octets.count
      if beyond.position < position {
        var rest = beyond
        let count = position - beyond.position
        rest.length = count
        rest.octets.removeLast(max(rest.octets.count - count, 0))
        octetCount += rest.octets.count
        segments.append(rest)
        beyond.octets.removeFirst(min(count, beyond.octets.count))
        beyond.position = position
        beyond.length -= count
        beyond.arrival.overhead = 0
      }
      removed.append(beyond)
    }
    return removed
  }

  /// The index of the first held segment that ends after `position`.
  private func firstIndex(endingAfter position: StreamPosition) -> Int {
    // Most arrivals belong at the end.
    if end <= position { return segments.count }
    var low = 0
    var high = segments.count
    while low < high {
      let middle = (low + high) / 2
      if segments[middle].end <= position { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Splits a held segment at a position within it. Returns false for any other position.
  @discardableResult
  private mutating func split(_ index: Int, at position: StreamPosition) -> Bool {
    var rest = segments[index]
    guard position > rest.position, position < rest.end else { return false }
    let count = position - rest.position
    segments[index].length = count
    segments[index].octets.removeLast(max(rest.octets.count - count, 0))
    rest.position = position
    rest.length -= count
    rest.octets.removeFirst(min(count, rest.octets.count))
    rest.arrival.overhead = 0
    segments.insert(rest, at: index + 1)
    return true
  }

  /// Inserts the parts of a segment that are not held yet, and reports the other parts.
  ///
  /// The first copy wins, but for one whose checksum is wrong. Returns the number of new octets. `duplicate` receives each range that
  /// was held already, and how its comparable octets differ.
  mutating func insert(
    position: StreamPosition, length: Int, octets: RawSpan, arrival: SegmentArrival, isSuspect: Bool,
    duplicate: (Range<StreamPosition>, Difference) -> Void
  ) -> Int {
    var fresh = 0
    var arrival = arrival
    var from = position
    let end = position + length
    var index = firstIndex(endingAfter: position)
    while from < end {
      let next = index < segments.count ? segments[index].position : .never
      if from < next {
        let to = min(end, next)
        var piece = HeldSegment(position: from, length: to - from, octets: [], arrival: arrival, isSuspect: isSuspect)
        let captured = min(from - position, octets.byteCount)..<min(to - position, octets.byteCount)
        octets.append(captured, to: &piece.octets)
        arrival.overhead = 0
        fresh += piece.length
        octetCount += piece.octets.count
        segments.insert(piece, at: index)
        index += 1
        from = to
      } else {
        // A good copy replaces just its part of a damaged segment.
        if segments[index].isSuspect, !isSuspect {
          if split(index, at: from) { index += 1 }
          split(index, at: end)
        }
        let held = segments[index]
        let to = min(end, held.end)
        let mine = min(from - position, octets.byteCount)..<min(to - position, octets.byteCount)
        let theirs = from - held.position
        var differs = false
        for offset in 0..<min(mine.count, max(held.octets.count - theirs, 0))
        where octets.octet(mine.lowerBound + offset) != held.octets[theirs + offset] {
          differs = true
          break
        }
        let isTold = differs && held.isSuspect != isSuspect
        if held.isSuspect, !isSuspect, mine.count >= held.octets.count {
          // The good copy counts. The headers of the other one stay with the piece, and these are charged as a copy's.
          octetCount += mine.count - held.octets.count
          segments[index].octets.removeAll(keepingCapacity: true)
          octets.append(mine, to: &segments[index].octets)
          segments[index].arrival = arrival
          segments[index].arrival.overhead = held.arrival.overhead
          segments[index].isSuspect = false
          duplicate(from..<to, isTold ? .badCopy : .none)
        } else {
          duplicate(from..<to, !differs ? .none : isTold && isSuspect ? .badCopy : .conflict)
        }
        from = to
        index += 1
      }
    }
    return fresh
  }
}
