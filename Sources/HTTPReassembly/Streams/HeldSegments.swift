import DequeModule

/// Payload that cannot be delivered yet, because something before it has not been captured.
struct HeldSegment {
  /// Position of the first octet.
  var position: StreamPosition
  /// Octets on the wire.
  var length: Int
  /// The octets that were captured: a prefix of the segment, all of it but for a snap length.
  var octets: [UInt8]
  /// The packet that brought it.
  var arrival: SegmentArrival

  var end: StreamPosition { position + length }
}

/// What is known of the packet that brought a piece of payload.
struct SegmentArrival {
  /// Capture time in nanoseconds since the Unix epoch.
  var time: Int64
  /// Position in the opposite stream up to which the sender had received it; `.unknown` without ACK.
  var acknowledged: StreamPosition
  /// Position of the first octet that the sender put into the segment, which may be before the piece.
  var segment: StreamPosition
  /// How many packets of the connection had come with this one.
  var ordinal: Int
  /// Network and transport octets of the packet, to be charged to the owner of the piece's first octet;
  /// 0 for the further pieces of one packet.
  var overhead: Int

  /// The arrival of nothing.
  static let none = SegmentArrival(time: 0, acknowledged: .unknown, segment: .unknown, ordinal: 0, overhead: 0)
}

/// Since when something is waited for: by capture time, and by the packets of the connection.
struct WaitStart {
  /// Capture time in nanoseconds since the Unix epoch.
  var time: Int64
  /// How many packets of the connection had come.
  var ordinal: Int

  /// Before everything.
  static let never = WaitStart(time: -(1 << 62), ordinal: 0)

  /// The later of two.
  static func latest(_ one: WaitStart, _ other: WaitStart) -> WaitStart {
    WaitStart(time: max(one.time, other.time), ordinal: max(one.ordinal, other.ordinal))
  }
}

/// The held segments of one direction: in order, without overlap.
struct HeldSegments {
  private var segments: Deque<HeldSegment> = []
  /// Octets of payload held.
  private(set) var octetCount = 0

  /// Octets of memory held, with what the segments' own records take.
  var memory: Int { octetCount + segments.count * StreamMemory.heldSegment }

  var isEmpty: Bool { segments.isEmpty }
  var count: Int { segments.count }
  var first: HeldSegment? { segments.first }
  var last: HeldSegment? { segments.last }
  /// Position of the first held octet, `.never` when nothing is held.
  var firstPosition: StreamPosition { segments.first?.position ?? .never }
  /// Position after the last held octet, `.unknown` when nothing is held.
  var end: StreamPosition { segments.last?.end ?? .unknown }

  /// Takes the first segment out.
  mutating func removeFirst() -> HeldSegment {
    let segment = segments.removeFirst()
    octetCount -= segment.octets.count
    return segment
  }

  /// Puts back what is left of a segment that was taken out.
  mutating func prepend(_ segment: HeldSegment) {
    octetCount += segment.octets.count
    segments.prepend(segment)
  }

  /// Takes out what is held before `position`, in pieces.
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

  /// Takes out what is held from `position` on, in pieces.
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

  /// Index of the first held segment that ends after `position`.
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

  /// Inserts the parts of a segment that are not held yet, and reports the others.
  ///
  /// The first copy wins. Returns how many octets are new. `duplicate` receives each range that was held already, and whether the octets that can
  /// be compared differ.
  mutating func insert(
    position: StreamPosition, length: Int, octets: RawSpan, arrival: SegmentArrival,
    duplicate: (Range<StreamPosition>, _ isConflicting: Bool) -> Void
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
        var piece = HeldSegment(position: from, length: to - from, octets: [], arrival: arrival)
        let captured = min(from - position, octets.byteCount)..<min(to - position, octets.byteCount)
        octets.append(captured, to: &piece.octets)
        arrival.overhead = 0
        fresh += piece.length
        octetCount += piece.octets.count
        segments.insert(piece, at: index)
        index += 1
        from = to
      } else {
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
        duplicate(from..<to, differs)
        from = to
        index += 1
      }
    }
    return fresh
  }
}
