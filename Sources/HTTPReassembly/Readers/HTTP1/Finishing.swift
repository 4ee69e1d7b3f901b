// The end of messages and exchanges, and the charges for late octets.

extension Conversation {
  // MARK: Charges

  /// Charges a packet to the messages that own its octets. The rest goes to the connection.
  @inline(__always)
  mutating func charge(_ charge: Charge, to side: Side, _ run: inout Run) {
    run.connection.added.unattributed += owners[side].charge(charge, &run.rows)
  }

  /// Takes octets of a gap that come after it was given up. Their owners count them, but no parser reads them.
  mutating func acceptLate(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {
    // While the gap has no owner, its number of missing octets is no longer known.
    if gap[side] > 0 {
      settleBroken(side, before: nil, &run)
      gap[side] = 0
    }
    // A final row does not change its count of missing octets, so its connection must not either.
    run.countMissing(-max(0, range.upperBound - max(range.lowerBound, owners.look(side) { $0.start })))
    // They count as content, because a gap elsewhere ends a message, or as octets of the tunnel that the message opened.
    var (body, tunnel) = (0, 0)
    owners[side].forEachPart(of: range) { part, owner in
      guard !owner.isNone else { return }
      let (missing, start) = run.rows.messages.look(Int(owner.row)) { ($0.message.missing, $0.tunnelStart) }
      let count = min(part.count, missing)
      run.rows[message: owner.row].missing -= count
      if range.lowerBound >= start {
        run.rows[message: owner.row].tunnel += count
        tunnel += count
      } else {
        run.rows[message: owner.row].octets.body += count
        body += count
      }
    }
    run.ledger.settle(body, as: .body)
    run.ledger.settle(tunnel, as: .tunnel)
    run.acceptLate(range.count - body - tunnel, as: lateClass)
  }

  // MARK: Final rows

  /// Makes messages before the one that has just ended on `side` final, if they need not wait for charges.
  @inline(__always)
  mutating func retire(_ side: Side, _ run: inout Run) {
    let count = owners.look(side) { $0.count }
    let limit = run.lingeringLimit(for: count)
    if count > limit { retire(side, keeping: limit, &run) }
  }

  /// Makes every ended message final, although charges may still come, because there are too many rows.
  mutating func retireEnded(_ run: inout Run) {
    pairDeferred(&run)
    for side in 0..<2 {
      retire(side, keeping: 0, &run)
      owners[side].releaseMemory()
    }
    exchanges.releaseMemory()
  }

  /// Makes the oldest messages of `side` final until at most `limit` are left.
  private mutating func retire(_ side: Side, keeping limit: Int, _ run: inout Run) {
    var isOlderFinal = false
    while owners.look(side, { $0.count }) > limit, !owners.look(side, { $0[0].isInProgress }),
      !oldestAwaitsName(on: side, run)
    {
      finishFirst(side, &run)
      hasRetired[side] = true
      isOlderFinal = true
    }
    if isOlderFinal { finishExchanges(&run) }
  }

  /// Whether the oldest message is a response that waits for its request's header section to name it. The wait is limited.
  @inline(__always)
  private mutating func oldestAwaitsName(on side: Side, _ run: borrowing Run) -> Bool {
    let (kind, host, exchange) = run.rows.messages.look(Int(owners.look(side, { $0[0].row }))) {
      ($0.message.kind, $0.message.host, $0.exchange)
    }
    guard kind != .request, host == .none, owners.look(side, { $0.count }) < Self.namelessLimit else { return false }
    if exchange < 0 { return true }
    guard read(exchange, run, { $0.exchange.request != nil && $0.exchange.host == .none }) == true else { return false }
    // A request that broke off in its header section gets no name any more.
    guard let requestSide, owners.look(requestSide, { $0.hasMessageInProgress }) else { return false }
    return run.rows.messages.look(Int(owners.look(requestSide) { $0.newest.row })) { $0.exchange } == exchange
  }

  /// The maximum number of messages kept open because the oldest one has no name yet.
  private static var namelessLimit: Int { 1024 }

  /// Makes the oldest message of `side` final. Its row does not change any more.
  private mutating func finishFirst(_ side: Side, _ run: inout Run) {
    let row = owners.look(side, { $0[0].row })
    if recovery != nil, let message = broken[side], message.value.row == row { settleBroken(side, before: nil, &run) }
    let client = namedClient ?? run.connection.client ?? requestSide ?? 0
    namedClient = client
    let (clientEndpoint, serverEndpoint) = (run.connection.endpoints[client], run.connection.endpoints[1 - client])
    let (exchange, pending) = run.rows.messages.change(Int(row)) { open in
      if open.message.exactness == .exact, !open.doubts.isEmpty || open.message.flags.contains(.conflicting) {
        open.message.exactness = .inferred
      }
      open.message.client = clientEndpoint
      open.message.server = serverEndpoint
      open.message.isFromServer = side != client
      return (open.exchange, open.pendingContent)
    }
    if let (name, source, hasRequest) = read(
      exchange, run, { ($0.exchange.host, $0.hostSource, $0.exchange.request != nil) })
    {
      adoptLateName(name, source, hasRequest: hasRequest, row, &run)
    }
    if let pending { OpenContent.settle(pending, of: row, &run) }
    run.closeWebSocket(of: row)
    if run.rows[message: row].process == .none { run.rows[message: row].process = run.process(client: client) }
    let (kind, first, length, tunnel, events, ipLength, hasProcess) = run.rows.messages.look(Int(row)) {
      (
        $0.message.kind, $0.message.firstTime, $0.message.octets.total, $0.message.tunnel, $0.message.events,
        $0.message.ipLength, $0.message.process != .none
      )
    }
    run.rows.finishMessage(row)
    if hasProcess, let open = exchanges.row(exchange) { run.adoptProcess(of: row, into: open) }
    change(exchange, &run) { exchange in
      exchange.openMessages -= 1
      exchange.exchange.ipLength += ipLength
      exchange.exchange.tunnelLength += tunnel
      if kind == .request {
        exchange.requestFirst = first
        exchange.exchange.requestLength += length
      } else {
        if kind == .response {
          exchange.responseFirst = first
          exchange.exchange.events = events
        }
        exchange.exchange.responseLength += length
      }
    }
    if owners.look(side, { $0.count }) > 1 { run.rows.lingering -= 1 }
    owners[side].removeFirst()
  }

  /// Adopts a name that was missing when the response started before its request's header section was complete.
  @inline(__always)
  private func adoptLateName(
    _ host: TextID, _ source: HostSource, hasRequest: Bool, _ row: RowIndex, _ run: inout Run
  ) {
    let (kind, own) = run.rows.messages.look(Int(row)) { ($0.message.kind, $0.message.host) }
    guard kind != .request, own == .none else { return }
    guard host != .none else {
      // A row has the host of its message, or it is not exact (MEASURES §10).
      if hasRequest { run.rows[message: row].exactness.weaken() }
      return
    }
    run.rows[message: row].host = host
    run.rows[message: row].hostSource = source
    run.texts.retain(host)
  }

  /// Makes exchanges final, oldest first, while all their messages are final.
  mutating func finishExchanges(_ run: inout Run) {
    while read(exchanges.first, run, { $0.isAnswered && $0.openMessages == 0 }) == true { finishFirstExchange(&run) }
  }

  private mutating func finishFirstExchange(_ run: inout Run) {
    guard let row = exchanges.row(exchanges.first) else { return }
    change(exchanges.first, &run) { open in
      if let first = open.requestFirst, let last = open.requestLast {
        open.exchange.timings.send = max(last - first, 0)
      }
      if let sent = open.requestLast, let first = open.responseFirst {
        open.exchange.timings.wait = max(first - sent, 0)
      }
      if let first = open.responseFirst, let last = open.responseLast {
        open.exchange.timings.receive = max(last - first, 0)
      }
    }
    run.rows.finishExchange(row)
    exchanges.removeFirst()
  }

  /// Makes everything final except the exchange whose response comes with HTTP/2. Its answer here was an interim response.
  mutating func handOver(_ run: inout Run) -> HTTP2Upgrade? {
    guard isUpgraded, let requestSide else { return nil }
    pairDeferred(&run)
    // Either the request or the answer may have been lost.
    let messages = [requestSide, 1 - requestSide].compactMap { side in
      owners.look(side) { $0.isEmpty ? nil : $0.newest.row }
    }
    let found = messages.map { row in
      run.rows.messages.look(Int(row)) { (row: row, exchange: $0.exchange, isResponse: $0.message.kind == .response) }
    }
    let switched = found.first { read($0.exchange, run) { $0.switches == true } == true } ?? found.last
    guard let upgraded = switched?.exchange, let row = exchanges.row(upgraded) else { return nil }
    let tableSize = run.rows.exchanges.look(Int(row)) { $0.tableSize }
    let answer = found.first { $0.isResponse && $0.exchange == upgraded }
    if let answer { run.rows[message: answer.row].kind = .interim }
    change(upgraded, &run) { open in
      open.isAnswered = false
      open.exchange.response = nil
      open.exchange.status = 0
      open.responseFirst = nil
      open.responseLast = nil
    }
    for side in 0..<2 {
      while !owners.look(side, { $0.isEmpty }) { finishFirst(side, &run) }
    }
    while exchanges.count > 0 {
      if exchanges.first == upgraded { exchanges.removeFirst() } else { finishFirstExchange(&run) }
    }
    return HTTP2Upgrade(
      exchange: row, requestSide: requestSide, namedClient: namedClient, tableSize: tableSize,
      lostAnswer: answer == nil ? gap[1 - requestSide] : nil)
  }

  /// Makes everything final at the end of the connection.
  mutating func finishAll(_ run: inout Run) {
    pairDeferred(&run)
    for side in 0..<2 {
      while !owners.look(side, { $0.isEmpty }) { finishFirst(side, &run) }
    }
    while exchanges.count > 0 { finishFirstExchange(&run) }
  }
}
