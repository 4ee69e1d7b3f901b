// The end of messages and exchanges.

extension MultiplexedStreams {
  /// Makes messages before the one that has just ended on `side` final, if they need not wait for charges.
  mutating func retire(_ side: Side, _ run: inout Run) {
    retire(side, keeping: run.lingeringLimit(for: ended.look(side) { $0.count }), &run)
  }

  /// Makes the messages of `side` that ended first final until at most `limit` are left.
  mutating func retire(_ side: Side, keeping limit: Int, _ run: inout Run) {
    while ended.look(side, { $0.count }) > limit {
      let message = ended[side][0]
      if ended.look(side, { $0.count }) > 1 { run.rows.lingering -= 1 }
      ended[side].removeFirst()
      finish(message, of: side, &run)
    }
  }

  /// Makes a message final. Its row does not change any more.
  private mutating func finish(_ message: MessageReference, of side: Side, _ run: inout Run) {
    let row = message.row
    let slot = run.rows.messages.look(Int(row)) { $0.exchange }
    var (kind, pending, doubts, flags) = run.rows.messages.look(Int(row)) {
      ($0.message.kind, $0.pendingContent, $0.doubts, $0.message.flags)
    }
    if kind != .request {
      let (method, hasRequest, isKnown) = run.rows.exchanges.look(Int(list[slot].exchange)) {
        ($0.method, $0.exchange.request != nil, $0.isRequestKnown)
      }
      // The request may have come later.
      if isKnown, method != .connect { doubts.remove(.end) }
      // It has the names of its request.
      if hasRequest, !isKnown { doubts.insert(.fields) }
    }
    // Padding may come after the end of a field block, and cut.
    let isWhole = run.rows[message: row].missing == 0 && run.rows[message: row].unseen == 0
    if run.rows[message: row].exactness == .exact, !doubts.isEmpty || flags.contains(.conflicting) || !isWhole {
      run.rows[message: row].exactness = .inferred
    }
    let client = namedClient ?? run.connection.client ?? requestSide ?? 0
    namedClient = client
    if kind != .request { adoptRequest(slot, row, &run) }
    if let pending { OpenContent.settle(pending, of: row, &run) }
    run.closeWebSocket(of: row)
    if run.rows[message: row].process == .none { run.rows[message: row].process = run.process(client: client) }
    run.rows[message: row].client = run.connection.endpoints[client]
    run.rows[message: row].server = run.connection.endpoints[1 - client]
    run.rows[message: row].isFromServer = side != client
    let (length, tunnel, ipLength, pairing, events) = run.rows.messages.look(Int(row)) {
      ($0.message.octets.total, $0.message.tunnel, $0.message.ipLength, $0.message.pairing, $0.message.events)
    }
    run.rows.finishMessage(row)
    run.adoptProcess(of: row, into: list[slot].exchange)
    list[slot].hasFinalMessage = true
    let exchange = Int(list[slot].exchange)
    run.rows.exchanges[exchange].openMessages -= 1
    run.rows.exchanges[exchange].exchange.ipLength += ipLength
    run.rows.exchanges[exchange].exchange.tunnelLength += tunnel
    if kind == .request {
      run.rows.exchanges[exchange].exchange.requestLength += length
    } else {
      if kind == .response {
        run.rows.exchanges[exchange].exchange.pairing = pairing
        run.rows.exchanges[exchange].exchange.events = events
      }
      run.rows.exchanges[exchange].exchange.responseLength += length
    }
    closeIfOver(slot, &run)
  }

  // MARK: Streams

  /// Closes a stream that both sides have ended, or that one side has reset. Its exchange is final with its messages.
  mutating func closeIfOver(_ slot: Int, _ run: inout Run) {
    guard list[slot].exchange >= 0 else { return }
    if !list[slot].isClosed {
      let (first, second) = (list[slot].halves[0].state, list[slot].halves[1].state)
      let hasRequest = run.rows.exchanges.look(Int(list[slot].exchange)) { $0.exchange.request != nil }
      // A request from before the capture may also have ended before the capture.
      let isOver =
        list[slot].isReset && !list[slot].isAwaited && !first.isInProgress && !second.isInProgress
        || first == .ended && second == .ended
        || !hasRequest && list[slot].hasFinalMessage && (first == .ended || second == .ended)
          && !first.isInProgress && !second.isInProgress
      guard isOver else { return }
      list[slot].isClosed = true
    }
    finishExchangeIfOver(slot, &run)
  }

  /// Closes a stream. No more frames of it are expected.
  mutating func over(_ slot: Int, _ run: inout Run) {
    list[slot].isClosed = true
    forget(slot)
    finishExchangeIfOver(slot, &run)
  }

  private mutating func finishExchangeIfOver(_ slot: Int, _ run: inout Run) {
    let row = list[slot].exchange
    let isOpen = run.rows.exchanges.look(Int(row)) { $0.openMessages > 0 }
    guard list[slot].isClosed, !isOpen else { return }
    forget(slot)
    giveUpAwaited(of: list[slot].id, &run)
    if run.rows.exchanges.look(Int(row), { $0.exchange.response == nil || $0.exchange.request == nil }) {
      run.rows.exchanges[Int(row)].exchange.pairing = .unknown
    }
    let (first, last, answered, ended, method) = run.rows.exchanges.look(Int(row)) {
      ($0.requestFirst, $0.requestLast, $0.responseFirst, $0.responseLast, $0.method)
    }
    if let first, let last { run.rows.exchanges[Int(row)].exchange.timings.send = max(last - first, 0) }
    // A request that opened a tunnel lasts as long as the tunnel: from its end nobody waited.
    if let last, let answered, method != .connect || answered >= last {
      run.rows.exchanges[Int(row)].exchange.timings.wait = max(answered - last, 0)
    }
    if let answered, let ended { run.rows.exchanges[Int(row)].exchange.timings.receive = max(ended - answered, 0) }
    run.rows.finishExchange(row)
    free(slot)
  }

  /// Makes everything final at the end of the connection.
  mutating func finishAll(_ run: inout Run) {
    for slot in list.indices where list[slot].exchange >= 0 {
      for side in 0..<2 where list[slot].halves[side].isInProgress { endUnfinished(slot, side, &run) }
    }
    for side in 0..<2 { retire(side, keeping: 0, &run) }
    for slot in list.indices where list[slot].exchange >= 0 { over(slot, &run) }
    giveUpAwaited(of: nil, &run)
  }

  /// Ends a message that gets no more octets.
  mutating func endUnfinished(_ slot: Int, _ side: Side, _ run: inout Run) {
    endMessage(slot, side, list[slot].isReset ? .reset : .incomplete, &run)
  }
}

// Charges to the owners of octets (MEASURES §2, §6).

extension MultiplexedStreams {
  /// Charges a packet to the owners of its octets, and the rest to the connection.
  mutating func settle(_ charge: Charge, _ owners: Owners, of side: Side, _ run: inout Run) {
    var charge = charge
    if tunnels != nil, !chargeTunnel(&charge, owners, of: side, &run) { return }
    var tunnelled: [(UInt64, Range<StreamPosition>)] = []
    run.connection.added.unattributed += owners.charge(charge, &run.rows) { tunnelled.append(($0, $1)) }
    for (stream, part) in tunnelled { chargeTunnel(stream, repeated: part, of: side, &run) }
  }

  mutating func flag(_ range: Range<StreamPosition>, _ owners: Owners, of side: Side, _ run: inout Run) {
    var tunnelled: [(UInt64, Range<StreamPosition>)] = []
    owners.flagConflict(range, &run.rows) { tunnelled.append(($0, $1)) }
    for (stream, part) in tunnelled { withTunnel(stream, &run) { $0.flagConflict(part, on: side, &$1) } }
  }

  /// Takes octets of a gap that come after it was given up. Their owners count them, but they are not read.
  mutating func acceptLate(_ range: Range<StreamPosition>, _ owners: Owners, on side: Side, _ run: inout Run) {
    var parts: [(Range<StreamPosition>, MessageReference)] = []
    owners.forEachPart(of: range) { parts.append(($0, $1)) }
    for (part, owner) in parts {
      guard !owner.isNone else {
        if let stream = owner.tunnel, acceptLate(part, ofTunnel: stream, on: side, &run) { continue }
        // The owners of very old octets are forgotten. A row may miss them.
        if part.lowerBound >= owners.start { run.countMissing(-part.count) }
        run.acceptLate(part.count, as: .stray)
        continue
      }
      // A final row does not change its count of missing octets, so its connection must not either.
      let missing = owner.isOpen(run.rows) ? run.rows[message: owner.row].missing : 0
      let found = min(missing, part.count)
      if found > 0 {
        run.countMissing(-found)
        run.rows[message: owner.row].missing -= found
        let slot = run.rows.messages.look(Int(owner.row)) { $0.exchange }
        // An interim response has fields only.
        let isInterim = run.rows[message: owner.row].kind == .interim
        let fields = isInterim ? found : min(found, list[slot].halves[side].missingFields)
        if !isInterim { list[slot].halves[side].missingFields -= fields }
        run.rows[message: owner.row].octets.header += fields
        run.rows[message: owner.row].octets.body += found - fields
        run.ledger.settle(fields, as: .header)
        run.ledger.settle(found - fields, as: .body)
      }
      if part.count > found { run.acceptLate(part.count - found, as: .stray) }
    }
  }
}
