// Delivery of octets to the session in the order of their sequence numbers.

extension TCPConnection {
  mutating func openSession(_ run: inout Receiver.Context) {
    guard session == nil else { return }
    let opening = ConnectionOpening(
      connectDuration: connectDuration, lookupDuration: lookupDuration, isSeen: opener != nil || hasSynAck)
    session = Receiver(opening, &run)
  }

  /// Tells the session that a stream has ended.
  mutating func finishSession(_ side: Side, isComplete: Bool, _ run: inout Receiver.Context) {
    if run.isDirected { run.turn(to: side) }
    if let needs = session?.finish(side, isComplete: isComplete, &run) { self.needs = needs }
  }

  /// Whether the octets that the sender had received are delivered on the other side, or cannot be.
  @inline(__always)
  func isReady(_ acknowledged: StreamPosition, _ side: Side) -> Bool {
    let other = 1 - side
    // A stream that has not started has delivered no octets, but may hold acknowledged ones.
    if acknowledged <= streams[other].deliveredThrough, streams[other].isStarted || !streams[other].isHolding {
      return true
    }
    // The other side may wait for this very answer (CONNECT, Upgrade).
    if needs.contains(.waiting(other)) { return true }
    return !streams[other].isHolding && !isTailMissing(other)
  }

  /// Whether the peer has acknowledged more of a stream than was captured.
  ///
  /// One more octet is a FIN that was not captured, unless a message is known to continue.
  @inline(__always)
  func isTailMissing(_ side: Side) -> Bool {
    let beyond = streams[side].uncapturedTail
    return beyond > 1 || beyond == 1 && needs.contains(.more(side))
  }

  /// Whether octets are awaited: payload waits behind a gap, or the peer has acknowledged a tail that was not captured.
  @inline(__always)
  func isStuck(_ side: Side) -> Bool {
    streams[side].isHolding || isTailMissing(side) || streams[side].isFinAhead
  }

  /// Hands the next octets of a stream to the session. Returns how many it did not take yet.
  mutating func deliver(
    _ payload: RawSpan, length: Int, at position: StreamPosition, _ source: CaptureOffset?, _ arrival: SegmentArrival,
    _ side: Side, _ run: inout Receiver.Context
  ) -> Int {
    openSession(&run)
    if run.isDirected { run.turn(to: side) }
    run.shared.history.remember(payload, at: position, source: source, newest: &streams[side].newestPayload)
    var arrival = arrival
    var consumed = 0
    if payload.byteCount > 0, let taken = session?.receive(side, payload, at: position, arrival, &run) {
      consumed = taken.count
      needs = taken.needs
    }
    streams[side].next = position + consumed
    guard consumed == payload.byteCount else { return length - consumed }
    let unseen = length - consumed
    guard unseen > 0 else { return 0 }
    if consumed > 0 { arrival.overhead = 0 }
    if let needs = session?.skipUnseen(side, unseen, at: streams[side].next, arrival, &run) { self.needs = needs }
    streams[side].next += unseen
    return 0
  }

  /// Delivers all octets that can be delivered. With `isForced`, no more octets are expected, and gaps are given up.
  mutating func advance(_ run: inout Receiver.Context, isForced: Bool) {
    // The case of nearly every segment: all octets are delivered, and none are awaited. A FIN takes effect when it comes.
    if !isForced, streams[0].isSettled, streams[1].isSettled, !isTailMissing(0), !isTailMissing(1) {
      streams[0].stuckSince = nil
      streams[1].stuckSince = nil
      return
    }
    while true {
      var hasProgress = false
      for side in 0..<2 {
        startIfDue(side, &run, isForced: isForced)
        dropUnreachable(side, &run)
        if deliverHeld(side, &run) { hasProgress = true }
        if finishIfDue(side, &run) { hasProgress = true }
      }
      if !hasProgress, !giveUpSomething(&run, isForced: isForced) { break }
    }
    var isWaiting = false
    for side in 0..<2 {
      if !isStuck(side) {
        streams[side].stuckSince = nil
        continue
      }
      isWaiting = true
      if streams[side].stuckSince == nil { streams[side].stuckSince = run.clock }
    }
    if isWaiting, !isForced { askForLook(&run) }
    if !isClosed {
      isClosed =
        (streams[0].isFinished && streams[1].isFinished)
        || ((streams[0].isReset || streams[1].isReset) && !isStuck(0) && !isStuck(1))
    }
  }

  /// Starts a stream whose SYN was not captured at its first octet, after a short wait for earlier octets.
  private mutating func startIfDue(_ side: Side, _ run: inout Receiver.Context, isForced: Bool) {
    guard !streams[side].isStarted, streams[side].isHolding, let first = firstHeld(side) else { return }
    // A SYN may come yet, although the peer has acknowledged all octets before.
    let waited = run.clock - record.opened
    let held = disorder?.value.held.look(side) { $0.octetCount } ?? 0
    guard
      isForced || waited > run.configuration.midstreamStartTimeout || held > run.configuration.heldOctetLimit
    else { return }
    startInMiddle(side, at: first.position, &run)
  }

  /// Starts a stream whose beginning was not captured.
  mutating func startInMiddle(_ side: Side, at position: StreamPosition, _ run: inout Receiver.Context) {
    streams[side].start(at: position)
    if !record.flags.contains(.noHandshake) {
      record.flags.insert(.noHandshake)
      run.note(.tcpNoHandshake)
    }
  }

  private mutating func deliverHeld(_ side: Side, _ run: inout Receiver.Context) -> Bool {
    var hasProgress = false
    while streams[side].isStarted, heldFirst(side) == streams[side].next, let first = firstHeld(side),
      isReady(first.arrival.acknowledged, side), !needs.contains(.waiting(side)), !awaitsCopy(first, side)
    {
      deliverFirstHeld(side, &run)
      hasProgress = true
    }
    return hasProgress
  }

  mutating func deliverFirstHeld(_ side: Side, _ run: inout Receiver.Context) {
    var segment = changeHeld(side, &run) { $0.removeFirst() }
    noteTaken(segment, side)
    let rest = segment.octets.withOctets {
      deliver($0, length: segment.length, at: segment.position, nil, segment.arrival, side, &run)
    }
    guard rest > 0 else { return }
    let consumed = segment.length - rest
    segment.octets.removeFirst(min(consumed, segment.octets.count))
    segment.position += consumed
    segment.length = rest
    segment.arrival.overhead = 0
    changeHeld(side, &run) { $0.prepend(segment) }
  }

  /// Ends a stream after everything before its end has been delivered.
  private mutating func finishIfDue(_ side: Side, _ run: inout Receiver.Context) -> Bool {
    guard streams[side].isAtFin, !streams[side].isFinished else { return false }
    streams[side].isFinished = true
    finishSession(side, isComplete: !(disorder?.value.goesOnElsewhere[side] ?? false), &run)
    return true
  }
}
