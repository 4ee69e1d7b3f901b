// Incoming payload: new octets, copies of old ones, and octets that no receiver takes (RFC 9293 §3.10.7.4).

import Packets

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
    if end > streams[side].limit, streams[side].limit != streams[side].fin { refuteReset(&run) }
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

// Damaged segments: no receiver takes them, and the sender sends their octets again.
//
// A segment is verified only where its octets begin something: a message, a frame or a record. So the content of messages costs nothing.
// A damaged one waits as if it had not come, until a copy with a right checksum replaces it or the peer acknowledges it.

extension TCPConnection {
  /// Whether a segment is damaged, by its checksum. The segment may be a copy of octets, or new.
  ///
  /// Learns from the first checksum of a direction whether wrong ones tell.
  @inline(__always)
  mutating func isSuspect(_ segment: TCPSegment, _ octets: RawSpan, _ side: Side) -> Bool {
    guard streams[side].checksums != .useless, segment.capturedPayloadLength == segment.payloadLength,
      segment.payloadOffset >= segment.headerLength,
      segment.payloadOffset + segment.payloadLength <= octets.byteCount,
      segment.payloadLength > 0
        ? !needs.contains(.more(side)) && Self.canBegin(octets.octet(segment.payloadOffset))
        : segment.flags.contains(.syn)
    else { return false }
    return verify(segment, octets, side)
  }

  /// Whether an octet can begin a message of HTTP/1, a frame of HTTP/2 or a record of TLS.
  @inline(__always)
  private static func canBegin(_ octet: UInt8) -> Bool { 0x41...0x5a ~= octet || octet == 0 || 0x14...0x17 ~= octet }

  @inline(never)
  private mutating func verify(_ segment: TCPSegment, _ octets: RawSpan, _ side: Side) -> Bool {
    guard let header = segment.header(in: octets) else { return false }
    var checksum = InternetChecksum()
    checksum.add(segment.source.address)
    checksum.add(segment.destination.address)
    checksum.add(UInt32(truncatingIfNeeded: segment.headerLength + segment.payloadLength))
    checksum.add(UInt32(IPProtocol.tcp))
    checksum.add(octets, header.lowerBound..<header.upperBound + segment.payloadLength)
    if checksum.isCorrect {
      if streams[side].checksums == .unknown { streams[side].checksums = .telling }
      return false
    }
    // A side that begins with a wrong one has unfinished ones.
    if streams[side].checksums == .unknown { streams[side].checksums = .useless }
    // Where those of one side are unfinished, the capturing machine may not have verified any.
    return tell(side) && tell(1 - side)
  }

  private func tell(_ side: Side) -> Bool { streams[side].checksums == .telling || streams[side].checksums == .damaged }

  /// Delivers a segment of `side` that waited for a copy, if the peer took it. Its acknowledgment is charged behind it.
  @inline(__always)
  mutating func deliverAcknowledged(_ side: Side, _ run: inout Receiver.Context) {
    guard streams[side].checksums == .damaged, streams[side].isHolding, let first = firstHeld(side), first.isSuspect,
      !awaitsCopy(first, side)
    else { return }
    advance(&run, isForced: false)
    if run.isDirected { run.turnPacket(to: 1 - side) }
  }

  /// Whether a held segment waits for a copy with a right checksum.
  func awaitsCopy(_ segment: HeldSegment, _ side: Side) -> Bool {
    segment.isSuspect && streams[side].acknowledged < segment.end
  }

  /// Learns that the peer took a segment with a wrong checksum.
  mutating func noteTaken(_ segment: HeldSegment, _ side: Side) {
    if segment.isSuspect, streams[side].acknowledged >= segment.end { streams[side].checksums = .useless }
  }
}
