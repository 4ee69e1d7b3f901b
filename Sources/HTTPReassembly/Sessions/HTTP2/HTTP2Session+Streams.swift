// Streams and their messages (RFC 9113 §5, §8): their starts, contents and ends.

extension HTTP2Session {
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

  // MARK: Streams by number

  /// The stream for DATA with a message of the current side; nil without one.
  mutating func streamForData(_ number: UInt32, _ run: inout Run) -> Int? {
    let side = run.side
    guard let slot = slots[number].map(Int.init) ?? streamInTheMiddle(number, &run) else {
      run.note(.http2StreamClosed)
      return nil
    }
    switch streams[slot].halves[side].state {
    case .content, .fields, .trailers: return slot
    case .idle:
      // Its fields were lost, or never sent.
      if readers.look(side, { $0.isComplete }) { run.note(.http2StreamIdle) }
      guard let requestSide else { return nil }
      startMessage(slot, side, isRequest: side == requestSide, &run)
      let row = streams[slot].halves[side].message.row
      run.rows[message: row].flags.insert(.headerNotSeen)
      run.rows[message: row].expanded = .unknown
      run.rows.messages[Int(row)].doubts.insert(.start)
      streams[slot].halves[side].state = .content
      streams[slot].halves[side].isLossy = true
      streams[slot].halves[side].hasUnknownFields = true
      streams[slot].halves[side].mayBeTunnel = true
      if side == requestSide {
        nameExchange(slot, row, nil, mayHideHost: true, &run)
      } else {
        noteFinalResponse(slot, row, &run)
      }
      takeAwaited(slot, row, &run)
      return slot
    case .ended:
      if !streams[slot].isReset { run.note(.http2StreamClosed) }
      return streams[slot].halves[side].message.isOpen(run.rows) ? slot : nil
    }
  }

  /// An unknown stream from before the capture or from a gap; nil when it is over, as far as is known.
  private mutating func streamInTheMiddle(_ number: UInt32, _ run: inout Run) -> Int? {
    guard let requestSide, number > 0 else { return nil }
    let opener = number % 2 == 1 ? requestSide : 1 - requestSide
    guard number > highestStream[opener] || !readers.look(0, { $0.isComplete }) || !readers.look(1, { $0.isComplete })
    else { return nil }
    return openStream(number, by: opener, &run)
  }

  /// The stream for fields of the current side, with their message; nil without one.
  mutating func streamForFields(_ number: UInt32, isRequest: Bool, firstOctet: UInt8?, _ run: inout Run) -> Int? {
    let side = run.side
    if isRequest, number % 2 == 0 {
      run.note(.http2FrameMalformed)
      return nil
    }
    var known = slots[number].map(Int.init)
    if let slot = known, isRequest, streams[slot].hasFinalMessage, streams[slot].halves[side].state == .idle {
      // Its response was final before its request came.
      over(slot, &run)
      known = nil
    }
    guard let slot = known ?? streamInTheMiddle(number, &run) else {
      run.note(.http2StreamClosed)
      return nil
    }
    switch streams[slot].halves[side].state {
    case .idle:
      if !isRequest { noteUnasked(slot, &run) }
      startMessage(slot, side, isRequest: isRequest, &run)
      return slot
    case .content:
      guard !isInterim(slot, firstOctet, run) else {
        endInterim(slot, &run)
        startMessage(slot, side, isRequest: false, &run)
        return slot
      }
      streams[slot].halves[side].state = .trailers
      return slot
    case .fields, .trailers: return slot
    case .ended:
      run.note(.http2StreamClosed)
      return nil
    }
  }

  /// Whether the response in progress may be an interim one: its status is unknown, and no content came.
  func mayBeInterim(_ slot: Int, _ run: borrowing Run) -> Bool {
    let half = streams[slot].halves[run.side]
    guard half.isStatusUnknown, half.state == .content else { return false }
    return run.rows.messages.look(Int(half.message.row)) { $0.message.octets.body == 0 && $0.message.missing == 0 }
  }

  /// Whether the response in progress, whose status is unknown, was an interim one. The next field section tells: it starts with a
  /// status, or it does not end the stream, as trailer fields do.
  private func isInterim(_ slot: Int, _ firstOctet: UInt8?, _ run: borrowing Run) -> Bool {
    let side = run.side
    guard mayBeInterim(slot, run) else { return false }
    guard readers.look(side, { $0.frame.isEndOfStream }) else { return true }
    guard let firstOctet else { return false }
    return decoders[side].look { $0.startsWithStatus(firstOctet) }
  }

  /// Ends a response that counted as the final one as an interim one.
  private mutating func endInterim(_ slot: Int, _ run: inout Run) {
    let exchange = Int(streams[slot].exchange)
    run.rows.exchanges[exchange].exchange.response = nil
    run.rows.exchanges[exchange].exchange.status = 0
    run.rows.exchanges[exchange].isAnswered = false
    run.rows[message: streams[slot].halves[run.side].message.row].kind = .interim
    endMessage(slot, run.side, .interim, &run)
  }

  private mutating func noteUnasked(_ slot: Int, _ run: inout Run) {
    let hasRequest = run.rows.exchanges.look(Int(streams[slot].exchange)) { $0.exchange.request != nil }
    if !hasRequest { run.note(.httpResponseWithoutRequest) }
  }

  /// Opens a stream and its exchange.
  mutating func openStream(_ number: UInt32, by side: Side, _ run: inout Run) -> Int {
    if slots.count >= run.configuration.streamLimit {
      run.note(.http2StreamsFull)
      giveUpStream(&run)
    }
    highestStream[side] = max(highestStream[side], number)
    var open = OpenExchange()
    open.exchange.number = run.nextExchange()
    open.exchange.connection = run.connection.number
    open.exchange.stream = number
    open.exchange.started = readers.look(run.side) { $0.firstArrival.time }
    open.exchange.pairing = .unknown
    open.exchange.timings.connect = opening.connectDuration
    open.exchange.timings.dns = opening.lookupDuration
    open.exchange.timings.tls = run.connection.beneath.handshake
    run.connection.beneath.handshake = nil
    opening.connectDuration = nil
    opening.lookupDuration = nil
    let exchange = RowIndex(run.rows.exchanges.insert(open))
    return insert(HTTP2Stream(id: number, exchange: exchange))
  }

  /// Puts a stream into a free slot, or at the end. Returns its slot.
  mutating func insert(_ stream: HTTP2Stream) -> Int {
    let slot: Int
    if let reused = freeSlots.popLast() {
      slot = Int(reused)
      streams[slot] = stream
    } else {
      slot = streams.count
      streams.append(stream)
    }
    slots[stream.id] = Int32(slot)
    return slot
  }

  /// Closes a stream that has waited for long, because there are too many streams.
  private mutating func giveUpStream(_ run: inout Run) {
    for _ in streams.indices {
      nextVictim = nextVictim + 1 < streams.count ? nextVictim + 1 : 0
      guard streams[nextVictim].exchange >= 0, !streams[nextVictim].isClosed else { continue }
      let slot = nextVictim
      for side in 0..<2 where streams[slot].halves[side].isInProgress {
        run.rows[message: streams[slot].halves[side].message.row].flags.insert(.evicted)
        endMessage(slot, side, .incomplete, &run)
      }
      if streams[slot].exchange >= 0, !streams[slot].isClosed { over(slot, &run) }
      return
    }
  }

  // MARK: Messages

  /// Starts a message of the current side with the current frame.
  mutating func startMessage(_ slot: Int, _ side: Side, isRequest: Bool, _ run: inout Run) {
    let row = RowIndex(run.rows.messages.insert(OpenMessage()))
    let number = run.nextMessage()
    run.connection.added.messages += 1
    let exchange = streams[slot].exchange
    let start = readers.look(side) { $0.firstArrival }
    run.rows.messages[Int(row)].exchange = slot
    if readers.look(side, { $0.isUnsure }) { run.rows.messages[Int(row)].doubts.insert(.start) }
    run.rows[message: row].kind = isRequest ? .request : .response
    run.rows[message: row].number = number
    run.rows[message: row].connection = run.connection.number
    run.rows[message: row].exchange = run.rows.exchanges.look(Int(exchange)) { $0.exchange.number }
    run.rows[message: row].stream = streams[slot].id
    run.rows[message: row].isSecure = run.connection.beneath.isSecure
    run.rows[message: row].process = run.process(client: requestSide)
    if run.connection.beneath.isTunnelled { run.rows[message: row].flags.insert(.tunnelled) }
    run.rows[message: row].version = Self.version.withOctets { run.texts.intern($0) }
    run.rows[message: row].firstTime = start.time
    run.rows[message: row].lastTime = start.time
    run.rows.messages[Int(row)].note(run.arrival)
    run.rows.exchanges[Int(exchange)].openMessages += 1
    streams[slot].halves[side].message = MessageReference(row: row, number: number)
    streams[slot].halves[side].isLossy = false
    streams[slot].halves[side].isStatusUnknown = false
    streams[slot].halves[side].mayBeTunnel = false
    streams[slot].halves[side].losses = readers.look(side) { $0.losses }
    streams[slot].halves[side].state = .fields
    if isRequest {
      run.rows.exchanges[Int(exchange)].exchange.request = number
      run.rows.exchanges[Int(exchange)].exchange.pairing = .exact
      run.rows.exchanges[Int(exchange)].exchange.started = start.time
    } else {
      adoptRequest(slot, row, &run)
    }
    nameVersion(exchange, &run)
  }

  /// The version of messages and exchanges.
  private static let version = Array("HTTP/2".utf8)

  private func nameVersion(_ exchange: RowIndex, _ run: inout Run) {
    guard run.rows.exchanges.look(Int(exchange), { $0.exchange.version == .none }) else { return }
    let version = Self.version.withOctets { run.texts.intern($0) }
    run.rows.exchanges[Int(exchange)].exchange.version = version
  }

  /// Copies known facts about the request to its response.
  func adoptRequest(_ slot: Int, _ row: RowIndex, _ run: inout Run) {
    let found = run.rows.exchanges.look(Int(streams[slot].exchange)) { open in
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
    run.rows[message: row].target = run.rows.exchanges.look(Int(streams[slot].exchange)) { $0.target }
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
    let exchange = Int(streams[slot].exchange)
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
    let exchange = Int(streams[slot].exchange)
    run.rows.exchanges[exchange].exchange.response = number
    run.rows.exchanges[exchange].exchange.status = status
    run.rows.exchanges[exchange].isAnswered = true
  }

  // MARK: Content

  /// Starts the content of a message whose fields are complete.
  mutating func startContent(_ slot: Int, _ section: FieldSection, _ run: inout Run) {
    let side = run.side
    guard !streams[slot].halves[side].isTunnel else { return }
    let row = streams[slot].halves[side].message.row
    let encoding = run.rows.messages.look(Int(row)) { $0.message.contentEncoding }
    let form = OpenContent.formOfGRPC(of: row, run)
    guard encoding != .none || form != nil || run.observer != nil || run.contentNotes.isWanted else { return }
    streams[slot].halves[side].content.isOpen = true
    streams[slot].halves[side].content.start(of: row, form, section.grpcEncoding, &run)
  }

  /// Takes octets of content.
  mutating func takeData(_ octets: RawSpan, _ run: inout Run) {
    let side = run.side
    let slot = readers.look(side) { $0.slot }
    if streams[slot].halves[side].mayBeTunnel { resolveTunnel(slot, &run) }
    guard !streams[slot].halves[side].isTunnel else { return takeTunnelled(slot, octets, &run) }
    count(octets.byteCount, as: .body, &run)
    let message = streams[slot].halves[side].message
    guard streams[slot].halves[side].isInProgress, message.isOpen(run.rows) else { return }
    if streams[slot].halves[side].content.isOpen {
      streams[slot].halves[side].content.take(octets, of: message.row, &run)
    }
  }

  /// Looks whether the request has come meanwhile, which tells a tunnel. Else the message ends where a tunnel may begin.
  private mutating func resolveTunnel(_ slot: Int, _ run: inout Run) {
    let side = run.side
    let (method, isKnown) = run.rows.exchanges.look(Int(streams[slot].exchange)) { ($0.method, $0.isRequestKnown) }
    let message = streams[slot].halves[side].message
    if isKnown {
      streams[slot].halves[side].mayBeTunnel = false
      streams[slot].halves[side].isTunnel = method == .connect
    } else if message.isOpen(run.rows) {
      run.rows.messages[Int(message.row)].doubts.insert(.end)
    }
  }

  /// Counts octets of a tunnel that is not read.
  mutating func countTunnel(_ count: Int, _ run: inout Run) {
    extendOwnersByNone(&run)
    run.ledger.settle(count, as: .tunnel)
    run.connection.added.unattributed += count
    run.connection.added.flags.insert(.tunnel)
  }

  /// Skips unseen octets of content.
  mutating func skipData(_ count: Int, isInPacket: Bool, _ run: inout Run) {
    let side = run.side
    let slot = readers.look(side) { $0.slot }
    if streams[slot].halves[side].isTunnel { return skipTunnelled(slot, count, isInPacket: isInPacket, &run) }
    guard countHidden(count, as: .body, isInPacket: isInPacket, &run) else { return }
    let message = readers.look(side) { $0.message }
    streams[slot].halves[side].content.lose()
    run.rows[message: message.row].flags.insert(.contentNotSeen)
  }

  // MARK: Ends

  /// Ends a message of a side.
  mutating func endMessage(_ slot: Int, _ side: Side, _ end: MessageEnd, _ run: inout Run) {
    let message = streams[slot].halves[side].message
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
    if let observer = run.observer {
      let (number, length) = run.rows.messages.look(Int(row)) { ($0.message.number, $0.message.decodedBody) }
      observer.end(of: number, decodedLength: length)
    }
    noteTimes(of: row, slot, &run)
    streams[slot].halves[side].content = OpenContent()
    if streams[slot].halves[side].isTunnel { finishTunnel(streams[slot].id, side, isComplete: isComplete, &run) }
    // The response to a promised request comes from the same side.
    let isPromise = run.rows.messages.look(Int(row)) {
      $0.message.flags.contains(.pushed) && $0.message.kind == .request
    }
    streams[slot].halves[side].state = end == .interim || isPromise ? .idle : .ended
    if end == .interim { streams[slot].halves[side].message = .none }
    streams[slot].halves[side].hasUnknownFields = false
    if !ended.look(side, { $0.isEmpty }) { run.rows.lingering += 1 }
    ended[side].append(message)
    closeIfOver(slot, &run)
    retire(side, &run)
  }

  /// Whether octets of a side may have been lost on a stream.
  func isLossy(_ slot: Int, _ side: Side) -> Bool {
    streams[slot].halves[side].isLossy || streams[slot].halves[side].losses != readers.look(side) { $0.losses }
  }

  private mutating func finishContent(_ slot: Int, _ side: Side, isComplete: Bool, _ run: inout Run) {
    let half = streams[slot].halves[side]
    let row = half.message.row
    let (missing, unseen) = run.rows.messages.look(Int(row)) { ($0.message.missing, $0.message.unseen) }
    let isWhole = isComplete && missing == 0 && unseen == 0 && !isLossy(slot, side) && !half.hasUnknownFields
    if half.content.isOpen {
      streams[slot].halves[side].content.finish(of: row, isComplete: isWhole, &run)
    } else if isWhole, !half.isTunnel || run.rows[message: row].octets.body == 0 {
      // Without a coding, the decoded length is the length of the content.
      run.rows[message: row].decodedBody = run.rows[message: row].octets.body
    }
  }

  /// Notes the times of a message. The packet that shows the end is not used, because it can belong to another message.
  private mutating func noteTimes(of row: RowIndex, _ slot: Int, _ run: inout Run) {
    let (kind, first, last) = run.rows.messages.look(Int(row)) {
      ($0.message.kind, $0.message.firstTime, $0.message.lastTime)
    }
    let exchange = Int(streams[slot].exchange)
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

  /// Resets a stream. Its sender sends no more octets on it. Octets of the other side may have been on the way, in any order of capture: its
  /// message ends with them, or was reset.
  mutating func resetStream(_ number: UInt32, _ run: inout Run) {
    guard let slot = slots[number].map(Int.init), !streams[slot].isReset else { return }
    let side = run.side
    if side == requestSide, streams[slot].halves[1 - side].state == .idle {
      unansweredResets += 1
      if unansweredResets > run.configuration.unansweredResetLimit { noteOnce(.http2RapidReset, .resets, &run) }
    }
    streams[slot].isReset = true
    streams[slot].isAwaited = streams[slot].halves[1 - side].state != .ended
    // A block of it that is still open continues to belong to it.
    let hasBlock = readers.look(side) { $0.block.isOpen && $0.block.slot == slot }
    if streams[slot].halves[side].isInProgress, !hasBlock {
      endMessage(slot, side, .reset, &run)
    } else if streams[slot].halves[side].state == .idle {
      streams[slot].halves[side].state = .ended
    }
    guard streams[slot].exchange >= 0, streams[slot].isAwaited else { return closeIfOver(slot, &run) }
    awaitedResets.append(number)
    if awaitedResets.count > Self.awaitedResetLimit {
      let oldest = awaitedResets[0]
      awaitedResets.removeFirst()
      endAwaiting(oldest, &run)
    }
  }

  /// Ends a stream that was reset, and on which octets of the other side were awaited.
  private mutating func endAwaiting(_ number: UInt32, _ run: inout Run) {
    guard let slot = slots[number].map(Int.init), streams[slot].isAwaited else { return }
    streams[slot].isAwaited = false
    for side in 0..<2 where streams[slot].halves[side].isInProgress { endMessage(slot, side, .reset, &run) }
    if streams[slot].exchange >= 0 { closeIfOver(slot, &run) }
  }

  /// The streams of a connection that were reset and still wait for octets of the other side. Octets on the way come within a round trip.
  private static let awaitedResetLimit = 64

  /// The message that is charged for a frame without fields or content (MEASURES §7).
  func messageCharged(for frame: HTTP2FrameHeader, _ run: borrowing Run) -> MessageReference {
    guard frame.stream > 0, let slot = slots[frame.stream].map(Int.init) else { return .none }
    let side = run.side
    if frame.type == HTTP2FrameHeader.windowUpdate { return streams[slot].halves[1 - side].message }
    guard let requestSide else { return .none }
    let (response, request) = (streams[slot].halves[1 - requestSide], streams[slot].halves[requestSide])
    // The responding side knows which of its own messages has come, whatever the order of capture of both sides.
    if response.isInProgress || side != requestSide, !response.message.isNone { return response.message }
    if request.isInProgress { return request.message }
    return response.message.isNone ? request.message : response.message
  }

  // MARK: Awaited messages

  /// Whether a frame is a WINDOW_UPDATE for a message that may begin later (MEASURES §7).
  func awaitsMessage(_ frame: HTTP2FrameHeader, _ run: borrowing Run) -> Bool {
    let receiver = 1 - run.side
    guard frame.type == HTTP2FrameHeader.windowUpdate, frame.stream > 0,
      awaited.look(receiver, { $0.count }) < run.configuration.streamLimit
    else { return false }
    if let slot = slots[frame.stream].map(Int.init) {
      return streams[slot].halves[receiver].message.isNone && streams[slot].halves[receiver].state != .ended
    }
    guard let requestSide else { return true }
    return frame.stream > highestStream[frame.stream % 2 == 1 ? requestSide : 1 - requestSide]
  }

  /// Charges a message for the frames that came before it.
  mutating func takeAwaited(_ slot: Int, _ row: RowIndex, _ run: inout Run) {
    guard let octets = awaited[run.side].removeValue(forKey: streams[slot].id) else { return }
    run.rows[message: row].control += octets
    run.rows[message: row].returned += octets
  }

  /// Charges the connection for frames whose messages never came: those of a stream, or all.
  mutating func giveUpAwaited(of stream: UInt32?, _ run: inout Run) {
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
