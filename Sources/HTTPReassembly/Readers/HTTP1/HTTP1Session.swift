import Packets

/// A connection whose streams are read as HTTP/1, until their first octets or a message show another protocol.
///
/// One side can still be TLS. A server may answer a clear-text request with a TLS alert, and a client may greet a
/// clear-text server with a ClientHello.
struct HTTP1Session {
  var conversation: Conversation
  var parsers = Sides<HTTP1Parser>(repeating: HTTP1Parser(position: 0))
  /// The records of each TLS side; nil while there is none.
  private var records: OwnMemory<Sides<TLSRecords?>>?
  /// Charges that wait until the owners of their octets are known.
  var pending = PendingCharges()
  /// The tunnel that a message opened, once it has a reader of its own; nil without one.
  var tunnel: OwnMemory<OpenTunnel>?
  private var hasStarted = Sides<Bool>(repeating: false)
  /// The number of packets left to search for frames of HTTP/2, because the capture may have begun within HTTP/2.
  private var searches: UInt8
  /// Octets of memory that were counted for the session.
  private var counted: Int32 = 0
  /// The capture time of the latest packet with octets of either side.
  private var lastArrival: Int64 = 0

  init(_ opening: ConnectionOpening, _ run: inout Run) {
    conversation = Conversation(opening)
    searches = opening.isSeen ? 0 : Self.searchLimit
    count(&run)
  }

  /// Starts in a tunnel that another session found.
  init(tunnelled opening: ConnectionOpening, _ run: inout Run) {
    self.init(opening, &run)
    for side in 0..<2 { parsers[side].answered(isTunnel: true) }
  }

  /// Continues a connection that was taken for TLS, although one of its sides is not TLS.
  init(_ session: consuming TLSSession, _ run: inout Run) {
    self.init(session.opening, &run)
    // Octets counted before stay with a side whose records are certain.
    var unopened = session.unopened
    for side in 0..<2 {
      guard session.sides[side].hasStarted else { continue }
      let isConfirmed = session.sides[side].isConfirmed
      startRecords(side, TLSRecords(session.sides[side], unopened: isConfirmed ? unopened : 0))
      if isConfirmed { unopened = 0 }
      hasStarted[side] = true
    }
    if session.mayHaveLostMessages { conversation.loseAlignment() }
    pending = session.pending
  }

  mutating func connected(after duration: Int64) { conversation.connected(after: duration) }

  /// The number of packets that are searched for frames.
  static let searchLimit: UInt8 = 32

  /// Whether no HTTP/1 was found, and earlier octets are unknown.
  @inline(__always)
  var isUnrecognized: Bool { searches > 0 && !conversation.isHTTP }

  /// Counts a packet that was searched for frames of HTTP/2.
  mutating func noteSearch() { searches -= 1 }

  /// The needs of the session. It is mutating so that the session is not copied.
  var needs: StreamNeeds {
    @inline(__always) mutating get {
      var needs: StreamNeeds = tunnel == nil ? [] : tunnel?.value.reader.needs ?? []
      for side in 0..<2 {
        if parsers.look(side, { $0.isWaiting }) { needs.insert(.waiting(side)) }
        if parsers.look(side, { $0.expectsMore }), !isTLS(side) { needs.insert(.more(side)) }
      }
      return needs
    }
  }

  /// Whether a side is TLS.
  @inline(__always)
  private func isTLS(_ side: Side) -> Bool { records?.value.look(side) { $0 != nil } ?? false }

  private mutating func startRecords(_ side: Side, _ started: TLSRecords) {
    let opened = records ?? OwnMemory(Sides(repeating: nil))
    opened.value[side] = started
    records = opened
  }

  // MARK: Octets

  /// Starts the stream of `side` at `position`, which may differ from 0.
  private mutating func start(_ side: Side, at position: StreamPosition, firstOctet: UInt8?) {
    hasStarted[side] = true
    if !conversation.isFirst[side] { conversation.owners[side].begin(at: position) }
    // A tunnel can be known before one side has sent any octets.
    let isTunnel = parsers.look(side) { $0.isTunnel }
    parsers[side] = HTTP1Parser(position: position)
    if isTunnel { parsers[side].answered(isTunnel: true) }
    if !isTunnel, let firstOctet, TLSRecords.canStart(with: firstOctet) { startRecords(side, TLSRecords()) }
  }

  mutating func receive(
    _ side: Side, _ octets: RawSpan, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> Taken {
    if !hasStarted[side] { start(side, at: position, firstOctet: octets.byteCount > 0 ? octets.octet(0) : nil) }
    run.read(side)
    run.arrival = arrival
    lastArrival = arrival.time
    let charge = Charge(position: position, retransmitted: 0, overhead: arrival.overhead)
    // The case of nearly every packet of a large message: it brings more content, and no charge waits for it.
    if pending.isEmpty, !isTLS(side), parsers[side].passContent(octets.byteCount) {
      conversation.body(octets, &run)
      conversation.charge(charge, to: side, &run)
      return Taken(count: octets.byteCount, needs: needs)
    }
    if conversation.asksToSwitch, !conversation.isTunnel {
      inferSwitch(octets, of: side, &run)
      if conversation.isUpgraded {
        self.charge(charge, to: side, &run)
        return Taken(count: 0, needs: needs)
      }
    }
    if parsers.look(side, { $0.isTunnel }) {
      // TLS around a tunnel ends at the proxy.
      run.connection.beneath.isSecure = false
      if !conversation.webSocket.isEmpty, let row = conversation.tunnelOwner(run), octets.byteCount > 0,
        run.webSocket(of: row)?.value.accepts(octets) == true
      {
        parsers[side].passTunnel(octets.byteCount)
        run.takeTunnel(octets, of: row)
        self.charge(charge, to: side, &run)
        settle(side, &run)
        return Taken(count: octets.byteCount, needs: needs)
      }
      if let taken = receiveTunnelled(side, octets, at: position, arrival, &run) {
        count(&run)
        return taken
      }
    }
    var consumed = octets.byteCount
    if isTLS(side) {
      readRecords(side, octets, at: position, &run)
    } else {
      startSimpleResponse(side, at: position, octets, arrival, &run)
      consumed = parsers[side].consume(octets, arrival: arrival, events: &conversation, context: &run)
      spreadAnswer(from: side, &run)
    }
    self.charge(charge, to: side, &run)
    settle(side, &run)
    return Taken(count: consumed, needs: needs)
  }

  /// Reads the octets of a side and all behind them as those of another protocol, if they begin like it and the answer that opened it was
  /// lost.
  @inline(never)
  private mutating func inferSwitch(_ octets: RawSpan, of side: Side, _ run: inout Run) {
    guard octets.byteCount > 0, !isTLS(side), let client = conversation.requestSide,
      !octets.octet(0).isTokenCharacter || side == client && HTTP2Preface.starts(octets),
      parsers.look(side, { $0.isBetweenLines }), parsers.look(client, { $0.isBetweenLines }),
      conversation.inferSwitch(octets, of: side, at: parsers.look(client) { $0.position }, &run)
    else { return }
    guard !conversation.isUpgraded else { return }
    for side in 0..<2 { parsers[side].answered(isTunnel: true) }
  }

  private mutating func readRecords(_ side: Side, _ octets: RawSpan, at position: StreamPosition, _ run: inout Run) {
    guard let records, let refused = records.value[side]?.consume(octets, ledger: &run.ledger) else { return }
    run.connection.added.unattributed += octets.byteCount - refused
    guard refused > 0 else { return }
    records.value[side] = nil
    // HTTP never starts like this. The refused octets are opaque unless HTTP follows.
    parsers[side] = HTTP1Parser(position: position + octets.byteCount)
    conversation.outsideMessages(refused, as: .undecided, &run)
  }

  /// Starts a response without a start-line, if one must come now (HTTP/0.9).
  @inline(__always)
  private mutating func startSimpleResponse(
    _ side: Side, at position: StreamPosition, _ octets: RawSpan, _ arrival: SegmentArrival, _ run: inout Run
  ) {
    guard conversation.expectsSimpleResponse, conversation.requestSide == 1 - side,
      parsers.look(side, { $0.isBeforeMessage }),
      octets.byteCount > 0
    else { return }
    // A server that does not know HTTP/0.9 answers with a status-line. Its first octets decide, and may come one by one.
    guard !parsers[side].canBeVersion(octets) else { return }
    let start = parsers[side].isBetweenMessages ? LineStart(position: position, arrival: arrival) : nil
    startSimpleResponse(side, at: start ?? parsers[side].lineStart, &run)
  }

  /// Starts a response without a start-line at `start`. Kept octets behind it could have been a start-line.
  private mutating func startSimpleResponse(_ side: Side, at start: LineStart?, _ run: inout Run) {
    guard let start else { return }
    conversation.startSimpleResponse(at: start, &run)
    parsers[side].expectSimpleResponse(events: &conversation, context: &run)
  }

  /// Tells the request stream how it continues after a response.
  @inline(__always)
  private mutating func spreadAnswer(from side: Side, _ run: inout Run) {
    guard let isTunnel = conversation.answer else { return }
    conversation.answer = nil
    guard isTunnel || parsers[1 - side].isWaiting else { return }
    parsers[1 - side].answered(isTunnel: isTunnel)
    guard isTunnel else { return }
    conversation.continueRequestInTunnel(1 - side, at: parsers.look(1 - side) { $0.position }, &run)
  }

  mutating func stopWaiting(_ side: Side, _ run: inout Run) -> StreamNeeds {
    parsers[side].answered(isTunnel: false)
    if let tunnel = tunnel(of: side) { inside(tunnel, &run) { _ = $0.stopWaiting(side, &$1) } }
    return needs
  }

  mutating func skipUnseen(
    _ side: Side, _ count: Int, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> StreamNeeds {
    if !hasStarted[side] { start(side, at: position, firstOctet: nil) }
    run.read(side)
    run.arrival = arrival
    lastArrival = arrival.time
    if let tunnel = tunnel(passing: position, of: side, &run) {
      inside(tunnel, &run) { _ = $0.skipUnseen(side, count, at: position, arrival, &$1) }
      self.count(&run)
      return needs
    }
    if isTLS(side) {
      records?.value[side]?.skip(count, isInPacket: true, ledger: &run.ledger)
      run.connection.added.unattributed += count
      run.countUnseen(count)
      conversation.followsHole[side] = true
    } else {
      parsers[side].skipUnseen(count, events: &conversation, context: &run)
    }
    charge(Charge(position: position, retransmitted: 0, overhead: arrival.overhead), to: side, &run)
    settle(side, &run)
    return needs
  }

  /// Skips octets that were never captured.
  mutating func skipMissing(
    _ side: Side, _ count: Int, at position: StreamPosition, certainty: GapCertainty = .exact, _ run: inout Run
  ) -> StreamNeeds {
    if !hasStarted[side] { start(side, at: position, firstOctet: nil) }
    run.read(side)
    run.arrival.time = lastArrival
    if !conversation.isHTTP { searches = Self.searchLimit }
    if let tunnel = tunnel(passing: position, of: side, &run) {
      inside(tunnel, &run) { _ = $0.skipMissing(side, count, at: position, &$1) }
      self.count(&run)
      return needs
    }
    if isTLS(side) {
      records?.value[side]?.skip(count, isInPacket: false, ledger: &run.ledger)
      conversation.missingOutsideMessages(count, &run)
    } else {
      parsers[side].skipMissing(count, isExact: certainty == .exact, events: &conversation, context: &run)
      if certainty != .exact { conversation.note(certainty, ofGapOn: side) }
    }
    settle(side, &run)
    return needs
  }

  mutating func finish(_ side: Side, isComplete: Bool, _ run: inout Run) -> StreamNeeds {
    guard hasStarted[side] else { return needs }
    run.read(side)
    run.arrival.time = lastArrival
    if isTLS(side) {
      records?.value[side]?.finish(&run.ledger)
    } else {
      if conversation.expectsSimpleResponse, conversation.requestSide == 1 - side,
        parsers.look(side, { $0.isInVersion })
      {
        startSimpleResponse(side, at: parsers[side].lineStart, &run)
      }
      parsers[side].finish(isComplete: isComplete, events: &conversation, context: &run)
      if !isComplete { conversation.cutTunnel(run) }
      conversation.endStream(side, at: isComplete ? parsers.look(side) { $0.position } : nil, &run)
      spreadAnswer(from: side, &run)
      if let tunnel = tunnel(of: side) { inside(tunnel, &run) { _ = $0.finish(side, isComplete: isComplete, &$1) } }
    }
    settle(side, &run)
    return needs
  }

  mutating func evict(_ run: inout Run) {
    conversation.flagEviction(&run)
    if let tunnel { inside(tunnel, &run) { $0.evict(&$1) } }
  }

  mutating func close(_ run: inout Run) -> SessionEnd {
    flushPending(&run)
    conversation.settleUndecided(&run)
    conversation.finishAll(&run)
    var end = known
    if let tunnelled = closeTunnel(&run) {
      end.security = tunnelled.security
      end.unopened += tunnelled.unopened
    }
    run.connectionMemory -= Int(counted)
    return end
  }

  /// Whether the connection continues with another known protocol, and has no more octets of HTTP/1.
  @inline(__always)
  var isUpgraded: Bool { conversation.isUpgraded }

  /// Ends the session, because the connection continues with HTTP/2.
  mutating func handOver(_ run: inout Run) -> HTTP2Upgrade? {
    flushPending(&run)
    let upgrade = conversation.handOver(&run)
    if upgrade != nil {
      run.connectionMemory -= Int(counted)
      counted = 0
    }
    return upgrade
  }

  private mutating func flushPending(_ run: inout Run) {
    for side in 0..<2 {
      for charge in pending.takeCharges(side) { conversation.charge(charge, to: side, &run) }
    }
  }

  /// The known facts about the connection so far.
  var known: SessionEnd {
    var end = SessionEnd(
      client: conversation.namedClient, requestSide: conversation.requestSide, applicationProtocol: applicationProtocol)
    for side in 0..<2 { end.unopened += records?.value[side]?.unopened ?? 0 }
    return end
  }

  /// The protocol of the connection, as far as is known.
  private var applicationProtocol: ConnectionProtocol {
    if conversation.isHTTP { return .http1 }
    if let sides = records?.value, sides[0]?.isConfirmed == true || sides[1]?.isConfirmed == true { return .tls }
    return conversation.isHTTP2 ? .http2 : .other
  }

  /// Calls `body` with the row of each message that is not final yet, and with whether it is in progress.
  func forEachOpenMessage(_ body: (RowIndex, _ isInProgress: Bool) -> Void) {
    for side in 0..<2 {
      for index in 0..<conversation.owners[side].count {
        let owner = conversation.owners[side][index]
        body(owner.row, owner.isInProgress)
      }
    }
    tunnel?.value.reader.forEachOpenMessage(body)
  }

  /// Makes every ended message final, although charges may still come, because there are too many rows.
  mutating func retireEnded(_ run: inout Run) {
    conversation.retireEnded(&run)
    if let tunnel { inside(tunnel, &run) { $0.retireEnded(&$1) } }
    count(&run)
  }

  // MARK: Charges

  mutating func charge(_ charge: Charge, to side: Side, _ run: inout Run) {
    guard !charge.isEmpty else { return }
    if let tunnel, charge.end > tunnel.value.starts[side] { return chargeTunnelled(charge, to: side, tunnel, &run) }
    if !isSettled(charge, side), pending.keep(charge, of: side, run) {
      count(&run)
    } else {
      conversation.charge(charge, to: side, &run)
    }
  }

  /// Whether the owners are known for the octets that decide a charge.
  @inline(__always)
  private mutating func isSettled(_ charge: Charge, _ side: Side) -> Bool {
    let settled = settledPosition(side)
    if charge.end <= settled { return true }
    // For a record, or a segment of records, the first owned octet is enough.
    return charge.retransmitted == 0 && charge.length > 1 && charge.position < settled
      && conversation.owners.look(side) { !$0.owner(of: charge.position).isNone }
  }

  /// The position up to which the owners of a side's octets are known.
  @inline(__always)
  private mutating func settledPosition(_ side: Side) -> StreamPosition {
    guard hasStarted[side] else { return .unknown }
    return isTLS(side) ? .never : parsers.look(side) { $0.settledPosition }
  }

  /// Counts the memory of incomplete lines and of charges that wait for their ends.
  @inline(__always)
  private mutating func count(_ run: inout Run) {
    let memory =
      MemoryLayout<HTTP1Session>.stride + 32 + parsers.look(0) { $0.keptOctets } + parsers.look(1) { $0.keptOctets }
      + conversation.memory + pending.memory + (tunnel == nil ? 0 : OpenTunnel.memory)
    run.connectionMemory += memory - Int(counted)
    counted = Int32(clamping: memory)
  }

  @inline(__always)
  private mutating func settle(_ side: Side, _ run: inout Run) {
    if !pending.isEmpty { settlePending(side, &run) }
    count(&run)
  }

  @inline(never)
  private mutating func settlePending(_ side: Side, _ run: inout Run) {
    let settled = settledPosition(side)
    for range in pending.takeConflicts(side, where: { $0.upperBound <= settled }) {
      conversation.owners.look(side) { $0.flagConflict(range, &run.rows) }
    }
    var left = pending
    for charge in left.takeCharges(side, where: { isSettled($0, side) }) { conversation.charge(charge, to: side, &run) }
    pending = left
  }

  mutating func chargeAcknowledgment(_ overhead: Int, to side: Side, _ run: inout Run) {
    if let tunnel = tunnel(of: side) {
      return inside(tunnel, &run) { $0.chargeAcknowledgment(overhead, to: side, &$1) }
    }
    // The incomplete start-line may belong to the message that is sent. This is decided later.
    if !isTLS(side), let start = parsers.look(side, { $0.incompleteStart }) {
      return charge(Charge(position: start, retransmitted: 0, overhead: overhead), to: side, &run)
    }
    let newest = conversation.owners.look(side) { $0.newest.owner }
    run.connection.added.unattributed += newest.chargeAcknowledgment(overhead, &run.rows)
  }

  mutating func flagConflict(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {
    let range = outsideTunnel(range, of: side, &run) { $0.flagConflict($1, on: side, &$2) }
    guard !range.isEmpty else { return }
    if range.upperBound > settledPosition(side), pending.keep(range, of: side) { return count(&run) }
    conversation.owners.look(side) { $0.flagConflict(range, &run.rows) }
  }

  mutating func acceptLate(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {
    guard !isTLS(side) else {
      run.countMissing(-range.count)
      return run.acceptLate(range.count, as: .tls)
    }
    let range = outsideTunnel(range, of: side, &run) { $0.acceptLate($1, on: side, &$2) }
    guard !range.isEmpty else { return }
    conversation.acceptLate(range, on: side, &run)
  }
}
