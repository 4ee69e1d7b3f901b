/// Reads HTTP/1.x messages from one direction of a connection (RFC 9112), octets in any portions.
///
/// Needing more octets is a state, not an error. Everything odd is an event, and reading goes on: after a framing
/// error or a hole the parser looks for the next start-line. It keeps at most one line; bodies pass through.
struct HTTP1Parser {
  enum State: UInt8 {
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

  var state = State.startLine
  /// Whether a message has been found in this stream (since the last switch of protocols).
  var isConfirmed = false
  /// Whether the stream is inside a tunnel.
  var isTunnel = false
  /// Whether the stream is where a tunnel begins.
  var isFreshTunnel = false
  /// Whether reading has stopped until the other side has answered.
  var isWaiting = false
  /// Whether reading stops so that the other side can be read first.
  var isPaused = false
  /// How the content ends, if any follows, in the state `undecided`; its length is in `remaining`.
  var undecided = UndecidedContent.length
  /// Content or chunk octets still to come.
  var remaining = 0
  /// Position of the next octet to read.
  var position: StreamPosition
  /// What is kept of lines that are not complete; nil when there is none.
  var partial: PartialLine?

  init(position: StreamPosition) { self.position = position }

  /// Octets of the incomplete line, kept or not.
  @inline(__always)
  var lineLength: Int { partial?.length ?? 0 }

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
    isFreshTunnel = false
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
      // A start-line's message does not exist yet; it is made with the same times.
      if isInMessage { events.noteTimes(of: partial.start, &context) }
      let whole = partial.takeLine()
      forgetPartialIfEmpty()
      whole.withOctets { completeLine($0, line, &events, &context) }
    }
    return length
  }

  /// What is known of a complete line beside its text.
  struct Line {
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

  // MARK: Switches

  /// The other side has answered a request for CONNECT or Upgrade.
  mutating func answered(isTunnel: Bool) {
    isWaiting = false
    // In a message, its end decides: the switch comes after it.
    if isTunnel, !isInMessage { enterTunnel() }
  }

  /// Whether the stream is inside a tunnel in which nothing was found yet, and no line is begun.
  var isOpenTunnel: Bool {
    isTunnel && !isConfirmed && partial == nil && (isFreshTunnel || state == .other)
  }

  /// What the stream is inside a tunnel is not known, beyond its start.
  mutating func passTunnel() {
    state = .other
    isFreshTunnel = false
  }

  mutating func enterTunnel() {
    state = .startLine
    isTunnel = true
    isFreshTunnel = true
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
}
