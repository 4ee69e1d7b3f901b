// Which response answers which request (RFC 9112 §9.3): the n-th final response the n-th request, as long as nothing
// was lost. After a hole, acknowledgments tell: a client that does not pipeline has read exactly the responses before
// when it sends a request.

extension Conversation {
  // MARK: Exchanges by number

  /// Something of the exchange with this number; nil when it is not here any more.
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

  // MARK: Pairs

  /// The number of the exchange that a response starting at `start` belongs to; a new one, without a request, when
  /// its request was not captured.
  mutating func pair(
    responseAt start: LineStart, isInterim: Bool, _ flags: inout MessageFlags, _ run: inout Run
  ) -> Int {
    let end = exchanges.end
    skipAnswered(run)
    var number = nextToAnswer
    if mayHaveLostMessages, number < end {
      let searched = number..<min(end, number + Self.searchLimit)
      if let sent = searched.first(where: { read($0, run) { $0.acknowledged } == start.position }) {
        number = sent
      } else if let next = read(number, run, { $0.acknowledged }), next != .unknown, next > start.position {
        // Everything that waits was sent after this response had been read: its own request was lost.
        number = end
      } else {
        flags.insert(.pairingUncertain)
      }
    }
    if number >= end {
      flags.insert(.requestNotSeen)
      run.note(.httpResponseWithoutRequest)
      let orphan = orphan(at: start, &run)
      if !isInterim { change(orphan, &run) { $0.isAnswered = true } }
      return orphan
    }
    if read(number, run, { $0.exchange.request != nil }) != true { flags.insert(.requestNotSeen) }
    if !isInterim {
      change(number, &run) { $0.isAnswered = true }
      nextToAnswer = number + 1
    }
    return number
  }

  /// Waiting requests that are looked at for one response, so that a queue of them costs no more than a short one.
  private static var searchLimit: Int { 256 }

  private mutating func skipAnswered(_ run: borrowing Run) {
    let end = exchanges.end
    nextToAnswer = max(nextToAnswer, exchanges.first)
    while nextToAnswer < end, read(nextToAnswer, run, { $0.isAnswered }) == true { nextToAnswer += 1 }
  }

  /// A new exchange without a request. An interim response leaves it open for the final one.
  private mutating func orphan(at start: LineStart, _ run: inout Run) -> Int {
    var open = OpenExchange()
    open.exchange.number = run.nextExchange()
    open.exchange.connection = run.connection.number
    open.exchange.started = start.arrival.time
    exchanges.append(RowIndex(run.rows.exchanges.insert(open)))
    return exchanges.end - 1
  }

  /// Gives the response that has just started what it has from its request.
  mutating func adoptRequest(of number: Int, into row: RowIndex, _ run: inout Run) {
    guard let exchange = exchanges.row(number) else { return }
    run.rows.exchanges[Int(exchange)].openMessages += 1
    let found = run.rows.exchanges.look(Int(exchange)) { open in
      (
        exchange: open.exchange.number, method: open.exchange.method, host: open.exchange.host,
        path: open.exchange.path,
        source: open.exchange.request != nil && open.exchange.host != .none ? open.hostSource : nil
      )
    }
    run.texts.retain(found.method)
    run.texts.retain(found.host)
    run.texts.retain(found.path)
    run.rows[message: row].exchange = found.exchange
    run.rows[message: row].method = found.method
    run.rows[message: row].host = found.host
    run.rows[message: row].path = found.path
    if let source = found.source { run.rows[message: row].hostSource = source }
  }

  /// The response that has just started is the final one of an exchange.
  mutating func noteResponseStart(of number: Int, _ row: RowIndex, _ run: inout Run) {
    let (time, message, status) = run.rows.messages.look(Int(row)) {
      ($0.message.firstTime, $0.message.number, $0.message.status)
    }
    change(number, &run) { exchange in
      exchange.responseFirst = time
      exchange.exchange.response = message
      exchange.exchange.status = status
    }
  }

  /// Requests that are never answered must not pile up: the oldest stop waiting.
  @inline(__always)
  mutating func limitOutstandingRequests(_ run: inout Run) {
    guard
      exchanges.count > run.configuration.outstandingRequestLimit
        || exchanges.count > 1 && run.rows.openExchanges > run.configuration.outstandingRequestTotalLimit
    else { return }
    run.note(.httpRequestQueueFull)
    change(exchanges.first, &run) { $0.isAnswered = true }
    mayHaveLostMessages = true
    finishExchanges(&run)
  }
}
