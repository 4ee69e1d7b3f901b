// Content, its framing, and the ends of messages (RFC 9112 §6, §7).

extension HTTP1Parser {
  mutating func endOfKnownLength<Events: HTTP1Events>(
    _ events: inout Events, _ context: inout Events.Context
  ) {
    if state == .body { completeMessage(&events, &context) } else { state = .chunkEnd }
  }

  /// Takes the line terminator after a chunk, or one octet of it. Returns the number of octets; 0 without any.
  mutating func consumeChunkEnd<Events: HTTP1Events>(
    _ octets: RawSpan, from offset: Int, _ events: inout Events, _ context: inout Events.Context
  ) -> Int {
    if remaining == 0, octets.isLineEnd(at: offset) {
      state = .chunkSize
      events.count(2, as: .framing, &context)
      position += 2
      return 2
    }
    let octet = octets.octet(offset)
    let nothing = octets.extracting(offset..<offset)
    if octet == ASCII.lineFeed {
      if remaining == 0 { events.note(.httpBareLineFeed, .bareLineFeed, nothing, &context) }
      state = .chunkSize
    } else if octet == ASCII.carriageReturn, remaining == 0 {
      remaining = 1  // The CR has been seen; only the LF is left.
    } else {
      events.note(.httpChunkNotTerminated, .chunkNotTerminated, nothing, &context)
      breakMessage(.framingError, &events, &context)
      return 0
    }
    events.count(1, as: .framing, &context)
    position += 1
    if state == .chunkSize { remaining = 0 }
    return 1
  }

  /// Reads a common chunk-size line: a few digits and CRLF. Returns the number of octets; 0 leaves it to `consumeLine`.
  ///
  /// `consumeLine` reads any line, and reads such a line the same way.
  @inline(__always)
  mutating func consumeChunkSize<Events: HTTP1Events>(
    _ octets: RawSpan, from start: Int, _ events: inout Events, _ context: inout Events.Context
  ) -> Int {
    let count = octets.byteCount
    let end = min(count, start + ChunkSize.ordinaryDigits)
    var size = 0
    var offset = start
    while offset < end, let digit = ChunkSize.digit(octets.octet(within: offset)) {
      size = size << 4 | digit
      offset += 1
    }
    guard offset > start, octets.isLineEnd(at: offset), offset + 2 - start <= events.limits(context).line else {
      return 0
    }
    let length = offset + 2 - start
    position += length
    events.count(length, as: .framing, &context)
    remaining = size
    state = size == 0 ? .trailer : .chunkData
    return length
  }

  mutating func completeMessage<Events: HTTP1Events>(
    _ events: inout Events, _ context: inout Events.Context
  ) {
    state = .startLine
    switch events.endOfMessage(at: position, &context) {
    case .message: break
    case .pause: isPaused = true
    case .answer: isWaiting = true
    case .tunnel:
      enterTunnel()
      // Inside the tunnel, too, answers come after their requests.
      isPaused = true
    }
  }

  mutating func breakMessage<Events: HTTP1Events>(
    _ flags: MessageFlags, at end: StreamPosition? = nil, isLoss: Bool = false, _ events: inout Events,
    _ context: inout Events.Context
  ) {
    // The last whole field line only waited for a continuation.
    if state == .fields { deliverFieldLine(&events, &context) }
    let part: FramedPart = state == .fields ? .header : state == .trailer ? .trailer : .framing
    if lineLength > 0 {
      events.count(lineLength, as: part, &context)
      forgetLine()
    }
    remaining = 0
    state = .lost
    events.brokenMessage(at: end ?? position, flags, isLoss: isLoss, &context)
  }
}
