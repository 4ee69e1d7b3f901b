// Whose packets are these? (MEASURES §2, "Charging overhead".)

/// Octets of a packet to be charged to the message that owns a place in the stream.
struct Charge {
  /// The place: the first octet of the packet's payload that matters.
  var position: StreamPosition
  /// Payload octets from `position` on that were sent again; 0 when the payload is new.
  var retransmitted: Int
  /// Network and transport octets of the packet.
  var overhead: Int

  /// Position after the octets that decide whose it is.
  var end: StreamPosition { position + max(retransmitted, 1) }
}

extension Conversation {
  /// Charges a packet to the messages that own its place. What no message owns is the connection's.
  mutating func charge(_ charge: Charge, to side: Side, _ run: inout Run) {
    if charge.retransmitted == 0, !messages[side].isEmpty, charge.position >= messages[side].newest.start {
      // Nearly every packet: new octets of the newest message.
      if charge.position < messages[side].newest.end {
        messages[side].newest.message.overhead += charge.overhead
      } else {
        run.connection.added.unattributed += charge.overhead
      }
      return
    }
    var overhead = charge.overhead
    var position = charge.position
    let end = charge.position + charge.retransmitted
    var index = messages[side].count - 1
    // From the newest back to the one that owns the first octet, or starts after it.
    while index > 0, messages[side][index].start > position { index -= 1 }
    while index >= 0, index < messages[side].count {
      let start = messages[side][index].start
      let stop = messages[side][index].end
      if position >= start, position < stop {
        messages[side].change(index) { $0.message.overhead += overhead }
        overhead = 0
      }
      let low = max(position, start)
      let high = min(end, stop)
      if low < high {
        messages[side].change(index) { $0.message.retransmitted += high - low }
        run.connection.added.unattributed += low - position
        position = high
      }
      if position >= end || start >= end { break }
      index += 1
    }
    run.connection.added.unattributed += overhead + max(end - position, 0)
  }

  /// Charges a segment without payload to the message most recently in progress on `side`, the opposite one of its
  /// sender.
  mutating func chargeAcknowledgment(_ overhead: Int, to side: Side, _ run: inout Run) {
    if messages[side].isEmpty {
      run.connection.added.unattributed += overhead
    } else {
      messages[side].newest.message.overhead += overhead
    }
  }

  /// Flags the messages that own `range` of a stream: it was sent again with different content.
  mutating func flagConflict(_ range: Range<StreamPosition>, on side: Side) {
    for index in 0..<messages[side].count
    where messages[side][index].start < range.upperBound && messages[side][index].end > range.lowerBound {
      messages[side].change(index) { $0.message.flags.insert(.conflicting) }
    }
  }

  /// Octets of a hole that were given up turn up after all: they are counted where they belong, but no longer read.
  mutating func acceptLate(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {
    // A row that is final keeps what it misses, so that its connection must keep it too.
    let found = max(0, range.upperBound - max(range.lowerBound, retiredThrough[side]))
    run.ledger.missing -= found
    run.connection.added.missing -= found
    var outside = range.count
    for index in 0..<messages[side].count where messages[side][index].message.missing > 0 {
      let open = messages[side][index]
      let inside = min(range.upperBound, open.end) - max(range.lowerBound, open.start)
      guard inside > 0 else { continue }
      // Holes inside a message are holes in its content: any other ends it.
      let count = min(inside, open.message.missing, outside)
      messages[side].change(index) {
        $0.message.missing -= count
        $0.message.octets.body += count
      }
      run.ledger.settle(count, as: .body)
      outside -= count
    }
    run.connection.added.unattributed += outside
    run.ledger.settle(outside, as: lateClass)
  }
}
