/// The HTTP/1 messages of one connection: makes rows of what the two parsers find, pairs requests with responses, and keeps the
/// messages open for the charges of their packets.
struct Conversation {
  /// The messages of each side that are in progress or still take charges.
  var owners = Sides<OwnerMap>(repeating: OwnerMap())
  /// How the content of the newest message of each side is decoded; nil on a side where no content had a coding.
  private var contents = Sides<OwnMemory<OpenContent>?>(repeating: nil)
  /// The header section being read on each side; nil when there is none.
  private var headers = Sides<HeaderSectionBox?>(repeating: nil)
  /// The exchanges that are not final.
  var exchanges = ExchangeQueue()
  /// The first exchange whose request has no final response yet.
  var nextToAnswer = 0
  /// Position after the last message of each side whose row is final.
  var retiredThrough = Sides<StreamPosition>(repeating: .unknown)
  /// Octets of each side seen before it was known whether the connection is HTTP.
  private var undecided = Sides<Int>(repeating: 0)
  /// Phases that happened before the first exchange, for it.
  @OptionalTime private var connectDuration: Int64?
  @OptionalTime private var lookupDuration: Int64?
  /// The side that sends requests, once a message has been seen.
  @OptionalSide private(set) var requestSide: Side? = nil
  /// The side that the first final message called the client: all others, and the connection, must do the same, whatever
  /// a late SYN says.
  @OptionalSide var namedClient: Side? = nil
  /// Whether the connection starts with the preface of HTTP/2 (RFC 9113 §3.4).
  private(set) var isHTTP2 = false
  /// Whether the connection goes on with HTTP/2 after the newest response.
  private(set) var isUpgraded = false
  /// Whether the connection has switched protocols.
  private(set) var isTunnel = false
  /// Whether the next final response answers the request `nextToAnswer`, as long as nothing is lost before either.
  var isAligned: Bool
  /// Whether that was the likeliest when it was decided, and is not certain.
  var isAlignmentInferred = false
  /// Whether octets of each side are not known since its newest message, in which messages may have been.
  var followsHole: Sides<Bool>
  /// Whether the newest message of each side was found after framing had been lost, or goes on from one that was.
  var isUnsure = Sides<Bool>(repeating: false)
  /// Whether the capture starts within the connection, and no message of a side has been found yet.
  var isFirst: Sides<Bool>
  /// Whether the client has sent a request before it had the whole response to the one before.
  var isPipelined = false
  /// Pairs of which both acknowledgments say that they are one, and no request was sent ahead, up to `serialLimit`.
  var serialPairs: UInt8 = 0
  /// Whether requests may have been lost, or sent before the capture started.
  private(set) var hasLostRequests: Bool
  /// Whether the capture starts within the connection.
  let isMidstream: Bool
  /// What only a connection with holes has; nil while it has none.
  private var recovery: OwnMemory<Recovery>?
  /// What the response that was just read means for a request stream that waits for it: whether it is a tunnel.
  var answer: Bool?
  /// Whether the response to an HTTP/0.9 request may come next.
  private(set) var expectsSimpleResponse = false

  init(_ opening: ConnectionOpening) {
    _connectDuration = OptionalTime(wrappedValue: opening.connectDuration)
    _lookupDuration = OptionalTime(wrappedValue: opening.lookupDuration)
    isAligned = opening.isSeen
    followsHole = Sides(repeating: !opening.isSeen)
    hasLostRequests = !opening.isSeen
    isMidstream = !opening.isSeen
    isFirst = Sides(repeating: !opening.isSeen)
  }

  /// Whether a message has been seen: then the connection is HTTP.
  var isHTTP: Bool { requestSide != nil }

  /// Octets of memory that it takes on the heap, its rows not included.
  var memory: Int {
    owners.look(0) { $0.memory } + owners.look(1) { $0.memory } + exchanges.memory
      + (contents[0] == nil ? 0 : OpenContent.memory)
      + (contents[1] == nil ? 0 : OpenContent.memory) + (recovery?.value.memory ?? 0)
  }

  /// The handshake is complete only now: its duration belongs to the first exchange.
  mutating func connected(after duration: Int64) { connectDuration = duration }

  /// The row of the newest message of the side being read.
  @inline(__always)
  private func row(_ run: borrowing Run) -> RowIndex { owners.look(run.side) { $0.newest.row } }
}

/// What a conversation keeps of a connection with holes.
private struct Recovery {
  var broken = Sides<OwnMemory<BrokenMessage>?>(repeating: nil)
  var unpaired: OwnMemory<UnpairedResponses>?
  var strayAcknowledged = Sides<StreamPosition>(repeating: .unknown)
  var gap = Sides<Int>(repeating: 0)

  /// Octets of memory that it takes, of its own.
  var memory: Int {
    MemoryLayout<Recovery>.stride + 32 + (broken[0] == nil ? 0 : BrokenMessage.memory)
      + (broken[1] == nil ? 0 : BrokenMessage.memory) + (unpaired?.value.memory ?? 0)
  }
}

extension Conversation {
  /// The newest message of each side, if framing was lost inside it; nil when it was not.
  var broken: Sides<OwnMemory<BrokenMessage>?> {
    get { recovery?.value.broken ?? Sides(repeating: nil) }
    set { openRecovery().value.broken = newValue }
  }

  /// Responses whose requests are looked for; nil when there are none.
  var unpaired: OwnMemory<UnpairedResponses>? {
    get { recovery?.value.unpaired }
    set { openRecovery().value.unpaired = newValue }
  }

  /// What the latest octets of each side in no message acknowledge, since its newest message.
  var strayAcknowledged: Sides<StreamPosition> {
    get { recovery?.value.strayAcknowledged ?? Sides(repeating: .unknown) }
    set { openRecovery().value.strayAcknowledged = newValue }
  }

  /// Octets of each side that were never captured, directly before what comes next.
  var gap: Sides<Int> {
    get { recovery?.value.gap ?? Sides(repeating: 0) }
    set { openRecovery().value.gap = newValue }
  }

  private mutating func openRecovery() -> OwnMemory<Recovery> {
    let opened = recovery ?? OwnMemory(Recovery())
    recovery = opened
    return opened
  }
}

/// A header section that does not come at once, which few do: in memory of its own.
private final class HeaderSectionBox {
  var section = HeaderSection()
}

/// What a request-line says. The texts are retained for the request's row.
struct RequestStart {
  var kind: MethodKind
  var method: TextID
  var path: TextID
  var version: TextID
  /// Octets after the first `?`; nil without one.
  var queryLength: Int?
  /// Host and port of the target, if it has them.
  var host = TextID.none
  var hasAuthority = false
  /// Whether it is the request-line of HTTP/0.9.
  var isSimple = false
}

extension Conversation: HTTP1Events {
  func limits(_ run: borrowing Run) -> HTTP1Limits {
    HTTP1Limits(line: run.configuration.lineLimit, probe: run.configuration.probeLimit)
  }

  // MARK: Start of a message

  mutating func head(
    _ octets: RawSpan, from offset: Int, at start: LineStart, _ run: inout Run
  ) -> (length: Int, framing: BodyFraming)? {
    guard run.observer == nil, let head = MessageHead.ordinary(octets, from: offset, &run) else { return nil }
    var section = head.section
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
    run.rows[message: row].octets.startLine += head.startLength
    run.rows[message: row].octets.header += head.length - head.startLength
    run.ledger.settle(head.startLength, as: .startLine)
    run.ledger.settle(head.length - head.startLength, as: .header)
    head.takeFields(octets, of: row, &section, &run)
    return (head.length, endOfHeaders(section, &run))
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
      guard isPossible(startOf: .request, at: start, run), becomeHTTP(requestSide: run.side, &run) else {
        return false
      }
      startRequest(RequestStart(request, line, &run), at: start, &run)
      noteOddities(of: request, line, &run)
    case .response(let response):
      guard isPossible(startOf: .response, at: start, run), becomeHTTP(requestSide: 1 - run.side, &run) else {
        return false
      }
      let version = run.texts.intern(line.extracting(response.version))
      startResponse(status: response.status, version: version, at: start, &run)
      noteVersion(line, response.version, &run)
    }
    let row = row(run)
    run.rows[message: row].octets.startLine += length
    run.ledger.settle(length, as: .startLine)
    headers[run.side] = HeaderSectionBox()
    if let observer = run.observer {
      let (number, kind) = run.rows.messages.look(Int(row)) { ($0.message.number, $0.message.kind) }
      observer.startLine(line, of: number, kind: kind)
    }
    return true
  }

  private mutating func startRequest(_ request: RequestStart, at start: LineStart, _ run: inout Run) {
    let row = open(.request, at: start, of: exchanges.end, &run)
    let exchange = run.nextExchange()
    run.rows[message: row].exchange = exchange
    run.rows[message: row].method = request.method
    run.rows[message: row].path = request.path
    run.rows[message: row].queryLength = request.queryLength
    run.rows[message: row].version = request.version
    if request.hasAuthority {
      run.rows[message: row].host = request.host
      run.rows[message: row].hostSource = .target
    }
    if request.isSimple { run.rows[message: row].flags.insert(.version09) }
    openExchange(request, of: row, exchange, at: start, &run)
    limitOutstandingRequests(&run)
  }

  /// Counts what is odd about a request-line.
  private mutating func noteOddities(of request: RequestLine, _ line: RawSpan, _ run: inout Run) {
    if request.version.isEmpty {
      run.note(.httpVersion09, example: line)
    } else {
      noteVersion(line, request.version, &run)
    }
    if !Method.isRegistered(line, request.method) { run.note(.httpMethodUnknown, example: line) }
  }

  /// Adds the exchange of the request that has just started.
  private mutating func openExchange(
    _ request: RequestStart, of row: RowIndex, _ number: Int, at start: LineStart, _ run: inout Run
  ) {
    run.texts.retain(request.method)
    run.texts.retain(request.path)
    run.texts.retain(request.version)
    var open = OpenExchange()
    open.method = request.kind
    open.isSimple = request.isSimple
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

  private mutating func startResponse(status: Int, version: TextID, at start: LineStart, _ run: inout Run) {
    expectsSimpleResponse = false
    // 101 is final for the exchange: what follows is another protocol (RFC 9110 §15.2.2).
    let isInterim = status < 200 && status != 101
    var flags: MessageFlags = []
    let pair = pair(responseAt: start, isInterim: isInterim, &flags, &run)
    let row = open(isInterim ? .interim : .response, at: start, of: pair.exchange, &run)
    run.rows[message: row].status = status
    run.rows[message: row].version = version
    run.rows[message: row].flags.formUnion(flags)
    take(pair, for: row, isInterim: isInterim, at: start, &run)
  }

  /// The response to an HTTP/0.9 request has no start-line: it starts with its content.
  mutating func startSimpleResponse(at start: LineStart, _ run: inout Run) {
    expectsSimpleResponse = false
    var flags: MessageFlags = [.version09, .closeDelimited]
    let pair = pair(responseAt: start, isInterim: false, &flags, &run)
    let row = open(.response, at: start, of: pair.exchange, &run)
    run.rows[message: row].flags.formUnion(flags)
    take(pair, for: row, isInterim: false, at: start, &run)
    if run.observer != nil { openContent(run) }
  }

  /// Adds a message of the side being read, of the exchange of this number in the conversation.
  mutating func open(
    _ kind: MessageKind, at start: LineStart, of exchange: Int, _ run: inout Run
  ) -> RowIndex {
    if broken[run.side] != nil { settleBroken(run.side, before: start.position, &run) }
    isUnsure[run.side] = isFirst[run.side]
    isFirst[run.side] = false
    if recovery != nil {
      strayAcknowledged[run.side] = .unknown
      gap[run.side] = 0
    }
    confirmEnd(of: run.side, at: start.position, &run)
    let row = RowIndex(run.rows.messages.insert(OpenMessage()))
    let number = run.nextMessage()
    run.connection.added.messages += 1
    run.rows.messages[Int(row)].exchange = exchange
    run.rows.messages[Int(row)].acknowledged = start.arrival.acknowledged
    if isUnsure[run.side] { run.rows.messages[Int(row)].doubts.insert(.start) }
    run.rows[message: row].kind = kind
    run.rows[message: row].number = number
    run.rows[message: row].connection = run.connection.number
    run.rows[message: row].isSecure = run.connection.beneath.isSecure
    run.rows[message: row].firstTime = start.arrival.time
    run.rows[message: row].lastTime = start.latest
    run.rows.messages[Int(row)].note(run.arrival)
    if isTunnel { run.rows[message: row].flags.insert(.tunnelled) }
    if !owners.look(run.side, { $0.isEmpty }) { run.rows.lingering += 1 }
    owners[run.side].append(row, from: start.position)
    contents[run.side]?.value.close()
    return row
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
      run.ledger.settle(undecided[side], as: .stray)
      undecided[side] = 0
    }
    return true
  }

  // MARK: Header section

  mutating func fieldLine(_ line: RawSpan, _ found: FieldLine?, isASCII: Bool, _ run: inout Run) {
    guard !owners.look(run.side, { $0.isEmpty }) else { return }
    let row = row(run)
    if !isASCII, let header = headers[run.side], !header.section.notedNonASCII {
      header.section.notedNonASCII = true
      run.note(.httpNonASCII, example: line)
    }
    run.observer?.fieldLine(line, name: found?.name, value: found?.value, of: run.rows[message: row].number)
    guard let field = found else { return note(.httpFieldLineMalformed, .fieldLineMalformed, line, &run) }
    if field.hasSpaceBeforeColon { note(.httpSpaceBeforeColon, .fieldLineMalformed, line, &run) }
    guard let known = KnownField(line, field.name), let header = headers[run.side] else { return }
    header.section.take(known, line, field.value, of: row, &run)
  }

  mutating func endOfHeaders(_ run: inout Run) -> BodyFraming {
    guard !owners.look(run.side, { $0.isEmpty }), let header = headers[run.side] else { return .none }
    headers[run.side] = nil
    return endOfHeaders(header.section, &run)
  }

  private mutating func endOfHeaders(_ header: HeaderSection, _ run: inout Run) -> BodyFraming {
    let row = row(run)
    let (kind, status, exchange) = run.rows.messages.look(Int(row)) {
      ($0.message.kind, $0.message.status, $0.exchange)
    }
    let framing: BodyFraming
    if kind == .request {
      finishRequestHeaders(header, &run)
      framing = header.framing.request()
      if framing != .none { change(exchange, &run) { $0.hasContent = true } }
    } else {
      let method = knownMethod(of: exchange, run)
      let ordinary = header.framing.response(status: status, to: method ?? .ordinary)
      framing = method == nil ? ordinary.unconfirmed : ordinary
      if framing != ordinary {
        run.rows.messages[Int(row)].doubts.insert(.end)
        run.rows.messages[Int(row)].announcesContent = true
      }
      if kind == .response { decideSwitch(framing, header, exchange, &run) }
    }
    flag(framing, header.framing, &run)
    if framing != .none, framing != .tunnel { startContent(of: row, &run) }
    return framing
  }

  private mutating func finishRequestHeaders(_ header: HeaderSection, _ run: inout Run) {
    let row = row(run)
    if header.hostCount == 0 {
      let (source, version) = run.rows.messages.look(Int(row)) { ($0.message.hostSource, $0.message.version) }
      if source == .unknown, run.texts.last(version) == 0x31 { note(.httpHostMissing, .hostMissing, &run) }
    } else if header.hostCount > 1 {
      note(.httpHostRepeated, .hostRepeated, &run)
    }
    nameHost(&run)
    let asks = header.hasUpgrade && header.connectionUpgrades
    change(run.rows.messages.look(Int(row)) { $0.exchange }, &run) { exchange in
      exchange.asksToSwitch = exchange.method == .connect || asks
      exchange.asksForHTTP2 = asks && header.upgradesToHTTP2
      exchange.tableSize = header.tableSize
    }
  }

  /// A request without host is named by what lies beneath, else by its server's address (MEASURES §2).
  private mutating func nameHost(_ run: inout Run) {
    let row = row(run)
    let beneath = run.connection.beneath
    if run.rows[message: row].hostSource == .unknown, beneath.serverName != .none {
      run.texts.retain(beneath.serverName)
      run.rows[message: row].host = beneath.serverName
      run.rows[message: row].hostSource = beneath.isNamePublic ? .publicServerName : .serverNameIndication
    } else if run.rows[message: row].hostSource == .unknown {
      let server = run.connection.endpoints[1 - run.side]
      let name = run.names.name(of: server.address)
      run.rows[message: row].host = run.texts.intern(name ?? Array(server.address.description.utf8))
      run.rows[message: row].hostSource = name == nil ? .address : .dns
    }
    let (host, source, exchange) = run.rows.messages.look(Int(row)) {
      ($0.message.host, $0.message.hostSource, $0.exchange)
    }
    run.texts.retain(host)
    change(exchange, &run) { exchange in
      exchange.exchange.host = host
      exchange.hostSource = source
    }
  }

  @inline(__always)
  private mutating func flag(_ framing: BodyFraming, _ fields: FramingFields, _ run: inout Run) {
    let row = row(run)
    if fields.isOdd { flagOddities(fields, &run) }
    if fields.hasTransferEncoding, run.texts.last(run.rows[message: row].version) == 0x30 {
      note(.httpTransferEncodingInHTTP10, .transferEncodingInHTTP10, &run)
    }
    if framing == .untilClose || framing == .unconfirmed(.untilClose, 0) {
      run.rows[message: row].flags.insert(.closeDelimited)
    }
  }

  @inline(never)
  private mutating func flagOddities(_ fields: FramingFields, _ run: inout Run) {
    if fields.isContentLengthInvalid { note(.httpContentLengthInvalid, .contentLengthInvalid, &run) }
    if fields.isContentLengthConflicting { note(.httpContentLengthConflicting, .contentLengthConflicting, &run) }
    if fields.isContentLengthRepeated { note(.httpContentLengthRepeated, .contentLengthRepeated, &run) }
    guard fields.hasTransferEncoding else { return }
    if fields.hasContentLength {
      note(.httpContentLengthWithTransferEncoding, .contentLengthWithTransferEncoding, &run)
    }
    if !fields.isChunkedLast {
      note(.httpTransferEncodingNotChunked, .transferEncodingUnusual, &run)
    } else if fields.isChunkedMisplaced {
      note(.httpTransferEncodingUnknown, .transferEncodingUnusual, &run)
    }
  }

  private mutating func decideSwitch(
    _ framing: BodyFraming, _ header: HeaderSection, _ exchange: Int, _ run: inout Run
  ) {
    let waits = read(exchange, run) { $0.asksToSwitch } ?? false
    if framing == .tunnel, header.upgradesToHTTP2, read(exchange, run, { $0.asksForHTTP2 }) == true {
      isUpgraded = true
    } else if framing == .tunnel {
      isTunnel = true
      run.connection.added.flags.insert(.tunnel)
    }
    guard framing == .tunnel || waits else { return }
    answer = framing == .tunnel
    change(exchange, &run) { $0.switches = framing == .tunnel }
  }

  private mutating func startContent(of row: RowIndex, _ run: inout Run) {
    let isCoded = run.rows.messages.look(Int(row)) {
      $0.message.contentEncoding != .none || $0.message.transferEncoding != .none
    }
    guard isCoded || run.observer != nil else { return }
    openContent(run)
    contents[run.side]?.value.start(of: row, &run)
  }

  /// Content is looked at, or has to be decoded.
  private mutating func openContent(_ run: borrowing Run) {
    if contents[run.side] == nil { contents[run.side] = OwnMemory(OpenContent()) }
    contents[run.side]?.value.isOpen = true
  }

  // MARK: End of a message

  mutating func endOfMessage(at position: StreamPosition, _ run: inout Run) -> AfterMessage {
    guard owners.look(run.side, { $0.hasMessageInProgress }) else { return .message }
    headers[run.side] = nil
    finishContent(isComplete: true, &run)
    close(at: position, &run)
    let row = row(run)
    if run.rows[message: row].missing > 0 || run.rows[message: row].unseen > 0 {
      run.rows[message: row].exactness = .inferred
    }
    let (kind, flags, exchange) = run.rows.messages.look(Int(row)) { ($0.message.kind, $0.message.flags, $0.exchange) }
    var after = AfterMessage.message
    if kind == .request {
      if flags.contains(.version09) {
        expectsSimpleResponse = true
        nameHost(&run)
      }
      let (asks, switches) = read(exchange, run) { ($0.asksToSwitch, $0.switches) } ?? (false, nil)
      if asks { after = switches.map { $0 ? .tunnel : .message } ?? .answer }
    } else if answer == true, kind == .response {
      run.rows[message: row].flags.insert(.switchedProtocols)
      after = .tunnel
    } else if answer == false {
      after = .pause
    }
    retire(run.side, &run)
    return after
  }

  mutating func brokenMessage(
    at position: StreamPosition, _ flags: MessageFlags, isLoss: Bool, _ run: inout Run
  ) {
    guard owners.look(run.side, { $0.hasMessageInProgress }) else { return }
    let section = headers[run.side]?.section
    headers[run.side] = nil
    let row = row(run)
    let (kind, exchange) = run.rows.messages.look(Int(row)) { ($0.message.kind, $0.exchange) }
    if kind == .request, read(exchange, run, { $0.exchange.host == .none }) == true { nameHost(&run) }
    finishContent(isComplete: false, &run)
    run.rows[message: row].flags.formUnion(flags)
    run.rows[message: row].exactness = .atLeast
    run.note(.httpMessageIncomplete)
    close(at: position, &run)
    if isLoss { openBroken(row, kind, section, at: position, &run) }
    retire(run.side, &run)
  }

  private mutating func finishContent(isComplete: Bool, _ run: inout Run) {
    let row = row(run)
    guard let content = contents[run.side], content.value.isOpen else {
      // Without a coding the decoded length is that of the content.
      if isComplete, run.rows[message: row].missing == 0, run.rows[message: row].unseen == 0 {
        run.rows[message: row].decodedBody = run.rows[message: row].octets.body
      }
      return
    }
    content.value.finish(of: row, isComplete: isComplete, &run)
  }

  private mutating func close(at position: StreamPosition, _ run: inout Run) {
    owners[run.side].endNewest(at: position)
    let row = row(run)
    if let observer = run.observer {
      let (number, length) = run.rows.messages.look(Int(row)) { ($0.message.number, $0.message.decodedBody) }
      observer.end(of: number, decodedLength: length)
    }
    // Not the time of the packet that shows the end, which can be a FIN, or somebody else's.
    let (kind, first, last, exchange) = run.rows.messages.look(Int(row)) {
      ($0.message.kind, $0.message.firstTime, $0.message.lastTime, $0.exchange)
    }
    change(exchange, &run) { exchange in
      switch kind {
      case .request:
        exchange.requestFirst = first
        exchange.exchange.started = first
        exchange.requestLast = last
        exchange.end = position
      case .response:
        exchange.responseFirst = first
        exchange.responseLast = last
      case .interim: exchange.interimEnd = position
      }
    }
  }

  // MARK: Octets

  /// A line of the message that is being read came in several packets.
  mutating func noteTimes(of line: LineStart, _ run: inout Run) {
    guard !owners.look(run.side, { $0.isEmpty }) else { return }
    var arrival = line.arrival
    run.rows.messages[Int(row(run))].note(arrival)
    arrival.time = line.latest
    run.rows.messages[Int(row(run))].note(arrival)
  }

  mutating func count(_ count: Int, as part: MessagePart, _ run: inout Run) {
    guard !owners.look(run.side, { $0.isEmpty }) else { return run.ledger.settle(count, as: .stray) }
    let row = row(run)
    switch part {
    case .header:
      run.rows[message: row].octets.header += count
      run.ledger.settle(count, as: .header)
    case .framing:
      run.rows[message: row].octets.framing += count
      run.ledger.settle(count, as: .framing)
    case .trailer:
      run.rows[message: row].octets.trailer += count
      run.ledger.settle(count, as: .trailer)
    }
    run.rows.messages[Int(row)].note(run.arrival)
  }

  @inline(__always)
  mutating func body(_ octets: RawSpan, _ run: inout Run) {
    guard !owners.look(run.side, { $0.isEmpty }) else { return run.ledger.settle(octets.byteCount, as: .stray) }
    let row = row(run)
    run.rows[message: row].octets.body += octets.byteCount
    run.rows.messages[Int(row)].note(run.arrival)
    run.ledger.settle(octets.byteCount, as: .body)
    if let content = contents[run.side], content.value.isOpen { content.value.take(octets, of: row, &run) }
  }

  mutating func unseenBody(_ count: Int, _ run: inout Run) {
    guard !owners.look(run.side, { $0.isEmpty }) else { return run.ledger.settle(count, as: .stray) }
    let row = row(run)
    run.rows[message: row].octets.body += count
    run.rows.messages[Int(row)].note(run.arrival)
    run.rows[message: row].unseen += count
    loseContent(&run)
    run.ledger.settle(count, as: .body)
    run.countUnseen(count)
  }

  mutating func missingBody(_ count: Int, _ run: inout Run) {
    run.countMissing(count)
    guard !owners.look(run.side, { $0.isEmpty }) else { return }
    run.rows[message: row(run)].missing += count
    loseContent(&run)
  }

  /// Not all of the newest message's content could be seen.
  private mutating func loseContent(_ run: inout Run) {
    contents[run.side]?.value.decoder = nil
    run.rows[message: row(run)].flags.insert(.contentNotSeen)
  }

  mutating func missingOutsideMessages(_ count: Int, _ run: inout Run) {
    run.countMissing(count)
    followsHole[run.side] = true
    gap[run.side] += count
  }

  mutating func unseenOutsideMessages(_ count: Int, as reason: OutsideReason, _ run: inout Run) {
    run.countUnseen(count)
    if reason == .stray, extendBroken(by: count, unseen: count, &run) { return }
    outsideMessages(count, as: reason, &run)
    followsHole[run.side] = true
  }

  mutating func lostOctets(
    _ count: Int, at position: StreamPosition, as reason: OutsideReason, _ run: inout Run
  ) {
    if reason == .stray, broken[run.side] == nil { startHeadless(at: position, &run) }
    outsideMessages(count, as: reason, &run)
  }

  mutating func outsideMessages(_ count: Int, as reason: OutsideReason, _ run: inout Run) {
    droppedLine(count, as: reason, &run)
    if !isAligned || recovery != nil, broken[run.side] == nil {
      strayAcknowledged[run.side] = run.arrival.acknowledged
    }
  }

  mutating func droppedLine(_ count: Int, as reason: OutsideReason, _ run: inout Run) {
    if reason == .stray, extendBroken(by: count, unseen: 0, &run) { return }
    if recovery != nil { gap[run.side] = 0 }
    run.connection.added.unattributed += count
    switch reason {
    case .tunnel: run.ledger.settle(count, as: .tunnel)
    case .stray: run.ledger.settle(count, as: .stray)
    case .undecided:
      if isHTTP { run.ledger.settle(count, as: .stray) } else { undecided[run.side] += count }
    }
  }

  // MARK: Boundaries

  func mayBeNextResponse(at position: StreamPosition, _ arrival: SegmentArrival, _ run: borrowing Run) -> Bool {
    if isPipelined { return true }
    let acknowledged = run.rows.messages.look(Int(row(run))) { $0.acknowledged }
    return position == arrival.segment && (arrival.acknowledged == .unknown || arrival.acknowledged != acknowledged)
  }

  func mayStart(at position: StreamPosition, _ arrival: SegmentArrival, _ run: borrowing Run) -> Bool {
    guard isBeyondBroken(arrival, run), let requestSide else { return broken[run.side] == nil }
    let start = LineStart(position: position, arrival: arrival)
    return isPossible(startOf: run.side == requestSide ? .request : .response, at: start, run)
  }

  /// Whether a packet's octets are none of a message that has lost its framing.
  func isBeyondBroken(_ arrival: SegmentArrival, _ run: borrowing Run) -> Bool {
    guard let message = broken[run.side], !isPipelined else { return true }
    return !isOwn(arrival.acknowledged, of: message.value, run)
  }

  func nextBoundary(
    after position: StreamPosition, before end: StreamPosition, _ run: borrowing Run
  ) -> StreamPosition? {
    // A client has read whole responses when it sends a request.
    guard requestSide == 1 - run.side else { return nil }
    var next: StreamPosition?
    for number in max(nextToAnswer, exchanges.end - Self.boundaryLimit)..<max(nextToAnswer, exchanges.end) {
      guard let acknowledged = read(number, run, { $0.acknowledged }), acknowledged > position, acknowledged < end
      else {
        continue
      }
      next = min(next ?? acknowledged, acknowledged)
    }
    return next
  }

  /// Waiting requests, the newest ones, whose acknowledgments say where responses may start.
  static var boundaryLimit: Int { 16 }

  mutating func resynchronized(at start: LineStart, _ run: inout Run) {
    let isConfirmed = run.side == requestSide && requestEnd(acknowledgedBefore: start, run) == start.position
    let row = row(run)
    run.rows.messages[Int(row)].doubts.insert(.start)
    isUnsure[run.side] = true
    // Unless the response before says that it starts there.
    guard run.side == requestSide, !isConfirmed else { return }
    change(run.rows.messages.look(Int(row)) { $0.exchange }, &run) { $0.isDoubtful = true }
  }

  mutating func hasNoContent(_ run: inout Run) {
    run.rows[message: row(run)].flags.remove(.closeDelimited)
  }

  mutating func opensTunnel(_ run: inout Run) {
    run.rows[message: row(run)].flags.remove(.closeDelimited)
    isTunnel = true
    run.connection.added.flags.insert(.tunnel)
    answer = true
  }

  /// Something starts, or the stream ends, where the newest message of a side ended: there it did end.
  mutating func confirmEnd(of side: Side, at position: StreamPosition, _ run: inout Run) {
    guard !owners.look(side, { $0.isEmpty }) else { return }
    let (row, end) = owners.look(side) { ($0.newest.row, $0.newest.end) }
    // What ends where the connection does may have begun to be others' long before: that it is closed says nothing of it.
    guard end == position, !run.rows[message: row].flags.contains(.closeDelimited) else { return }
    run.rows.messages[Int(row)].doubts.remove(.end)
  }

  /// The stream of a side is over; it ends at a position if its sender has closed it.
  mutating func endStream(_ side: Side, at position: StreamPosition?, _ run: inout Run) {
    settleBroken(side, before: position, &run)
    if let position { confirmEnd(of: side, at: position, &run) }
  }

  /// The messages in progress end because the connection is no longer followed.
  mutating func flagEviction(_ run: inout Run) {
    for side in 0..<2 where owners.look(side, { $0.hasMessageInProgress }) {
      run.rows[message: owners[side].newest.row].flags.insert(.evicted)
    }
  }

  /// The class of octets that are in no message and came too late to be read in their order.
  var lateClass: OctetClass { isTunnel ? .tunnel : isHTTP ? .stray : .opaque }

  /// The connection ends: what never turned out to be HTTP is opaque.
  mutating func settleUndecided(_ run: inout Run) {
    for side in 0..<2 {
      run.ledger.settle(undecided[side], as: .opaque)
      undecided[side] = 0
    }
  }

  // MARK: Anomalies

  mutating func note(_ anomaly: Anomaly, _ flags: MessageFlags, _ line: RawSpan, _ run: inout Run) {
    run.note(anomaly, example: line)
    flagCurrent(flags, &run)
  }

  private mutating func note(_ anomaly: Anomaly, _ flags: MessageFlags, _ run: inout Run) {
    run.note(anomaly)
    flagCurrent(flags, &run)
  }

  private mutating func flagCurrent(_ flags: MessageFlags, _ run: inout Run) {
    guard !flags.isEmpty, owners.look(run.side, { $0.hasMessageInProgress }) else { return }
    run.rows[message: row(run)].flags.formUnion(flags)
  }
}

extension RequestStart {
  /// What any request-line says.
  init(_ request: RequestLine, _ line: RawSpan, _ run: inout Run) {
    kind = Method.kind(line, request.method)
    let target = RequestTarget(line, request.target, isConnect: kind == .connect)
    method = run.texts.intern(line.extracting(request.method))
    path = run.texts.intern(line.extracting(target.path))
    version = run.texts.intern(line.extracting(request.version))
    queryLength = target.queryLength
    isSimple = request.version.isEmpty
    guard let authority = target.authority else { return }
    // CONNECT has no default port (RFC 9110 §9.3.6).
    let defaultPort: StaticString? = kind == .connect ? nil : target.isSecure ? ":443" : ":80"
    host = HostName.intern(line, authority, defaultPort: defaultPort, &run.texts)
    hasAuthority = true
  }
}
