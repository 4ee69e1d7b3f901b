import Packets

/// One TCP connection. It takes segments in the order of capture, and delivers each stream's octets to the session in the
/// order of their sequence numbers (RFC 9293).
///
/// Two rules keep the result independent of the order of capture. A stream passes a gap only when no segment is expected
/// to fill it. A segment is delivered only after the octets that its sender had acknowledged with it. A response is thus
/// read after its request, even if it was captured first.
struct TCPConnection<Receiver: StreamReceiver> {
  /// Its counts so far.
  var record: ConnectionCounts
  private let key: ConnectionKey
  /// The slot of its processes in the run; -1 without any. It fits into the padding of the key.
  private var processSlot: Int32 = -1
  var streams = Sides<TCPStream>(repeating: TCPStream())
  /// The out-of-order state; nil until it is needed.
  private(set) var disorder: OwnMemory<Disorder>?
  /// The reader of the streams, from the first octet of either side on.
  var session: Receiver?
  /// The session's current needs.
  var needs: StreamNeeds = []
  /// The side that sent the first SYN without ACK.
  @OptionalSide var opener: Side? = nil
  var hasSynAck = false
  var isEstablished = false
  /// Whether both streams have ended, or one was reset. Only late copies can follow.
  var isClosed = false
  /// Whether side 0, the sender of the first captured segment, is the higher endpoint of `key`.
  private let isReversed: Bool
  /// The capture time of the latest segment.
  var lastSeen: Int64
  /// The capture time of the first SYN, until the handshake is complete.
  @OptionalTime var synTime: Int64? = nil
  @OptionalTime var connectDuration: Int64? = nil
  @OptionalTime var lookupDuration: Int64? = nil

  init(first segment: TCPSegment, key: ConnectionKey, at time: Int64, run: inout Receiver.Context) {
    self.key = key
    isReversed = segment.source != key.low
    lastSeen = time
    record = ConnectionCounts(number: run.numbers.nextConnection(), opened: time, closed: time)
    run.connectionMemory += StreamMemory.connection(Self.self)
  }

  /// Creates a connection whose streams several connections carry. The first one of them gives it its number, ends and sides.
  ///
  /// All positions are known from the start: both streams begin at 0.
  init(carriedBy first: borrowing TCPConnection, client: Side, run: inout Receiver.Context) {
    key = first.key
    isReversed = first.isReversed
    lastSeen = first.lastSeen
    record = ConnectionCounts(number: first.record.number, opened: first.record.opened, closed: first.record.closed)
    opener = client
    lookupDuration = first.lookupDuration
    connectDuration = first.connectDuration
    for side in 0..<2 {
      streams[side].start(at: 0)
      streams[side].advertisedWindow = UInt32(TCPStream.largestWindow)
    }
    run.connectionMemory += StreamMemory.connection(Self.self)
    openDisorder(&run).value.isCarried = true
  }

  /// The endpoint of each side.
  var endpoints: Sides<Endpoint> { isReversed ? Sides(key.high, key.low) : Sides(key.low, key.high) }

  /// Whether the connection is between these two endpoints.
  @inline(__always)
  func isBetween(_ key: ConnectionKey) -> Bool { self.key == key }

  /// The side that sent a segment.
  @inline(__always)
  func side(of segment: TCPSegment) -> Side { (segment.source == key.low) == isReversed ? 1 : 0 }

  // MARK: Segments

  /// Takes a segment. `octets` contain its payload at `segment.payloadOffset`, and are at `source` in their capture.
  @inline(__always)
  mutating func receive(
    _ segment: TCPSegment, _ octets: RawSpan, at time: Int64, source: CaptureOffset?, run: inout Receiver.Context
  ) {
    if !receiveNext(segment, octets, at: time, source, &run) {
      receiveAny(segment, octets, at: time, source: source, run: &run)
    }
  }

  /// Takes the most common segment: the next octets of a stream, or a bare acknowledgment.
  ///
  /// The connection is open, awaits no octets, and has delivered everything that was acknowledged. For any other segment,
  /// it changes nothing and returns false. `receiveAny` does the same with such a segment.
  @inline(__always)
  private mutating func receiveNext(
    _ segment: TCPSegment, _ octets: RawSpan, at time: Int64, _ source: CaptureOffset?, _ run: inout Receiver.Context
  ) -> Bool {
    let side = side(of: segment)
    let other = 1 - side
    guard segment.flags.isDisjoint(with: [.syn, .fin, .rst]), segment.flags.contains(.ack), !segment.hasBadChecksum,
      isEstablished || !hasSynAck && !record.flags.contains(.simultaneousOpen), !isClosed,
      needs.isDisjoint(with: [.waiting(0), .waiting(1)]), streams[0].isUndisturbed, streams[1].isUndisturbed
    else { return false }
    let next = streams[other].next
    let acknowledged = streams[other].space.position(of: segment.acknowledgment, near: next)
    guard acknowledged <= next,
      segment.payloadLength == 0
        || streams[side].space.position(of: segment.sequence, near: streams[side].next) == streams[side].next
    else { return false }
    if segment.payloadLength > 0, isSuspect(segment, octets, side) { return false }

    borrowRun(&run)
    if run.isDirected { run.turnPacket(to: side) }
    let overhead = count(segment, from: side, at: time, run.clock)
    if acknowledged > streams[other].acknowledged { streams[other].acknowledged = acknowledged }
    streams[side].noteWindow(segment)
    if segment.payloadLength > 0 {
      let payload = octets.extracting(segment.capturedPayload)
      var source = source
      source?.offset += segment.payloadOffset
      let position = streams[side].next
      let arrival = SegmentArrival(
        time: time, acknowledged: acknowledged, segment: position, ordinal: packets, overhead: overhead)
      let rest = deliver(payload, length: segment.payloadLength, at: position, source, arrival, side, &run)
      if rest > 0 {
        holdRest(rest, of: payload, length: segment.payloadLength, at: position, arrival, side, &run)
        advance(&run, isForced: false)
      }
    } else if session != nil {
      session?.chargeAcknowledgment(overhead, to: other, &run)
    } else {
      record.unattributed += overhead
    }
    giveBackRun(&run)
    return true
  }

  /// Takes any segment.
  @inline(never)
  private mutating func receiveAny(
    _ segment: TCPSegment, _ octets: RawSpan, at time: Int64, source: CaptureOffset?, run: inout Receiver.Context
  ) {
    borrowRun(&run)
    defer { giveBackRun(&run) }
    if hasStranger { settleStranger(segment, &run) }
    // Few segments here have payload. The next octets of an open stream go through `receiveNext`.
    if segment.payloadLength > 0, keepStranger(segment, octets, at: time, source, &run) { return }
    take(segment, octets, at: time, source: source, isConfirmed: false, &run)
  }

  /// Takes a segment. With `isConfirmed`, its numbers are known to be the sender's, even if they are far from earlier ones.
  mutating func take(
    _ segment: TCPSegment, _ octets: RawSpan, at time: Int64, source: CaptureOffset?, isConfirmed: Bool,
    _ run: inout Receiver.Context
  ) {
    let side = side(of: segment)
    if run.isDirected { run.turnPacket(to: side) }
    let overhead = count(segment, from: side, at: time, run.clock)

    if segment.hasBadChecksum {
      run.ledger.settle(segment.payloadLength, as: .outOfWindow)
      record.unattributed += overhead + segment.payloadLength
      return
    }
    if segment.flags.contains(.syn), segment.flags.isDisjoint(with: [.fin, .rst]), segment.payloadLength == 0,
      isForeign(segment, side)
    {
      return takeForeign(segment, from: side, at: time, overhead, &run)
    }
    let position = locate(segment, side)
    let acknowledged = noteAcknowledgment(segment, from: side, &run)
    streams[side].noteWindow(segment)
    deliverAcknowledged(1 - side, &run)
    let isSuspect = isSuspect(segment, octets, side)
    if segment.flags.contains(.syn) {
      noteSyn(segment, from: side, at: time, &run)
      if run.isDirected, run.connection.directedClient == nil {
        run.connection.directedClient = knownClient
        run.turnPacket(to: side)
      }
    }

    let arrival = SegmentArrival(
      time: time, acknowledged: acknowledged, segment: position, ordinal: packets, overhead: overhead)
    if segment.flags.contains(.rst) {
      run.ledger.settle(segment.payloadLength, as: .outOfWindow)
      record.teardown += overhead
      record.unattributed += segment.payloadLength
      noteReset(position, from: side, acknowledged, &run)
    } else if segment.payloadLength > 0 {
      establish(by: side, at: time)
      let payload = octets.extracting(segment.capturedPayload)
      var source = source
      source?.offset += segment.payloadOffset
      if isConfirmed || isInReach(position, side) {
        accept(
          payload, length: segment.payloadLength, at: position, source, arrival, isSuspect: isSuspect, from: side, &run)
      } else {
        run.note(.tcpDataOutOfWindow)
        refuse(segment.payloadLength, overhead: overhead, &run)
      }
    } else {
      chargeBare(segment, from: side, acknowledged, overhead, at: time, &run)
    }
    if segment.flags.contains(.fin), !segment.flags.contains(.rst) {
      if streams[0].isReset || streams[1].isReset { refuteReset(&run) }
      noteFin(position + segment.payloadLength, from: side, &run)
    }
    advance(&run, isForced: false)
  }

  /// Takes the SYN of another connection. It says nothing about this one, and waits for the next segment.
  @inline(never)
  private mutating func takeForeign(
    _ segment: TCPSegment, from side: Side, at time: Int64, _ overhead: Int, _ run: inout Receiver.Context
  ) {
    noteSyn(segment, from: side, at: time, &run)
    chargeBare(segment, from: side, .unknown, overhead, at: time, &run)
    advance(&run, isForced: false)
  }

  /// The number of packets so far, of both sides.
  @inline(__always)
  var packets: Int { streams[0].packets &+ streams[1].packets }

  /// Counts a segment, whether or not it is taken. Returns the octets of its headers.
  @inline(__always)
  private mutating func count(_ segment: TCPSegment, from side: Side, at time: Int64, _ clock: Int64) -> Int {
    lastSeen = max(lastSeen, clock)
    record.closed = max(record.closed, time)
    let overhead = segment.networkLength + segment.headerLength
    streams[side].packets += 1
    streams[side].ipLength += overhead + segment.payloadLength
    streams[side].payloadLength += segment.payloadLength
    return overhead
  }

  /// The position of a segment's first payload octet.
  private mutating func locate(_ segment: TCPSegment, _ side: Side) -> StreamPosition {
    let sequence = segment.flags.contains(.syn) ? segment.sequence &+ 1 : segment.sequence
    streams[side].space.learn(sequence)
    return expected(sequence, of: side)
  }

  /// The position of a sequence number that comes next, or soon.
  ///
  /// After a long gap, acknowledgments can be far beyond the captured octets.
  @inline(__always)
  func expected(_ sequence: UInt32, of side: Side) -> StreamPosition {
    streams[side].space.position(of: sequence, near: max(streams[side].next, streams[side].acknowledged))
  }

  /// The position after a direction's last known octet: delivered, held, or acknowledged.
  @inline(__always)
  func knownEnd(_ side: Side) -> StreamPosition {
    max(max(streams[side].next, heldEnd(side)), streams[side].acknowledged)
  }

  /// Learns how much the sender had received when it sent the segment. Returns that position in the opposite stream.
  private mutating func noteAcknowledgment(
    _ segment: TCPSegment, from side: Side, _ run: inout Receiver.Context
  ) -> StreamPosition {
    guard segment.flags.contains(.ack) else { return .unknown }
    let other = 1 - side
    // A RST that answers a stray segment may acknowledge any number.
    if !streams[other].space.isKnown {
      guard !segment.flags.contains(.rst) else { return .unknown }
      streams[other].space.learn(segment.acknowledgment)
    }
    // The opener first acknowledges the other side's SYN, even if no packet of that side is captured. A later number may be captured first.
    if side == opener, !streams[other].isStarted, streams[other].packets == 0, !segment.flags.contains(.rst),
      streams[other].acknowledged == .unknown, expected(segment.sequence, of: side) == streams[side].start
    {
      startAcknowledged(other, segment.acknowledgment)
    }
    let position = expected(segment.acknowledgment, of: other)
    if !segment.flags.contains(.rst) { noteAcknowledged(position, other, &run) }
    return position
  }

  /// Learns that the octets of a side were received up to a position.
  @inline(__always)
  mutating func noteAcknowledged(_ position: StreamPosition, _ side: Side, _ run: inout Receiver.Context) {
    // A number beyond the largest window does not acknowledge this stream. A one-sided capture cannot tell.
    guard position > streams[side].acknowledged, position <= knownEnd(side) + TCPStream.largestWindow else { return }
    if position > streams[side].deliveredThrough,
      streams[side].acknowledged <= streams[side].next || !streams[side].isHolding
    {
      openDisorder(&run).value.acknowledgedSince[side] = WaitStart(time: lastSeen, ordinal: packets)
    }
    streams[side].acknowledged = position
  }

  // MARK: Processes

  /// Notes the process of the connection's next segment. `slots` belong to the run.
  mutating func note(
    _ mention: ProcessMention, of segment: TCPSegment, _ slots: inout Slab<ConnectionProcesses>, _ texts: inout TextPool
  ) {
    note(mention, from: side(of: segment), &slots, &texts)
  }

  /// Notes the process that has one end of the connection.
  mutating func note(
    _ mention: ProcessMention, ofEnd end: Endpoint, _ slots: inout Slab<ConnectionProcesses>, _ texts: inout TextPool
  ) {
    note(mention, from: endpoints[0] == end ? 0 : 1, &slots, &texts)
  }

  private mutating func note(
    _ mention: ProcessMention, from side: Side, _ slots: inout Slab<ConnectionProcesses>, _ texts: inout TextPool
  ) {
    if processSlot < 0 { processSlot = Int32(slots.insert(ConnectionProcesses())) }
    if slots[Int(processSlot)].note(mention, from: side, &texts) { record.flags.insert(.severalProcesses) }
  }

  /// The process of the connection's row, which retains the process's text.
  mutating func settleProcess(
    client: Endpoint, _ slots: inout Slab<ConnectionProcesses>, _ texts: inout TextPool
  ) -> TextID {
    guard processSlot >= 0 else { return .none }
    var processes = slots.remove(Int(processSlot))
    processSlot = -1
    return processes.settle(client: client == endpoints[0] ? 0 : 1, &texts)
  }

  // MARK: Out of order

  /// The out-of-order state, allocated if necessary.
  mutating func openDisorder(_ run: inout Receiver.Context) -> OwnMemory<Disorder> {
    if let disorder { return disorder }
    let disorder = OwnMemory(Disorder())
    self.disorder = disorder
    run.connectionMemory += StreamMemory.disorder
    return disorder
  }

  /// Changes the held segments of a direction.
  mutating func changeHeld<Result>(
    _ side: Side, _ run: inout Receiver.Context, _ body: (inout HeldSegments) -> Result
  ) -> Result {
    let disorder = openDisorder(&run)
    let before = disorder.value.held.look(side, { $0.memory })
    let result = body(&disorder.value.held[side])
    streams[side].isHolding = !disorder.value.held.look(side, { $0.isEmpty })
    run.shared.heldOctets += disorder.value.held.look(side, { $0.memory }) - before
    return result
  }

  /// The capture time after which the connection is checked again for octets that it awaits; `.max` when there is no check.
  var lookDeadline: Int64 { disorder?.value.look.deadline ?? .max }

  /// The position of a direction's first held octet; `.never` when no octet is held.
  func heldFirst(_ side: Side) -> StreamPosition { disorder?.value.held.look(side) { $0.firstPosition } ?? .never }

  /// The position after a direction's last held octet; `.unknown` when no octet is held.
  func heldEnd(_ side: Side) -> StreamPosition { disorder?.value.held.look(side) { $0.end } ?? .unknown }

  /// The first held segment of a direction.
  func firstHeld(_ side: Side) -> HeldSegment? { disorder?.value.held.look(side) { $0.first } }

  /// Octets of memory without the session, as they were counted.
  var memory: Int {
    guard let disorder else { return StreamMemory.connection(Self.self) }
    return StreamMemory.connection(Self.self) + StreamMemory.disorder
      + (disorder.value.holes[0].count + disorder.value.holes[1].count) * StreamMemory.hole
  }

  // MARK: The run's view of this connection

  @inline(__always)
  func borrowRun(_ run: inout Receiver.Context) {
    if run.connection.number != record.number {
      run.connection.number = record.number
      run.connection.endpoints = endpoints
    }
    run.connection.client = knownClient
    if run.isDirected { run.connection.directedClient = knownClient ?? session?.requestingSide }
    run.connection.processes =
      processSlot < 0 ? ConnectionProcesses() : run.shared.processes.look(Int(processSlot)) { $0 }
    run.connection.added = ConnectionContext.Added()
  }

  @inline(__always)
  mutating func giveBackRun(_ run: inout Receiver.Context) {
    record.unattributed += run.connection.added.unattributed
    record.control += run.connection.added.control
    record.missing += run.connection.added.missing
    record.unseen += run.connection.added.unseen
    record.messages = UInt32(clamping: Int(record.messages) + run.connection.added.messages)
    record.flags.formUnion(run.connection.added.flags)
  }
}
