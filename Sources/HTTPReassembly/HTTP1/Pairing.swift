// Which response answers which request (RFC 9112 §9.3): the n-th final response the n-th request, as long as nothing
// was lost. After a hole, acknowledgments tell: a client that does not pipeline has read exactly the responses before
// when it sends a request.

extension Conversation {
  /// The ordinal of the exchange that a response starting at `start` belongs to; a new one, without a request, when
  /// its request was not captured.
  mutating func pair(
    responseAt start: LineStart, isInterim: Bool, _ flags: inout MessageFlags, _ run: inout Run
  ) -> Int {
    let end = exchanges.end
    skipAnswered()
    var ordinal = nextToAnswer
    if mayHaveLostMessages, ordinal < end {
      let searched = ordinal..<min(end, ordinal + Self.searchLimit)
      if let sent = searched.first(where: { exchanges.read($0) { $0.acknowledged } == start.position }) {
        ordinal = sent
      } else if let next = exchanges.read(ordinal, { $0.acknowledged }), next != .unknown, next > start.position {
        // Everything that waits was sent after this response had been read: its own request was lost.
        ordinal = end
      } else {
        flags.insert(.pairingUncertain)
      }
    }
    if ordinal >= end {
      flags.insert(.requestNotSeen)
      run.note(.httpResponseWithoutRequest)
      let orphan = orphan(at: start, &run)
      if !isInterim { exchanges.change(orphan) { $0.isAnswered = true } }
      return orphan
    }
    if exchanges.read(ordinal, { $0.exchange.request != nil }) != true { flags.insert(.requestNotSeen) }
    if !isInterim {
      exchanges.change(ordinal) { $0.isAnswered = true }
      nextToAnswer = ordinal + 1
    }
    return ordinal
  }

  /// Waiting requests that are looked at for one response, so that a queue of them costs no more than a short one.
  private static var searchLimit: Int { 256 }

  private mutating func skipAnswered() {
    let end = exchanges.end
    nextToAnswer = max(nextToAnswer, exchanges.first)
    while nextToAnswer < end, exchanges.read(nextToAnswer, { $0.isAnswered }) == true { nextToAnswer += 1 }
  }

  /// A new exchange without a request. An interim response leaves it open for the final one.
  private mutating func orphan(at start: LineStart, _ run: inout Run) -> Int {
    let (number, connection) = (run.nextExchange(), run.connection.number)
    append(&run) { open in
      open.exchange.number = number
      open.exchange.connection = connection
      open.exchange.started = start.arrival.time
    }
    return exchanges.end - 1
  }

  /// Gives the response that has just started what it has from its request.
  mutating func adoptRequest(of ordinal: Int, _ run: inout Run) {
    exchanges.change(ordinal) { $0.openMessages += 1 }
    let found = exchanges.read(ordinal) { open in
      (
        exchange: open.exchange.number, method: open.exchange.method, host: open.exchange.host,
        path: open.exchange.path,
        source: open.exchange.request != nil && open.exchange.host != .none ? open.hostSource : nil
      )
    }
    guard let found else { return }
    run.texts.retain(found.method)
    run.texts.retain(found.host)
    run.texts.retain(found.path)
    messages[side].newest.message.exchange = found.exchange
    messages[side].newest.message.method = found.method
    messages[side].newest.message.host = found.host
    messages[side].newest.message.path = found.path
    if let source = found.source { messages[side].newest.message.hostSource = source }
  }

  /// A response can start before the header section of its request is complete; in the end it is.
  private static func adoptLateName(_ host: TextID, _ source: HostSource, _ open: inout OpenMessage, _ run: inout Run) {
    guard open.message.kind != .request, open.message.host == .none, host != .none else { return }
    open.message.host = host
    open.message.hostSource = source
    run.texts.retain(host)
  }

  /// The response that has just started is the final one of an exchange.
  mutating func noteResponseStart(of ordinal: Int) {
    let message = messages[side].newest.message
    let (time, number, status) = (message.firstTime, message.number, message.status)
    exchanges.change(ordinal) { exchange in
      exchange.responseFirst = time
      exchange.exchange.response = number
      exchange.exchange.status = status
    }
  }

  /// Requests that are never answered must not pile up: the oldest stop waiting.
  mutating func limitOutstandingRequests(_ run: inout Run) {
    guard
      exchanges.count > run.configuration.outstandingRequestLimit
        || exchanges.count > 1 && run.openExchanges > run.configuration.outstandingRequestTotalLimit
    else { return }
    run.note(.httpRequestQueueFull)
    exchanges.change(exchanges.first) { $0.isAnswered = true }
    mayHaveLostMessages = true
    finishExchanges(&run)
  }

  // MARK: Final rows

  /// Adds a message to `side`, which `make` makes: those before it only wait for late charges.
  @inline(__always)
  mutating func append(to side: Side, _ run: inout Run, _ make: (inout OpenMessage) -> Void) {
    if !messages[side].isEmpty { run.lingeringMessages += 1 }
    let room = messages[side].room
    messages[side].append(make)
    contents[side] = OpenContent()
    run.stateOctets += (messages[side].room - room) * StateCost.message
  }

  private mutating func removeFirst(_ side: Side, _ run: inout Run) {
    if messages[side].count > 1 { run.lingeringMessages -= 1 }
    let room = messages[side].room
    messages[side].removeFirst()
    run.stateOctets += (messages[side].room - room) * StateCost.message
  }

  /// Adds an exchange, which `make` makes of a new one.
  @inline(__always)
  mutating func append(_ run: inout Run, _ make: (inout OpenExchange) -> Void) {
    let room = exchanges.room
    exchanges.append(make)
    run.openExchanges += 1
    run.stateOctets += (exchanges.room - room) * StateCost.exchange
  }

  private mutating func removeFirstExchange(_ run: inout Run) {
    let room = exchanges.room
    exchanges.removeFirst()
    run.openExchanges -= 1
    run.stateOctets += (exchanges.room - room) * StateCost.exchange
  }

  /// A message of `side` has ended: makes those before it final that need not wait for charges any longer.
  mutating func retire(_ side: Side, _ run: inout Run) {
    let limit = run.configuration.lingeringMessageLimit
    if run.lingeringMessages > run.configuration.lingeringMessageTotalLimit, (2...limit).contains(messages[side].count)
    {
      run.note(.httpMessagesFull)
      retire(side, keeping: 1, &run)
    } else {
      retire(side, keeping: limit, &run)
    }
  }

  /// Makes the oldest messages of `side` final until at most `limit` are left.
  private mutating func retire(_ side: Side, keeping limit: Int, _ run: inout Run) {
    var hasRetired = false
    while messages[side].count > limit, !messages.look(side, { $0.look(0) { $0.isInProgress } }),
      !oldestAwaitsName(on: side)
    {
      retiredThrough[side] = max(retiredThrough[side], messages.look(side) { $0.look(0) { $0.end } })
      finishFirst(side, &run)
      hasRetired = true
    }
    if hasRetired { finishExchanges(&run) }
  }

  /// Whether the oldest message is a response that waits for the end of its request's header section, which names it; not for ever.
  @inline(__always)
  private mutating func oldestAwaitsName(on side: Side) -> Bool {
    let isNameless = messages.look(side) { $0.look(0) { $0.message.kind != .request && $0.message.host == .none } }
    guard isNameless, messages[side].count < Self.namelessLimit else { return false }
    return exchanges.read(messages.look(side) { $0.look(0) { $0.exchange } }) {
      $0.exchange.request != nil && $0.exchange.host == .none
    }
      == true
  }

  /// Messages kept open at most because the oldest of them has no name yet.
  private static var namelessLimit: Int { 1024 }

  /// Makes the oldest message of `side` final, where it lies: rows are large.
  private mutating func finishFirst(_ side: Side, _ run: inout Run) {
    let ordinal = messages.look(side) { $0.look(0) { $0.exchange } }
    let name = exchanges.read(ordinal) { (host: $0.exchange.host, source: $0.hostSource) }
    let client = namedClient ?? run.connection.client ?? requestSide ?? 0
    namedClient = client
    let (kind, first, length, ipLength) = messages[side].change(0) { open in
      if let name { Self.adoptLateName(name.host, name.source, &open, &run) }
      if open.pendingContent != nil { Self.settleContent(of: &open, &run) }
      run.apis.add(open.message, texts: &run.texts, anomalies: &run.anomalies)
      run.finished.add(open.message, run.connection.endpoints[client], run.connection.endpoints[1 - client])
      return (open.message.kind, open.message.firstTime, open.message.octets.total, open.message.ipLength)
    }
    exchanges.change(ordinal) { exchange in
      exchange.openMessages -= 1
      if kind == .request { exchange.requestFirst = first }
      if kind == .response { exchange.responseFirst = first }
      exchange.exchange.ipLength += ipLength
      if kind == .request {
        exchange.exchange.requestLength += length
      } else {
        exchange.exchange.responseLength += length
      }
    }
    removeFirst(side, &run)
  }

  /// Makes exchanges final, oldest first, as far as all their messages are.
  private mutating func finishExchanges(_ run: inout Run) {
    while exchanges.read(exchanges.first, { $0.isAnswered && $0.openMessages == 0 }) == true {
      finishFirstExchange(&run)
    }
  }

  private mutating func finishFirstExchange(_ run: inout Run) {
    exchanges.change(exchanges.first) { open in
      var timings = open.exchange.timings
      if let first = open.requestFirst, let last = open.requestLast { timings.send = max(last - first, 0) }
      if let sent = open.requestLast, let first = open.responseFirst { timings.wait = max(first - sent, 0) }
      if let first = open.responseFirst, let last = open.responseLast { timings.receive = max(last - first, 0) }
      if let wait = timings.wait { run.apis.add(wait, of: open.exchange, texts: &run.texts, anomalies: &run.anomalies) }
      run.finished.add(open.exchange, timings)
    }
    removeFirstExchange(&run)
  }

  /// The connection is over: everything is final.
  mutating func finishAll(_ run: inout Run) {
    for side in 0..<2 {
      while !messages[side].isEmpty { finishFirst(side, &run) }
    }
    while exchanges.count > 0 { finishFirstExchange(&run) }
    run.stateOctets -= roomCost
    exchanges = ExchangeQueue()
    for side in 0..<2 { messages[side] = Self.noMessages }
  }
}
