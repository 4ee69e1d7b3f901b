/// What reads the two streams of one connection.
///
/// Each side is HTTP/1, until its first octets or a message say otherwise. A further protocol is one more reader
/// here and one more case in `Reader`.
struct ApplicationLayer {
  private enum Reader: UInt8 {
    case http1
    case tls
  }

  private(set) var conversation = Conversation()
  private var parsers: Sides<HTTP1Parser>
  private var tls: Sides<TLSRecords>
  private var readers = Sides<Reader>(repeating: .http1)
  private var hasStarted = Sides<Bool>(repeating: false)
  /// Charges for places that an incomplete line still has to decide.
  private var pendingCharges = Sides<[Charge]>(repeating: [])

  /// Conflicting copies of octets that are not delivered yet, and how many of them are remembered.
  private var pendingConflicts = Sides<[Range<StreamPosition>]>(repeating: [])
  private static let pendingConflictLimit = 64
  /// Octets of memory that each side was counted with in `Run.stateOctets`.
  private var counted = Sides<Int>(repeating: 0)

  init(configuration: Configuration, connectDuration: Int64?, lookupDuration: Int64?) {
    parsers = Sides(repeating: HTTP1Parser(position: 0, configuration: configuration))
    tls = Sides(repeating: TLSRecords())
    conversation.connectDuration = connectDuration
    conversation.lookupDuration = lookupDuration
  }

  /// What the connection carries, as far as is known.
  var applicationProtocol: ConnectionProtocol {
    if conversation.isHTTP { return .http1 }
    if tls[0].isConfirmed || tls[1].isConfirmed { return .tls }
    return conversation.isHTTP2 ? .http2 : .other
  }

  /// Whether `side` cannot be read on before the other side has answered (CONNECT, Upgrade).
  mutating func isWaiting(_ side: Side) -> Bool { parsers.look(side) { $0.isWaiting } }

  /// Whether a message of `side` is known to go on: at least one more octet of it must come.
  mutating func expectsMore(_ side: Side) -> Bool { readers[side] == .http1 && parsers.look(side) { $0.expectsMore } }

  /// The connection was opened: the phases belong to its first exchange.
  mutating func opened(connectDuration: Int64) { conversation.connectDuration = connectDuration }

  /// Messages may be missing before what is read first.
  mutating func startsInMidstream() { conversation.mayHaveLostMessages = true }

  /// The stream of `side` starts at `position`, not at 0.
  private mutating func start(_ side: Side, at position: StreamPosition, firstOctet: UInt8?, _ run: inout Run) {
    hasStarted[side] = true
    // A tunnel can be known before one side has sent anything.
    let isTunnel = parsers[side].isTunnel
    parsers[side] = HTTP1Parser(position: position, configuration: run.configuration)
    if isTunnel { parsers[side].answered(isTunnel: true) }
    if !isTunnel, let firstOctet, TLSRecords.canStart(with: firstOctet) { readers[side] = .tls }
  }

  /// Reads octets of a side, next in order. Returns how many: fewer than all only when the side has to wait.
  mutating func receive(
    _ side: Side, _ octets: RawSpan, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> Int {
    if !hasStarted[side] { start(side, at: position, firstOctet: octets.byteCount > 0 ? octets.octet(0) : nil, &run) }
    conversation.side = side
    conversation.arrival = arrival
    var consumed = octets.byteCount
    // Nearly every packet of a large message: more of its content, and nothing waits for what comes of it.
    if readers[side] == .http1, hasNothingPending(side), parsers.look(side, { $0.passContent(consumed) }) {
      conversation.body(octets, &run)
      conversation.charge(Charge(position: position, retransmitted: 0, overhead: arrival.overhead), to: side, &run)
      return consumed
    }
    if readers[side] == .tls {
      let refused = tls[side].consume(octets, ledger: &run.ledger)
      run.connection.added.unattributed += octets.byteCount - refused
      if refused > 0 {
        readers[side] = .http1
        // Nothing that starts like this is HTTP: what was refused is opaque unless HTTP follows.
        parsers[side] = HTTP1Parser(position: position + octets.byteCount, configuration: run.configuration)
        conversation.outsideMessages(refused, as: .undecided, &run)
      }
    } else {
      startSimpleResponse(side, at: position, octets, arrival, &run)
      consumed = parsers[side].consume(octets, arrival: arrival, events: &conversation, context: &run)
      spreadAnswer(from: side)
    }
    charge(Charge(position: position, retransmitted: 0, overhead: arrival.overhead), to: side, &run)
    settleCharges(side, &run)
    return consumed
  }

  /// A response without a start-line, if that is what must come now (HTTP/0.9).
  private mutating func startSimpleResponse(
    _ side: Side, at position: StreamPosition, _ octets: RawSpan, _ arrival: SegmentArrival, _ run: inout Run
  ) {
    guard conversation.expectsSimpleResponse, conversation.requestSide == 1 - side, parsers[side].isBeforeMessage,
      octets.byteCount > 0
    else { return }
    // A server that does not know HTTP/0.9 answers with a status-line all the same: its first octets tell, and may come
    // one by one.
    guard !parsers[side].canBeVersion(octets) else { return }
    let start = parsers[side].isBetweenMessages ? LineStart(position: position, arrival: arrival) : nil
    startSimpleResponse(side, at: start, &run)
  }

  /// Starts a response without a start-line: at `start`, or with the octets that were kept because they could have been one.
  private mutating func startSimpleResponse(_ side: Side, at start: LineStart?, _ run: inout Run) {
    conversation.startSimpleResponse(at: start ?? parsers[side].lineStart, &run)
    parsers[side].expectSimpleResponse(events: &conversation, context: &run)
  }

  /// A response has decided what the stream of requests goes on with.
  private mutating func spreadAnswer(from side: Side) {
    guard let isTunnel = conversation.answer else { return }
    conversation.answer = nil
    if isTunnel || parsers[1 - side].isWaiting { parsers[1 - side].answered(isTunnel: isTunnel) }
  }

  /// Gives up waiting for an answer that does not come.
  mutating func stopWaiting(_ side: Side) { parsers[side].answered(isTunnel: false) }

  /// Octets of a side that are in the packet, but beyond the snap length.
  mutating func skipUnseen(
    _ side: Side, _ count: Int, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) {
    if !hasStarted[side] { start(side, at: position, firstOctet: nil, &run) }
    conversation.side = side
    conversation.arrival = arrival
    if readers[side] == .tls {
      tls[side].skip(count, isInPacket: true, ledger: &run.ledger)
      run.connection.added.unattributed += count
      conversation.missingOutsideMessages(count, &run)
    } else {
      parsers[side].skipUnseen(count, events: &conversation, context: &run)
    }
    charge(Charge(position: position, retransmitted: 0, overhead: arrival.overhead), to: side, &run)
    settleCharges(side, &run)
  }

  /// Octets of a side that were never captured.
  mutating func skipMissing(_ side: Side, _ count: Int, at position: StreamPosition, _ run: inout Run) {
    if !hasStarted[side] { start(side, at: position, firstOctet: nil, &run) }
    conversation.side = side
    if readers[side] == .tls {
      tls[side].skip(count, isInPacket: false, ledger: &run.ledger)
      conversation.missingOutsideMessages(count, &run)
    } else {
      parsers[side].skipMissing(count, events: &conversation, context: &run)
    }
    settleCharges(side, &run)
  }

  /// A side's stream ends: `isComplete` by FIN.
  mutating func finish(_ side: Side, isComplete: Bool, _ run: inout Run) {
    guard hasStarted[side] else { return }
    conversation.side = side
    if readers[side] == .tls {
      tls[side].finish(&run.ledger)
    } else {
      if conversation.expectsSimpleResponse, conversation.requestSide == 1 - side, parsers[side].isInVersion {
        startSimpleResponse(side, at: nil, &run)
      }
      parsers[side].finish(isComplete: isComplete, events: &conversation, context: &run)
      spreadAnswer(from: side)
    }
    settleCharges(side, &run)
  }

  /// The connection is no longer followed, though it may go on.
  mutating func flagEviction() { conversation.flagEviction() }

  /// The connection is over: everything is final.
  mutating func finishAll(_ run: inout Run) {
    for side in 0..<2 {
      for charge in pendingCharges[side] { conversation.charge(charge, to: side, &run) }
      pendingCharges[side] = []
      pendingConflicts[side] = []
      countMemory(side, &run)
    }
    conversation.settleUndecided(&run)
    conversation.finishAll(&run)
  }

  /// Hands over the messages that are not final yet; `decoders` are those that have their contents.
  func forEachOpenMessage(_ decoders: (any ContentDecoderSource)?, _ body: (Message) -> Void) {
    for side in 0..<2 {
      for index in 0..<conversation.messages[side].count {
        let open = conversation.messages[side][index]
        var message = open.message
        if open.isInProgress { message.exactness = .atLeast }
        if let outcome = open.pendingContent.flatMap({ decoders?.outcome(of: $0) }) {
          _ = message.note(outcome, isComplete: true)
        }
        body(message)
      }
    }
  }

  // MARK: At rest

  /// Whether it is within no message and no line, and nothing waits for what comes next.
  mutating func isAtRest() -> Bool {
    for side in 0..<2 {
      guard parsers.look(side, { $0.isAtRest }), tls[side].isAtRest, hasNothingPending(side), counted[side] == 0 else {
        return false
      }
    }
    return conversation.isAtRest()
  }

  /// Its state, at rest.
  mutating func code(_ coder: inout StateCoder, connection number: Int) {
    conversation.code(&coder, connection: number)
    for side in 0..<2 {
      parsers[side].code(&coder)
      coder.kind(&readers[side])
      tls[side].code(&coder)
      coder.flag(&hasStarted[side])
    }
  }

  // MARK: Charges

  /// Charges a packet to the messages that own its place, now or once an incomplete line is complete.
  mutating func charge(_ charge: Charge, to side: Side, _ run: inout Run) {
    guard charge.overhead > 0 || charge.retransmitted > 0 else { return }
    if charge.end > settledPosition(side), pendingCharges[side].count < run.configuration.pendingChargeLimit {
      pendingCharges[side].append(charge)
      countMemory(side, &run)
    } else {
      conversation.charge(charge, to: side, &run)
    }
  }

  /// Position up to which it is known what the octets of a side are.
  private mutating func settledPosition(_ side: Side) -> StreamPosition {
    guard hasStarted[side] else { return .unknown }
    return readers[side] == .http1 ? parsers.look(side) { $0.settledPosition } : .never
  }

  /// Counts what a side keeps: incomplete lines, and what waits for their end.
  private mutating func countMemory(_ side: Side, _ run: inout Run) {
    let memory =
      parsers.look(side) { $0.keptOctets } + pendingCharges.look(side) { $0.capacity } * MemoryLayout<Charge>.stride
      + pendingConflicts.look(side) { $0.capacity } * MemoryLayout<Range<StreamPosition>>.stride
    guard memory != counted[side] else { return }
    run.stateOctets += memory - counted[side]
    counted[side] = memory
  }

  @inline(__always)
  private mutating func hasNothingPending(_ side: Side) -> Bool {
    pendingCharges.look(side) { $0.isEmpty } && pendingConflicts.look(side) { $0.isEmpty }
  }

  private mutating func settleCharges(_ side: Side, _ run: inout Run) {
    defer { countMemory(side, &run) }
    settleConflicts(side)
    guard !pendingCharges[side].isEmpty else { return }
    let settled = settledPosition(side)
    var rest: [Charge] = []
    for charge in pendingCharges[side] {
      if charge.end > settled {
        rest.append(charge)
      } else {
        conversation.charge(charge, to: side, &run)
      }
    }
    pendingCharges[side] = rest
  }

  private mutating func settleConflicts(_ side: Side) {
    guard !pendingConflicts[side].isEmpty else { return }
    let settled = settledPosition(side)
    for range in pendingConflicts[side] where range.upperBound <= settled {
      conversation.flagConflict(range, on: side)
    }
    pendingConflicts[side].removeAll { $0.upperBound <= settled }
  }

  /// Charges a segment without payload, sent by the opposite side of `side`.
  mutating func chargeAcknowledgment(_ overhead: Int, to side: Side, _ run: inout Run) {
    conversation.chargeAcknowledgment(overhead, to: side, &run)
  }

  /// Payload was sent again with different content.
  mutating func flagConflict(_ range: Range<StreamPosition>, on side: Side) {
    if range.upperBound > settledPosition(side), pendingConflicts[side].count < Self.pendingConflictLimit {
      pendingConflicts[side].append(range)
    } else {
      conversation.flagConflict(range, on: side)
    }
  }

  /// Octets of a hole turn up after the hole was given up.
  mutating func acceptLate(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {
    guard readers[side] == .http1 else {
      run.ledger.missing -= range.count
      run.connection.added.missing -= range.count
      run.connection.added.unattributed += range.count
      return run.ledger.settle(range.count, as: .tls)
    }
    conversation.acceptLate(range, on: side, &run)
  }
}
