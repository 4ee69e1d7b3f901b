// Messages on streams (RFC 9113 §8, RFC 9114 §4): their starts, contents and ends.

extension MultiplexedStreams {
  /// The end of a message.
  enum MessageEnd {
    /// Its sender has ended it.
    case complete
    /// It is an interim response, which ends with its fields.
    case interim
    /// Its stream was reset.
    case reset
    /// Its end was not seen.
    case incomplete
  }

  // MARK: Messages

  /// Starts a message of the current side with a frame whose first octet came with `start`. `isDoubtful` says whether the frame may be none.
  mutating func startMessage(
    _ slot: Int, _ side: Side, isRequest: Bool, _ start: SegmentArrival, isDoubtful: Bool = false, _ run: inout Run
  ) {
    let row = RowIndex(run.rows.messages.insert(OpenMessage()))
    let number = run.numbers.nextMessage()
    run.connection.added.messages += 1
    let exchange = list[slot].exchange
    run.rows.messages[Int(row)].exchange = slot
    if isDoubtful { run.rows.messages[Int(row)].doubts.insert(.start) }
    run.rows[message: row].kind = isRequest ? .request : .response
    run.rows[message: row].number = number
    run.rows[message: row].connection = run.connection.number
    run.rows[message: row].exchange = run.rows.exchanges.look(Int(exchange)) { $0.exchange.number }
    run.rows[message: row].stream = list[slot].number
    run.rows[message: row].isSecure = run.connection.beneath.isSecure
    run.rows[message: row].process = run.process(client: requestSide)
    if run.connection.beneath.isTunnelled { run.rows[message: row].flags.insert(.tunnelled) }
    run.rows[message: row].version = version.withOctets { run.texts.intern($0) }
    run.rows[message: row].firstTime = start.time
    run.rows[message: row].lastTime = start.time
    run.rows.messages[Int(row)].note(run.arrival)
    run.rows.exchanges[Int(exchange)].openMessages += 1
    list[slot].halves[side].message = MessageReference(row: row, number: number)
    list[slot].halves[side].isLossy = false
    list[slot].halves[side].isStatusUnknown = false
    list[slot].halves[side].missingFields = 0
    list[slot].halves[side].mayBeTunnel = false
    list[slot].halves[side].losses = losses[side]
    list[slot].halves[side].state = .fields
    if isRequest {
      run.rows.exchanges[Int(exchange)].exchange.request = number
      run.rows.exchanges[Int(exchange)].exchange.pairing = .exact
      run.rows.exchanges[Int(exchange)].exchange.started = start.time
    } else {
      adoptRequest(slot, row, &run)
    }
    nameVersion(exchange, &run)
  }

  /// Starts a message of the current side with content: its fields were lost, or never sent. Returns its row.
  mutating func startWithoutFields(
    _ slot: Int, _ side: Side, isRequest: Bool, _ start: SegmentArrival, isDoubtful: Bool = false, _ run: inout Run
  ) -> RowIndex {
    startMessage(slot, side, isRequest: isRequest, start, isDoubtful: isDoubtful, &run)
    let row = list[slot].halves[side].message.row
    run.rows[message: row].flags.insert(.headerNotSeen)
    run.rows[message: row].expanded = .unknown
    run.rows.messages[Int(row)].doubts.insert(.start)
    list[slot].halves[side].state = .content
    list[slot].halves[side].isLossy = true
    list[slot].halves[side].hasUnknownFields = true
    list[slot].halves[side].mayBeTunnel = true
    if isRequest {
      nameExchange(slot, row, nil, mayHideHost: true, &run)
    } else {
      noteFinalResponse(slot, row, &run)
    }
    return row
  }

  private func nameVersion(_ exchange: RowIndex, _ run: inout Run) {
    guard run.rows.exchanges.look(Int(exchange), { $0.exchange.version == .none }) else { return }
    let version = self.version.withOctets { run.texts.intern($0) }
    run.rows.exchanges[Int(exchange)].exchange.version = version
  }

  /// Copies known facts about the request to its response.
  func adoptRequest(_ slot: Int, _ row: RowIndex, _ run: inout Run) {
    let found = run.rows.exchanges.look(Int(list[slot].exchange)) { open in
      (
        request: open.exchange.request, method: open.exchange.method, host: open.exchange.host,
        path: open.exchange.path, source: open.hostSource
      )
    }
    guard found.request != nil else {
      run.rows[message: row].pairing = .unknown
      run.rows[message: row].flags.insert(.requestNotSeen)
      return
    }
    run.rows[message: row].pairing = .exact
    run.rows[message: row].flags.remove(.requestNotSeen)
    guard run.rows[message: row].host == .none else { return }
    for text in [found.method, found.host, found.path] { run.texts.retain(text) }
    run.texts.release([run.rows[message: row].method, run.rows[message: row].path])
    run.rows[message: row].method = found.method
    run.rows[message: row].host = found.host
    run.rows[message: row].path = found.path
    run.rows[message: row].target = run.rows.exchanges.look(Int(list[slot].exchange)) { $0.target }
    run.rows[message: row].hostSource = found.source
  }

  /// Names the exchange of a request. `kind` is nil when fields that tell the request are unknown.
  ///
  /// Without a host, the layers beneath name it, else its server's address does (MEASURES §2). They do not where one may have been sent
  /// (MEASURES §10).
  mutating func nameExchange(_ slot: Int, _ row: RowIndex, _ kind: MethodKind?, mayHideHost: Bool, _ run: inout Run) {
    if !mayHideHost { run.nameHost(of: row, server: 1 - (requestSide ?? run.side)) }
    let (method, host, path, source) = run.rows.messages.look(Int(row)) {
      ($0.message.method, $0.message.host, $0.message.path, $0.message.hostSource)
    }
    for text in [method, host, path] { run.texts.retain(text) }
    let exchange = Int(list[slot].exchange)
    run.rows.exchanges[exchange].exchange.method = method
    run.rows.exchanges[exchange].exchange.host = host
    run.rows.exchanges[exchange].exchange.path = path
    run.rows.exchanges[exchange].hostSource = source
    run.rows.exchanges[exchange].target = run.rows[message: row].target
    run.rows.exchanges[exchange].method = kind ?? .ordinary
    run.rows.exchanges[exchange].isRequestKnown = kind != nil
  }

  /// Notes that a response is the final one of its exchange.
  mutating func noteFinalResponse(_ slot: Int, _ row: RowIndex, _ run: inout Run) {
    let (number, status) = run.rows.messages.look(Int(row)) { ($0.message.number, $0.message.status) }
    let exchange = Int(list[slot].exchange)
    run.rows.exchanges[exchange].exchange.response = number
    run.rows.exchanges[exchange].exchange.status = status
    run.rows.exchanges[exchange].isAnswered = true
  }

  // MARK: Content

  /// Whether the response in progress may be an interim one: its status is unknown, and no content came or was lost.
  func mayBeInterim(_ slot: Int, _ run: borrowing Run) -> Bool {
    let half = list[slot].halves[run.side]
    guard half.isStatusUnknown, half.state == .content else { return false }
    return run.rows.messages.look(Int(half.message.row)) {
      $0.message.octets.body == 0 && $0.message.missing == half.missingFields
    }
  }

  /// Decides about a field section behind a response that may be an interim one. A status tells that it was one. Where nothing tells,
  /// the section may be of either message: its octets are nobody's. Returns whether it has a message.
  mutating func decide(_ slot: Int, startsWithStatus: Bool?, _ run: inout Run) -> Bool {
    if startsWithStatus == true { endInterim(slot, &run) }
    if startsWithStatus == nil { list[slot].halves[run.side].isLossy = true }
    return startsWithStatus != nil
  }

  /// Ends a response that counted as the final one as an interim one.
  private mutating func endInterim(_ slot: Int, _ run: inout Run) {
    let exchange = Int(list[slot].exchange)
    run.rows.exchanges[exchange].exchange.response = nil
    run.rows.exchanges[exchange].exchange.status = 0
    run.rows.exchanges[exchange].isAnswered = false
    run.rows[message: list[slot].halves[run.side].message.row].kind = .interim
    endMessage(slot, run.side, .interim, &run)
  }

  mutating func noteUnasked(_ slot: Int, _ run: inout Run) {
    let hasRequest = run.rows.exchanges.look(Int(list[slot].exchange)) { $0.exchange.request != nil }
    if !hasRequest { run.note(.httpResponseWithoutRequest) }
  }

  /// Starts the content of a message whose fields are complete.
  mutating func startContent(_ slot: Int, _ section: inout FieldSection, _ run: inout Run) {
    let side = run.side
    guard !list[slot].halves[side].isTunnel else { return }
    let row = list[slot].halves[side].message.row
    let encoding = run.rows.messages.look(Int(row)) { $0.message.contentEncoding }
    let parts = OpenContent.parts(of: row, run)
    guard encoding != .none || parts != nil || run.contents.observer != nil || run.notes.contents.isWanted else {
      return
    }
    list[slot].halves[side].content.isOpen = true
    list[slot].halves[side].content.start(of: row, parts, section.grpcEncoding, &run)
  }

  /// Looks whether the request has come meanwhile, which tells a tunnel. Else the message ends where a tunnel may begin.
  mutating func resolveTunnel(_ slot: Int, _ side: Side, _ run: inout Run) {
    let (method, isKnown) = run.rows.exchanges.look(Int(list[slot].exchange)) { ($0.method, $0.isRequestKnown) }
    let message = list[slot].halves[side].message
    if isKnown {
      list[slot].halves[side].mayBeTunnel = false
      list[slot].halves[side].isTunnel = method == .connect
    } else if message.isOpen(run.rows) {
      run.rows.messages[Int(message.row)].doubts.insert(.end)
    }
  }

  // MARK: Ends

  /// Ends a message of a side.
  mutating func endMessage(_ slot: Int, _ side: Side, _ end: MessageEnd, _ run: inout Run) {
    let message = list[slot].halves[side].message
    let row = message.row
    let isComplete = end == .complete || end == .interim
    finishContent(slot, side, isComplete: isComplete, &run)
    if !isComplete {
      run.rows[message: row].flags.insert(.incomplete)
      if end == .reset { run.rows[message: row].flags.insert(.streamReset) }
      run.rows[message: row].exactness = .atLeast
      run.note(.httpMessageIncomplete)
    } else if isLossy(slot, side) {
      run.rows[message: row].exactness = .atLeast
      run.rows[message: row].flags.insert(.contentNotSeen)
    } else if run.rows[message: row].missing > 0 || run.rows[message: row].unseen > 0 {
      run.rows[message: row].exactness = .inferred
    }
    if let observer = run.contents.observer {
      let (number, length) = run.rows.messages.look(Int(row)) { ($0.message.number, $0.message.decodedBody) }
      observer.end(of: number, decodedLength: length)
    }
    noteTimes(of: row, slot, &run)
    list[slot].halves[side].content = OpenContent()
    if list[slot].halves[side].isTunnel { finishTunnel(list[slot].id, side, isComplete: isComplete, &run) }
    // The response to a promised request comes from the same side.
    let isPromise = run.rows.messages.look(Int(row)) {
      $0.message.flags.contains(.pushed) && $0.message.kind == .request
    }
    list[slot].halves[side].state = end == .interim || isPromise ? .idle : .ended
    if end == .interim { list[slot].halves[side].message = .none }
    list[slot].halves[side].hasUnknownFields = false
    if !ended.look(side, { $0.isEmpty }) { run.rows.lingering += 1 }
    ended[side].append(message)
    closeIfOver(slot, &run)
    retire(side, &run)
  }

  /// Whether octets of a side may have been lost on a stream.
  func isLossy(_ slot: Int, _ side: Side) -> Bool {
    list[slot].halves[side].isLossy || list[slot].halves[side].losses != losses[side]
  }

  private mutating func finishContent(_ slot: Int, _ side: Side, isComplete: Bool, _ run: inout Run) {
    let (row, hasUnknownFields, isOpen, isTunnel) = list[slot].halves.look(side) {
      ($0.message.row, $0.hasUnknownFields, $0.content.isOpen, $0.isTunnel)
    }
    let (missing, unseen) = run.rows.messages.look(Int(row)) { ($0.message.missing, $0.message.unseen) }
    let isWhole = isComplete && missing == 0 && unseen == 0 && !isLossy(slot, side) && !hasUnknownFields
    if isOpen {
      list[slot].halves[side].content.finish(of: row, isComplete: isWhole, &run)
    } else if isWhole, !isTunnel || run.rows[message: row].octets.body == 0 {
      // Without a coding, the decoded length is the length of the content.
      run.rows[message: row].decodedBody = run.rows[message: row].octets.body
    }
  }

  /// Notes the times of a message. The packet that shows the end is not used, because it can belong to another message.
  private mutating func noteTimes(of row: RowIndex, _ slot: Int, _ run: inout Run) {
    let (kind, first, last) = run.rows.messages.look(Int(row)) {
      ($0.message.kind, $0.message.firstTime, $0.message.lastTime)
    }
    let exchange = Int(list[slot].exchange)
    switch kind {
    case .request:
      run.rows.exchanges[exchange].requestFirst = first
      run.rows.exchanges[exchange].requestLast = last
      run.rows.exchanges[exchange].exchange.started = first
    case .response:
      run.rows.exchanges[exchange].responseFirst = first
      run.rows.exchanges[exchange].responseLast = last
    case .interim: break
    }
  }

  /// The message that is charged for a frame of a side without fields or content (MEASURES §7): the response in progress, else the request in
  /// progress, else the response, else the request.
  func messageCharged(_ slot: Int, from side: Side) -> MessageReference {
    guard let requestSide else { return .none }
    let (response, request) = (list[slot].halves[1 - requestSide], list[slot].halves[requestSide])
    // The responding side knows which of its own messages has come, whatever the order of capture of both sides.
    if response.isInProgress || side != requestSide, !response.message.isNone { return response.message }
    if request.isInProgress { return request.message }
    return response.message.isNone ? request.message : response.message
  }

  // MARK: Awaited messages

  /// Charges a message for the frames that came before it.
  mutating func takeAwaited(_ slot: Int, _ row: RowIndex, _ run: inout Run) {
    guard !awaited.look(run.side, { $0.isEmpty }),
      let octets = awaited[run.side].removeValue(forKey: list[slot].id)
    else { return }
    run.rows[message: row].control += octets
    run.rows[message: row].returned += octets
  }

  /// Charges the connection for frames whose messages never came: those of a stream, or all.
  mutating func giveUpAwaited(of stream: UInt64?, _ run: inout Run) {
    for side in 0..<2 where !awaited.look(side, { $0.isEmpty }) {
      if let stream {
        run.connection.added.control += awaited[side].removeValue(forKey: stream) ?? 0
      } else {
        run.connection.added.control += awaited[side].values.reduce(0, +)
        awaited[side] = [:]
      }
    }
  }
}
