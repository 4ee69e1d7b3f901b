// The header section, and the framing of content that it gives (RFC 9112 §5, §6.3).

extension HTTP1Parser {
  /// Reads common field lines: complete, ASCII, with a name, ended by CRLF, and not folded. Returns the number of octets.
  ///
  /// The rest is for `consumeLine`, which reads any line, and reads such lines the same way.
  mutating func consumeFieldLines<Events: HTTP1Events>(
    _ octets: RawSpan, from first: Int, _ events: inout Events, _ context: inout Events.Context
  ) -> Int {
    let limit = events.limits(context).line
    var start = first
    while let line = OrdinaryFieldLine(octets, from: start), line.end - start <= limit {
      events.fieldLine(octets.extracting(start..<line.end - 2), line.field, isASCII: true, &context)
      start = line.end
    }
    let length = start - first
    if length > 0 { events.count(length, as: .header, &context) }
    position += length
    return length
  }

  mutating func completeFieldLine<Events: HTTP1Events>(
    _ content: RawSpan, _ line: Line, isBare: Bool, _ events: inout Events, _ context: inout Events.Context
  ) {
    events.count(line.length, as: .header, &context)
    if isBare { events.note(.httpBareLineFeed, .bareLineFeed, content, &context) }
    if content.byteCount == 0 {
      deliverFieldLine(&events, &context)
      return endHeaders(events.endOfHeaders(&context), &events, &context)
    }
    if line.length > line.limits.line { events.note(.httpLineTooLong, .lineTooLong, content, &context) }
    if content.octet(0).isWhitespace {
      // obs-fold: a value continues where the line before stopped (RFC 9112 §5.2). A name cannot.
      let isFold = partial.map { $0.hasFieldLine && $0.isFieldLineNamed } ?? false
      events.note(
        isFold ? .httpObsoleteFold : .httpFieldLineMalformed, isFold ? .obsoleteFold : .fieldLineMalformed, content,
        &context)
      if isFold { partial?.fold(content, limit: line.limits.line) }
      return
    }
    deliverFieldLine(&events, &context)
    if let next = line.next, !next.isWhitespace {
      events.fieldLine(content, FieldLine(content), isASCII: content.isASCII, &context)
    } else {
      let partial = partial ?? PartialLine()
      partial.keepFieldLine(content)
      self.partial = partial
    }
  }

  mutating func deliverFieldLine<Events: HTTP1Events>(
    _ events: inout Events, _ context: inout Events.Context
  ) {
    guard let partial, partial.hasFieldLine else { return }
    partial.takeFieldLine().withOctets { events.fieldLine($0, FieldLine($0), isASCII: $0.isASCII, &context) }
    forgetPartialIfEmpty()
  }

  mutating func endHeaders<Events: HTTP1Events>(
    _ framing: BodyFraming, _ events: inout Events, _ context: inout Events.Context
  ) {
    switch framing {
    case .none, .tunnel, .length(0): completeMessage(&events, &context)
    case .length(let length):
      remaining = length
      (state, isBeforeContent) = (.body, true)
    case .chunked: (state, isBeforeContent) = (.chunkSize, true)
    case .untilClose: state = .bodyUntilClose
    case .undetermined: breakMessage(.framingError, &events, &context)
    case .unconfirmed(let content, let length):
      undecided = content
      remaining = length
      state = .undecided
    }
  }

  /// Decides whether content follows a header section, if the request is unknown (RFC 9112 §6.3 rule 1).
  ///
  /// The following octets decide. A status-line at the start of the next segment belongs to the next response. One within a segment may also
  /// begin content, as of a log: it does if a response, or the end of the octets, is where that content would end.
  mutating func decideContent<Events: HTTP1Events>(
    _ octets: RawSpan, from offset: Int, _ arrival: SegmentArrival, _ events: inout Events,
    _ context: inout Events.Context
  ) {
    let rest = octets.extracting(offset..<octets.byteCount)
    let isAtStart = position == arrival.segment
    if StartLine.startsStatusLine(rest), isAtStart || !isFramed(rest),
      events.mayBeNextResponse(at: position, arrival, context)
    {
      return completeWithoutContent(isCertain: isAtStart, &events, &context)
    }
    if undecided == .untilClose, rest.byteCount > 1, rest.octet(0) == 0x16, rest.octet(1) == 0x03 {
      // This response answers CONNECT. The client continues with TLS.
      events.opensTunnel(&context)
      return completeMessage(&events, &context)
    }
    startUndecidedContent()
  }

  /// Whether undecided content ends with the octets, or directly before a response in them.
  private func isFramed(_ octets: RawSpan) -> Bool {
    guard undecided == .length, remaining <= octets.byteCount else { return false }
    return remaining == octets.byteCount
      || StartLine.startsStatusLine(octets.extracting(remaining..<octets.byteCount))
  }

  /// Ends a request whose content does not come: its final response is there, and a segment begins with another request.
  ///
  /// A client that waits for 100 (Continue) may get a final response, and then sends no content (RFC 9110 §10.1.1).
  @inline(never)
  mutating func decideRefused<Events: HTTP1Events>(
    _ octets: RawSpan, _ events: inout Events, _ context: inout Events.Context
  ) {
    isBeforeContent = false
    // Most content follows a header section in the next segment. The context knows at once that it is awaited.
    guard events.isRefused(context), state == .body || state == .chunkSize, lineLength == 0,
      let lineFeed = octets.firstOffset(of: ASCII.lineFeed, in: 0..<octets.byteCount), lineFeed > 0,
      case .request(let request) = StartLine(octets.extracting(0..<lineFeed - 1)),
      Method.isRegistered(octets, request.method), octets.isVersion1(request.version)
    else { return }
    completeWithoutContent(&events, &context)
  }

  mutating func completeWithoutContent<Events: HTTP1Events>(
    isCertain: Bool = true, _ events: inout Events, _ context: inout Events.Context
  ) {
    remaining = 0
    events.hasNoContent(isCertain: isCertain, &context)
    completeMessage(&events, &context)
  }

  mutating func startUndecidedContent() {
    switch undecided {
    case .length: state = .body
    case .chunked: state = .chunkSize
    case .untilClose: state = .bodyUntilClose
    }
  }
}

/// A field line (RFC 9112 §5) as ranges into the line.
struct FieldLine {
  var name: Range<Int>
  var value: Range<Int>
  /// Whether whitespace stands between name and colon. It is forbidden, and a way to smuggle (§5.1).
  var hasSpaceBeforeColon = false

  /// Returns nil when the line has no colon or no name.
  init?(_ line: RawSpan) {
    guard let colon = line.firstOffset(of: ASCII.colon, in: 0..<line.byteCount) else { return nil }
    self.init(line, colon: colon)
  }

  /// Reads a line whose first colon is at `colon`.
  @inline(__always)
  init?(_ line: RawSpan, colon: Int) {
    name = line.trimmingWhitespace(0..<colon)
    guard !name.isEmpty else { return nil }
    hasSpaceBeforeColon = name.upperBound < colon
    value = line.trimmingWhitespace(colon + 1..<line.byteCount)
  }
}

/// A common field line: complete, ended by CRLF, of ASCII, with a name, and certainly not folded.
///
/// The octet behind it is here and is not whitespace.
struct OrdinaryFieldLine {
  /// The ranges of its parts, from its start.
  let field: FieldLine
  /// The offset after the line's LF.
  let end: Int

  /// Returns nil when the line at `start` is not a common one.
  @inline(__always)
  init?(_ octets: RawSpan, from start: Int) {
    let count = octets.byteCount
    guard start < count, !octets.octet(start).isWhitespace,
      let colon = octets.firstOffset(
        in: start..<count, { $0.matches(ASCII.colon) | $0.matches(ASCII.lineFeed) | $0.nonASCIIOctets }),
      octets.octet(colon) == ASCII.colon,
      let lineFeed = octets.firstOffset(
        in: colon + 1..<count, { $0.matches(ASCII.lineFeed) | $0.nonASCIIOctets }),
      octets.octet(lineFeed) == ASCII.lineFeed, octets.octet(lineFeed - 1) == ASCII.carriageReturn,
      lineFeed + 1 < count, !octets.octet(lineFeed + 1).isWhitespace,
      let field = FieldLine(octets.extracting(start..<lineFeed - 1), colon: colon - start)
    else { return nil }
    self.field = field
    end = lineFeed + 1
  }
}
