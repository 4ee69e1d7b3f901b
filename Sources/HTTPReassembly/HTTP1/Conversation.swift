/// The HTTP messages of one connection: makes rows of what the two parsers find, pairs requests with responses,
/// and keeps the messages open for the charges of their packets.
struct Conversation {
  /// The messages of each side that are in progress or still take charges, oldest first.
  var messages = Sides<NewestQueue<OpenMessage>>(repeating: noMessages)
  static var noMessages: NewestQueue<OpenMessage> { NewestQueue(placeholder: OpenMessage(start: 0, exchange: 0)) }
  /// How the content of the newest message of each side is decoded.
  var contents = Sides<OpenContent>(repeating: OpenContent())
  /// The header section being read on each side.
  private var headers = Sides<HeaderSection>(repeating: HeaderSection())
  /// The exchanges that are not final.
  var exchanges = ExchangeQueue()
  /// The first exchange whose request has no final response yet.
  var nextToAnswer = 0
  /// The side that sends requests, once a message has been seen.
  private(set) var requestSide: Side?
  /// Whether a message has been seen: then the connection is HTTP.
  var isHTTP: Bool { requestSide != nil }
  /// The side that the first final message called the client: all others, and the connection, must do the same, whatever
  /// a late SYN says.
  var namedClient: Side?
  /// Position after the last message of each side whose row is final.
  var retiredThrough = Sides<StreamPosition>(repeating: .unknown)
  /// Whether the connection starts with the preface of HTTP/2 (RFC 9113 §3.4).
  private(set) var isHTTP2 = false
  /// Whether the connection has switched protocols.
  private(set) var isTunnel = false
  /// Octets of each side seen before it was known whether the connection is HTTP.
  private var undecided = Sides<Int>(repeating: 0)
  /// Whether messages may have been lost in a hole, so that counting pairs is not enough.
  var mayHaveLostMessages = false
  /// What the response that was just read means for a request stream that waits for it: whether it is a tunnel.
  var answer: Bool?
  /// Whether the response to an HTTP/0.9 request may come next.
  var expectsSimpleResponse = false
  /// Phases that happened before the first exchange, for it.
  var connectDuration: Int64?
  var lookupDuration: Int64?

  /// The side being read, and the packet that brought its octets: set before each call into a parser.
  var side: Side = 0
  var arrival = SegmentArrival(time: 0, acknowledged: .unknown, overhead: 0)
}

extension Conversation: HTTP1Events {
  // MARK: Start of a message

  mutating func startLine(
    _ startLine: StartLine, _ line: RawSpan, length: Int, at start: LineStart, _ run: inout Run
  ) -> Bool {
    let isAccepted =
      switch startLine {
      case .request(let request): startRequest(request, line, at: start, &run)
      case .response(let status): startResponse(status, line, at: start, &run)
      }
    guard isAccepted else { return false }
    if messages[side].isEmpty { return false }
    messages[side].newest.message.octets.startLine += length
    run.ledger.settle(length, as: .startLine)
    headers[side] = HeaderSection()
    if let observer = run.observer {
      let message = messages[side].newest.message
      observer.startLine(line, of: message.number, kind: message.kind)
    }
    return true
  }

  private mutating func startRequest(
    _ request: RequestLine, _ line: RawSpan, at start: LineStart, _ run: inout Run
  ) -> Bool {
    if line.matchesExactly("PRI * HTTP/2.0", at: 0) {
      isHTTP2 = !isHTTP
      return false
    }
    guard becomeHTTP(requestSide: side, &run) else { return false }
    let method = Method.kind(line, request.method)
    let isSimple = request.version.isEmpty
    let target = RequestTarget(line, request.target, isConnect: method == .connect)
    open(.request, at: start, of: exchanges.end, &run)
    messages[side].newest.message.exchange = run.nextExchange()
    messages[side].newest.message.method = run.texts.intern(line.extracting(request.method))
    messages[side].newest.message.path = run.texts.intern(line.extracting(target.path))
    messages[side].newest.message.queryLength = target.queryLength
    messages[side].newest.message.version = run.texts.intern(line.extracting(request.version))
    if let authority = target.authority {
      // CONNECT has no default port (RFC 9110 §9.3.6).
      let defaultPort: StaticString? = method == .connect ? nil : target.isSecure ? ":443" : ":80"
      messages[side].newest.message.host = HostName.intern(line, authority, defaultPort: defaultPort, &run.texts)
      messages[side].newest.message.hostSource = .target
    }
    if isSimple {
      messages[side].newest.message.flags.insert(.version09)
      run.note(.httpVersion09, example: line)
    } else {
      noteVersion(line, request.version, &run)
    }
    if !Method.isRegistered(line, request.method) { run.note(.httpMethodUnknown, example: line) }
    openExchange(method, isSimple: isSimple, at: start, &run)
    limitOutstandingRequests(&run)
    return true
  }

  /// Adds the exchange of the request that has just started.
  private mutating func openExchange(_ method: MethodKind, isSimple: Bool, at start: LineStart, _ run: inout Run) {
    let (connect, lookup, connection) = (connectDuration, lookupDuration, run.connection.number)
    connectDuration = nil
    lookupDuration = nil
    let request = messages.look(side) { messages in
      let message = messages.newest.message
      return (number: message.number, exchange: message.exchange, method: message.method, path: message.path)
    }
    run.texts.retain(request.method)
    run.texts.retain(request.path)
    append(&run) { open in
      open.method = method
      open.isSimple = isSimple
      open.acknowledged = start.arrival.acknowledged
      open.requestFirst = start.arrival.time
      open.openMessages = 1
      open.exchange.number = request.exchange
      open.exchange.connection = connection
      open.exchange.started = start.arrival.time
      open.exchange.timings.connect = connect
      open.exchange.timings.dns = lookup
      open.exchange.request = request.number
      open.exchange.method = request.method
      open.exchange.path = request.path
    }
  }

  private mutating func startResponse(
    _ status: StatusLine, _ line: RawSpan, at start: LineStart, _ run: inout Run
  ) -> Bool {
    guard becomeHTTP(requestSide: 1 - side, &run) else { return false }
    expectsSimpleResponse = false
    // 101 is final for the exchange: what follows is another protocol (RFC 9110 §15.2.2).
    let isInterim = status.status < 200 && status.status != 101
    var flags: MessageFlags = []
    let ordinal = pair(responseAt: start, isInterim: isInterim, &flags, &run)
    open(isInterim ? .interim : .response, at: start, of: ordinal, &run)
    messages[side].newest.message.status = status.status
    messages[side].newest.message.version = run.texts.intern(line.extracting(status.version))
    messages[side].newest.message.flags.formUnion(flags)
    adoptRequest(of: ordinal, &run)
    if !isInterim { noteResponseStart(of: ordinal) }
    noteVersion(line, status.version, &run)
    return true
  }

  /// The response to an HTTP/0.9 request has no start-line: it starts with its content.
  mutating func startSimpleResponse(at start: LineStart, _ run: inout Run) {
    expectsSimpleResponse = false
    var flags: MessageFlags = [.version09, .closeDelimited]
    let ordinal = pair(responseAt: start, isInterim: false, &flags, &run)
    open(.response, at: start, of: ordinal, &run)
    messages[side].newest.message.flags.formUnion(flags)
    adoptRequest(of: ordinal, &run)
    noteResponseStart(of: ordinal)
  }

  /// Adds a message of the side being read, of the exchange of this number in the conversation.
  private mutating func open(_ kind: MessageKind, at start: LineStart, of ordinal: Int, _ run: inout Run) {
    let (number, connection) = (run.nextMessage(), run.connection.number)
    run.connection.added.messages += 1
    append(to: side, &run) { [arrival, isTunnel] open in
      open = OpenMessage(start: start.position, exchange: ordinal)
      open.message.kind = kind
      open.message.number = number
      open.message.connection = connection
      open.message.firstTime = start.arrival.time
      open.message.lastTime = start.arrival.time
      open.note(arrival)
      if isTunnel { open.message.flags.insert(.tunnelled) }
    }
  }

  private func noteVersion(_ line: RawSpan, _ version: Range<Int>, _ run: inout Run) {
    if version.count == 8, line.isVersion11(at: version.lowerBound) { return }
    guard version.count == 8, line.matches("http/1.", at: version.lowerBound),
      line.octet(version.upperBound - 1) <= 0x31
    else { return run.note(.httpVersionUnknown, example: line) }
  }

  /// The connection carries HTTP, with requests from `requestSide`. False when that contradicts what is known.
  private mutating func becomeHTTP(requestSide: Side, _ run: inout Run) -> Bool {
    if let known = self.requestSide { return known == requestSide }
    self.requestSide = requestSide
    for side in 0..<2 {
      settleStray(undecided[side], &run)
      undecided[side] = 0
    }
    return true
  }

  // MARK: Header section

  mutating func fieldLine(_ line: RawSpan, _ found: FieldLine?, isASCII: Bool, _ run: inout Run) {
    guard !messages[side].isEmpty else { return }
    if !isASCII { noteNonASCII(line, &run) }
    run.observer?.fieldLine(
      line, name: found?.name, value: found?.value, of: messages[side].newest.message.number)
    guard let field = found else { return note(.httpFieldLineMalformed, .fieldLineMalformed, line, &run) }
    if field.hasSpaceBeforeColon { note(.httpSpaceBeforeColon, .fieldLineMalformed, line, &run) }
    if let known = KnownField(line, field.name) { take(known, line, field.value, &run) }
  }

  /// Takes a field that a reader of messages must understand.
  private mutating func take(_ known: KnownField, _ line: RawSpan, _ value: Range<Int>, _ run: inout Run) {
    switch known {
    case .contentLength: headers[side].framing.addContentLength(line, value)
    case .transferEncoding:
      headers[side].framing.addTransferEncoding(line, value)
      Self.combine(line.extracting(value), into: &messages[side].newest.message.transferEncoding, &run)
    case .contentEncoding:
      Self.combine(line.extracting(value), into: &messages[side].newest.message.contentEncoding, &run)
    case .contentType:
      guard messages[side].newest.message.contentType == .none else { break }
      messages[side].newest.message.contentType = run.texts.intern(line.extracting(value))
    case .host where messages[side].newest.message.kind == .request:
      headers[side].hostCount += 1
      // The target's authority beats Host (RFC 9112 §3.2.2); of several Host fields the first is taken.
      guard messages[side].newest.message.hostSource == .unknown else { break }
      let host = HostName.intern(line, value, defaultPort: ":80", &run.texts)
      guard host != .none else { break }
      messages[side].newest.message.host = host
      messages[side].newest.message.hostSource = .hostField
    case .upgrade: headers[side].hasUpgrade = !value.isEmpty
    case .connection:
      if line.contains("upgrade", in: value) { headers[side].connectionUpgrades = true }
    case .host: break
    }
  }

  @inline(__always)
  mutating func familiarFieldLine(at start: Int, in section: RawSpan, index: Int, _ run: inout Run) -> Int {
    guard let line = run.familiarFieldLines.line(at: start, in: section, index: index) else { return 0 }
    if let known = line.meaning, !messages[side].isEmpty {
      take(known, section.extracting(start..<start + Int(line.length) - 2), line.value, &run)
    }
    return Int(line.length)
  }

  @inline(__always)
  mutating func ordinaryFieldLine(
    _ range: Range<Int>, of section: RawSpan, _ field: FieldLine, index: Int, _ run: inout Run
  ) {
    let line = section.extracting(range.lowerBound..<range.upperBound - 2)
    guard !messages[side].isEmpty, !field.hasSpaceBeforeColon, run.observer == nil else {
      return fieldLine(line, field, isASCII: true, &run)
    }
    var meaning = KnownField(line, field.name)
    if let known = meaning { take(known, line, field.value, &run) }
    // Lengths are rarely the same, and what is said of the connection seldom means anything.
    if meaning == .contentLength { return }
    if meaning == .connection, !line.contains("upgrade", in: field.value) { meaning = nil }
    run.familiarFieldLines.remember(range, of: section, index: index, value: field.value, meaning)
  }

  private mutating func noteNonASCII(_ line: RawSpan, _ run: inout Run) {
    guard !headers[side].notedNonASCII else { return }
    headers[side].notedNonASCII = true
    run.note(.httpNonASCII, example: line)
  }

  /// Octets of a list of codings that is gathered from several field lines: any honest one is far shorter, and each line
  /// costs a copy of those before it.
  private static let combinedLimit = 1024

  /// Field lines of the same name are one list (RFC 9110 §5.3).
  private static func combine(_ value: RawSpan, into text: inout TextID, _ run: inout Run) {
    guard text != .none else {
      text = run.texts.intern(value)
      return
    }
    var combined = run.texts.octets(text)
    guard combined.count + value.byteCount < combinedLimit else { return }
    combined.append(ASCII.comma)
    combined.append(ASCII.space)
    value.append(0..<value.byteCount, to: &combined)
    run.texts.release(text)
    text = run.texts.intern(combined)
  }

  mutating func endOfHeaders(_ run: inout Run) -> BodyFraming {
    guard !messages[side].isEmpty else { return .none }
    let header = headers[side]
    let framing: BodyFraming
    if messages[side].newest.message.kind == .request {
      finishRequestHeaders(header, &run)
      framing = header.framing.request()
    } else {
      let exchange = messages[side].newest.exchange
      framing = header.framing.response(
        status: messages[side].newest.message.status, to: exchanges.read(exchange) { $0.method } ?? .ordinary)
      if messages[side].newest.message.kind == .response { decideSwitch(framing, exchange, &run) }
    }
    flag(framing, header.framing, &run)
    if framing != .none, framing != .tunnel { startContent(&run) }
    return framing
  }

  private mutating func finishRequestHeaders(_ header: HeaderSection, _ run: inout Run) {
    if header.hostCount == 0, messages[side].newest.message.hostSource == .unknown {
      if run.texts.octets(messages[side].newest.message.version).last == 0x31 {
        note(.httpHostMissing, .hostMissing, &run)
      }
    } else if header.hostCount > 1 {
      note(.httpHostRepeated, .hostRepeated, &run)
    }
    nameHost(&run)
    exchanges.change(messages[side].newest.exchange) { exchange in
      exchange.asksToSwitch = exchange.method == .connect || (header.hasUpgrade && header.connectionUpgrades)
    }
  }

  /// A request without host is named by its server's address (MEASURES §2).
  private mutating func nameHost(_ run: inout Run) {
    if messages[side].newest.message.hostSource == .unknown {
      let server = run.connection.endpoints[1 - side]
      let name = run.names.name(of: server.address)
      messages[side].newest.message.host = run.texts.intern(name ?? Array(server.address.description.utf8))
      messages[side].newest.message.hostSource = name == nil ? .address : .dns
    }
    let host = messages[side].newest.message.host
    run.texts.retain(host)
    let source = messages[side].newest.message.hostSource
    exchanges.change(messages[side].newest.exchange) { exchange in
      exchange.exchange.host = host
      exchange.hostSource = source
    }
  }

  private mutating func flag(_ framing: BodyFraming, _ fields: FramingFields, _ run: inout Run) {
    if fields.isContentLengthInvalid { note(.httpContentLengthInvalid, .contentLengthInvalid, &run) }
    if fields.isContentLengthConflicting { note(.httpContentLengthConflicting, .contentLengthConflicting, &run) }
    if fields.isContentLengthRepeated { note(.httpContentLengthRepeated, .contentLengthRepeated, &run) }
    if fields.hasTransferEncoding {
      if fields.hasContentLength {
        note(.httpContentLengthWithTransferEncoding, .contentLengthWithTransferEncoding, &run)
      }
      if !fields.isChunkedLast {
        note(.httpTransferEncodingNotChunked, .transferEncodingUnusual, &run)
      } else if fields.isChunkedMisplaced {
        note(.httpTransferEncodingUnknown, .transferEncodingUnusual, &run)
      }
      if run.texts.octets(messages[side].newest.message.version).last == 0x30 {
        note(.httpTransferEncodingInHTTP10, .transferEncodingInHTTP10, &run)
      }
    }
    if framing == .untilClose { messages[side].newest.message.flags.insert(.closeDelimited) }
  }

  private mutating func decideSwitch(_ framing: BodyFraming, _ ordinal: Int, _ run: inout Run) {
    let waits = exchanges.read(ordinal) { $0.asksToSwitch } ?? false
    if framing == .tunnel {
      isTunnel = true
      run.connection.added.flags.insert(.tunnel)
    }
    guard framing == .tunnel || waits else { return }
    answer = framing == .tunnel
    exchanges.change(ordinal) { $0.switches = framing == .tunnel }
  }

  // MARK: End of a message

  mutating func endOfMessage(at position: StreamPosition, _ run: inout Run) -> AfterMessage {
    guard !messages[side].isEmpty, messages[side].newest.isInProgress else { return .message }
    finishContent(isComplete: true, &run)
    close(at: position, &run)
    let ordinal = messages[side].newest.exchange
    if messages[side].newest.message.missing > 0 { messages[side].newest.message.exactness = .inferred }
    let isRequest = messages[side].newest.message.kind == .request
    var after = AfterMessage.message
    if isRequest {
      if messages[side].newest.message.flags.contains(.version09) {
        expectsSimpleResponse = true
        nameHost(&run)
      }
      if exchanges.read(ordinal, { $0.asksToSwitch }) == true {
        let switches = exchanges.read(ordinal) { $0.switches } ?? nil
        after = switches.map { $0 ? .tunnel : .message } ?? .answer
      }
    } else if answer == true, messages[side].newest.message.kind == .response {
      messages[side].newest.message.flags.insert(.switchedProtocols)
      after = .tunnel
    } else if answer == false {
      after = .pause
    }
    retire(side, &run)
    return after
  }

  mutating func brokenMessage(at position: StreamPosition, _ flags: MessageFlags, _ run: inout Run) {
    guard !messages[side].isEmpty, messages[side].newest.isInProgress else { return }
    if messages[side].newest.message.kind == .request, exchangeHasNoHost(messages[side].newest.exchange) {
      nameHost(&run)
    }
    finishContent(isComplete: false, &run)
    messages[side].newest.message.flags.formUnion(flags)
    messages[side].newest.message.exactness = .atLeast
    run.note(.httpMessageIncomplete)
    close(at: position, &run)
    retire(side, &run)
  }

  private func exchangeHasNoHost(_ ordinal: Int) -> Bool {
    exchanges.read(ordinal) { $0.exchange.host == .none } == true
  }

  private mutating func close(at position: StreamPosition, _ run: inout Run) {
    messages[side].newest.end = position
    run.observer?.end(
      of: messages[side].newest.message.number, decodedLength: messages[side].newest.message.decodedBody)
    let kind = messages[side].newest.message.kind
    // Not the time of the packet that shows the end, which can be a FIN, or somebody else's.
    let time = messages[side].newest.message.lastTime
    exchanges.change(messages[side].newest.exchange) { exchange in
      switch kind {
      case .request: exchange.requestLast = time
      case .response: exchange.responseLast = time
      case .interim: break
      }
    }
  }

  // MARK: Octets

  mutating func count(_ count: Int, as part: MessagePart, _ run: inout Run) {
    guard !messages[side].isEmpty else { return settleStray(count, &run) }
    switch part {
    case .header:
      messages[side].newest.message.octets.header += count
      run.ledger.settle(count, as: .header)
    case .framing:
      messages[side].newest.message.octets.framing += count
      run.ledger.settle(count, as: .framing)
    case .trailer:
      messages[side].newest.message.octets.trailer += count
      run.ledger.settle(count, as: .trailer)
    }
    messages[side].newest.note(arrival)
  }

  mutating func body(_ octets: RawSpan, _ run: inout Run) {
    guard !messages[side].isEmpty else { return settleStray(octets.byteCount, &run) }
    messages[side].newest.message.octets.body += octets.byteCount
    messages[side].newest.note(arrival)
    run.ledger.settle(octets.byteCount, as: .body)
    guard let observer = run.observer else {
      contents[side].decoder?.feed(octets)
      return
    }
    let number = messages[side].newest.message.number
    observer.content(octets, of: number)
    if contents[side].isIdentity {
      observer.decodedContent(octets, of: number)
    } else {
      contents[side].decoder?.feed(octets) { observer.decodedContent($0, of: number) }
    }
  }

  mutating func unseenBody(_ count: Int, _ run: inout Run) {
    guard !messages[side].isEmpty else { return settleStray(count, &run) }
    messages[side].newest.message.octets.body += count
    messages[side].newest.note(arrival)
    messages[side].newest.message.missing += count
    loseContent()
    run.ledger.settle(count, as: .body)
    countMissing(count, &run)
  }

  mutating func missingBody(_ count: Int, _ run: inout Run) {
    countMissing(count, &run)
    guard !messages[side].isEmpty else { return }
    messages[side].newest.message.missing += count
    loseContent()
  }

  /// Not all of the newest message's content could be seen.
  private mutating func loseContent() {
    contents[side].decoder = nil
    messages[side].newest.message.flags.insert(.contentNotSeen)
  }

  mutating func missingOutsideMessages(_ count: Int, _ run: inout Run) {
    countMissing(count, &run)
    mayHaveLostMessages = true
  }

  private func countMissing(_ count: Int, _ run: inout Run) {
    run.connection.added.missing += count
    run.ledger.missing += count
  }

  mutating func outsideMessages(_ count: Int, as reason: OutsideReason, _ run: inout Run) {
    run.connection.added.unattributed += count
    switch reason {
    case .tunnel: run.ledger.settle(count, as: .tunnel)
    case .stray: run.ledger.settle(count, as: .stray)
    case .undecided:
      if isHTTP { run.ledger.settle(count, as: .stray) } else { undecided[side] += count }
    }
  }

  private func settleStray(_ count: Int, _ run: inout Run) { run.ledger.settle(count, as: .stray) }

  /// The messages in progress end because the connection is no longer followed.
  mutating func flagEviction() {
    for side in 0..<2 {
      if !messages[side].isEmpty, messages[side].newest.isInProgress {
        messages[side].newest.message.flags.insert(.evicted)
      }
    }
  }

  /// The class of octets that are in no message and came too late to be read in their place.
  var lateClass: OctetClass { isTunnel ? .tunnel : isHTTP ? .stray : .opaque }

  /// The connection ends: what never turned out to be HTTP is opaque.
  mutating func settleUndecided(_ run: inout Run) {
    for side in 0..<2 {
      run.ledger.settle(undecided[side], as: .opaque)
      undecided[side] = 0
    }
  }

  // MARK: At rest

  /// Messages, and exchanges, of a connection that rests: more take longer to write down and to read than they are worth, for
  /// whoever sends a packet to each of many connections in turn.
  private static let restingLimit = 16

  /// Whether no message is in progress, and there are not too many.
  mutating func isAtRest() -> Bool {
    guard messages.look(0, { $0.count }) + messages.look(1, { $0.count }) <= Self.restingLimit,
      exchanges.count <= Self.restingLimit
    else { return false }
    for side in 0..<2 {
      let isInProgress = messages.look(side) { !$0.isEmpty && $0.newest.isInProgress }
      if isInProgress || contents.look(side, { $0.decoder != nil }) { return false }
    }
    return answer == nil
  }

  /// What is counted for its messages and exchanges, beside the newest ones: see `StateCost`.
  var roomCost: Int {
    (messages[0].room + messages[1].room) * StateCost.message + exchanges.room * StateCost.exchange
  }

  /// Its state, at rest.
  mutating func code(_ coder: inout StateCoder, connection number: Int) {
    for side in 0..<2 { messages[side].code(&coder) { $0.code(&$1, connection: number) } }
    exchanges.code(&coder, connection: number)
    coder.integer(&nextToAnswer)
    coder.integer(&requestSide)
    coder.integer(&namedClient)
    for side in 0..<2 { coder.position(&retiredThrough[side], or: .unknown) }
    coder.flags(&isHTTP2, &isTunnel, &mayHaveLostMessages, &expectsSimpleResponse)
    for side in 0..<2 { coder.integer(&undecided[side]) }
    coder.integer(&connectDuration)
    coder.integer(&lookupDuration)
  }

  // MARK: Anomalies

  mutating func note(_ anomaly: Anomaly, _ flags: MessageFlags, _ line: RawSpan, _ run: inout Run) {
    run.note(anomaly, example: line)
    flagCurrent(flags)
  }

  private mutating func note(_ anomaly: Anomaly, _ flags: MessageFlags, _ run: inout Run) {
    run.note(anomaly)
    flagCurrent(flags)
  }

  private mutating func flagCurrent(_ flags: MessageFlags) {
    guard !messages[side].isEmpty, !flags.isEmpty, messages[side].newest.isInProgress else { return }
    messages[side].newest.message.flags.formUnion(flags)
  }
}

extension RawSpan {
  /// Whether `text` (lower-case) is an element of the comma-separated list in `range`.
  fileprivate func contains(_ text: StaticString, in range: Range<Int>) -> Bool {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let end = firstOffset(of: ASCII.comma, in: offset..<range.upperBound) ?? range.upperBound
      let element = trimmingWhitespace(offset..<end)
      if element.count == text.utf8CodeUnitCount, matches(text, at: element.lowerBound) { return true }
      offset = end + 1
    }
    return false
  }
}
