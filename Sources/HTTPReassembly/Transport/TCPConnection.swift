/// One TCP connection: takes its segments in the order of capture, and hands each stream's octets to the application
/// layer in the order of their sequence numbers (RFC 9293).
///
/// Two rules keep the result independent of the order of capture. A stream goes on past a hole only once nothing can be
/// expected to fill it. And a segment is delivered only after what its sender had acknowledged with it: a response is
/// read after its request, even if it was captured first.
struct TCPConnection {
  var record = Connection()
  /// The sender of the first captured segment is side 0.
  let endpoints: Sides<Endpoint>
  var streams = Sides<TCPStream>(repeating: TCPStream())
  /// Payload of each direction that waits behind a hole: changed by `changeHeld` only.
  private(set) var held = Sides<HeldSegments>(repeating: HeldSegments())
  /// Holes of each direction that were given up, newest last.
  var holes = Sides<[Range<StreamPosition>]>(repeating: [])
  var application: ApplicationPlace?
  /// Capture time of the latest segment.
  var lastSeen: Int64
  /// Capture time of the first SYN, until the handshake is complete.
  var synTime: Int64?
  /// The side that sent the first SYN without ACK.
  var opener: Side?
  var hasSynAck = false
  var isEstablished = false
  var connectDuration: Int64?
  var lookupDuration: Int64?
  /// A SYN that came in an open connection: once it is answered, it is a new connection's.
  var pendingReopen: (segment: TCPSegment, time: Int64)?
  /// Both streams have ended, or one was reset: only late copies can follow.
  var isClosed = false

  init(first segment: TCPSegment, at time: Int64, run: inout Run) {
    endpoints = Sides(segment.source, segment.destination)
    lastSeen = time
    record.number = run.nextConnection()
    run.stateOctets += StateCost.connection
    record.opened = time
    record.closed = time
  }

  /// A connection that was at rest, between the endpoints of `key`.
  init(
    _ rest: ConnectionAtRest, for key: ConnectionKey, _ coder: inout StateCoder, configuration: Configuration
  ) {
    coder.startReading(rest.octets, near: rest.lastSeen, rest.number)
    var isReversed = false
    coder.flag(&isReversed)
    endpoints = isReversed ? Sides(key.high, key.low) : Sides(key.low, key.high)
    lastSeen = rest.lastSeen
    record.number = rest.number
    code(&coder, configuration)
  }

  /// The side that sent a segment.
  func side(of segment: TCPSegment) -> Side { segment.source == endpoints[0] ? 0 : 1 }

  /// Whether a segment starts a new connection between the same endpoints (port reuse).
  ///
  /// A SYN alone does not end an open connection: its receiver only challenges it (RFC 5961 §4.2). It does once it is
  /// answered, or when the connection had closed, never opened, or been silent for long.
  func isReopened(by segment: TCPSegment, clock: Int64, silence: Int64) -> Bool {
    let side = side(of: segment)
    if let sequence = pendingReopen.map({ $0.segment.sequence &+ 1 }) {
      let isAnswer = segment.flags.contains([.syn, .ack]) && segment.acknowledgment == sequence
      if isAnswer || (!segment.flags.contains(.syn) && segment.sequence == sequence) { return true }
    }
    guard segment.flags.contains(.syn), !segment.flags.contains(.ack) else { return false }
    let stream = streams[side]
    // The SYN of this very connection, again or late.
    guard stream.isStarted, stream.space.position(of: segment.sequence &+ 1, near: stream.start) != stream.start else {
      return false
    }
    return isClosed || !isEstablished && streams[0].payloadLength + streams[1].payloadLength == 0
      || clock - lastSeen > silence
  }

  // MARK: Segments

  /// Takes a segment; `octets` hold its payload at `segment.payloadOffset`, and are at `place` of their capture.
  mutating func receive(
    _ segment: TCPSegment, _ octets: RawSpan, at time: Int64, place: PacketPlace?, run: inout Run
  ) {
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
      var place = place
      place?.offset += segment.payloadOffset
      accept(payload, length: segment.payloadLength, at: position, place, arrival, from: side, &run)
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
    // The first thing that the opener acknowledges is the other side's SYN, even if nothing of that side is captured.
    if side == opener, !streams[other].isStarted, streams[other].packets == 0, !segment.flags.contains(.rst) {
      startAcknowledged(other, segment.acknowledgment)
    }
    let reference = max(streams[other].next, streams[other].acknowledged)
    let position = streams[other].space.position(of: segment.acknowledgment, near: reference)
    guard !segment.flags.contains(.rst) else { return position }
    let reach = max(max(streams[other].next, streams[other].heldEnd), streams[other].acknowledged)
    // Beyond what a window allows it is no acknowledgment of this stream. A one-sided capture knows no better.
    if position > streams[other].acknowledged, position <= reach + TCPStream.largestWindow {
      if streams[other].acknowledged <= streams[other].next { streams[other].acknowledgedSince = lastSeen }
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

  /// Changes what is held of a direction.
  mutating func changeHeld<Result>(_ side: Side, _ body: (inout HeldSegments) -> Result) -> Result {
    let result = body(&held[side])
    streams[side].heldFirst = held[side].firstPosition
    streams[side].heldEnd = held[side].end
    return result
  }

  // MARK: The run's view of this connection

  func borrowRun(_ run: inout Run) {
    if run.connection.number != record.number {
      run.connection.number = record.number
      run.connection.endpoints = endpoints
    }
    run.connection.client = knownClient
    run.connection.added = ConnectionContext.Added()
  }

  mutating func giveBackRun(_ run: inout Run) {
    record.unattributed += run.connection.added.unattributed
    record.missing += run.connection.added.missing
    record.messages += run.connection.added.messages
    record.flags.formUnion(run.connection.added.flags)
  }
}
