// Start-lines, in order and after framing was lost.

extension HTTP1Parser {
  // MARK: Lost framing

  /// Reads octets after framing was lost. It looks for a start-line only where a message can be known to start.
  ///
  /// That is at the start of a segment, behind acknowledged octets, or behind the header section of a request without
  /// content. Anywhere else, an apparent start-line is content.
  mutating func consumeLost<Events: HTTP1Events>(
    _ octets: RawSpan, from offset: Int, _ arrival: SegmentArrival, _ events: inout Events,
    _ context: inout Events.Context
  ) -> Int {
    let rest = octets.byteCount - offset
    let isBoundary =
      position == arrival.segment || events.nextBoundary(after: position - 1, before: position + 1, context) != nil
    if isBoundary, isLikelyStart(octets.extracting(offset..<octets.byteCount)) {
      if events.mayStart(at: position, arrival, context) {
        return consumeLine(octets, from: offset, arrival, &events, &context)
      }
      events.refusedStart(&context)
    }
    if let start = events.nextRequest(in: octets, from: offset, context),
      isLikelyStart(octets.extracting(start..<octets.byteCount))
    {
      events.lostOctets(start - offset, at: position, as: outsideReason, &context)
      position += start - offset
      return start - offset + consumeLine(octets, from: start, arrival, &events, &context)
    }
    let length = events.nextBoundary(after: position, before: position + rest, context).map { $0 - position } ?? rest
    events.lostOctets(length, at: position, as: outsideReason, &context)
    position += length
    return length
  }

  /// Whether octets begin with a start-line, or may do so with more octets.
  private func isLikelyStart(_ octets: RawSpan) -> Bool {
    guard let line = octets.firstLine(within: octets.byteCount) else { return StartLine.isLikely(octets) }
    return StartLine.isCertain(octets.extracting(line))
  }

  // MARK: Start-lines

  mutating func completeStartLine<Events: HTTP1Events>(
    _ content: RawSpan, _ line: Line, isBare: Bool, _ events: inout Events, _ context: inout Events.Context
  ) {
    let length = line.length
    if content.byteCount == 0 {
      // RFC 9112 §2.2: a server should ignore at least one empty line before a request-line.
      if isConfirmed { events.note(.httpEmptyLineBeforeStart, [], content, &context) }
      return events.outsideMessages(length, as: outsideReason, &context)
    }
    if !isTooLong(content, length: length - 1, line.limits), begin(content, line, &events, &context) {
      if isBare { events.note(.httpBareLineFeed, .bareLineFeed, content, &context) }
      return
    }
    if isConfirmed {
      events.note(.httpStartLineMalformed, [], content, &context)
      state = .lost
    } else if !content.matchesExactly("PROXY ", at: 0) {
      // The line of the PROXY protocol only names the client. Anything can follow.
      state = .other
    }
    events.outsideMessages(length, as: outsideReason, &context)
  }

  mutating func completeLineWhileLost<Events: HTTP1Events>(
    _ content: RawSpan, _ line: Line, _ events: inout Events, _ context: inout Events.Context
  ) {
    let length = line.length
    if StartLine.isCertain(content), !isTooLong(content, length: length - 1, line.limits),
      begin(content, line, &events, &context)
    {
      events.note(.httpResynchronized, [], content, &context)
      events.resynchronized(at: line.start, &context)
      return
    }
    events.outsideMessages(length, as: outsideReason, &context)
  }

  /// Starts a message if the line is a start-line that fits the stream.
  mutating func begin<Events: HTTP1Events>(
    _ content: RawSpan, _ line: Line, _ events: inout Events, _ context: inout Events.Context
  ) -> Bool {
    let length = line.length
    guard let parsed = StartLine(content) else { return false }
    if case .request(let request) = parsed {
      // HTTP/0.9 has one request on a connection. An unregistered word could be anything.
      if request.version.isEmpty, isConfirmed { return false }
    }
    guard events.startLine(parsed, content, length: length, at: line.start, &context) else { return false }
    isConfirmed = true
    if length > line.limits.line { events.note(.httpLineTooLong, .lineTooLong, content, &context) }
    if case .request(let request) = parsed, request.version.isEmpty {
      completeMessage(&events, &context)
    } else {
      state = .fields
    }
    return true
  }

  /// Resynchronizes a stream without framing at a segment that starts with a certain start-line.
  mutating func resynchronizeAtSegmentStart<Events: HTTP1Events>(
    _ octets: RawSpan, _ events: inout Events, _ context: inout Events.Context
  ) {
    guard octets.byteCount >= 12, octets.octet(0).isTokenCharacter,
      let line = octets.firstLine(within: events.limits(context).probe)
    else { return }
    let rest = octets.extracting(line)
    guard StartLine.isCertain(rest) else { return }
    guard state != .startLine || !isStartLine(endingWith: rest) else { return }
    dropLine(&events, &context)
    state = .lost
  }

  /// Whether the incomplete line is the first part of a start-line that `rest` may end. `rest` is a start-line by itself.
  ///
  /// The line is then one start-line, regardless of segment borders.
  private func isStartLine(endingWith rest: RawSpan) -> Bool {
    guard let partial else { return false }
    // The target of a known method may contain an apparent request-line.
    if partial.line.withOctets({ hasRegisteredMethod($0) }) { return true }
    // A method may end with the name of another method.
    guard partial.line.count == partial.length, partial.length <= Method.longestPlausible else { return false }
    var whole = partial.line
    rest.append(0..<rest.byteCount, to: &whole)
    return whole.withOctets { StartLine($0) != nil }
  }

  /// Gives up an incomplete first line that cannot become a start-line.
  mutating func abandonHopelessLine<Events: HTTP1Events>(
    _ limits: HTTP1Limits, _ events: inout Events, _ context: inout Events.Context
  ) {
    guard state == .startLine || state == .lost, let partial else { return }
    let isTooLong = partial.line.withOctets { self.isTooLong($0, length: partial.length, limits) }
    guard isTooLong || !partial.line.withOctets({ StartLine.isPossible($0) }) else { return }
    if state == .startLine {
      if isConfirmed {
        partial.line.withOctets { events.note(.httpStartLineMalformed, [], $0, &context) }
        state = .lost
      } else {
        state = .other
      }
    }
    dropLine(&events, &context)
  }

  /// The maximum number of octets of a start-line: far more than any server takes. A longer line is not a start-line.
  private static let longestStartLine = 1 << 20

  /// Whether a line that begins with `start`, and has `length` octets before its LF so far, is too long for a start-line.
  ///
  /// Whole lines and parts of lines are checked alike, so that segment borders do not change the result.
  private func isTooLong(_ start: RawSpan, length: Int, _ limits: HTTP1Limits) -> Bool {
    guard length > min(limits.probe, Self.longestStartLine) else { return false }
    return length > (isConfirmed || hasRegisteredMethod(start) ? Self.longestStartLine : limits.probe)
  }

  /// Whether a line begins with a registered method.
  private func hasRegisteredMethod(_ start: RawSpan) -> Bool {
    let word = 0..<min(start.byteCount, Method.longestPlausible + 1)
    guard let end = start.firstOffset(of: ASCII.space, in: word) else { return false }
    return Method.isRegistered(start, 0..<end)
  }

  var outsideReason: OutsideReason {
    isConfirmed ? .stray : isTunnel ? .tunnel : .undecided
  }

  mutating func dropLine<Events: HTTP1Events>(_ events: inout Events, _ context: inout Events.Context) {
    guard lineLength > 0 else { return }
    let length = lineLength
    forgetLine()
    events.droppedLine(length, as: outsideReason, &context)
  }

  mutating func forgetLine() {
    partial?.forgetLine()
    forgetPartialIfEmpty()
  }
}
