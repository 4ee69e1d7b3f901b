// Pairs of requests and responses (RFC 9112 §9.3). The n-th final response answers the n-th request, unless octets were lost.
// After a gap, acknowledgments decide. A client that does not pipeline sends a request when it has read exactly the responses
// before.

extension Conversation {
  // MARK: Exchanges by number

  /// Reads from the exchange with this number; nil when it is not here any more.
  @inline(__always)
  func read<Value>(_ number: Int, _ run: borrowing Run, _ value: (borrowing OpenExchange) -> Value) -> Value? {
    guard let row = exchanges.row(number) else { return nil }
    return run.rows.exchanges.look(Int(row), value)
  }

  /// Changes the exchange with this number, if it is here.
  @inline(__always)
  func change(_ number: Int, _ run: inout Run, _ body: (inout OpenExchange) -> Void) {
    if let row = exchanges.row(number) { body(&run.rows.exchanges[Int(row)]) }
  }

  /// The meaning of a request's method for framing; nil when the request was not captured.
  mutating func knownMethod(of number: Int, _ run: borrowing Run) -> MethodKind? {
    read(number, run) { $0.exchange.request == nil ? nil : $0.method } ?? nil
  }

  // MARK: Pairs

  /// The exchange of a response that starts.
  struct Pair {
    /// The exchange's number in the conversation; -1 while undecided.
    var exchange: Int
    var pairing: Pairing
  }

  /// The pair of a response that starts at `start`. If its request was not captured, it is a new exchange without a request.
  ///
  /// Without losses, the n-th final response answers the n-th request. After a gap, the acknowledgments decide. A client that
  /// does not pipeline sends a request when it has read exactly the responses before. Its server answers when it has read
  /// exactly that request.
  mutating func pair(
    responseAt start: LineStart, isInterim: Bool, _ flags: inout MessageFlags, _ run: inout Run
  ) -> Pair {
    let (isBehindHole, wasAligned) = (followsHole[run.side], isAligned)
    followsHole[run.side] = false
    if isBehindHole { isAligned = false }
    skipAnswered(run)
    if let pair = pairBehindInterim(start, isBehindHole: isBehindHole, isInterim: isInterim, run) {
      return give(pair, isInterim: isInterim, &flags, &run)
    }
    if isAligned {
      guard nextToAnswer < exchanges.end else { return orphan(isInterim: isInterim, at: start, &flags, &run) }
      if read(nextToAnswer, run, { !$0.followsHole && $0.exchange.request != nil }) == true {
        if !isInterim { noteSerial(nextToAnswer, start, run) }
        if isAlignmentInferred, !isPipelined, isCertain(nextToAnswer, start, run) { isAlignmentInferred = false }
        let pair = Pair(exchange: nextToAnswer, pairing: isAlignmentInferred ? .inferred : .exact)
        return give(pair, isInterim: isInterim, &flags, &run)
      }
      isAligned = false
      // A lost request came before the next one, and its response was not read before that one was sent.
      if !isPipelined, read(nextToAnswer, run, { $0.isBehindRequest && $0.acknowledged <= start.position }) == true {
        isPipelined = true
      }
    }
    if isPipelined {
      let pair = deferPair(at: start, isBehindHole: isBehindHole, wasAligned: wasAligned, &run)
      return pair.exchange < 0 ? pair : give(pair, isInterim: isInterim, &flags, &run)
    }
    guard let number = requestByAcknowledgment(start, run) else {
      return orphan(isInterim: isInterim, at: start, &flags, &run)
    }
    isAligned = true
    if !isInterim { noteSerial(number, start, run) }
    isAlignmentInferred = !isCertain(number, start, run)
    let pair = Pair(exchange: number, pairing: isAlignmentInferred ? .inferred : .exact)
    return give(pair, isInterim: isInterim, &flags, &run)
  }

  /// Whether a response certainly answers a request.
  ///
  /// Both acknowledgments agree, the request is certain, and the client sends one request at a time. The client has shown
  /// that, or all of its requests have been seen.
  ///
  /// If a client always has two requests on the way, both acknowledgments also fit the wrong pair. Each request acknowledges
  /// everything before the response to the request before it, and that response acknowledges the request.
  private func isCertain(_ number: Int, _ start: LineStart, _ run: borrowing Run) -> Bool {
    let isEveryRequestSeen = !hasLostRequests && requestSide.map { !followsHole[$0] } ?? false
    guard serialPairs >= (needsMoreProof ? Self.serialLimit : 2) || isEveryRequestSeen else { return false }
    return hasBothKeys(number, start, run)
  }

  /// Whether both acknowledgments confirm that a response answers a request.
  ///
  /// No earlier waiting request may claim the same start of the response. One would if the client sent both at once, and a gap
  /// between them hid that.
  private func hasBothKeys(_ number: Int, _ start: LineStart, _ run: borrowing Run) -> Bool {
    guard
      read(number, run, { !$0.isDoubtful && $0.keys(of: start.position, start.arrival.acknowledged) == 2 }) == true
    else { return false }
    guard number > nextToAnswer else { return true }
    return read(number - 1, run, { !$0.isAnswered && $0.acknowledged == start.position }) != true
  }

  /// Counts a pair that shows that the client sends one request at a time.
  @inline(__always)
  private mutating func noteSerial(_ number: Int, _ start: LineStart, _ run: borrowing Run) {
    guard serialPairs < Self.serialLimit, !isPipelined, hasBothKeys(number, start, run) else { return }
    serialPairs += 1
  }

  /// The number of pairs that show that a client sends one request at a time, as nearly all do.
  ///
  /// It applies if the capture starts within the connection, or if a request may have been sent ahead. By then, a client that
  /// pipelines has sent two requests with the same acknowledgment. Otherwise two pairs are enough, because no request was on the
  /// way at the start.
  static var serialLimit: UInt8 { 8 }

  /// The pair of a final response directly behind an interim one. Both answer the same request.
  private mutating func pairBehindInterim(
    _ start: LineStart, isBehindHole: Bool, isInterim: Bool, _ run: borrowing Run
  ) -> Pair? {
    guard !isBehindHole else { return nil }
    // It is the next request, or one that was not captured.
    let newest = exchanges.end - 1
    if let pair = pair(with: nextToAnswer, behindInterimAt: start.position, run) { return pair }
    return newest == nextToAnswer ? nil : pair(with: newest, behindInterimAt: start.position, run)
  }

  /// The pair with an exchange if its latest interim response ends at a position.
  @inline(__always)
  private mutating func pair(
    with number: Int, behindInterimAt position: StreamPosition, _ run: borrowing Run
  ) -> Pair? {
    guard
      let (isBehind, hasRequest) = read(
        number, run, { ($0.interimEnd == position && !$0.isAnswered, $0.exchange.request != nil) }), isBehind
    else { return nil }
    return Pair(exchange: number, pairing: !hasRequest ? .unknown : isAlignmentInferred ? .inferred : .exact)
  }

  /// The waiting request that a response answers, by the acknowledgments of their first segments; nil if none fits.
  private func requestByAcknowledgment(_ start: LineStart, _ run: borrowing Run) -> Int? {
    var best: (number: Int, keys: Int)?
    let oldest = max(nextToAnswer, exchanges.end - Self.searchLimit)
    for number in stride(from: exchanges.end - 1, through: oldest, by: -1) {
      let keys = read(number, run) { $0.isAnswered ? 0 : $0.keys(of: start.position, start.arrival.acknowledged) } ?? 0
      if keys > best?.keys ?? 0 { best = (number, keys) }
      if keys == 2 { break }
    }
    guard let best else { return nil }
    return firstSentAhead(of: best.number, start, oldest: oldest, run)
  }

  /// The first of the waiting requests that acknowledge exactly the start of a response, up to one of them. Nil if a lost request may have
  /// come before it.
  ///
  /// All of them were sent before any octet of the response had come, or are content of the first. So it is the answer to that.
  private func firstSentAhead(
    of number: Int, _ start: LineStart, oldest: Int, _ run: borrowing Run
  ) -> Int? {
    var first = number
    while first > oldest, isWaiting(first, for: start, run), isWaiting(first - 1, for: start, run) { first -= 1 }
    if first < number, read(first, run, { $0.followsHole }) == true { return nil }
    return first
  }

  /// Whether a request waits for a response, and acknowledges exactly the start of this one.
  private func isWaiting(_ number: Int, for start: LineStart, _ run: borrowing Run) -> Bool {
    read(number, run) {
      !$0.isAnswered && $0.exchange.request != nil && $0.acknowledged == start.position
    } == true
  }

  /// The number of newest waiting requests that are checked for one response. A long queue thus costs no more than a short one.
  private static var searchLimit: Int { 256 }

  /// Gives a response to an exchange. Earlier requests get no response.
  mutating func give(
    _ pair: Pair, isInterim: Bool, _ flags: inout MessageFlags, _ run: inout Run
  ) -> Pair {
    if pair.pairing == .inferred { flags.insert(.pairingUncertain) }
    if read(pair.exchange, run, { $0.exchange.request != nil }) != true { flags.insert(.requestNotSeen) }
    passUnanswered(before: pair.exchange, &run)
    if !isInterim {
      change(pair.exchange, &run) { $0.isAnswered = true }
      nextToAnswer = pair.exchange + 1
    }
    return pair
  }

  /// Stops waiting for the responses to earlier requests, which were not captured.
  mutating func passUnanswered(before number: Int, _ run: inout Run) {
    while nextToAnswer < number {
      change(nextToAnswer, &run) { exchange in
        guard !exchange.isAnswered else { return }
        exchange.isAnswered = true
        exchange.exchange.pairing = .unknown
      }
      nextToAnswer += 1
    }
  }

  /// Notes that the next response is no longer known.
  mutating func loseAlignment() {
    isAligned = false
    followsHole = Sides(repeating: true)
  }

  /// Gives a response to a new exchange, because it has no request here.
  private mutating func orphan(
    isInterim: Bool, at start: LineStart, _ flags: inout MessageFlags, _ run: inout Run
  ) -> Pair {
    isAligned = false
    flags.insert(.requestNotSeen)
    run.note(.httpResponseWithoutRequest)
    let number = orphan(started: start.arrival.time, &run)
    if !isInterim { change(number, &run) { $0.isAnswered = true } }
    return Pair(exchange: number, pairing: .unknown)
  }

  /// Writes the pair of a response that has just started into its row.
  mutating func take(_ pair: Pair, for row: RowIndex, isInterim: Bool, at start: LineStart, _ run: inout Run) {
    run.rows[message: row].pairing = pair.pairing
    if !isInterim, recovery != nil, let side = requestSide, broken[side] != nil {
      endBroken(side, at: start.arrival.acknowledged, &run)
    }
    guard pair.exchange >= 0 else { return wait(forPairOf: row, isInterim: isInterim, at: start, &run) }
    adoptRequest(of: pair.exchange, into: row, &run)
    if !isInterim { noteResponseStart(of: pair.exchange, row, &run) }
  }

  mutating func skipAnswered(_ run: borrowing Run) {
    let end = exchanges.end
    nextToAnswer = max(nextToAnswer, exchanges.first)
    while nextToAnswer < end, read(nextToAnswer, run, { $0.isAnswered }) == true { nextToAnswer += 1 }
  }

  /// A new exchange without a request. An interim response leaves it open for the final one.
  mutating func orphan(started: Int64, _ run: inout Run) -> Int {
    var open = OpenExchange()
    open.exchange.number = run.numbers.nextExchange()
    open.exchange.connection = run.connection.number
    open.exchange.started = started
    open.exchange.pairing = .unknown
    exchanges.append(RowIndex(run.rows.exchanges.insert(open)))
    return exchanges.end - 1
  }

  /// Copies facts about the request to the response that has just started.
  mutating func adoptRequest(of number: Int, into row: RowIndex, _ run: inout Run) {
    guard let exchange = exchanges.row(number) else { return }
    let found = run.rows.exchanges.change(Int(exchange)) { open in
      open.openMessages += 1
      return (
        target: open.target, exchange: open.exchange.number, method: open.exchange.method, host: open.exchange.host,
        path: open.exchange.path,
        source: open.exchange.request != nil && open.exchange.host != .none ? open.hostSource : nil
      )
    }
    run.texts.retain([found.method, found.host, found.path])
    run.rows.messages.change(Int(row)) { open in
      open.message.target = found.target
      open.message.exchange = found.exchange
      open.message.method = found.method
      open.message.host = found.host
      open.message.path = found.path
      if let source = found.source { open.message.hostSource = source }
    }
  }

  /// Notes that the response that has just started is the final one of an exchange.
  mutating func noteResponseStart(of number: Int, _ row: RowIndex, _ run: inout Run) {
    let (time, message, status, pairing, version) = run.rows.messages.look(Int(row)) {
      ($0.message.firstTime, $0.message.number, $0.message.status, $0.message.pairing, $0.message.version)
    }
    if read(number, run, { $0.exchange.version == .none }) == true {
      run.texts.retain(version)
      change(number, &run) { $0.exchange.version = version }
    }
    change(number, &run) { exchange in
      exchange.responseFirst = time
      exchange.exchange.pairing = pairing
      exchange.exchange.response = message
      exchange.exchange.status = status
    }
  }

  // MARK: Possible starts

  /// Whether a request was sent before the client had any octet of the response to the request before. The client pipelines then.
  mutating func isSentAhead(_ start: LineStart, _ run: borrowing Run) -> Bool {
    guard start.arrival.acknowledged != .unknown else { return false }
    return read(exchanges.end - 1, run) { $0.acknowledged == start.arrival.acknowledged && !$0.isDoubtful } == true
  }

  /// Whether a message can start here, where messages were lost and the client does not pipeline.
  ///
  /// Content, too, has lines that look like a message's start. The segments of a message acknowledge the same octets of the
  /// other side, and the next message acknowledges others. The response to a request starts where the request's
  /// acknowledgment ends.
  @inline(__always)
  mutating func isPossible(startOf kind: MessageKind, at start: LineStart, _ run: borrowing Run) -> Bool {
    let side = run.side
    if isAligned && !followsHole[side] && !isUnsure[side] || isPipelined || start.arrival.acknowledged == .unknown {
      return true
    }
    return isPossibleAfterLoss(startOf: kind, at: start, run)
  }

  @inline(never)
  private func isPossibleAfterLoss(startOf kind: MessageKind, at start: LineStart, _ run: borrowing Run) -> Bool {
    let acknowledged = start.arrival.acknowledged
    guard isBeyondBroken(start.arrival, run), strayAcknowledged[run.side] != acknowledged else { return false }
    if isUnsure[run.side], !owners.look(run.side, { $0.isEmpty }) {
      let isSameMessage = run.rows.messages.look(Int(owners.look(run.side) { $0.newest.row })) {
        $0.acknowledged == acknowledged && $0.message.kind != .interim
      }
      if isSameMessage { return false }
    }
    guard kind != .request else { return isPossibleRequest(at: start, run) }
    guard let number = waitingRequest(endingAt: acknowledged, run),
      let (begins, interimEnd) = read(number, run, { ($0.acknowledged, $0.interimEnd) })
    else { return true }
    // The response before it can be an interim one that was lost.
    return start.position <= begins + Self.interimLength || start.position == interimEnd
  }

  /// Whether two requests and two responses show that the client pipelines, where messages were lost.
  ///
  /// One message alone may be content. Each second message follows directly behind the first and acknowledges the same
  /// octets. The server had read of the second request when it sent the second response. Content does not look like this on
  /// both sides at once.
  @inline(never)
  mutating func showsPipelining(_ kind: MessageKind, at start: LineStart, _ run: borrowing Run) -> Bool {
    let side = run.side
    guard !isPipelined, let requestSide, requestSide == (kind == .request ? side : 1 - side),
      start.arrival.acknowledged != .unknown, !owners.look(side, { $0.isEmpty })
    else { return false }
    let newest = owners.look(side) { $0.newest }
    let isLike = run.rows.messages.look(Int(newest.row)) {
      $0.acknowledged == start.arrival.acknowledged && $0.message.kind == kind && $0.message.exactness != .atLeast
    }
    guard isLike, newest.end == start.position else { return false }
    setAhead(start, side)
    guard let request = recovery?.value.ahead[requestSide], let response = recovery?.value.ahead[1 - requestSide],
      response.arrival.acknowledged > request.position
    else { return false }
    isPipelined = true
    return true
  }

  /// The waiting request, among the newest ones, that ends at a position; nil without one.
  func waitingRequest(endingAt position: StreamPosition, _ run: borrowing Run) -> Int? {
    let oldest = max(nextToAnswer, exchanges.end - Self.boundaryLimit)
    for number in stride(from: exchanges.end - 1, through: oldest, by: -1)
    where read(number, run, { $0.end == position && !$0.isAnswered }) == true {
      return number
    }
    return nil
  }

  /// Whether a request can start here after loss.
  ///
  /// If a response was the last thing that the client received, the request starts where that response says the one before ended.
  private func isPossibleRequest(at start: LineStart, _ run: borrowing Run) -> Bool {
    guard let end = requestEnd(acknowledgedBefore: start, run) else { return true }
    return start.position <= end
  }

  /// The end of the request before the one that starts, by the response to it; nil when unknown.
  func requestEnd(acknowledgedBefore start: LineStart, _ run: borrowing Run) -> StreamPosition? {
    let other = 1 - run.side
    guard !owners.look(other, { $0.isEmpty }) else { return nil }
    let newest = owners.look(other) { $0.newest }
    guard newest.end == start.arrival.acknowledged else { return nil }
    let (kind, acknowledged) = run.rows.messages.look(Int(newest.row)) { ($0.message.kind, $0.acknowledged) }
    guard kind == .response, acknowledged != .unknown else { return nil }
    // A response that came early does not show the request's end.
    let isEarly = owners.look(run.side) { !$0.isEmpty && $0.newest.end != .never && $0.newest.end > acknowledged }
    return isEarly ? nil : acknowledged
  }

  /// The maximum number of octets of an interim response without fields.
  private static var interimLength: Int { 32 }

  /// Limits requests that are never answered. The oldest stop waiting.
  @inline(__always)
  mutating func limitOutstandingRequests(_ run: inout Run) {
    guard
      exchanges.count > run.configuration.outstandingRequestLimit
        || exchanges.count > 1 && run.rows.openExchanges > run.configuration.outstandingRequestTotalLimit
    else { return }
    run.note(.httpRequestQueueFull)
    change(exchanges.first, &run) { $0.isAnswered = true }
    isAligned = false
    finishExchanges(&run)
  }
}
