// The handling of missing octets: how long a gap is held open, and how it is passed.

extension TCPConnection {
  /// Gives up one awaited thing if it is overdue. Returns whether there was one.
  mutating func giveUpSomething(_ run: inout Receiver.Context, isForced: Bool) -> Bool {
    guard isStuck(0) || isStuck(1) else { return false }
    // Gaps come first. A side that waits for the other side waits for its gap.
    for side in sidesByWait() where giveUpHole(side, &run, isForced: isForced) { return true }
    for side in sidesByWait() {
      guard let first = firstHeld(side), streams[side].isStarted, first.position == streams[side].next,
        isForced || isOverdue(side, first, &run)
      else { continue }
      if needs.contains(.waiting(side)), let needs = session?.stopWaiting(side, &run) { self.needs = needs }
      deliverFirstHeld(side, &run)
      return true
    }
    return false
  }

  // MARK: Time without packets

  /// Gives up overdue octets after time has passed without a packet of the connection. Returns the next check; nil without one.
  mutating func passTime(_ run: inout Receiver.Context) -> NextLook? {
    disorder?.value.look = NextLook()
    borrowRun(&run)
    advance(&run, isForced: false)
    giveBackRun(&run)
    return takeLook()
  }

  /// Asks for a check when the awaited octets may be overdue, unless an earlier check is due.
  @inline(never)
  mutating func askForLook(_ run: inout Receiver.Context) {
    let isSoon = isWaitingShortly(0) || isWaitingShortly(1)
    let time = isSoon ? WaitingConnections.soon(run.configuration) : WaitingConnections.later(run.configuration)
    let deadline = run.clock.addingSaturated(time)
    guard deadline < lookDeadline else { return }
    openDisorder(&run).value.look = NextLook(deadline: deadline, isSoon: isSoon, isNew: true)
  }

  /// The check that it asks for, once; nil without a new one.
  @inline(__always)
  mutating func takeLook() -> NextLook? {
    guard let disorder, disorder.look({ $0.look.isNew }) else { return nil }
    disorder.value.look.isNew = false
    return disorder.value.look
  }

  /// Whether the awaited octets of a side are overdue after `acknowledgedHoleTimeout`.
  private func isWaitingShortly(_ side: Side) -> Bool {
    guard isStuck(side) else { return false }
    return !hasHole(side) || streams[1 - side].packets == 0 || streams[side].acknowledged > streams[side].next
  }

  /// The sides, the one that has waited longest first.
  private func sidesByWait() -> [Side] {
    (streams[0].stuckSince ?? .max) <= (streams[1].stuckSince ?? .max) ? [0, 1] : [1, 0]
  }

  /// Whether the next octets of a side have waited long enough for the other side.
  private func isOverdue(_ side: Side, _ first: HeldSegment, _ run: inout Receiver.Context) -> Bool {
    if isBeyondLimits(side, &run) { return true }
    if awaitsCopy(first, side) { return run.clock - first.arrival.time > run.configuration.holeTimeout }
    let isBrief = needs.contains(.briefly)
    if isBrief, isBeyondBriefLimits(side, &run) { return true }
    if needs.contains(.waiting(side)) {
      guard let since = streams[side].stuckSince else { return false }
      let patience = isBrief ? run.configuration.secretPatience : run.configuration.switchAnswerTimeout
      return run.clock - since > patience
    }
    // The gap of the other side has its own timeout, and its answer never comes before it.
    guard !hasHole(1 - side) else { return false }
    return run.clock - first.arrival.time > run.configuration.acknowledgedHoleTimeout
  }

  /// Whether a stream awaits octets that may still come.
  private func hasHole(_ side: Side) -> Bool {
    guard streams[side].isStarted else { return streams[side].isHolding }
    return streams[side].isHolding
      ? heldFirst(side) > streams[side].next : streams[side].isFinAhead || isTailMissing(side)
  }

  private func isBeyondLimits(_ side: Side, _ run: inout Receiver.Context) -> Bool {
    if run.shared.heldOctets > run.configuration.heldOctetTotalLimit { return true }
    guard let disorder else { return false }
    return disorder.value.held.look(side, { $0.octetCount }) > run.configuration.heldOctetLimit
      || disorder.value.held.look(side, { $0.count }) > run.configuration.heldSegmentLimit
  }

  /// Whether the octets that wait briefly exceed their limits.
  private func isBeyondBriefLimits(_ side: Side, _ run: inout Receiver.Context) -> Bool {
    if run.shared.heldOctets > run.configuration.secretHeldOctetTotalLimit { return true }
    guard let disorder else { return false }
    return disorder.value.held.look(side, { $0.octetCount }) > run.configuration.secretHeldOctetLimit
  }

  /// Gives up the gap at the next position of a stream, if there is one and no segment is expected to fill it.
  private mutating func giveUpHole(_ side: Side, _ run: inout Receiver.Context, isForced: Bool) -> Bool {
    let stream = streams[side]
    guard stream.isStarted else { return false }
    var end: StreamPosition
    if stream.isHolding {
      end = heldFirst(side)
    } else if stream.isFinAhead {
      end = stream.fin
    } else if isTailMissing(side) {
      // If the other side has closed too and no FIN was captured, the last acknowledged octet is the FIN's.
      end = stream.acknowledged - (streams[1 - side].fin == .never ? 0 : 1)
    } else {
      return false
    }
    end = min(end, stream.limit)
    guard end > stream.next else { return false }
    // Without any captured packet of the other side, there are no acknowledgments.
    let isAcknowledged = stream.acknowledged >= end || streams[1 - side].packets == 0
    // A direction without any captured packet will not turn up later.
    let isOneSided = stream.packets == 0 && record.flags.contains(.oneSided)
    guard isForced || isOneSided || isHoleOverdue(side, isAcknowledged: isAcknowledged, &run) else { return false }
    if !isForced, !isOneSided, isBeyondLimits(side, &run) {
      record.flags.insert(.holdLimit)
      run.note(.tcpHoldLimit)
    }
    if stream.packets == 0, !record.flags.contains(.oneSided) {
      record.flags.insert(.oneSided)
      run.note(.tcpOneSided)
    }
    passHole(side, to: end, &run)
    stopWaitingIfAnswered(1 - side, &run)
    return true
  }

  /// Stops waiting for an answer that was lost in a gap of the other side (CONNECT, Upgrade).
  ///
  /// The octets behind the gap acknowledge octets that the waiting side sent later. Those are therefore read first, by
  /// their appearance.
  private mutating func stopWaitingIfAnswered(_ side: Side, _ run: inout Receiver.Context) {
    guard needs.contains(.waiting(side)), !needs.contains(.briefly), let next = firstHeld(1 - side),
      next.arrival.acknowledged > streams[side].deliveredThrough
    else { return }
    if let needs = session?.stopWaiting(side, &run) { self.needs = needs }
  }

  /// Whether the gap at the next position of a stream has been open for long enough.
  ///
  /// The age of a gap starts with the first segment behind it and its acknowledgment. Octets lost on the way come again
  /// long after. Their acknowledgment comes close behind them, or is captured before them.
  private func isHoleOverdue(_ side: Side, isAcknowledged: Bool, _ run: inout Receiver.Context) -> Bool {
    if isBeyondLimits(side, &run) { return true }
    var since = WaitStart.never
    if let first = firstHeld(side) {
      since = WaitStart(time: first.arrival.time, ordinal: first.arrival.ordinal)
    } else if streams[side].isFinAhead {
      since.time = streams[side].stuckSince ?? run.clock
      since.ordinal = packets
    }
    // Octets of a carried stream may be held on their subflow for as long.
    let isCarried = disorder?.value.isCarried ?? false
    let patience: Int64 = isCarried ? 2 : 1
    guard isAcknowledged else { return (run.clock - since.time) / patience > run.configuration.holeTimeout }
    since = .latest(since, disorder?.value.acknowledgedSince[side] ?? .never)
    // An acknowledgment that came before the stream's start tells of no wait: it began when the start came.
    if since.time == WaitStart.never.time { since.time = streams[side].stuckSince ?? run.clock }
    if (run.clock - since.time) / patience > run.configuration.acknowledgedHoleTimeout { return true }
    guard !isCarried else { return false }
    // A direction that is recorded late has nothing behind its gap, whatever the number of packets of the other direction.
    return streams[side].isHolding && packets - since.ordinal > run.configuration.acknowledgedHolePacketLimit
  }

  private mutating func passHole(_ side: Side, to end: StreamPosition, _ run: inout Receiver.Context) {
    let start = streams[side].next
    run.note(.tcpHole)
    record.flags.insert(.holes)
    openSession(&run)
    if let needs = session?.skipMissing(side, end - start, at: start, &run) { self.needs = needs }
    let disorder = openDisorder(&run)
    disorder.value.holes[side].append(start..<end)
    run.connectionMemory += StreamMemory.hole
    if disorder.value.holes[side].count > TCPStream.holeLimit {
      disorder.value.holes[side].removeFirst()
      run.connectionMemory -= StreamMemory.hole
    }
    streams[side].next = end
    streams[side].stuckSince = run.clock
  }
}
