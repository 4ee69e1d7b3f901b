// Incoming payload: new octets, copies of old ones, and octets that no receiver takes (RFC 9293 §3.10.7.4).

extension TCPConnection {
  /// Whether the next octets of a stream can be delivered as they come.
  private func canDeliver(_ arrival: SegmentArrival, _ side: Side) -> Bool {
    !streams[side].isHolding && isReady(arrival.acknowledged, side) && !needs.contains(.waiting(side))
  }

  /// Holds the last `rest` octets of a segment, which the session did not take yet.
  mutating func holdRest(
    _ rest: Int, of payload: RawSpan, length: Int, at position: StreamPosition, _ arrival: SegmentArrival, _ side: Side,
    _ run: inout Receiver.Context
  ) {
    var arrival = arrival
    arrival.overhead = 0
    let left = payload.extracting(min(payload.byteCount, length - rest)..<payload.byteCount)
    hold(left, length: rest, at: position + length - rest, arrival, side, &run)
  }

  /// Takes the payload of a segment within a receiver's reach.
  mutating func accept(
    _ payload: RawSpan, length: Int, at position: StreamPosition, _ source: CaptureOffset?, _ arrival: SegmentArrival,
    isSuspect: Bool, from side: Side, _ run: inout Receiver.Context
  ) {
    var length = length
    var payload = payload
    var source = source
    let end = position + length
    if end > streams[side].limit {
      // Octets behind the FIN or the reset are not part of the stream.
      run.note(streams[side].fin == streams[side].limit ? .tcpDataBeyondFin : .tcpDataAfterReset)
      let beyond = min(end - streams[side].limit, length)
      refuse(beyond, overhead: beyond == length ? arrival.overhead : 0, &run)
      length -= beyond
      guard length > 0 else { return }
      payload = payload.extracting(0..<min(payload.byteCount, length))
    }
    let delivered = streams[side].isStarted ? streams[side].next : StreamPosition.unknown
    var position = position
    if position < delivered {
      let old = min(delivered - position, length)
      acceptAgain(
        payload.extracting(0..<min(payload.byteCount, old)), length: old, at: position, arrival,
        isWhole: old == length, isSuspect: isSuspect, from: side, &run)
      guard old < length else { return }
      payload = payload.extracting(min(payload.byteCount, old)..<payload.byteCount)
      source?.offset += old
      position += old
      length -= old
    }
    let awaitsCopy = isSuspect && streams[side].acknowledged < position + length
    if streams[side].isStarted, position == streams[side].next, !awaitsCopy, canDeliver(arrival, side) {
      let rest = deliver(payload, length: length, at: position, source, arrival, side, &run)
      if rest > 0 { holdRest(rest, of: payload, length: length, at: position, arrival, side, &run) }
    } else {
      hold(payload, length: length, at: position, arrival, isSuspect: isSuspect, side, &run)
    }
  }

  /// Whether a receiver could take payload at `position`. It must not be far beyond the offered window.
  @inline(__always)
  func isInReach(_ position: StreamPosition, _ side: Side) -> Bool {
    guard streams[side].isStarted else { return true }
    let next = streams[side].next
    let acknowledged = streams[side].acknowledged
    guard streams[1 - side].packets > 0, acknowledged != .unknown else {
      return abs(position - next) <= TCPStream.largestWindow
    }
    let slack = 1 << 20
    return position <= knownEnd(side) + Int(streams[1 - side].advertisedWindow) + slack
      && position >= next - TCPStream.largestWindow
  }

  mutating func refuse(_ length: Int, overhead: Int, _ run: inout Receiver.Context) {
    record.flags.insert(.outOfWindow)
    run.ledger.settle(length, as: .outOfWindow)
    record.unattributed += length + overhead
  }

  /// Takes payload at passed positions: copies, or octets of a gap that was given up.
  private mutating func acceptAgain(
    _ payload: RawSpan, length: Int, at position: StreamPosition, _ arrival: SegmentArrival, isWhole: Bool,
    isSuspect: Bool, from side: Side, _ run: inout Receiver.Context
  ) {
    var overhead = isWhole ? arrival.overhead : 0
    var from = position
    let end = position + length
    while from < end {
      let hole = disorder?.value.holes[side].first { $0.upperBound > from && $0.lowerBound < end }
      if let hole, hole.lowerBound <= from {
        let to = min(end, hole.upperBound)
        acceptLate(from..<to, hole, side, &run)
        session?.charge(Charge(position: from, retransmitted: 0, overhead: overhead), to: side, &run)
        if session == nil { record.unattributed += overhead }
        from = to
      } else {
        let to = min(end, hole?.lowerBound ?? end)
        let known = min(from - position, payload.byteCount)..<min(to - position, payload.byteCount)
        compare(payload.extracting(known), from..<to, isSuspect: isSuspect, side, &run)
        countRepeated(from..<to, overhead: overhead, side, &run)
        from = to
      }
      overhead = 0
    }
  }

  private mutating func acceptLate(
    _ range: Range<StreamPosition>, _ hole: Range<StreamPosition>, _ side: Side, _ run: inout Receiver.Context
  ) {
    if run.isDirected { run.turn(to: side) }
    run.note(.tcpLateData)
    let disorder = openDisorder(&run)
    let before = disorder.value.holes[side].count
    disorder.value.holes[side].removeAll { $0 == hole }
    if hole.lowerBound < range.lowerBound { disorder.value.holes[side].append(hole.lowerBound..<range.lowerBound) }
    if range.upperBound < hole.upperBound { disorder.value.holes[side].append(range.upperBound..<hole.upperBound) }
    run.connectionMemory += (disorder.value.holes[side].count - before) * StreamMemory.hole
    session?.acceptLate(range, on: side, &run)
  }

  /// Compares octets with their first copy, if it is remembered.
  private mutating func compare(
    _ octets: RawSpan, _ range: Range<StreamPosition>, isSuspect: Bool, _ side: Side, _ run: inout Receiver.Context
  ) {
    // A keep-alive probe repeats the last octet with any value (RFC 9293 §3.8.4).
    let isProbe = range.count == 1 && range.upperBound == streams[side].next
    guard !isProbe, run.shared.history.differs(octets, at: range.lowerBound, newest: streams[side].newestPayload) else {
      return
    }
    if isSuspect { return run.note(.tcpChecksumBad) }
    noteConflict(range, side, &run)
    session?.takeCopy(octets, at: range.lowerBound, on: side, &run)
  }

  /// Counts octets that were captured before.
  private mutating func countRepeated(
    _ range: Range<StreamPosition>, overhead: Int, _ side: Side, _ run: inout Receiver.Context
  ) {
    if run.isDirected { run.turn(to: side) }
    run.ledger.settle(range.count, as: .retransmitted)
    record.retransmitted += range.count
    if session != nil {
      session?.charge(
        Charge(position: range.lowerBound, retransmitted: range.count, overhead: overhead), to: side, &run)
    } else {
      record.unattributed += overhead + range.count
    }
  }

  /// Drops held octets that are no longer awaited, before the start of the stream or beyond its end.
  mutating func dropUnreachable(_ side: Side, _ run: inout Receiver.Context) {
    guard streams[side].isStarted, streams[side].isHolding,
      heldFirst(side) < streams[side].next || heldEnd(side) > streams[side].limit
    else { return }
    let next = streams[side].next
    for piece in changeHeld(side, &run, { $0.removeBefore(next) }) {
      countRepeated(piece.position..<piece.end, overhead: piece.arrival.overhead, side, &run)
    }
    let limit = streams[side].limit
    for piece in changeHeld(side, &run, { $0.removeFrom(limit) }) {
      run.note(streams[side].fin == streams[side].limit ? .tcpDataBeyondFin : .tcpDataAfterReset)
      if run.isDirected { run.turn(to: side) }
      refuse(piece.length, overhead: piece.arrival.overhead, &run)
    }
  }

  private mutating func noteConflict(_ range: Range<StreamPosition>, _ side: Side, _ run: inout Receiver.Context) {
    run.note(.tcpConflictingOverlap)
    record.flags.insert(.conflicting)
    session?.flagConflict(range, on: side, &run)
  }

  mutating func hold(
    _ payload: RawSpan, length: Int, at position: StreamPosition, _ arrival: SegmentArrival,
    isSuspect: Bool = false, _ side: Side, _ run: inout Receiver.Context
  ) {
    if streams[side].stuckSince == nil { streams[side].stuckSince = run.clock }
    if isSuspect { streams[side].checksums = .damaged }
    var duplicates: [(range: Range<StreamPosition>, difference: Difference)] = []
    let fresh = changeHeld(side, &run) { held in
      held.insert(position: position, length: length, octets: payload, arrival: arrival, isSuspect: isSuspect) {
        duplicates.append(($0, $1))
      }
    }
    guard !duplicates.isEmpty else { return }
    openSession(&run)
    var overhead = fresh == 0 ? arrival.overhead : 0
    for duplicate in duplicates {
      switch duplicate.difference {
      case .none: break
      case .badCopy: run.note(.tcpChecksumBad)
      case .conflict: noteConflict(duplicate.range, side, &run)
      }
      countRepeated(duplicate.range, overhead: overhead, side, &run)
      overhead = 0
    }
  }
}
