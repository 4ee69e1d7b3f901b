/// Reads HTTP/1.x messages from one direction of a connection (RFC 9112), octets in any portions.
///
/// Needing more octets is a state, not an error. Everything odd is an event, and reading goes on: after a framing
/// error or a hole the parser looks for the next start-line. It keeps at most one line; bodies pass through.
struct HTTP1Parser {
  private enum State: UInt8 {
    /// Before a start-line, or in one.
    case startLine
    /// In the header section.
    case fields
    /// After a header section, where it is not known whether content follows: the request is not.
    case undecided
    /// In content of known length.
    case body
    /// In content that ends with the connection.
    case bodyUntilClose
    case chunkSize
    case chunkData
    /// Before the line terminator after a chunk's data.
    case chunkEnd
    case trailer
    /// Framing was lost: looking for a start-line.
    case lost
    /// Not HTTP, as far as is known.
    case other
  }

  private var state = State.startLine
  /// Whether a message has been found in this stream (since the last switch of protocols).
  private(set) var isConfirmed = false
  /// Whether the stream is inside a tunnel.
  private(set) var isTunnel = false
  /// Whether reading has stopped until the other side has answered.
  private(set) var isWaiting = false
  /// Whether reading stops so that the other side can be read first.
  private var isPaused = false
  /// How the content ends, if any follows, in the state `undecided`; its length is in `remaining`.
  private var undecided = UndecidedContent.length
  /// Content or chunk octets still to come.
  private var remaining = 0
  /// Position of the next octet to read.
  private(set) var position: StreamPosition
  /// What is kept of lines that are not complete; nil when there is none.
  private var partial: PartialLine?

  init(position: StreamPosition) { self.position = position }

  /// Octets of the incomplete line, kept or not.
  @inline(__always)
  private var lineLength: Int { partial?.length ?? 0 }

  /// Where the incomplete line starts; nil when there is none.
  var lineStart: LineStart? { lineLength > 0 ? partial?.start : nil }

  /// Position up to which every octet has been given to the events; what follows is an incomplete line.
  @inline(__always)
  var settledPosition: StreamPosition {
    guard let partial, !isInMessage else { return position }
    return position - partial.length
  }

  /// Where a line starts that is not complete and may be a start-line; nil when there is none.
  @inline(__always)
  var incompleteStart: StreamPosition? {
    guard let partial, state == .startLine, partial.length > 0 else { return nil }
    return position - partial.length
  }

  /// Octets of memory that incomplete lines take.
  @inline(__always)
  var keptOctets: Int { partial?.memory ?? 0 }

  @inline(__always)
  private var isInMessage: Bool {
    switch state {
    case .startLine, .lost, .other: false
    case .fields, .undecided, .body, .bodyUntilClose, .chunkSize, .chunkData, .chunkEnd, .trailer: true
    }
  }

  /// Whether the message that is being read needs at least one more octet.
  @inline(__always)
  var expectsMore: Bool { isInMessage && state != .bodyUntilClose && state != .undecided }

  // MARK: Octets

  /// Passes `count` octets, if they are content and not the last of theirs: `consume` would hand them over as they are.
  @inline(__always)
  mutating func passContent(_ count: Int) -> Bool {
    guard state == .body || state == .chunkData, count < remaining, !isWaiting else { return false }
    isPaused = false
    position += count
    remaining -= count
    return true
  }

  /// Reads octets. Returns how many; fewer than all only when the other side has to be read first.
  mutating func consume<Events: HTTP1Events>(
    _ octets: RawSpan, arrival: SegmentArrival, events: inout Events, context: inout Events.Context
  ) -> Int {
    var offset = 0
    let count = octets.byteCount
    if state == .other || (state == .startLine || state == .lost) && lineLength > 0 {
      resynchronizeAtSegmentStart(octets, &events, &context)
    }
    isPaused = false
    while offset < count, !isWaiting, !isPaused {
      switch state {
      case .body, .chunkData:
        let length = min(remaining, count - offset)
        events.body(octets.extracting(offset..<offset + length), &context)
        offset += length
        position += length
        remaining -= length
        if remaining == 0 { endOfKnownLength(&events, &context) }
      case .bodyUntilClose:
        events.body(octets.extracting(offset..<count), &context)
        position += count - offset
        offset = count
      case .chunkEnd:
        offset += consumeChunkEnd(octets, from: offset, &events, &context)
      case .other:
        events.lostOctets(count - offset, at: position, as: outsideReason, &context)
        position += count - offset
        offset = count
      case .fields where partial == nil:
        offset += consumeFieldLines(octets, from: offset, &events, &context)
        if offset < count { offset += consumeLine(octets, from: offset, arrival, &events, &context) }
      case .startLine where partial == nil:
        let start = LineStart(position: position, arrival: arrival)
        if let head = events.head(octets, from: offset, at: start, &context) {
          isConfirmed = true
          offset += head.length
          position += head.length
          state = .fields
          endHeaders(head.framing, &events, &context)
        } else {
          offset += consumeLine(octets, from: offset, arrival, &events, &context)
        }
      case .chunkSize where partial == nil:
        let length = consumeChunkSize(octets, from: offset, &events, &context)
        offset += length
        if length == 0 { offset += consumeLine(octets, from: offset, arrival, &events, &context) }
      case .undecided:
        decideContent(octets, from: offset, arrival, &events, &context)
      case .lost where lineLength == 0:
        offset += consumeLost(octets, from: offset, arrival, &events, &context)
      case .trailer where partial == nil && octets.isLineEnd(at: offset):
        events.count(2, as: .framing, &context)
        offset += 2
        position += 2
        completeMessage(&events, &context)
      case .startLine, .fields, .chunkSize, .trailer, .lost:
        offset += consumeLine(octets, from: offset, arrival, &events, &context)
      }
    }
    return offset
  }

  /// Reads up to the end of the current line, or to the end of the octets. Returns how many octets.
  private mutating func consumeLine<Events: HTTP1Events>(
    _ octets: RawSpan, from start: Int, _ arrival: SegmentArrival, _ events: inout Events,
    _ context: inout Events.Context
  ) -> Int {
    let limits = events.limits(context)
    let lineStart = lineStart ?? LineStart(position: position, arrival: arrival)
    let count = octets.byteCount
    guard let lineFeed = octets.firstOffset(of: ASCII.lineFeed, in: start..<count) else {
      keep(octets, start..<count, lineStart, arrival, limits)
      position += count - start
      abandonHopelessLine(limits, &events, &context)
      return count - start
    }
    let length = lineFeed + 1 - start
    position += length
    let next = lineFeed + 1 < count ? octets.octet(lineFeed + 1) : nil
    if lineLength == 0, length <= limits.line {
      let line = Line(start: lineStart, length: length, next: next, limits: limits)
      completeLine(octets.extracting(start..<lineFeed), line, &events, &context)
    } else {
      let partial = keep(octets, start..<lineFeed, lineStart, arrival, limits)
      let line = Line(start: partial.start, length: partial.length + 1, next: next, limits: limits)
      // A start-line's message does not exist yet; it is made with the same times.
      if isInMessage { events.noteTimes(of: partial.start, &context) }
      let whole = partial.takeLine()
      forgetPartialIfEmpty()
      whole.withOctets { completeLine($0, line, &events, &context) }
    }
    return length
  }

  /// What is known of a complete line beside its text.
  private struct Line {
    var start: LineStart
    /// Octets with the terminator.
    var length: Int
    /// The octet that follows, if it is here.
    var next: UInt8?
    var limits: HTTP1Limits
  }

  @discardableResult
  private mutating func keep(
    _ octets: RawSpan, _ range: Range<Int>, _ start: LineStart, _ arrival: SegmentArrival, _ limits: HTTP1Limits
  ) -> PartialLine {
    let partial = partial ?? PartialLine()
    if partial.length == 0 { partial.start = start } else { partial.start.note(arrival.time) }
    partial.keep(octets, range, limit: limits.line)
    self.partial = partial
    return partial
  }

  private mutating func forgetPartialIfEmpty() {
    if let partial, partial.isEmpty { self.partial = nil }
  }

  /// Takes a line: `text` without LF.
  private mutating func completeLine<Events: HTTP1Events>(
    _ text: RawSpan, _ line: Line, _ events: inout Events, _ context: inout Events.Context
  ) {
    let length = line.length
    var end = text.byteCount
    let isBare = end == 0 || text.octet(end - 1) != ASCII.carriageReturn
    if !isBare { end -= 1 }
    let content = text.extracting(0..<end)
    switch state {
    case .startLine:
      completeStartLine(content, line, isBare: isBare, &events, &context)
    case .lost:
      completeLineWhileLost(content, line, &events, &context)
    case .fields:
      completeFieldLine(content, line, isBare: isBare, &events, &context)
    case .chunkSize:
      guard let size = ChunkSize.parse(content) else {
        // The line is no part of the message: it stops before it.
        events.note(.httpChunkSizeInvalid, .chunkSizeInvalid, content, &context)
        breakMessage(.framingError, at: position - length, &events, &context)
        return events.outsideMessages(length, as: outsideReason, &context)
      }
      events.count(length, as: .framing, &context)
      if isBare { events.note(.httpBareLineFeed, .bareLineFeed, content, &context) }
      remaining = size
      state = size == 0 ? .trailer : .chunkData
    case .trailer:
      if isBare { events.note(.httpBareLineFeed, .bareLineFeed, content, &context) }
      events.count(length, as: end == 0 ? .framing : .trailer, &context)
      if end == 0 { completeMessage(&events, &context) }
    case .undecided, .body, .bodyUntilClose, .chunkData, .chunkEnd, .other:
      assertionFailure("no lines in this state")
    }
  }

  // MARK: Lost framing

  /// Reads on where framing was lost. A start-line is looked for only where a message can be known to start: at the start of a
  /// segment, or where the other side has acknowledged what comes before. Anywhere else, what looks like one is content.
  private mutating func consumeLost<Events: HTTP1Events>(
    _ octets: RawSpan, from offset: Int, _ arrival: SegmentArrival, _ events: inout Events,
    _ context: inout Events.Context
  ) -> Int {
    let rest = octets.byteCount - offset
    let isBoundary =
      position == arrival.segment || events.nextBoundary(after: position - 1, before: position + 1, context) != nil
    if isBoundary, events.mayStart(at: position, arrival, context),
      isLikelyStart(octets.extracting(offset..<octets.byteCount))
    {
      return consumeLine(octets, from: offset, arrival, &events, &context)
    }
    let length = events.nextBoundary(after: position, before: position + rest, context).map { $0 - position } ?? rest
    events.lostOctets(length, at: position, as: outsideReason, &context)
    position += length
    return length
  }

  /// Whether octets begin with a start-line, or may when more of them come.
  private func isLikelyStart(_ octets: RawSpan) -> Bool {
    guard let line = octets.firstLine(within: octets.byteCount) else { return StartLine.isLikely(octets) }
    return StartLine.isCertain(octets.extracting(line))
  }

  // MARK: Start-lines

  private mutating func completeStartLine<Events: HTTP1Events>(
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
      // The line of the PROXY protocol says only who the client is: what follows can be anything.
      state = .other
    }
    events.outsideMessages(length, as: outsideReason, &context)
  }

  private mutating func completeLineWhileLost<Events: HTTP1Events>(
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

  /// Starts a message, if the line is a start-line that fits the stream.
  private mutating func begin<Events: HTTP1Events>(
    _ content: RawSpan, _ line: Line, _ events: inout Events, _ context: inout Events.Context
  ) -> Bool {
    let length = line.length
    guard let parsed = StartLine(content) else { return false }
    if case .request(let request) = parsed {
      // HTTP/0.9 has one request on a connection, and an unregistered word could be anything.
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

  /// In a stream whose framing was lost, a segment that starts with a certain start-line is where a message starts.
  private mutating func resynchronizeAtSegmentStart<Events: HTTP1Events>(
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

  /// Whether the line that has come so far is the start of a start-line that `rest`, a start-line by itself, may end: then it
  /// is one, however it is cut.
  private func isStartLine(endingWith rest: RawSpan) -> Bool {
    guard let partial else { return false }
    // The target of a known method may have what looks like another request-line.
    if partial.line.withOctets({ hasRegisteredMethod($0) }) { return true }
    // And a method may end with the name of another one.
    guard partial.line.count == partial.length, partial.length <= Method.longestPlausible else { return false }
    var whole = partial.line
    rest.append(0..<rest.byteCount, to: &whole)
    return whole.withOctets { StartLine($0) != nil }
  }

  /// Gives up an incomplete first line that cannot become a start-line.
  private mutating func abandonHopelessLine<Events: HTTP1Events>(
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

  /// Octets of a start-line at most: far more than any server takes, so that what goes on is none.
  private static let longestStartLine = 1 << 20

  /// Whether a line that begins with `start`, and has `length` octets before its LF so far, is too long for a start-line:
  /// asked of whole lines and of the parts of them that have come, so that it is the same however they are cut.
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

  private var outsideReason: OutsideReason {
    isConfirmed ? .stray : isTunnel ? .tunnel : .undecided
  }

  private mutating func dropLine<Events: HTTP1Events>(_ events: inout Events, _ context: inout Events.Context) {
    guard lineLength > 0 else { return }
    let length = lineLength
    forgetLine()
    events.droppedLine(length, as: outsideReason, &context)
  }

  private mutating func forgetLine() {
    partial?.forgetLine()
    forgetPartialIfEmpty()
  }

  // MARK: Header section

  /// Reads field lines as nearly all of them are: whole, ASCII, with a name, ended by CRLF and not folded. Returns how many
  /// octets; what is left is for `consumeLine`, which reads any line, and these the same.
  private mutating func consumeFieldLines<Events: HTTP1Events>(
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

  private mutating func completeFieldLine<Events: HTTP1Events>(
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
      // obs-fold: a value goes on where the line before stopped (RFC 9112 §5.2). A name cannot.
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

  private mutating func deliverFieldLine<Events: HTTP1Events>(
    _ events: inout Events, _ context: inout Events.Context
  ) {
    guard let partial, partial.hasFieldLine else { return }
    partial.takeFieldLine().withOctets { events.fieldLine($0, FieldLine($0), isASCII: $0.isASCII, &context) }
    forgetPartialIfEmpty()
  }

  private mutating func endHeaders<Events: HTTP1Events>(
    _ framing: BodyFraming, _ events: inout Events, _ context: inout Events.Context
  ) {
    switch framing {
    case .none, .tunnel, .length(0): completeMessage(&events, &context)
    case .length(let length):
      remaining = length
      state = .body
    case .chunked: state = .chunkSize
    case .untilClose: state = .bodyUntilClose
    case .undetermined: breakMessage(.framingError, &events, &context)
    case .unconfirmed(let content, let length):
      undecided = content
      remaining = length
      state = .undecided
    }
  }

  /// The request of a response is not known, so that its header section does not tell whether content follows (RFC 9112 §6.3
  /// rule 1): what follows does. A status-line where the next segment starts is the next response's.
  private mutating func decideContent<Events: HTTP1Events>(
    _ octets: RawSpan, from offset: Int, _ arrival: SegmentArrival, _ events: inout Events,
    _ context: inout Events.Context
  ) {
    let rest = octets.extracting(offset..<octets.byteCount)
    if StartLine.startsStatusLine(rest), events.mayBeNextResponse(at: position, arrival, context) {
      return completeWithoutContent(&events, &context)
    }
    if undecided == .untilClose, rest.byteCount > 1, rest.octet(0) == 0x16, rest.octet(1) == 0x03 {
      // A response to CONNECT, whose client goes on with TLS.
      events.opensTunnel(&context)
      return completeMessage(&events, &context)
    }
    startUndecidedContent()
  }

  private mutating func completeWithoutContent<Events: HTTP1Events>(
    _ events: inout Events, _ context: inout Events.Context
  ) {
    remaining = 0
    events.hasNoContent(&context)
    completeMessage(&events, &context)
  }

  private mutating func startUndecidedContent() {
    switch undecided {
    case .length: state = .body
    case .chunked: state = .chunkSize
    case .untilClose: state = .bodyUntilClose
    }
  }

  // MARK: Bodies and ends

  private mutating func endOfKnownLength<Events: HTTP1Events>(
    _ events: inout Events, _ context: inout Events.Context
  ) {
    if state == .body { completeMessage(&events, &context) } else { state = .chunkEnd }
  }

  /// Takes the line terminator after a chunk, or one octet of it. Returns how many octets; 0 when the next one is none of it.
  private mutating func consumeChunkEnd<Events: HTTP1Events>(
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
      remaining = 1  // of the two octets, the CR has been seen
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

  /// Reads a chunk-size line as nearly all are: a few digits and CRLF. Returns how many octets; 0 leaves it to `consumeLine`,
  /// which reads any line, and these the same.
  @inline(__always)
  private mutating func consumeChunkSize<Events: HTTP1Events>(
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

  private mutating func completeMessage<Events: HTTP1Events>(
    _ events: inout Events, _ context: inout Events.Context
  ) {
    state = .startLine
    switch events.endOfMessage(at: position, &context) {
    case .message: break
    case .pause: isPaused = true
    case .answer: isWaiting = true
    case .tunnel:
      enterTunnel()
      // Inside the tunnel, too, answers come after what they answer.
      isPaused = true
    }
  }

  private mutating func breakMessage<Events: HTTP1Events>(
    _ flags: MessageFlags, at end: StreamPosition? = nil, isLoss: Bool = false, _ events: inout Events,
    _ context: inout Events.Context
  ) {
    // The last whole field line waited for a continuation only.
    if state == .fields { deliverFieldLine(&events, &context) }
    let part: MessagePart = state == .fields ? .header : state == .trailer ? .trailer : .framing
    if lineLength > 0 {
      events.count(lineLength, as: part, &context)
      forgetLine()
    }
    remaining = 0
    state = .lost
    events.brokenMessage(at: end ?? position, flags, isLoss: isLoss, &context)
  }

  // MARK: Switches

  /// The other side has answered a request for CONNECT or Upgrade.
  mutating func answered(isTunnel: Bool) {
    isWaiting = false
    // In a message, its end decides: the switch comes after it.
    if isTunnel, !isInMessage { enterTunnel() }
  }

  private mutating func enterTunnel() {
    state = .startLine
    isTunnel = true
    isConfirmed = false
    isWaiting = false
  }

  /// Starts reading content that ends with the connection: the response of an HTTP/0.9 exchange. What was kept of a line is
  /// its start.
  mutating func expectSimpleResponse<Events: HTTP1Events>(events: inout Events, context: inout Events.Context) {
    state = .bodyUntilClose
    guard let partial, partial.length > 0 else { return }
    partial.line.withOctets { events.body($0, &context) }
    forgetLine()
  }

  /// Whether the stream is before a message, with no more read of it than an HTTP-version may start with.
  var isBeforeMessage: Bool { isBetweenMessages || isInVersion }

  /// Whether the stream is in what may become the HTTP-version of a status-line.
  var isInVersion: Bool {
    guard state == .startLine, let partial, partial.length > 0 else { return false }
    return partial.length < Self.versionStart.utf8CodeUnitCount
      && partial.line.withOctets { $0.isPrefix(of: Self.versionStart, from: 0) }
  }

  /// Whether `octets`, after what was kept of the line, can be the start of a status-line.
  func canBeVersion(_ octets: RawSpan) -> Bool { octets.isPrefix(of: Self.versionStart, from: lineLength) }

  private static var versionStart: StaticString { "http/" }

  /// Whether the stream is before a message, with nothing read of it.
  var isBetweenMessages: Bool { state == .startLine && lineLength == 0 }

  // MARK: Octets that are not there

  /// `count` octets of the stream were never captured.
  mutating func skipMissing<Events: HTTP1Events>(
    _ count: Int, events: inout Events, context: inout Events.Context
  ) {
    let inside = loseOctets(count, events: &events, context: &context) { length, events, context in
      events.missingBody(length, &context)
    }
    if inside < count { events.missingOutsideMessages(count - inside, &context) }
  }

  /// `count` octets of the stream are in the packet, but beyond the snap length.
  mutating func skipUnseen<Events: HTTP1Events>(
    _ count: Int, events: inout Events, context: inout Events.Context
  ) {
    // They are in the packet with the end of the header section: content it is.
    if state == .undecided { startUndecidedContent() }
    let inside = loseOctets(count, events: &events, context: &context) { length, events, context in
      events.unseenBody(length, &context)
    }
    if inside < count { events.unseenOutsideMessages(count - inside, as: outsideReason, &context) }
  }

  /// Passes over octets that nobody can read. Returns how many of them are content for certain.
  private mutating func loseOctets<Events: HTTP1Events>(
    _ count: Int, events: inout Events, context: inout Events.Context,
    body: (Int, inout Events, inout Events.Context) -> Void
  ) -> Int {
    var inside = 0
    switch state {
    case .undecided where undecided == .length && remaining == count:
      // What follows is where the content's end would be: so it is content.
      inside = count
      body(inside, &events, &context)
      position += inside
      remaining = 0
      completeMessage(&events, &context)
    case .undecided:
      breakMessage(.incomplete, isLoss: true, &events, &context)
    case .body, .chunkData:
      inside = min(count, remaining)
      body(inside, &events, &context)
      position += inside
      remaining -= inside
      let wasChunk = state == .chunkData
      if remaining == 0 { endOfKnownLength(&events, &context) }
      if inside < count {
        if wasChunk {
          breakMessage(.incomplete, isLoss: true, &events, &context)
        } else {
          loseFraming(&events, &context)
        }
      }
    case .bodyUntilClose:
      inside = count
      body(inside, &events, &context)
      position += inside
    case .fields:
      breakMessage([.incomplete, .headerNotSeen], isLoss: true, &events, &context)
    case .chunkSize, .chunkEnd, .trailer:
      breakMessage(.incomplete, isLoss: true, &events, &context)
    case .startLine, .lost, .other:
      loseFraming(&events, &context)
    }
    position += count - inside
    return inside
  }

  private mutating func loseFraming<Events: HTTP1Events>(
    _ events: inout Events, _ context: inout Events.Context
  ) {
    isWaiting = false
    guard !breakOffAfterStartLine(&events, &context) else { return }
    dropLine(&events, &context)
    if state != .other { state = isConfirmed ? .lost : .other }
  }

  /// A start-line of which only the terminator cannot be seen starts a message, though nothing follows.
  private mutating func breakOffAfterStartLine<Events: HTTP1Events>(
    _ events: inout Events, _ context: inout Events.Context
  ) -> Bool {
    guard state == .startLine || state == .lost, let partial, partial.length == partial.line.count,
      partial.line.last == ASCII.carriageReturn
    else { return false }
    let line = Line(start: partial.start, length: partial.length, next: nil, limits: events.limits(context))
    let content = Array(partial.line.dropLast())
    let hasBegun = content.withOctets {
      StartLine.isCertain($0) && begin($0, line, &events, &context)
    }
    guard hasBegun else { return false }
    forgetLine()
    breakMessage([.incomplete, .headerNotSeen], isLoss: true, &events, &context)
    return true
  }

  /// The stream ends. `isComplete` when the sender closed it (FIN) and nothing after `position` can follow.
  mutating func finish<Events: HTTP1Events>(
    isComplete: Bool, events: inout Events, context: inout Events.Context
  ) {
    switch state {
    case .bodyUntilClose where isComplete: completeMessage(&events, &context)
    case .undecided where isComplete: completeWithoutContent(&events, &context)
    case .startLine, .lost, .other: dropLine(&events, &context)
    case .fields, .undecided, .body, .bodyUntilClose, .chunkSize, .chunkData, .chunkEnd, .trailer:
      breakMessage(.incomplete, &events, &context)
    }
  }
}
