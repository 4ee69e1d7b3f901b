/// One TCP connection: takes its segments in the order of capture, and hands each stream's octets to the application
/// layer in the order of their sequence numbers (RFC 9293).
///
/// Two rules keep the result independent of the order of capture. A stream goes on past a hole only once nothing can be
/// expected to fill it. And a segment is delivered only after what its sender had acknowledged with it: a response is
/// read after its request, even if it was captured first.
struct TCPConnection {
  var record = Connection()
  /// The sender of the first captured segment is side 0.
  let endpoints: InlineArray<2, Endpoint>
  var streams = InlineArray<2, TCPStream>(repeating: TCPStream())
  var application: ApplicationLayer?
  /// Capture time of the latest segment.
  var lastSeen: Int64
  /// Capture time of the first SYN, until the handshake is complete.
  private var synTime: Int64?
  /// The side that sent the first SYN without ACK.
  private(set) var opener: Side?
  private var hasSynAck = false
  private var isEstablished = false
  private var connectDuration: Int64?
  private var lookupDuration: Int64?
  /// Sequence number after a SYN that came in an open connection: once it is in use, the connection is a new one.
  private var pendingReopen: UInt32?
  /// Both streams have ended, or one was reset: only late copies can follow.
  private(set) var isClosed = false

  init(first segment: TCPSegment, at time: Int64, run: inout Run) {
    endpoints = [segment.source, segment.destination]
    lastSeen = time
    record.number = run.nextConnection()
    record.opened = time
    record.closed = time
  }

  /// The side that sent a segment.
  func side(of segment: TCPSegment) -> Side { segment.source == endpoints[0] ? 0 : 1 }

  /// Whether a segment starts a new connection between the same endpoints (port reuse).
  ///
  /// A SYN alone does not end an open connection: its receiver only challenges it (RFC 5961 §4.2). It does once it is
  /// answered, or when the connection had closed, never opened, or been silent for long.
  func isReopened(by segment: TCPSegment, clock: Int64, silence: Int64) -> Bool {
    let side = side(of: segment)
    if let sequence = pendingReopen {
      let isAnswer = segment.flags.contains([.syn, .ack]) && segment.acknowledgment == sequence
      if isAnswer || (!segment.flags.contains(.syn) && segment.sequence == sequence) { return true }
    }
    guard segment.flags.contains(.syn), !segment.flags.contains(.ack) else { return false }
    let stream = streams[side]
    if stream.hasSyn {
      guard stream.space.position(of: segment.sequence &+ 1, near: stream.synPosition) != stream.synPosition else {
        return false
      }
    } else if !stream.isStarted {
      return false
    }
    return isClosed || !isEstablished && streams[0].payloadLength + streams[1].payloadLength == 0
      || clock - lastSeen > silence
  }

  // MARK: Segments

  /// Takes a segment; `octets` hold its payload at `segment.payloadOffset`.
  mutating func receive(_ segment: TCPSegment, _ octets: RawSpan, at time: Int64, run: inout Run) {
    let side = side(of: segment)
    borrowRun(&run)
    defer { giveBackRun(&run) }
    lastSeen = max(lastSeen, run.clock)
    record.closed = max(record.closed, time)
    let overhead = segment.networkLength + segment.headerLength
    streams[side].packets += 1
    streams[side].ipLength += overhead + segment.payloadLength
    streams[side].payloadLength += segment.payloadLength

    if segment.hasBadChecksum {
      run.ledger.settle(segment.payloadLength, as: .outOfWindow)
      record.unattributed += overhead + segment.payloadLength
      return
    }
    let position = locate(segment, side)
    let acknowledged = noteAcknowledgment(segment, from: side)
    noteWindow(segment, from: side)
    if segment.flags.contains(.syn) { noteSyn(segment, from: side, at: time, &run) }

    let arrival = SegmentArrival(time: time, acknowledged: acknowledged, overhead: overhead)
    if segment.flags.contains(.rst) {
      run.ledger.settle(segment.payloadLength, as: .outOfWindow)
      record.teardown += overhead
      record.unattributed += segment.payloadLength
      noteReset(position, from: side, acknowledged, &run)
    } else if segment.payloadLength > 0 {
      establish(by: side, at: time)
      let payload = octets.extracting(
        segment.payloadOffset..<segment.payloadOffset + segment.capturedPayloadLength)
      accept(payload, length: segment.payloadLength, at: position, arrival, from: side, &run)
    } else {
      chargeBare(segment, from: side, acknowledged, overhead, at: time, &run)
    }
    if segment.flags.contains(.fin), !segment.flags.contains(.rst) {
      noteFin(position + segment.payloadLength, from: side, &run)
    }
    advance(&run, isForced: false)
  }

  /// The position of a segment's first octet of payload.
  private mutating func locate(_ segment: TCPSegment, _ side: Side) -> StreamPosition {
    let sequence = segment.flags.contains(.syn) ? segment.sequence &+ 1 : segment.sequence
    streams[side].space.learn(sequence)
    return streams[side].space.position(of: sequence, near: streams[side].next)
  }

  /// Learns what the sender had received when it sent the segment. Returns that position in the opposite stream.
  private mutating func noteAcknowledgment(_ segment: TCPSegment, from side: Side) -> StreamPosition {
    guard segment.flags.contains(.ack) else { return .unknown }
    let other = 1 - side
    // A RST that answers a stray segment may acknowledge anything.
    if !streams[other].space.isKnown {
      guard !segment.flags.contains(.rst) else { return .unknown }
      streams[other].space.learn(segment.acknowledgment)
    }
    let reference = max(streams[other].next, streams[other].acknowledged)
    let position = streams[other].space.position(of: segment.acknowledgment, near: reference)
    guard !segment.flags.contains(.rst) else { return position }
    let window = max(streams[side].advertisedWindow, 1 << 16)
    let reach = max(max(streams[other].next, streams[other].held.end), streams[other].acknowledged)
    // Beyond what a window allows it is no acknowledgment of this stream. A one-sided capture knows no better.
    if position > streams[other].acknowledged, position <= reach + max(window, 1 << 30) {
      streams[other].acknowledged = position
    }
    return position
  }

  private mutating func noteWindow(_ segment: TCPSegment, from side: Side) {
    if segment.flags.contains(.syn) {
      // Both sides must send the option for either to scale (RFC 7323 §2.2).
      streams[side].windowScale = segment.windowScale ?? 0
      streams[side].advertisedWindow = max(streams[side].advertisedWindow, Int(segment.window))
    } else {
      // Without the handshake the shift can be anything up to 14 (RFC 7323 §2.3).
      let scale = min(streams[side].windowScale ?? 14, 14)
      streams[side].advertisedWindow = max(streams[side].advertisedWindow, Int(segment.window) << Int(scale))
    }
  }

  // MARK: Opening

  private mutating func noteSyn(_ segment: TCPSegment, from side: Side, at time: Int64, _ run: inout Run) {
    forgetSpoofedStart(of: side, segment)
    let position = streams[side].space.position(of: segment.sequence &+ 1, near: streams[side].next)
    if !streams[side].isStarted || (!streams[side].hasSyn && position == streams[side].next) {
      streams[side].hasSyn = true
      streams[side].isStarted = true
      streams[side].next = position
      streams[side].synPosition = position
    } else if !streams[side].hasSyn || position != streams[side].synPosition {
      run.note(.tcpSynInConnection)
      if !segment.flags.contains(.ack) { pendingReopen = segment.sequence &+ 1 }
      return
    }
    if segment.flags.contains(.ack) {
      hasSynAck = true
      startAcknowledged(1 - side, segment.acknowledgment)
    } else if opener == nil {
      opener = side
      synTime = time
      lookupDuration = run.names.takeLookup(of: endpoints[1 - side].address)
    } else if opener != side, !hasSynAck {
      // RFC 9293 §3.5: each side's SYN crossed the other's. The first one counts as the opener.
      if !record.flags.contains(.simultaneousOpen) { run.note(.tcpSimultaneousOpen) }
      record.flags.insert(.simultaneousOpen)
    }
  }

  /// A SYN says where a stream starts. What came before it from that side, with other sequence numbers and without
  /// payload, was none of this connection: somebody else's RST or FIN, which the other side has not taken.
  private mutating func forgetSpoofedStart(of side: Side, _ segment: TCPSegment) {
    let stream = streams[side]
    guard !stream.hasSyn, stream.payloadLength == segment.payloadLength, stream.packets > 1,
      stream.space.position(of: segment.sequence &+ 1, near: stream.next) != stream.next
    else { return }
    var fresh = TCPStream()
    fresh.packets = stream.packets
    fresh.ipLength = stream.ipLength
    fresh.payloadLength = stream.payloadLength
    fresh.advertisedWindow = stream.advertisedWindow
    fresh.windowScale = stream.windowScale
    fresh.space.learn(segment.sequence &+ 1)
    streams[side] = fresh
    if streams[1 - side].fin == .never { streams[1 - side].limit = .never }
    isClosed = false
  }

  /// A SYN-ACK tells where the opener's stream starts, even if its SYN was not captured.
  private mutating func startAcknowledged(_ side: Side, _ sequence: UInt32) {
    guard !streams[side].isStarted else { return }
    streams[side].isStarted = true
    streams[side].next = streams[side].space.position(of: sequence, near: 0)
  }

  /// The handshake is over once the opener sends anything after the SYN-ACK.
  private mutating func establish(by side: Side, at time: Int64) {
    guard !isEstablished, side == opener, hasSynAck || record.flags.contains(.simultaneousOpen) else { return }
    isEstablished = true
    if let synTime {
      connectDuration = max(time - synTime, 0)
      application?.opened(connectDuration: max(time - synTime, 0))
    }
  }

  /// Charges a segment that carries no payload (MEASURES §2).
  private mutating func chargeBare(
    _ segment: TCPSegment, from side: Side, _ acknowledged: StreamPosition, _ overhead: Int, at time: Int64,
    _ run: inout Run
  ) {
    if segment.flags.contains(.syn) {
      record.setup += overhead
    } else if segment.flags.contains(.fin) {
      record.teardown += overhead
    } else if !isEstablished, side == opener, hasSynAck {
      record.setup += overhead
      establish(by: side, at: time)
    } else if isClosed || (streams[1 - side].fin != .never && acknowledged > streams[1 - side].fin) {
      record.teardown += overhead
    } else if let application {
      application.chargeAcknowledgment(overhead, to: 1 - side, &run)
    } else {
      record.unattributed += overhead
    }
  }

  // MARK: Payload

  private mutating func accept(
    _ payload: RawSpan, length: Int, at position: StreamPosition, _ arrival: SegmentArrival, from side: Side,
    _ run: inout Run
  ) {
    guard isInReach(position, side) else {
      run.note(.tcpDataOutOfWindow)
      return refuse(length, overhead: arrival.overhead, &run)
    }
    var length = length
    var payload = payload
    var arrival = arrival
    let end = position + length
    if end > streams[side].limit {
      // What follows the FIN, or the reset, is no part of the stream.
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
      acceptAgain(payload.extracting(0..<min(payload.byteCount, old)), length: old, at: position, arrival,
        isWhole: old == length, from: side, &run)
      guard old < length else { return }
      payload = payload.extracting(min(payload.byteCount, old)..<payload.byteCount)
      position += old
      length -= old
    }
    if streams[side].isStarted, position == streams[side].next, streams[side].held.isEmpty,
      isReady(arrival.acknowledged, side), !(application?.isWaiting(side) ?? false)
    {
      let rest = deliver(payload, length: length, at: position, arrival, side, &run)
      guard rest > 0 else { return }
      payload = payload.extracting(min(payload.byteCount, length - rest)..<payload.byteCount)
      position += length - rest
      length = rest
      arrival.overhead = 0
    }
    hold(payload, length: length, at: position, arrival, side, &run)
  }

  /// Whether a receiver could take payload at `position`: not far beyond what it offered to take.
  private func isInReach(_ position: StreamPosition, _ side: Side) -> Bool {
    let stream = streams[side]
    guard stream.isStarted else { return true }
    let peer = streams[1 - side]
    guard peer.packets > 0, stream.acknowledged != .unknown else { return abs(position - stream.next) <= 1 << 30 }
    let slack = 1 << 20
    return position <= max(stream.next, stream.acknowledged) + peer.advertisedWindow + slack
      && position >= stream.next - (1 << 30)
  }

  private mutating func refuse(_ length: Int, overhead: Int, _ run: inout Run) {
    record.flags.insert(.outOfWindow)
    run.ledger.settle(length, as: .outOfWindow)
    record.unattributed += length + overhead
  }

  /// Payload at positions that have been passed: copies, or octets of a hole that was given up.
  private mutating func acceptAgain(
    _ payload: RawSpan, length: Int, at position: StreamPosition, _ arrival: SegmentArrival, isWhole: Bool,
    from side: Side, _ run: inout Run
  ) {
    var overhead = isWhole ? arrival.overhead : 0
    var from = position
    let end = position + length
    while from < end {
      let hole = streams[side].holes.first { $0.upperBound > from && $0.lowerBound < end }
      if let hole, hole.lowerBound <= from {
        let to = min(end, hole.upperBound)
        acceptLate(from..<to, hole, side, &run)
        application?.charge(Charge(position: from, retransmitted: 0, overhead: overhead), to: side, &run)
        if application == nil { record.unattributed += overhead }
        from = to
      } else {
        let to = min(end, hole?.lowerBound ?? end)
        let known = min(from - position, payload.byteCount)..<min(to - position, payload.byteCount)
        compare(payload.extracting(known), from..<to, side, &run)
        countRepeated(from..<to, overhead: overhead, side, &run)
        from = to
      }
      overhead = 0
    }
  }

  private mutating func acceptLate(
    _ range: Range<StreamPosition>, _ hole: Range<StreamPosition>, _ side: Side, _ run: inout Run
  ) {
    run.note(.tcpLateData)
    streams[side].holes.removeAll { $0 == hole }
    if hole.lowerBound < range.lowerBound { streams[side].holes.append(hole.lowerBound..<range.lowerBound) }
    if range.upperBound < hole.upperBound { streams[side].holes.append(range.upperBound..<hole.upperBound) }
    application?.acceptLate(range, on: side, &run)
  }

  /// Compares octets with the first copy, as far as that is remembered.
  private mutating func compare(_ octets: RawSpan, _ range: Range<StreamPosition>, _ side: Side, _ run: inout Run) {
    // A keep-alive probe repeats the last octet with any value (RFC 9293 §3.8.4).
    let isProbe = range.count == 1 && range.upperBound == streams[side].next
    guard !isProbe, run.history.differs(octets, at: range.lowerBound, newest: streams[side].newestPayload) else {
      return
    }
    noteConflict(range, side, &run)
  }

  /// Counts octets that were captured before.
  private mutating func countRepeated(
    _ range: Range<StreamPosition>, overhead: Int, _ side: Side, _ run: inout Run
  ) {
    run.ledger.settle(range.count, as: .retransmitted)
    record.retransmitted += range.count
    if let application {
      application.charge(
        Charge(position: range.lowerBound, retransmitted: range.count, overhead: overhead), to: side, &run)
    } else {
      record.unattributed += overhead + range.count
    }
  }

  private mutating func noteConflict(_ range: Range<StreamPosition>, _ side: Side, _ run: inout Run) {
    run.note(.tcpConflictingOverlap)
    record.flags.insert(.conflicting)
    application?.flagConflict(range, on: side)
  }

  private mutating func hold(
    _ payload: RawSpan, length: Int, at position: StreamPosition, _ arrival: SegmentArrival, _ side: Side,
    _ run: inout Run
  ) {
    if streams[side].stuckSince == nil { streams[side].stuckSince = run.clock }
    let before = streams[side].held.octetCount
    var duplicates: [(range: Range<StreamPosition>, isConflicting: Bool)] = []
    let fresh = streams[side].held.insert(position: position, length: length, octets: payload, arrival: arrival) {
      duplicates.append(($0, $1))
    }
    run.heldOctets += streams[side].held.octetCount - before
    guard !duplicates.isEmpty else { return }
    makeApplication(&run)
    var overhead = fresh == 0 ? arrival.overhead : 0
    for duplicate in duplicates {
      if duplicate.isConflicting { noteConflict(duplicate.range, side, &run) }
      countRepeated(duplicate.range, overhead: overhead, side, &run)
      overhead = 0
    }
  }

  // MARK: Delivery

  private mutating func makeApplication(_ run: inout Run) {
    guard application == nil else { return }
    let layer = ApplicationLayer(
      configuration: run.configuration, connectDuration: connectDuration, lookupDuration: lookupDuration)
    if opener == nil { layer.startsInMidstream() }
    application = layer
  }

  /// Whether what the sender had received has been delivered on the other side.
  private func isReady(_ acknowledged: StreamPosition, _ side: Side) -> Bool {
    let other = streams[1 - side]
    return acknowledged <= other.deliveredThrough || (!other.isStarted && other.held.isEmpty)
      || (other.held.isEmpty && !other.hasMissingTail)
  }

  /// Hands the next octets of a stream to the application. Returns how many it did not take yet.
  private mutating func deliver(
    _ payload: RawSpan, length: Int, at position: StreamPosition, _ arrival: SegmentArrival, _ side: Side,
    _ run: inout Run
  ) -> Int {
    makeApplication(&run)
    guard let application else { return 0 }
    run.history.remember(payload, at: position, newest: &streams[side].newestPayload)
    var arrival = arrival
    let consumed =
      payload.byteCount == 0 ? 0 : application.receive(side, payload, at: position, arrival, &run)
    streams[side].next = position + consumed
    guard consumed == payload.byteCount else { return length - consumed }
    let unseen = length - consumed
    guard unseen > 0 else { return 0 }
    if consumed > 0 { arrival.overhead = 0 }
    application.skipUnseen(side, unseen, at: streams[side].next, arrival, &run)
    streams[side].next += unseen
    return 0
  }

  /// Delivers everything that can be delivered. With `isForced`, nothing more is expected: holes are given up.
  mutating func advance(_ run: inout Run, isForced: Bool) {
    while true {
      var hasProgress = false
      for side in 0..<2 {
        startIfDue(side, &run, isForced: isForced)
        if deliverHeld(side, &run) { hasProgress = true }
        if finishIfDue(side, &run) { hasProgress = true }
      }
      if !hasProgress, !giveUpSomething(&run, isForced: isForced) { break }
    }
    for side in 0..<2 {
      if !streams[side].isStuck {
        streams[side].stuckSince = nil
      } else if streams[side].stuckSince == nil {
        streams[side].stuckSince = run.clock
      }
    }
    if !isClosed {
      isClosed =
        (streams[0].isFinished && streams[1].isFinished)
        || ((streams[0].isReset || streams[1].isReset) && !streams[0].isStuck && !streams[1].isStuck)
    }
  }

  /// A stream whose SYN was not captured starts at the first octet that came, after a moment for earlier ones.
  private mutating func startIfDue(_ side: Side, _ run: inout Run, isForced: Bool) {
    guard !streams[side].isStarted, let first = streams[side].held.first else { return }
    // What the peer has acknowledged before is where the stream goes on.
    let isNext = first.position == streams[side].acknowledged
    let waited = run.clock - record.opened
    guard isForced || isNext || waited > run.configuration.midstreamStartTimeout else { return }
    streams[side].isStarted = true
    streams[side].next = first.position
    if !record.flags.contains(.noHandshake) {
      record.flags.insert(.noHandshake)
      run.note(.tcpNoHandshake)
    }
  }

  private mutating func deliverHeld(_ side: Side, _ run: inout Run) -> Bool {
    var hasProgress = false
    while streams[side].isStarted, let first = streams[side].held.first, first.position == streams[side].next,
      isReady(first.arrival.acknowledged, side), !(application?.isWaiting(side) ?? false)
    {
      deliverFirstHeld(side, &run)
      hasProgress = true
    }
    return hasProgress
  }

  private mutating func deliverFirstHeld(_ side: Side, _ run: inout Run) {
    var segment = streams[side].held.removeFirst()
    run.heldOctets -= segment.octets.count
    let rest = segment.octets.withOctets {
      deliver($0, length: segment.length, at: segment.position, segment.arrival, side, &run)
    }
    guard rest > 0 else { return }
    let consumed = segment.length - rest
    segment.octets.removeFirst(min(consumed, segment.octets.count))
    segment.position += consumed
    segment.length = rest
    segment.arrival.overhead = 0
    streams[side].held.prepend(segment)
    run.heldOctets += segment.octets.count
  }

  /// Tells the application that a stream has ended, once everything before the end has been delivered.
  private mutating func finishIfDue(_ side: Side, _ run: inout Run) -> Bool {
    let stream = streams[side]
    guard !stream.isFinished, stream.isStarted, stream.fin != .never, stream.next >= stream.fin, stream.held.isEmpty
    else { return false }
    streams[side].isFinished = true
    application?.finish(side, isComplete: true, &run)
    return true
  }

  /// Gives up one thing that is waited for, if it is time. Returns whether there was one.
  private mutating func giveUpSomething(_ run: inout Run, isForced: Bool) -> Bool {
    // A hole first: what waits for the other side waits for its hole.
    for side in sidesByWait() where giveUpHole(side, &run, isForced: isForced) { return true }
    for side in sidesByWait() {
      guard let first = streams[side].held.first, streams[side].isStarted, first.position == streams[side].next,
        isForced || isOverdue(side, &run, after: run.configuration.acknowledgedHoleTimeout)
      else { continue }
      if application?.isWaiting(side) == true { application?.stopWaiting(side) }
      deliverFirstHeld(side, &run)
      return true
    }
    return false
  }

  /// The side that has waited longest first.
  private func sidesByWait() -> [Side] {
    (streams[0].stuckSince ?? .max) <= (streams[1].stuckSince ?? .max) ? [0, 1] : [1, 0]
  }

  private func isOverdue(_ side: Side, _ run: inout Run, after timeout: Int64) -> Bool {
    guard let since = streams[side].stuckSince else { return false }
    return run.clock - since > timeout || isBeyondLimits(side, &run)
  }

  private func isBeyondLimits(_ side: Side, _ run: inout Run) -> Bool {
    streams[side].held.octetCount > run.configuration.heldOctetLimit
      || streams[side].held.count > run.configuration.heldSegmentLimit
      || run.heldOctets > run.configuration.heldOctetTotalLimit
  }

  /// Gives up the hole at the next position of a stream, if there is one and nothing is expected to fill it.
  private mutating func giveUpHole(_ side: Side, _ run: inout Run, isForced: Bool) -> Bool {
    let stream = streams[side]
    guard stream.isStarted else { return false }
    let end: StreamPosition
    if !stream.held.isEmpty {
      end = stream.held.firstPosition
    } else if stream.fin != .never, stream.next < stream.fin {
      end = stream.fin
    } else if stream.hasMissingTail {
      // The last octet acknowledged is the FIN's, when the other side has closed too and no FIN was captured.
      end = stream.acknowledged - (streams[1 - side].fin == .never ? 0 : 1)
    } else {
      return false
    }
    guard end > stream.next else { return false }
    let isAcknowledged = stream.acknowledged >= end
    // A direction of which nothing is captured will not turn up later either.
    let isOneSided = stream.packets == 0 && record.flags.contains(.oneSided)
    let timeout = isAcknowledged ? run.configuration.acknowledgedHoleTimeout : run.configuration.holeTimeout
    guard isForced || isOneSided || isOverdue(side, &run, after: timeout) else { return false }
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

  private mutating func passHole(_ side: Side, to end: StreamPosition, _ run: inout Run) {
    let start = streams[side].next
    run.note(.tcpHole)
    record.flags.insert(.holes)
    makeApplication(&run)
    application?.skipMissing(side, end - start, at: start, &run)
    streams[side].holes.append(start..<end)
    if streams[side].holes.count > TCPStream.holeLimit { streams[side].holes.removeFirst() }
    streams[side].next = end
    streams[side].stuckSince = run.clock
  }

  // MARK: Closing

  private mutating func noteFin(_ position: StreamPosition, from side: Side, _ run: inout Run) {
    guard isInReach(position, side) else { return run.note(.tcpDataOutOfWindow) }
    guard streams[side].fin == .never, position >= streams[side].next || !streams[side].isStarted else { return }
    if !streams[side].isStarted, streams[side].held.isEmpty {
      streams[side].isStarted = true
      streams[side].next = position
    }
    streams[side].fin = position
    streams[side].limit = min(streams[side].limit, position)
  }

  /// RFC 9293 §3.5.3: a reset is valid if its sequence number is in the window.
  private mutating func noteReset(
    _ position: StreamPosition, from side: Side, _ acknowledged: StreamPosition, _ run: inout Run
  ) {
    let stream = streams[side]
    let lowest = min(stream.next, stream.acknowledged == .unknown ? stream.next : stream.acknowledged)
    guard !stream.isStarted || (position >= lowest - 1 && isInReach(position, side)) else {
      return run.note(.tcpResetOutOfWindow)
    }
    guard !streams[side].isReset else { return }
    streams[side].isReset = true
    streams[side].limit = min(streams[side].limit, max(position, max(stream.next, stream.held.end)))
    // The receiver of the other stream is gone: it takes what it had acknowledged, and what is captured already.
    let other = streams[1 - side]
    let taken = max(max(other.next, other.held.end), other.acknowledged)
    streams[1 - side].limit = min(other.limit, taken)
  }

  /// The connection is over, for the capture or for good: everything that waits is delivered, and its rows are final.
  mutating func finish(_ end: ConnectionEnd, run: inout Run) {
    borrowRun(&run)
    advance(&run, isForced: true)
    for side in 0..<2 where !streams[side].isFinished {
      streams[side].isFinished = true
      application?.finish(side, isComplete: false, &run)
    }
    application?.finishAll(&run)
    giveBackRun(&run)
    fillRecord(end, &run)
    run.finishedConnections.append(record)
  }

  /// The side that opened the connection, as far as the capture shows it.
  private var knownClient: Side? {
    if let opener { return opener }
    return hasSynAck ? (streams[0].hasSyn ? 1 : 0) : nil
  }

  /// The side that opened the connection, else the one that sends requests, else the one that acts like a client.
  private var clientSide: Side {
    if let knownClient { return knownClient }
    if let requests = application?.conversation.requestSide { return requests }
    // Servers listen on lower ports; of equals, the first that was seen speaks first.
    return endpoints[0].port < endpoints[1].port ? 1 : 0
  }

  private mutating func fillRecord(_ end: ConnectionEnd, _ run: inout Run) {
    let client = clientSide
    let server = 1 - client
    record.client = endpoints[client]
    record.server = endpoints[server]
    record.packets = Directional(client: streams[client].packets, server: streams[server].packets)
    record.ipLength = Directional(client: streams[client].ipLength, server: streams[server].ipLength)
    record.payloadLength = Directional(client: streams[client].payloadLength, server: streams[server].payloadLength)
    record.applicationProtocol = application?.applicationProtocol ?? .none
    if streams[0].packets == 0 || streams[1].packets == 0 { record.flags.insert(.oneSided) }
    if opener == nil, !hasSynAck { record.flags.insert(.noHandshake) }
    record.end = end
    if streams[0].isReset || streams[1].isReset {
      record.end = .rst
    } else if streams[0].fin != .never, streams[1].fin != .never {
      record.end = .fin
    }
  }

  // MARK: The run's view of this connection

  private func borrowRun(_ run: inout Run) {
    run.connection = ConnectionContext()
    run.connection.number = record.number
    run.connection.endpoints = endpoints
    run.connection.client = knownClient
  }

  private mutating func giveBackRun(_ run: inout Run) {
    record.unattributed += run.connection.unattributed
    record.missing += run.connection.missing
    record.messages += run.connection.messages
    record.flags.formUnion(run.connection.flags)
  }
}
