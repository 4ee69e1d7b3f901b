/// Reads HTTP/1.x messages from one direction of a connection (RFC 9112). Octets may come in any portions.
///
/// A need for more octets is a state, not an error. An oddity is an event, and reading continues. After a framing error or
/// a gap, the parser looks for the next start-line. It keeps at most one line; bodies pass through.
struct HTTP1Parser {
  enum State: UInt8 {
    /// Before a start-line, or in one.
    case startLine
    /// In the header section.
    case fields
    /// After a header section, while it is unknown whether content follows, because the request is unknown.
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
    /// Framing was lost. The parser looks for a start-line.
    case lost
    /// Not HTTP, as far as is known.
    case other
  }

  var state = State.startLine
  /// Whether a message has been found in this stream (since the last switch of protocols).
  var isConfirmed = false
  /// Whether the stream is inside a tunnel.
  var isTunnel = false
  /// Whether the stream is at the beginning of a tunnel.
  var isFreshTunnel = false
  /// Whether reading waits until the other side has answered.
  var isWaiting = false
  /// Whether reading pauses so that the other side can be read first.
  var isPaused = false
  /// Whether a header section has just ended, and content follows that has not begun. A refused request has none (RFC 9110 §10.1.1).
  var isBeforeContent = false
  /// The end of content that may follow, in the state `undecided`. Its length is in `remaining`.
  var undecided = UndecidedContent.length
  /// Octets of content or of a chunk that are still to come.
  var remaining = 0
  /// The position of the next octet to read.
  var position: StreamPosition
  /// The kept octets of incomplete lines; nil without any.
  var partial: PartialLine?

  init(position: StreamPosition) { self.position = position }

  /// The number of octets of the incomplete line, kept or not.
  @inline(__always)
  var lineLength: Int { partial?.length ?? 0 }

  /// The start of the incomplete line; nil without one.
  var lineStart: LineStart? { lineLength > 0 ? partial?.start : nil }

  /// The position up to which every octet has been given to the events. An incomplete line follows.
  @inline(__always)
  var settledPosition: StreamPosition {
    guard let partial, !isInMessage else { return position }
    return position - partial.length
  }

  /// The start of an incomplete line that may be a start-line; nil without one.
  @inline(__always)
  var incompleteStart: StreamPosition? {
    guard let partial, state == .startLine, partial.length > 0 else { return nil }
    return position - partial.length
  }

  /// Octets of memory of incomplete lines.
  @inline(__always)
  var keptOctets: Int { partial?.memory ?? 0 }

  @inline(__always)
  private var isInMessage: Bool {
    switch state {
    case .startLine, .lost, .other: false
    case .fields, .undecided, .body, .bodyUntilClose, .chunkSize, .chunkData, .chunkEnd, .trailer: true
    }
  }

  /// Whether the stream is in no message, and no line has begun.
  var isBetweenLines: Bool { !isInMessage && lineLength == 0 }

  /// Whether the current message needs at least one more octet.
  @inline(__always)
  var expectsMore: Bool { isInMessage && state != .bodyUntilClose && state != .undecided }

  // MARK: Octets

  /// Passes `count` octets, if they are content and not its last octets. `consume` would hand them over unchanged.
  @inline(__always)
  mutating func passContent(_ count: Int) -> Bool {
    guard state == .body || state == .chunkData, count < remaining, !isWaiting, !isBeforeContent else { return false }
    isPaused = false
    position += count
    remaining -= count
    return true
  }

  /// Reads octets. Returns how many. They are fewer than all only when the other side has to be read first.
  mutating func consume<Events: HTTP1Events>(
    _ octets: RawSpan, arrival: SegmentArrival, events: inout Events, context: inout Events.Context
  ) -> Int {
    var offset = 0
    let count = octets.byteCount
    if state == .other || (state == .startLine || state == .lost) && lineLength > 0 {
      resynchronizeAtSegmentStart(octets, &events, &context)
    }
    if isBeforeContent { decideRefused(octets, &events, &context) }
    isPaused = false
    isFreshTunnel = false
    while offset < count, !isWaiting, !isPaused {
      switch state {
      case .body, .chunkData:
        isBeforeContent = false
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
        isBeforeContent = false
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

  /// Reads up to the end of the current line, or to the end of the octets. Returns the number of read octets.
  mutating func consumeLine<Events: HTTP1Events>(
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
      // The message of a start-line does not exist yet. It will get the same times.
      if isInMessage { events.noteTimes(of: partial.start, &context) }
      let whole = partial.takeLine()
      forgetPartialIfEmpty()
      whole.withOctets { completeLine($0, line, &events, &context) }
    }
    return length
  }

  /// The facts about a complete line besides its text.
  struct Line {
    var start: LineStart
    /// The number of octets, including the terminator.
    var length: Int
    /// The octet that follows; nil if it has not come.
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

  mutating func forgetPartialIfEmpty() {
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
        // The line is not part of the message, which stops before it.
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

  // MARK: Switches

  /// Takes the other side's answer to a request for CONNECT or Upgrade.
  mutating func answered(isTunnel: Bool) {
    isWaiting = false
    // In a message, the switch comes after its end.
    if isTunnel, !isInMessage { enterTunnel() }
  }

  /// Whether the stream is in a tunnel whose protocol is unknown, and no line has begun.
  var isOpenTunnel: Bool {
    isTunnel && !isConfirmed && partial == nil && (isFreshTunnel || state == .other)
  }

  /// Passes `count` octets of the tunnel, whose protocol is another one or unknown.
  mutating func passTunnel(_ count: Int = 0) {
    state = .other
    isFreshTunnel = false
    position += count
  }

  mutating func enterTunnel() {
    state = .startLine
    isTunnel = true
    isFreshTunnel = true
    isConfirmed = false
    isWaiting = false
  }

  /// Starts reading content that ends with the connection: the response of an HTTP/0.9 exchange.
  ///
  /// The kept octets of a line are the start of the content.
  mutating func expectSimpleResponse<Events: HTTP1Events>(events: inout Events, context: inout Events.Context) {
    state = .bodyUntilClose
    guard let partial, partial.length > 0 else { return }
    partial.line.withOctets { events.body($0, &context) }
    forgetLine()
  }

  /// Whether the stream is before a message, and has read no more than the start of an HTTP-version.
  var isBeforeMessage: Bool { isBetweenMessages || isInVersion }

  /// Whether the stream is in a possible HTTP-version of a status-line.
  var isInVersion: Bool {
    guard state == .startLine, let partial, partial.length > 0 else { return false }
    return partial.length < Self.versionStart.utf8CodeUnitCount
      && partial.line.withOctets { $0.isPrefix(of: Self.versionStart, from: 0) }
  }

  /// Whether `octets`, after the kept octets of the line, can be the start of a status-line.
  func canBeVersion(_ octets: RawSpan) -> Bool { octets.isPrefix(of: Self.versionStart, from: lineLength) }

  private static var versionStart: StaticString { "http/" }

  /// Whether the stream is before a message, and has read none of it.
  var isBetweenMessages: Bool { state == .startLine && lineLength == 0 }
}
