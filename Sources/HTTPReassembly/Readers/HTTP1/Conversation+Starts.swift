// The start of messages: their rows and the contents of their start-lines.

/// The contents of a request-line. The texts are retained for the request's row.
struct RequestStart {
  var kind: MethodKind
  var method: TextID
  var path: TextID
  var version: TextID
  /// The number of octets after the first `?`; nil without one.
  var queryLength: Int?
  /// The mark of the target; 0 when no table wants it.
  var target: UInt64 = 0
  /// Host and port of the target, if present.
  var host = TextID.none
  var hasAuthority = false
  /// Whether it is the request-line of HTTP/0.9.
  var isSimple = false
}

extension Conversation {
  mutating func head(
    _ octets: RawSpan, from offset: Int, at start: LineStart, _ run: inout Run
  ) -> (length: Int, framing: BodyFraming)? {
    var head = MessageHead(from: offset)
    guard run.contents.observer == nil, head.readOrdinary(octets, &run) else { return nil }
    guard isPossible(startOf: head.isRequest ? .request : .response, at: start, run),
      becomeHTTP(requestSide: head.isRequest ? run.side : 1 - run.side, &run)
    else {
      head.release(&run)
      return nil
    }
    if head.isRequest {
      startRequest(head.request(octets, &run), at: start, &run)
    } else {
      startResponse(status: head.status, version: head.version(octets, &run), at: start, &run)
    }
    let row = row(run)
    run.rows.messages.change(Int(row)) { open in
      open.message.octets.startLine += head.startLength
      open.message.octets.header += head.length - head.startLength
    }
    run.ledger.settle(head.startLength, as: .startLine)
    run.ledger.settle(head.length - head.startLength, as: .header)
    head.takeFields(octets, of: row, &run)
    return (head.length, endOfHeaders(head.facts.section, &run))
  }

  mutating func startLine(
    _ startLine: StartLine, _ line: RawSpan, length: Int, at start: LineStart, _ run: inout Run
  ) -> Bool {
    switch startLine {
    case .request(let request):
      if line.matchesExactly("PRI * HTTP/2.0", at: 0) {
        isHTTP2 = !isHTTP
        return false
      }
      guard mayStart(.request, at: start, &run), becomeHTTP(requestSide: run.side, &run) else { return false }
      startRequest(RequestStart(request, line, &run), at: start, &run)
      noteOddities(of: request, line, &run)
    case .response(let response):
      guard mayStart(.response, at: start, &run), becomeHTTP(requestSide: 1 - run.side, &run) else { return false }
      let version = run.texts.intern(line.extracting(response.version))
      startResponse(status: response.status, version: version, at: start, &run)
      noteVersion(line, response.version, &run)
    }
    let row = row(run)
    run.rows[message: row].octets.startLine += length
    run.ledger.settle(length, as: .startLine)
    headers[run.side] = HeaderSectionBox()
    if let observer = run.contents.observer {
      let (number, kind) = run.rows.messages.look(Int(row)) { ($0.message.number, $0.message.kind) }
      observer.startLine(line, of: number, kind: kind)
      run.contents.countObserved()
    }
    return true
  }

  /// Whether a line that looks like a message's start is one. If not, a message may still have been passed over.
  private mutating func mayStart(_ kind: MessageKind, at start: LineStart, _ run: inout Run) -> Bool {
    if isPossible(startOf: kind, at: start, run) || showsPipelining(kind, at: start, run) { return true }
    refusedStart(&run)
    return false
  }

  mutating func startRequest(_ request: RequestStart, at start: LineStart, _ run: inout Run) {
    let interval = followsHole[run.side] ? interval(before: start, run) : MessageInterval()
    let row = open(.request, at: start, of: exchanges.end, &run)
    let exchange = run.numbers.nextExchange()
    run.rows.messages.change(Int(row)) { open in
      open.message.exchange = exchange
      open.message.method = request.method
      open.message.path = request.path
      open.message.target = request.target
      open.message.queryLength = request.queryLength
      open.message.version = request.version
      if request.hasAuthority {
        open.message.host = request.host
        open.message.hostSource = .target
      }
      if request.isSimple { open.message.flags.insert(.version09) }
    }
    openExchange(request, of: row, exchange, at: start, &run)
    if isPipelined || interval.length >= 0 { noteDistance(of: start, interval, &run) }
    limitOutstandingRequests(&run)
  }

  /// Counts the oddities of a request-line.
  mutating func noteOddities(of request: RequestLine, _ line: RawSpan, _ run: inout Run) {
    if request.version.isEmpty {
      run.note(.httpVersion09, example: line)
    } else {
      noteVersion(line, request.version, &run)
    }
    if !Method.isRegistered(line, request.method) { run.note(.httpMethodUnknown, example: line) }
  }

  /// Adds the exchange of the request that has just started.
  mutating func openExchange(
    _ request: RequestStart, of row: RowIndex, _ number: Int, at start: LineStart, _ run: inout Run
  ) {
    run.texts.retain([request.method, request.path, request.version])
    var open = OpenExchange()
    open.method = request.kind
    open.isSimple = request.isSimple
    open.target = request.target
    open.start = start.position
    open.acknowledged = start.arrival.acknowledged
    open.followsHole = followsHole[run.side]
    followsHole[run.side] = false
    if open.followsHole { hasLostRequests = true }
    if !open.followsHole, !isPipelined { isPipelined = isSentAhead(start, run) }
    open.requestFirst = start.arrival.time
    open.openMessages = 1
    open.exchange.number = number
    open.exchange.connection = run.connection.number
    open.exchange.started = start.arrival.time
    open.exchange.timings.connect = connectDuration
    open.exchange.timings.dns = lookupDuration
    open.exchange.timings.tls = run.connection.beneath.handshake
    run.connection.beneath.handshake = nil
    open.exchange.request = run.rows[message: row].number
    open.exchange.method = request.method
    open.exchange.path = request.path
    open.exchange.version = request.version
    connectDuration = nil
    lookupDuration = nil
    exchanges.append(RowIndex(run.rows.exchanges.insert(open)))
  }

  mutating func startResponse(status: Int, version: TextID, at start: LineStart, _ run: inout Run) {
    expectsSimpleResponse = false
    // 101 is final for the exchange. Another protocol follows (RFC 9110 §15.2.2).
    let isInterim = status < 200 && status != 101
    var flags: MessageFlags = []
    if recovery != nil, !isPipelined { _ = showsPipelining(.response, at: start, run) }
    let pair = pair(responseAt: start, isInterim: isInterim, &flags, &run)
    let row = open(isInterim ? .interim : .response, at: start, of: pair.exchange, &run)
    run.rows.messages.change(Int(row)) { open in
      open.message.status = status
      open.message.version = version
      open.message.flags.formUnion(flags)
    }
    take(pair, for: row, isInterim: isInterim, at: start, &run)
  }

  /// Starts the response to an HTTP/0.9 request with its content, because it has no start-line.
  mutating func startSimpleResponse(at start: LineStart, _ run: inout Run) {
    expectsSimpleResponse = false
    var flags: MessageFlags = [.version09, .closeDelimited]
    let pair = pair(responseAt: start, isInterim: false, &flags, &run)
    let row = open(.response, at: start, of: pair.exchange, &run)
    run.rows[message: row].flags.formUnion(flags)
    take(pair, for: row, isInterim: false, at: start, &run)
    if run.contents.observer != nil || run.notes.contents.isWanted { openContent(run) }
  }

  /// Adds a message of the current side to the exchange with this number in the conversation.
  mutating func open(
    _ kind: MessageKind, at start: LineStart, of exchange: Int, _ run: inout Run
  ) -> RowIndex {
    if recovery != nil, broken[run.side] != nil { settleBroken(run.side, before: start.position, &run) }
    isUnsure[run.side] = isFirst[run.side]
    isFirst[run.side] = false
    if recovery != nil {
      if kind != .request, recovery?.value.doubtedSegment == start.arrival.segment { isUnsure[run.side] = true }
      strayAcknowledged[run.side] = .unknown
      gap[run.side] = 0
      recovery?.value.certainty[run.side] = .exact
      recovery?.value.ahead[run.side] = nil
    }
    confirmEnd(of: run.side, at: start.position, &run)
    let row = RowIndex(run.rows.messages.insert(OpenMessage()))
    let number = run.numbers.nextMessage()
    run.connection.added.messages += 1
    let (isUnsure, isTunnel) = (isUnsure[run.side], isTunnel || run.connection.beneath.isTunnelled)
    let process = run.process(client: kind == .request ? run.side : 1 - run.side)
    run.rows.messages.change(Int(row)) { open in
      open.exchange = exchange
      open.acknowledged = start.arrival.acknowledged
      if isUnsure { open.doubts.insert(.start) }
      open.message.kind = kind
      open.message.number = number
      open.message.connection = run.connection.number
      open.message.isSecure = run.connection.beneath.isSecure
      open.message.process = process
      open.message.firstTime = start.arrival.time
      open.message.lastTime = start.latest
      open.note(run.arrival)
      if isTunnel { open.message.flags.insert(.tunnelled) }
    }
    if !owners.look(run.side, { $0.isEmpty }) { run.rows.lingering += 1 }
    owners[run.side].append(MessageReference(row: row, number: number), from: start.position)
    contents[run.side]?.value.close()
    return row
  }

  func noteVersion(_ line: RawSpan, _ version: Range<Int>, _ run: inout Run) {
    if version.count == 8, line.isVersion11(at: version.lowerBound) { return }
    guard version.count == 8, line.matches("http/1.", at: version.lowerBound),
      line.octet(version.upperBound - 1) <= 0x31
    else { return run.note(.httpVersionUnknown, example: line) }
  }

  /// Notes that the connection carries HTTP with requests from `requestSide`. Returns false if that contradicts known facts.
  mutating func becomeHTTP(requestSide: Side, _ run: inout Run) -> Bool {
    if let known = self.requestSide { return known == requestSide }
    self.requestSide = requestSide
    if run.isDirected, run.connection.directedClient == nil {
      run.connection.directedClient = requestSide
      run.turn(to: run.side)
    }
    for side in 0..<2 {
      run.settle(undecided[side], as: .stray, of: side)
      undecided[side] = 0
    }
    return true
  }
}

extension RequestStart {
  /// The contents of any request-line.
  init(_ request: RequestLine, _ line: RawSpan, _ run: inout Run) {
    kind = Method.kind(line, request.method)
    let target = RequestTarget(line, request.target, isConnect: kind == .connect)
    method = run.texts.intern(line.extracting(request.method))
    path = run.texts.intern(line.extracting(target.path))
    version = run.texts.intern(line.extracting(request.version))
    queryLength = target.queryLength
    if run.notes.contents.isWanted { self.target = OctetMark.of(line.extracting(request.target)) }
    isSimple = request.version.isEmpty
    guard let authority = target.authority else { return }
    // CONNECT has no default port (RFC 9110 §9.3.6).
    let defaultPort: StaticString? = kind == .connect ? nil : target.isSecure ? ":443" : ":80"
    host = HostName.intern(line, authority, defaultPort: defaultPort, &run.texts)
    hasAuthority = true
  }
}
