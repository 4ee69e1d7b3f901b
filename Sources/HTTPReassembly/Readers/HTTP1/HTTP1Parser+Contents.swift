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
    _ flags: MessageFlags, at end: StreamPosition? = nil, by cause: MessageBreak = .other, _ events: inout Events,
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
    events.brokenMessage(at: end ?? position, flags, by: cause, &context)
  }
}

/// The line before a chunk (RFC 9112 §7.1): `chunk-size [ chunk-ext ] CRLF`.
enum ChunkSize {
  /// The maximum number of leading zeros and digits read. A longer size is invalid.
  private static let digitLimit = 1 << 16

  /// The maximum number of digits in a usual chunk-size line: enough for 256 TiB.
  static let ordinaryDigits = 12

  /// The chunk size; nil when the line does not start with one.
  ///
  /// A size beyond 62 bits counts as endless (RFC 9112 §7.1 asks recipients to expect it).
  static func parse(_ line: RawSpan) -> Int? {
    var size = 0
    var offset = 0
    while offset < min(line.byteCount, digitLimit), let digit = digit(line.octet(offset)) {
      size = size > Int.max / 64 ? Int.max / 2 : size << 4 | digit
      offset += 1
    }
    guard offset > 0 else { return nil }
    // Whitespace before an extension is "bad" but accepted (§7.1.1). No other octet may follow.
    let rest = line.trimmingWhitespace(offset..<line.byteCount)
    guard rest.isEmpty || line.octet(rest.lowerBound) == ASCII.semicolon else { return nil }
    return size
  }

  /// The value of a hexadecimal digit.
  @inline(__always)
  static func digit(_ octet: UInt8) -> Int? {
    switch octet {
    case 0x30...0x39: Int(octet - 0x30)
    case 0x41...0x46: Int(octet - 0x41 + 10)
    case 0x61...0x66: Int(octet - 0x61 + 10)
    default: nil
    }
  }
}
