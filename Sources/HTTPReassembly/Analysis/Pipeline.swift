import DequeModule

/// The analysis of a capture: packets in, rows and a balanced ledger out.
///
/// ```
/// packet ─► PacketDecoder ─► ConnectionTable ─► TCPConnection ─► Session ─► RowStore ─► APITable, sink
///           headers          which one          in order         messages   rows        totals, reports
/// ```
///
/// One pass, one direction, nothing global, no clock but the packets'. Give it every packet in the order of capture,
/// then `finishConnections()` and read `totals`.
public struct Pipeline<Sink: ReportSink>: ~Copyable {
  private var decoder: PacketDecoder
  private var connections = ConnectionTable<Session>()
  private var waiting = WaitingConnections()
  private var quic = QUICConnections()
  private var run: Run
  private var apis: APITable
  /// Rows of connections that the sink has not seen yet.
  private var finalConnections: Deque<Connection> = []
  /// Receives the rows.
  public var sink: Sink
  private var secureHosts = SecureHosts()
  private var lookups = DNSLookups()
  /// Messages that may be open before those of idle connections become final.
  private var retirementMark: Int
  /// No connection's time-out runs out before this capture time.
  private var quietUntil = Int64.min

  /// Reads octets of packets again that have a source in a capture; nil when none can be. For packets that are processed after it was set.
  public var capturedOctets: (any CapturedOctets)? {
    get { run.history.captured }
    set { run.history.captured = newValue }
  }

  /// Starts an analysis.
  ///
  /// - Parameters:
  ///   - configuration: The limits and choices.
  ///   - decoders: Makes decoders for content codings; without them coded content has no decoded length.
  ///   - observer: Sees what messages say; without one only lengths are looked at.
  ///   - sink: Receives the rows.
  public init(
    configuration: Configuration = Configuration(), decoders: (any ContentDecoderSource)? = nil,
    observer: (any MessageObserver)? = nil, sink: consuming Sink
  ) {
    decoder = PacketDecoder(configuration: configuration)
    apis = APITable(configuration: configuration)
    retirementMark = configuration.openMessageLimit
    run = Run(configuration: configuration, decoders: decoders, observer: observer)
    self.sink = sink
  }

  /// Takes the next packet; `octets` are what was captured of it.
  ///
  /// - Throws: What the sink throws.
  public mutating func process(_ packet: Packet, _ octets: RawSpan) throws(Sink.Failure) {
    let time = min(max(packet.timestamp, -Self.timestampLimit), Self.timestampLimit)
    advanceClock(to: time)
    if let segment = decoder.ordinarySegment(packet, octets, ledger: &run.ledger) {
      receive(segment, octets, at: time, source: packet.captureOffset)
    } else {
      processAny(packet, octets, at: time)
    }
    if connectionOctets > run.budget.connectionRoom { try evictToLimit() }
    if run.rows.messages.count > retirementMark { retireIdlest() }
    if !isHandedOver { try handOver() }
  }

  /// Whether the sink has seen every final row.
  @inline(__always)
  private var isHandedOver: Bool { run.rows.isHandedOver && finalConnections.isEmpty }

  /// Takes a packet that is no ordinary one.
  @inline(never)
  private mutating func processAny(_ packet: Packet, _ octets: RawSpan, at time: Int64) {
    var packet = packet
    packet.timestamp = time
    switch decoder.dissect(packet, octets, ledger: &run.ledger, anomalies: &run.anomalies) {
    case .nothing: break
    case .tcp(let segment): receive(segment, octets, at: time, source: packet.captureOffset)
    case .reassembledTCP(let segment): receiveReassembled(segment, at: time)
    case .udp(let datagram): receive(datagram, octets, at: time)
    case .reassembledUDP(let datagram): receiveReassembled(datagram, at: time)
    }
  }

  /// Capture times are taken as at most 146 years from the epoch, which is in 2116, so that no two of them are further
  /// apart than their difference can say. What lies beyond is a damaged or hostile capture.
  private static var timestampLimit: Int64 { (1 << 62) - 1 }

  private mutating func advanceClock(to time: Int64) {
    run.anomalies.now = time
    if time > run.clock {
      run.clock = time
      expireConnections(at: time)
    } else if time < run.clock {
      run.anomalies.note(.timestampBackwards)
    }
  }

  // MARK: Time without packets

  /// The capture time after which the next connection is finished because its time-out has run out, or stops waiting for octets; nil if
  /// there is none.
  public var nextDeadline: Int64? {
    [waiting.first?.deadline, nextToExpire?.deadline, quic.nextDeadline].compactMap(\.self).min()
  }

  /// Says that it is `time` where the packets are captured, and that no packet has come since the last one: connections
  /// whose time-outs have run out are finished, and octets that are overdue given up, as the next packet would have it.
  ///
  /// Nothing else depends on it: a packet may still come that was captured before.
  ///
  /// - Throws: What the sink throws.
  public mutating func pass(to time: Int64) throws(Sink.Failure) {
    expireConnections(at: min(time, Self.timestampLimit))
    if !isHandedOver { try handOver() }
  }

  // MARK: Connections

  /// Takes a segment; `source` is where the packet's octets are in a capture, if the segment's payload lies in them.
  private mutating func receive(_ segment: TCPSegment, _ octets: RawSpan, at time: Int64, source: CaptureOffset?) {
    run.ledger.pending += segment.payloadLength
    let key = ConnectionKey(segment.source, segment.destination)
    guard let slot = connections.slot(for: key) else { return open(segment, octets, key, at: time, source, flags: []) }
    if segment.flags.contains(.syn) || connections.look(slot, { $0.hasStranger }), isReopened(slot, segment) {
      run.anomalies.note(.tcpPortReused, connection: connections.number(of: slot))
      let stranger = connections.change(slot) { $0.takeStranger(confirmedBy: segment, &run) }
      finish(slot, .captureEnd)
      guard let stranger else { return open(segment, octets, key, at: time, source, flags: .portReused) }
      stranger.octets.withOctets {
        open(stranger.segment, $0, key, at: stranger.time, stranger.source, flags: .portReused)
      }
      if let slot = connections.slot(for: key) { receive(slot, segment, octets, at: time, source) }
      return
    }
    receive(slot, segment, octets, at: time, source)
  }

  /// Takes a segment of the connection in a slot.
  @inline(__always)
  private mutating func receive(
    _ slot: Int, _ segment: TCPSegment, _ octets: RawSpan, at time: Int64, _ source: CaptureOffset?
  ) {
    connections.see(slot) { $0.receive(segment, octets, at: time, source: source, run: &run) }
    if run.nextLook != nil { watch(slot) }
  }

  private mutating func open(
    _ segment: TCPSegment, _ octets: RawSpan, _ key: ConnectionKey, at time: Int64, _ source: CaptureOffset?,
    flags: ConnectionFlags
  ) {
    if connections.count >= run.configuration.connectionLimit {
      run.anomalies.note(.connectionTableFull)
      if let slot = connections.idlestClosed ?? connections.idlestOpen { finish(slot, .evicted) }
    }
    var connection = TCPConnection<Session>(first: segment, key: key, at: time, run: &run)
    connection.record.flags = flags
    let slot = connections.insert(consume connection, for: key)
    receive(slot, segment, octets, at: time, source)
  }

  /// The connection that was worked on waits for octets.
  private mutating func watch(_ slot: Int) {
    guard let look = run.nextLook else { return }
    run.nextLook = nil
    waiting.add(slot, deadline: look.deadline, isSoon: look.isSoon)
    quietUntil = min(quietUntil, look.deadline)
  }

  /// Asked of few segments, since a call to a connection that changes nothing is handed a copy of it.
  @inline(never)
  private func isReopened(_ slot: Int, _ segment: TCPSegment) -> Bool {
    connections.look(slot) {
      $0.isReopened(by: segment, clock: run.clock, silence: run.configuration.reopenSilence)
    }
  }

  /// Leaves connections what other tables do not take of the memory for all.
  private mutating func shareMemory() {
    run.budget.share(with: apis.memory + run.names.memory + run.secrets.memory + quic.memory)
  }

  /// Gives up the connections idle longest until the others keep to the limit of memory.
  @inline(never)
  private mutating func evictToLimit() throws(Sink.Failure) {
    run.countDecoders()
    while connectionOctets > run.budget.connectionRoom,
      let slot = connections.idlestClosed ?? connections.idlestOpen
    {
      run.anomalies.note(.connectionMemoryFull, connection: connections.number(of: slot))
      finish(slot, .evicted)
      run.countDecoders()
      // Rows hold on to their texts until they are handed over.
      try handOver()
    }
  }

  private mutating func receiveReassembled(_ segment: TCPSegment, at time: Int64) {
    let datagram = decoder.reassembled
    datagram.withOctets { receive(segment, $0, at: time, source: nil) }
  }

  private mutating func finish(_ slot: Int, _ end: ConnectionEnd) {
    var connection = connections.remove(slot)
    finalConnections.append(connection.finish(end, run: &run))
    run.nextLook = nil
  }

  /// Makes the ended messages of the connections seen least recently final, until few enough rows are left. Charges that
  /// come later are their connections' own.
  @inline(never)
  private mutating func retireIdlest() {
    let limit = run.configuration.openMessageLimit
    for var slot in [connections.idlestClosed, connections.idlestOpen] {
      while let current = slot, run.rows.openMessages > limit / 8 * 7 {
        connections.change(current) { $0.retireRows(&run) }
        slot = connections.next(after: current)
      }
    }
    // Messages in progress cannot end for that: to look for others again is worth it when there are an eighth more.
    retirementMark = max(limit, run.rows.openMessages / 8 * 9)
  }

  /// Finishes the connections whose time-outs have run out at `time`, and gives up what others wait for in vain, in the order in
  /// which that is due.
  ///
  /// Neither that order nor what is said of them depends on when somebody looks: whether time passes in one step or in
  /// several, with packets or without, the rows and their numbers are the same.
  @inline(__always)
  private mutating func expireConnections(at time: Int64) {
    if time > quietUntil { takeDue(at: time) }
  }

  @inline(never)
  private mutating func takeDue(at time: Int64) {
    let (now, clock) = (run.anomalies.now, run.clock)
    while true {
      let expiry = nextToExpire
      if let look = waiting.first, look.deadline < time, look.deadline <= expiry?.deadline ?? .max {
        waiting.removeFirst()
        lookAgain(Int(look.slot), after: look.deadline)
      } else if let expiry, expiry.deadline < time {
        run.anomalies.now = expiry.deadline
        finish(expiry.slot, expiry.end)
      } else {
        break
      }
    }
    while let row = quic.finishSilent(before: time, run.configuration) { finalConnections.append(row) }
    (run.anomalies.now, run.clock) = (now, clock)
    // What is seen from now on has its whole time-out before it.
    let shortest = min(run.configuration.idleTimeout, run.configuration.closedTimeout)
    quietUntil = min(nextDeadline ?? .max, run.clock.addingSaturated(shortest))
  }

  /// Gives up what a connection waits for, as far as that is overdue at its deadline.
  private mutating func lookAgain(_ slot: Int, after deadline: Int64) {
    guard connections.isToBeLookedAt(slot, after: deadline) else { return }
    run.anomalies.now = deadline
    run.clock = deadline
    connections.change(slot) { $0.passTime(&run) }
    watch(slot)
  }

  /// The connection whose time-out runs out first, and the capture time at which it does.
  private var nextToExpire: (slot: Int, end: ConnectionEnd, deadline: Int64)? {
    let open = connections.idlestOpen.map { (slot: $0, end: ConnectionEnd.idle, deadline: idleDeadline($0)) }
    let closed = connections.idlestClosed.map { (slot: $0, end: ConnectionEnd.fin, deadline: closedDeadline($0)) }
    guard let open, let closed else { return open ?? closed }
    return closed.deadline < open.deadline ? closed : open
  }

  private func idleDeadline(_ slot: Int) -> Int64 {
    connections.lastSeen(slot).addingSaturated(run.configuration.idleTimeout)
  }

  private func closedDeadline(_ slot: Int) -> Int64 {
    connections.lastSeen(slot).addingSaturated(run.configuration.closedTimeout)
  }

  // MARK: Secrets

  /// Learns secrets from octets of a TLS key log (RFC 9850), which may come in any pieces: records that come from now on are opened with
  /// them.
  public mutating func learn(secrets octets: RawSpan) {
    run.secrets.read(octets)
    shareMemory()
  }

  /// A key log ends, or what comes next is of another one.
  public mutating func endOfSecrets() {
    run.secrets.finishLine()
    for _ in 0..<run.secrets.takeRefused() { run.anomalies.note(.tlsKeysFull) }
  }

  /// Secrets that are known.
  public var secretCount: Int { run.secrets.count }

  // MARK: Names

  /// Learns the name of an address, as from a capture file's name records.
  public mutating func learn(name: [UInt8], for address: IPAddress) {
    run.names.learn(name, for: address, lookup: nil)
  }

  /// Takes a datagram, which is charged as `udp`: a session may claim it, or names be learnt of it.
  private mutating func receive(_ datagram: UDPDatagram, _ octets: RawSpan, at time: Int64) {
    if DNSLookups.concerns(datagram) { return learnNames(datagram, octets, at: time) }
    let wasEmpty = quic.count == 0
    let isTaken = quic.take(datagram, octets, at: time, &run) { finalConnections.append($0) }
    guard isTaken else { return }
    if wasEmpty { quietUntil = min(quietUntil, quic.nextDeadline ?? .max) }
    shareMemory()
  }

  private mutating func receiveReassembled(_ datagram: UDPDatagram, at time: Int64) {
    let octets = decoder.reassembled
    octets.withOctets { receive(datagram, $0, at: time) }
  }

  private mutating func learnNames(_ datagram: UDPDatagram, _ octets: RawSpan, at time: Int64) {
    let captured = min(datagram.capturedPayloadLength, max(octets.byteCount - datagram.payloadOffset, 0))
    let payload = octets.extracting(datagram.payloadOffset..<datagram.payloadOffset + captured)
    lookups.read(payload, datagram, at: time, names: &run.names, anomalies: &run.anomalies)
  }

  // MARK: Results

  /// Counts every final row for its API and gives it to the sink, also after one that it could not take; then throws its
  /// first error.
  private mutating func handOver() throws(Sink.Failure) {
    do throws(Sink.Failure) { try handOverRows() } catch {
      handOverTheRest()
      throw error
    }
  }

  private mutating func handOverTheRest() {
    while !isHandedOver {
      do throws(Sink.Failure) { try handOverRows() } catch { continue }
    }
  }

  /// Hands over every final row, up to the first one that the sink throws at, which is taken away too.
  private mutating func handOverRows() throws(Sink.Failure) {
    defer { shareMemory() }
    try Self.handOver(&run.rows, to: &sink, &apis, &run.texts, &run.anomalies)
    while !finalConnections.isEmpty {
      let connection = finalConnections.removeFirst()
      secureHosts.add(connection, texts: run.texts)
      defer { connection.releaseTexts(of: &run.texts) }
      try sink.connection(connection, texts: run.texts)
    }
  }

  /// The same of messages and exchanges: what they are made of is lent here apart, so that nothing of it is copied.
  private static func handOver(
    _ rows: inout RowStore, to sink: inout Sink, _ apis: inout APITable, _ texts: inout TextPool,
    _ anomalies: inout AnomalyLog
  ) throws(Sink.Failure) {
    while let row = rows.nextFinalMessage() {
      apis.add(rows.messages[Int(row)].message, texts: &texts, anomalies: &anomalies)
      defer {
        rows.messages[Int(row)].message.releaseTexts(of: &texts)
        rows.messages.discard(Int(row))
      }
      try sink.message(rows.messages[Int(row)].message, texts: texts)
    }
    while let row = rows.nextFinalExchange() {
      if let wait = rows.exchanges[Int(row)].exchange.timings.wait {
        apis.add(wait, of: rows.exchanges[Int(row)].exchange, texts: &texts, anomalies: &anomalies)
      }
      defer {
        rows.exchanges[Int(row)].exchange.releaseTexts(of: &texts)
        rows.exchanges.discard(Int(row))
      }
      try sink.exchange(rows.exchanges[Int(row)].exchange, texts: texts)
    }
  }

  /// Says how many packets were dropped in all before they could be captured, as far as is known now.
  public mutating func setDropped(_ packets: Int) { run.ledger.droppedPackets = packets }

  /// Ends every connection: what follows is another capture.
  ///
  /// - Throws: What the sink throws.
  public mutating func finishConnections() throws(Sink.Failure) {
    var failure: Sink.Failure?
    for (_, slot) in connections.allInOrder() {
      finish(Int(slot), .captureEnd)
      do throws(Sink.Failure) { try handOver() } catch { failure = failure ?? error }
    }
    finalConnections.append(contentsOf: quic.finishAll())
    do throws(Sink.Failure) { try handOver() } catch { failure = failure ?? error }
    decoder.finish(ledger: &run.ledger, anomalies: &run.anomalies)
    run.familiarLines.forgetAll(&run.texts)
    run.clock = .min
    quietUntil = .min
    waiting.removeAll()
    if let failure { throw failure }
  }

  /// What is known so far. Before `finishConnections()`, octets whose class is not known yet are in no class.
  public var totals: Totals {
    Totals(
      ledger: run.ledger, anomalies: run.anomalies, apis: apis.sorted(texts: run.texts),
      secureHosts: secureHosts.sorted, texts: run.texts)
  }

  /// What is known after `finishConnections()`, once: the pipeline gives its totals away, of which there can be very many, and no packet may
  /// come after that.
  public mutating func takeTotals() -> Totals {
    let apis = apis.takeSorted(texts: run.texts)
    return Totals(ledger: run.ledger, anomalies: run.anomalies, apis: apis, texts: run.texts)
  }

  /// The ledger so far.
  public var ledger: Ledger { run.ledger }

  /// What is known so far, with the messages that are not final yet counted as far as they are known: for a look at a
  /// run that goes on. Takes time in proportion to the connections that are open.
  public var snapshot: Totals {
    var apis = apis
    var texts = run.texts
    var anomalies = run.anomalies
    forEachOpenMessage { message, _ in apis.add(message, texts: &texts, anomalies: &anomalies) }
    return Totals(
      ledger: run.ledger, anomalies: run.anomalies, apis: apis.sorted(texts: texts), secureHosts: secureHosts.sorted,
      texts: texts)
  }

  /// Hands over every message that is not final yet, as far as it is known, in the order of connections; `texts` are what
  /// its texts are handles into.
  public func forEachOpenMessage(_ body: (Message, borrowing TextPool) -> Void) {
    connections.forEach { connection in
      let client = connection.clientSide(connection.session?.known)
      connection.session?.forEachOpenMessage { row, isInProgress in
        var message = run.rows.messages.look(Int(row)) { $0.message }
        if isInProgress { message.exactness = .atLeast }
        message.client = connection.endpoints[client]
        message.server = connection.endpoints[1 - client]
        let pending = run.rows.messages.look(Int(row)) { $0.pendingContent }
        if let outcome = pending.flatMap({ run.decoders?.outcome(of: $0) }) {
          _ = message.note(outcome, isComplete: true)
        }
        body(message, run.texts)
      }
    }
  }

  /// Octets of memory that connections take, as `Configuration.connectionOctetLimit` counts them: estimated, with what they hold
  /// and keep, and what decodes their contents.
  public var connectionOctets: Int { run.connectionOctets }

  /// Octets that have come out of content decoders while packets were processed: for who looks at the clock each so many
  /// packets, and has to look more often where packets take their time.
  @inline(__always)
  public var decodedOctets: Int { run.decoding.spent }

  /// Connections that are being followed.
  public var connectionCount: Int { connections.count + quic.count }
}

extension TCPConnection where Receiver == Session {
  /// Makes the rows of its ended messages final.
  fileprivate mutating func retireRows(_ run: inout Run) {
    borrowRun(&run)
    session?.retireEnded(&run)
    giveBackRun(&run)
  }
}
