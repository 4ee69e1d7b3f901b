// What to do when octets do not come: how long a hole is held open, and how it is passed.

extension TCPConnection {
  /// Gives up one thing that is waited for, if it is time. Returns whether there was one.
  mutating func giveUpSomething(_ run: inout Receiver.Context, isForced: Bool) -> Bool {
    guard isStuck(0) || isStuck(1) else { return false }
    // A hole first: what waits for the other side waits for its hole.
    for side in sidesByWait() where giveUpHole(side, &run, isForced: isForced) { return true }
    for side in sidesByWait() {
      guard let first = firstHeld(side), streams[side].isStarted, first.position == streams[side].next,
        isForced || isOverdue(side, &run, after: patience(side, &run))
      else { continue }
      if needs.contains(.waiting(side)), let needs = session?.stopWaiting(side) { self.needs = needs }
      deliverFirstHeld(side, &run)
      return true
    }
    return false
  }

  /// How long what comes next on a side waits for the other one.
  private func patience(_ side: Side, _ run: inout Receiver.Context) -> Int64 {
    needs.contains(.waiting(side))
      ? run.configuration.switchAnswerTimeout : run.configuration.acknowledgedHoleTimeout
  }

  /// The side that has waited longest first.
  private func sidesByWait() -> [Side] {
    (streams[0].stuckSince ?? .max) <= (streams[1].stuckSince ?? .max) ? [0, 1] : [1, 0]
  }

  private func isOverdue(
    _ side: Side, _ run: inout Receiver.Context, after timeout: Int64, notBefore: Int64 = .min
  ) -> Bool {
    guard let since = streams[side].stuckSince else { return false }
    return run.clock - max(since, notBefore) > timeout || isBeyondLimits(side, &run)
  }

  private func isBeyondLimits(_ side: Side, _ run: inout Receiver.Context) -> Bool {
    if run.heldOctets > run.configuration.heldOctetTotalLimit { return true }
    guard let disorder else { return false }
    return disorder.value.held.look(side, { $0.octetCount }) > run.configuration.heldOctetLimit
      || disorder.value.held.look(side, { $0.count }) > run.configuration.heldSegmentLimit
  }

  /// Gives up the hole at the next position of a stream, if there is one and nothing is expected to fill it.
  private mutating func giveUpHole(_ side: Side, _ run: inout Receiver.Context, isForced: Bool) -> Bool {
    let stream = streams[side]
    guard stream.isStarted else { return false }
    var end: StreamPosition
    if stream.isHolding {
      end = heldFirst(side)
    } else if stream.isFinAhead {
      end = stream.fin
    } else if isTailMissing(side) {
      // The last octet acknowledged is the FIN's, when the other side has closed too and no FIN was captured.
      end = stream.acknowledged - (streams[1 - side].fin == .never ? 0 : 1)
    } else {
      return false
    }
    end = min(end, stream.limit)
    guard end > stream.next else { return false }
    let isAcknowledged = stream.acknowledged >= end
    // A direction of which nothing is captured will not turn up later either.
    let isOneSided = stream.packets == 0 && record.flags.contains(.oneSided)
    let timeout = isAcknowledged ? run.configuration.acknowledgedHoleTimeout : run.configuration.holeTimeout
    // What was lost on the way comes again long after, with its acknowledgment close behind it, or captured before it.
    let notBefore = isAcknowledged ? stream.acknowledgedSince : .min
    guard isForced || isOneSided || isOverdue(side, &run, after: timeout, notBefore: notBefore) else { return false }
    if !isForced, !isOneSided, isBeyondLimits(side, &run) {
      record.flags.insert(.holdLimit)
      run.note(.tcpHoldLimit)
    }
    if stream.packets == 0, !record.flags.contains(.oneSided) {
      record.flags.insert(.oneSided)
      run.note(.tcpOneSided)
    }
    passHole(side, to: end, &run)
    return true
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
