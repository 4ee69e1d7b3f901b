import DequeModule
import Packets

/// The analysis of a capture: packets in, rows and a balanced ledger out.
///
/// ```
/// packet ─► PacketDecoder ─► ConnectionTable ─► TCPConnection ─► Session ─► RowStore ─► APITable, sink
///           headers          which one          in order         messages   rows        totals, reports
/// ```
///
/// It works in one pass and one direction, without global state, and with no clock but the packets'. Give it every packet in the order of
/// capture, call `finishConnections()`, and read `totals`.
public struct Pipeline<Sink: ReportSink>: ~Copyable {
  private var decoder: PacketDecoder
  private var copies: PacketCopies
  var connections = ConnectionTable<Session>()
  private var waiting = WaitingConnections()
  /// Slots of connections that began to wait for secrets, in that order. Some may no longer wait.
  private var secretWaiters: [Int32] = []
  private var quic = QUICConnections()
  var run: Run
  var apis: APITable
  var tables: RefiningTables
  /// Rows of connections that the sink has not seen yet.
  var finalConnections: Deque<Connection> = []
  /// The sink, in memory of its own. Its size is known only at run time. Inside the pipeline, it would make the pipeline's layout unknown,
  /// and each row would look up the parts' places again.
  private let held: OwnMemory<Sink>
  private var secureHosts = SecureHosts()
  private var multipath = MultipathFlows()
  /// Whether a capture's first secrets came behind packets.
  private var hasLateSecrets = false
  private var lookups = DNSLookups()
  private var processes = ProcessTable()
  private var expected = ExpectedProcesses()
  /// Expected processes of QUIC connections, which have ports of their own.
  private var expectedOfQUIC = ExpectedProcesses()
  /// Records final rows of a part of another analysis; nil if they are counted here.
  var recorder: PartRecorder?
  /// The numbers of the part in progress.
  var part = PartNumbers()
  /// The process of the current packet.
  private var mention = ProcessMention()
  /// The number of open messages at which those of idle connections become final.
  private var retirementMark: Int
  /// The number of hand-overs since memory was last shared.
  private var handOvers = 0
  /// A capture time before which no time-out runs out.
  private var quietUntil = Int64.min
  /// Capture times of the earliest and the latest packet.
  private var earliest = Int64.max
  private var latest = Int64.min

  /// The receiver of the rows.
  public var sink: Sink {
    _read { yield held.value }
    _modify { yield &held.value }
  }

  /// Reads captured octets of packets again; nil if that is impossible. It applies to packets processed after it is set.
  public var capturedOctets: (any CapturedOctets)? {
    get { run.history.captured }
    set { run.history.captured = newValue }
  }

  /// Starts an analysis.
  ///
  /// - Parameters:
  ///   - configuration: The limits and choices.
  ///   - decoders: Makes decoders for content codings. Without them, coded content has no decoded length.
  ///   - observer: Receives the text and content of messages. Without one, only lengths are counted.
  ///   - compressor: Measures how much compression would save for uncoded contents. Without one, this is unknown.
  ///   - sink: Receives the rows.
  public init(
    configuration: Configuration = Configuration(), decoders: (any ContentDecoderSource)? = nil,
    observer: (any MessageObserver)? = nil, compressor: (any ContentCompressor)? = nil, sink: consuming Sink
  ) {
    decoder = PacketDecoder(configuration: configuration)
    copies = PacketCopies(configuration: configuration)
    apis = APITable(configuration: configuration)
    tables = RefiningTables(configuration: configuration, compressor: compressor)
    retirementMark = configuration.openMessageLimit
    run = Run(configuration: configuration, decoders: decoders, observer: observer)
    held = OwnMemory(sink)
  }

  /// Counts the cost of contents and header fields on a separate thread. Must be called before the first packet. Only `takeTotals()` may
  /// then be used to read the totals.
  public mutating func countTablesConcurrently() { tables.startThread() }

  /// Whether packets are left out that another capture or interface already had. It applies to packets processed after it is set.
  public var leavesOutCopies: Bool {
    get { copies.leavesOut }
    set { copies.leavesOut = newValue }
  }

  /// Takes the next packet. `octets` are its captured octets; `capture` is the number of its capture among simultaneous ones.
  ///
  /// - Throws: Errors of the sink.
  public mutating func process(_ packet: Packet, _ octets: RawSpan, of capture: Int = 0) throws(Sink.Failure) {
    if copies.isDue(), copies.isCopy(packet, octets, of: capture) { return }
    let time = PacketTime.bounded(packet.timestamp)
    advanceClock(to: time)
    if run.isDirected { startPacket(at: time) }
    if packet.origin.concernsPacket || mention.process != .none { readOrigin(packet.origin) }
    if packet.origin.flags.contains(.dropped) {
      decoder.chargeDropped(packet, octets, ledger: &run.ledger, anomalies: &run.anomalies)
    } else if let segment = decoder.ordinarySegment(packet, octets, ledger: &run.ledger) {
      receive(segment, octets, at: time, source: packet.captureOffset)
    } else {
      processAny(packet, octets, at: time)
    }
    if run.isDirected { endPacket() }
    if connectionOctets > run.budget.connectionRoom { try evictToLimit() }
    if run.rows.messages.count > retirementMark { retireIdlest() }
    if !isHandedOver { try handOver() }
  }

  /// Starts a packet whose direction is not known yet.
  @inline(never)
  private mutating func startPacket(at time: Int64) {
    run.packetDirection = .unknown
    run.ledger.turn(to: .unknown)
    if !tables.timeline.isCurrent(time) { tables.timeline.change(to: time, run.ledger, &run.anomalies) }
    tables.timeline.start(run.ledger.early)
  }

  /// Ends a packet after all of it is charged. Its headers go to its direction.
  @inline(never)
  private mutating func endPacket() { tables.timeline.end(run.packetDirection, &run.ledger) }

  /// Whether the sink has seen every final row.
  @inline(__always)
  var isHandedOver: Bool { run.rows.isHandedOver && finalConnections.isEmpty }

  /// Takes a packet that is not an ordinary segment.
  @inline(never)
  private mutating func processAny(_ packet: Packet, _ octets: RawSpan, at time: Int64) {
    var packet = packet
    packet.timestamp = time
    let decoded = decoder.dissect(packet, octets, ledger: &run.ledger, anomalies: &run.anomalies)
    if let process = decoder.process { mention = processes.mention(of: process, octets, &run.texts) }
    receive(decoded, packet, octets, at: time)
    while let next = decoder.decodeNext(octets, ledger: &run.ledger, anomalies: &run.anomalies) {
      receive(next, packet, octets, at: time)
    }
  }

  /// Takes a decoded packet, or a frame of one.
  @inline(__always)
  private mutating func receive(_ decoded: DecodedPacket, _ packet: Packet, _ octets: RawSpan, at time: Int64) {
    switch decoded {
    case .nothing: break
    case .tcp(let segment): receive(segment, octets, at: time, source: packet.captureOffset)
    case .reassembledTCP(let segment): receiveReassembled(segment, at: time)
    case .udp(let datagram): receive(datagram, octets, at: time)
    case .reassembledUDP(let datagram): receiveReassembled(datagram, at: time)
    }
  }

  @inline(__always)
  mutating func advanceClock(to time: Int64) {
    run.anomalies.now = time
    if time > run.clock {
      run.clock = time
      if time > latest { latest = time }
      if time < earliest { earliest = time }
      expireConnections(at: time)
    } else if time < run.clock {
      if time < earliest { earliest = time }
      run.anomalies.note(.timestampBackwards)
    }
  }

  // MARK: Time without packets

  /// The capture time after which the next connection times out, or stops waiting for octets; nil if there is none.
  public var nextDeadline: Int64? {
    [waiting.first?.deadline, nextToExpire?.deadline, quic.nextDeadline].compactMap(\.self).min()
  }

  /// Takes the capture time when no packet has come since the last one. Connections that time out are finished, and overdue octets are
  /// given up, as the next packet would have done.
  ///
  /// Nothing else depends on it: a packet may still come that was captured earlier.
  ///
  /// - Throws: Errors of the sink.
  public mutating func pass(to time: Int64) throws(Sink.Failure) {
    expireConnections(at: min(time, PacketTime.limit))
    if !isHandedOver { try handOver() }
  }

  // MARK: Connections

  /// Takes a segment. `source` is the place of the packet's octets in a capture, if the segment's payload lies in them.
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
    if mention.process != .none {
      connections.change(slot) { $0.note(mention, of: segment, &run.processSlots, &run.texts) }
    }
    if MultipathFlows.mayConcern(segment) { noteMultipath(slot, segment, octets) }
    connections.see(slot) { $0.receive(segment, octets, at: time, source: source, run: &run) }
    if run.nextLook != nil { watch(slot) }
    if run.hasBegunToWait { noteWaiter(slot) }
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
    recorder?.open(segment, number: connection.record.number)
    let slot = connections.insert(consume connection, for: key)
    if !expected.isEmpty { takeExpected(key, slot, at: time) }
    receive(slot, segment, octets, at: time, source)
  }

  /// Notes that octets of the current connection may belong to another place of a larger stream.
  @inline(never)
  private mutating func noteMultipath(_ slot: Int, _ segment: TCPSegment, _ octets: RawSpan) {
    let number = connections.number(of: slot)
    let isFromLow = ConnectionKey(segment.source, segment.destination).low == segment.source
    guard multipath.leaves(segment, octets, connection: number, isFromLow: isFromLow),
      run.rows.doubtedConnections.insert(number).inserted
    else { return }
    run.anomalies.note(.tcpMultipathNotFollowed, connection: number)
  }

  /// Notes that the current connection waits for octets.
  private mutating func watch(_ slot: Int) {
    guard let look = run.nextLook else { return }
    run.nextLook = nil
    waiting.add(slot, deadline: look.deadline, isSoon: look.isSoon)
    quietUntil = min(quietUntil, look.deadline)
  }

  /// A function of its own, for few segments: the compiler copies the connection for a call that does not change it.
  @inline(never)
  func isReopened(_ slot: Int, _ segment: TCPSegment) -> Bool {
    connections.look(slot) {
      $0.isReopened(by: segment, clock: run.clock, silence: run.configuration.reopenSilence)
    }
  }

  /// Hand-overs until tables are asked for their memory again. In between, they grow by a few rows.
  private static var handOversBetweenShares: Int { 16 }

  /// Octets of memory of the tables that the report is made from.
  var tableMemory: Int { apis.memory + tables.memory }

  /// Leaves connections the memory that other tables do not take.
  @inline(__always)
  mutating func shareMemory() {
    handOvers = 0
    run.budget.share(
      tables: tableMemory,
      others: run.names.memory + run.secrets.memory + quic.memory + processes.memory)
    guard run.budget.tablesAreFull else { return }
    apis.close()
    tables.close()
  }

  /// Evicts the connections idle longest until the others keep to the limit of memory.
  @inline(never)
  private mutating func evictToLimit() throws(Sink.Failure) {
    run.countDecoders()
    while connectionOctets > run.budget.connectionRoom {
      if let slot = connections.idlestClosed ?? connections.idlestOpen {
        run.anomalies.note(.connectionMemoryFull, connection: connections.number(of: slot))
        finish(slot, .evicted)
      } else if let row = quic.finishOldest(&run) {
        run.anomalies.note(.connectionMemoryFull, connection: row.number)
        finalConnections.append(row)
      } else {
        break
      }
      run.countDecoders()
      // Rows retain their texts until they are handed over.
      try handOver()
      run.budget.connectionGaveWay(to: connectionOctets)
    }
  }

  private mutating func receiveReassembled(_ segment: TCPSegment, at time: Int64) {
    let datagram = decoder.reassembled
    datagram.withOctets { receive(segment, $0, at: time, source: nil) }
    // Other fragments brought most of it, with headers of their own.
    run.packetDirection = .unknown
  }

  mutating func finish(_ slot: Int, _ end: ConnectionEnd) {
    var connection = connections.remove(slot)
    var row = connection.finish(end, run: &run)
    row.multipath = multipath.forget(row.number)
    if !run.rows.doubtedConnections.isEmpty { run.rows.doubtedConnections.remove(row.number) }
    row.process = connection.settleProcess(client: row.client, &run.processSlots, &run.texts)
    if !run.prefixes.isEmpty { row.prefix = run.prefixes.removeValue(forKey: row.number) ?? .none }
    finalConnections.append(row)
    run.nextLook = nil
  }

  /// Makes ended messages final until few enough rows are left, those of the connections seen least recently first. Later charges go to
  /// their connections.
  @inline(never)
  private mutating func retireIdlest() {
    let limit = run.configuration.openMessageLimit
    for var slot in [connections.idlestClosed, connections.idlestOpen] {
      while let current = slot, run.rows.openMessages > limit / 8 * 7 {
        connections.change(current) { $0.retireRows(&run) }
        slot = connections.next(after: current)
      }
    }
    if run.rows.openMessages > limit / 8 * 7 { quic.retireEnded(&run) }
    // Messages in progress cannot end this way. A new search is useful only when there are an eighth more.
    retirementMark = max(limit, run.rows.openMessages / 8 * 9)
    // So many final rows make other tables much larger.
    handOvers = Self.handOversBetweenShares
  }

  /// Finishes the connections that time out by `time`, and gives up overdue waits of others, in the order of their deadlines.
  ///
  /// Neither the order nor the result depends on when this is called. Whether time passes in one step or several, with packets or without,
  /// the rows and their numbers are the same.
  @inline(__always)
  mutating func expireConnections(at time: Int64) {
    if time > quietUntil { takeDue(at: time) }
  }

  @inline(never)
  private mutating func takeDue(at time: Int64) {
    let (now, clock) = (run.anomalies.now, run.clock)
    while true {
      let expiry = nextToExpire
      if let look = waiting.first, look.deadline < time, look.deadline <= expiry?.deadline ?? .max {
        waiting.removeFirst()
        if recorder == nil {
          lookAgain(Int(look.slot), after: look.deadline)
        } else {
          record(Int(look.slot), at: look.deadline, end: nil)
        }
      } else if let expiry, expiry.deadline < time {
        run.anomalies.now = expiry.deadline
        if recorder == nil {
          finish(expiry.slot, expiry.end)
        } else {
          record(expiry.slot, at: expiry.deadline, end: expiry.end)
        }
      } else {
        break
      }
    }
    quic.giveUpWaiting(before: time, &run)
    while let row = quic.finishSilent(before: time, &run) { finalConnections.append(row) }
    (run.anomalies.now, run.clock) = (now, clock)
    // A connection seen from now on has its whole time-out left.
    let shortest = min(run.configuration.idleTimeout, run.configuration.closedTimeout)
    quietUntil = min(nextDeadline ?? .max, run.clock.addingSaturated(shortest))
  }

  /// Does what is due for a connection at a deadline while the analysis is recorded, so that the time is recorded, too. It finishes the
  /// connection or looks at it again.
  ///
  /// If this makes numbers, the connection depends on other parts: their numbers may come in between, and they are unknown here.
  @inline(never)
  private mutating func record(_ slot: Int, at deadline: Int64, end: ConnectionEnd?) {
    guard let recorder else { return }
    let numbers = (run.messageCount, run.exchangeCount, run.connectionCount)
    let endpoints = connections.contains(slot) ? connections.look(slot) { $0.endpoints } : nil
    recorder.elapse(to: deadline)
    if let end { finish(slot, end) } else { lookAgain(slot, after: deadline) }
    recordRows(recorder)
    if let endpoints, numbers != (run.messageCount, run.exchangeCount, run.connectionCount) {
      recorder.depend(on: ConnectionKey(endpoints[0], endpoints[1]))
    }
  }

  /// Gives up the waits of a connection that are overdue at its deadline.
  private mutating func lookAgain(_ slot: Int, after deadline: Int64) {
    guard connections.isToBeLookedAt(slot, after: deadline) else { return }
    run.anomalies.now = deadline
    run.clock = deadline
    connections.change(slot) { $0.passTime(&run) }
    watch(slot)
    if run.hasBegunToWait { noteWaiter(slot) }
    if !secretWaiters.isEmpty, !connections.look(slot, { $0.session?.waitsForSecrets ?? false }) {
      secretWaiters.removeAll { $0 == slot }
    }
  }

  /// The next connection to time out, and the capture time when it does.
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

  /// Learns secrets from octets of a TLS key log (RFC 9850), which may come in any pieces. They open records that come from now on.
  ///
  /// Earlier records that waited for the secrets are opened at once. `log` is the log's number from 0 for `Totals.secrets`; nil for secrets
  /// in captures.
  public mutating func learn(secrets octets: RawSpan, ofLog log: Int? = nil) {
    let known = run.secrets.count
    run.secrets.read(octets, source: log.map(SecretMark.source(ofLog:)) ?? SecretMark.captures)
    if run.secrets.count > known { offerSecrets() }
    shareMemory()
  }

  /// Whether secrets may come after the records that they open. Records then wait for a while (`Configuration.secretPatience`). It applies
  /// to packets processed after it is set.
  public var mayLearnSecrets: Bool {
    get { run.mayLearnSecrets }
    set { run.mayLearnSecrets = newValue }
  }

  /// Whether `takeUsedSecrets` is called about after each packet. It applies to packets processed after it is set.
  public var collectsUsedSecrets: Bool {
    get { run.usedSecrets.isWanted }
    set { run.usedSecrets.isWanted = newValue }
  }

  /// Lends the secrets that opened records since the last call, as whole lines of a key log (RFC 9850), if there are any.
  public mutating func takeUsedSecrets(_ body: (RawSpan) -> Void) { run.usedSecrets.take(body) }

  /// Whether connections wait for secrets.
  public var waitsForSecrets: Bool { !secretWaiters.isEmpty || quic.isWaiting }

  /// Notes that a connection has begun to wait for secrets.
  @inline(never)
  private mutating func noteWaiter(_ slot: Int) {
    run.hasBegunToWait = false
    if secretWaiters.count > 2 * connections.count + 64 { forgetWaiters() }
    secretWaiters.append(Int32(truncatingIfNeeded: slot))
  }

  /// Keeps only connections that still wait, each once.
  private mutating func forgetWaiters() {
    var known: Set<Int32> = []
    secretWaiters.removeAll { slot in
      !connections.contains(Int(slot)) || !known.insert(slot).inserted
        || !connections.look(Int(slot)) { $0.session?.waitsForSecrets ?? false }
    }
  }

  /// Offers new secrets to the waiting connections, in the order in which they began to wait.
  private mutating func offerSecrets() {
    if quic.isWaiting { quic.offerSecrets(&run) }
    guard !secretWaiters.isEmpty else { return }
    forgetWaiters()
    for slot in secretWaiters {
      connections.change(Int(slot)) { $0.lookForSecrets(&run) }
      watch(Int(slot))
    }
    run.hasBegunToWait = false
    forgetWaiters()
  }

  /// Ends a key log; further octets belong to another one.
  public mutating func endOfSecrets() {
    let known = run.secrets.count
    run.secrets.finishLine()
    if run.secrets.count > known { offerSecrets() }
    for _ in 0..<run.secrets.takeRefused() { run.anomalies.note(.tlsKeysFull) }
  }

  /// The secrets and what they opened so far.
  private var secretTotals: SecretTotals {
    let sources = run.secrets.sources
    var totals = SecretTotals(
      captures: sources[SecretMark.captures], logs: Array(sources[SecretMark.source(ofLog: 0)...]),
      openings: secureHosts.openings)
    totals.cameLate = hasLateSecrets && totals.openings.opened < totals.openings.connections
    return totals
  }

  /// Notes that secrets of a capture come now, which is too late for earlier packets.
  public mutating func noteSecretsOfCapture() { if !run.mayLearnSecrets, span != nil { hasLateSecrets = true } }

  /// The number of secrets that are known.
  public var secretCount: Int { run.secrets.count }

  // MARK: Processes

  /// Reads the capture's facts about the current packet.
  @inline(never)
  private mutating func readOrigin(_ origin: PacketOrigin) {
    mention = processes.mention(of: origin, &run.texts)
    if origin.flags.contains(.comment), origin.comment == 0 { run.anomalies.note(.packetCommentNotRead) }
  }

  /// Learns the process at the local end of a connection, as the running system knows it.
  ///
  /// - Parameters:
  ///   - process: The process.
  ///   - local: The process's end of the connection.
  ///   - remote: The other end.
  ///   - time: When the connection opened, in nanoseconds since the Unix epoch; nil if it was already open. It excludes other connections
  ///     between the same ends.
  ///   - isQUIC: Whether the connection is QUIC; otherwise it is TCP.
  public mutating func learn(
    process: ProcessIdentity, of local: Endpoint, to remote: Endpoint, openedAt time: Int64? = nil, isQUIC: Bool = false
  ) {
    let key = ConnectionKey(local, remote)
    if isQUIC {
      guard let opened = quic.opened(key), time.map({ ExpectedProcesses.isSame(opened, $0) }) ?? true else {
        return expectedOfQUIC.add(process, key, local, at: time)
      }
      return noteOfQUIC(process, local, key)
    }
    if let slot = connections.slot(for: key) {
      let opened = connections.look(slot) { $0.record.opened }
      if let time, !ExpectedProcesses.isSame(opened, time) { return expected.add(process, key, local, at: time) }
      note(process, local, slot)
    } else {
      expected.add(process, key, local, at: time)
    }
  }

  private mutating func note(_ process: ProcessIdentity, _ local: Endpoint, _ slot: Int) {
    let text = run.texts.intern(process)
    let mention = ProcessMention(process: text, party: .sender)
    connections.change(slot) { $0.note(mention, ofEnd: local, &run.processSlots, &run.texts) }
    run.texts.release(text)
  }

  private mutating func noteOfQUIC(_ process: ProcessIdentity, _ local: Endpoint, _ key: ConnectionKey) {
    let text = run.texts.intern(process)
    quic.note(ProcessMention(process: text, party: .sender), ofEnd: local, key, &run.texts)
    run.texts.release(text)
  }

  /// Takes processes that the system named before the connection's first packet came.
  @inline(never)
  private mutating func takeExpected(_ key: ConnectionKey, _ slot: Int, at time: Int64) {
    for (process, local) in expected.take(key, at: time) { note(process, local, slot) }
  }

  /// Learns the process of a number in packets' origins, as from a capture file's process blocks.
  public mutating func learn(process number: UInt16, identifier: UInt32, name: [UInt8]) {
    processes.learn(process: number, identifier: identifier, name: name)
    shareMemory()
  }

  /// Learns the comment of a number in packets' origins. Programs that know a packet's process write it there.
  public mutating func learn(comment number: UInt16, octets: [UInt8]) {
    processes.learn(comment: number, octets, &run.texts)
    shareMemory()
  }

  /// Learns the app of an Android user identifier.
  public mutating func learn(androidUser user: Int32, package: [UInt8], app: [UInt8]) {
    processes.learn(androidUser: user, package: package, app: app, &run.texts)
    shareMemory()
  }

  /// Begins a step at a mark, or after the latest packet if the mark is earlier. `Configuration.tables` must have the timeline.
  public mutating func add(_ mark: TimeMark) { tables.timeline.add(mark, after: span?.upperBound) }

  // MARK: Names

  /// Learns the name of an address, as from a capture file's name records.
  public mutating func learn(name: [UInt8], for address: IPAddress) {
    run.names.learn(name, for: address, lookup: nil)
  }

  /// Takes a datagram. QUIC may claim it, or it may name addresses.
  private mutating func receive(_ datagram: UDPDatagram, _ octets: RawSpan, at time: Int64) {
    run.ledger.pending += datagram.length
    if DNSLookups.concerns(datagram) {
      run.ledger.settle(datagram.length, as: .udp)
      return learnNames(datagram, octets, at: time)
    }
    let isTaken = quic.take(datagram, octets, at: time, mention, &run) { finalConnections.append($0) }
    guard isTaken else { return run.ledger.settle(datagram.length, as: .udp) }
    if !expectedOfQUIC.isEmpty {
      let key = ConnectionKey(datagram.source, datagram.destination)
      for (process, local) in expectedOfQUIC.take(key, at: time) { noteOfQUIC(process, local, key) }
    }
    quietUntil = min(quietUntil, quic.nextDeadline ?? .max)
    shareMemory()
  }

  private mutating func receiveReassembled(_ datagram: UDPDatagram, at time: Int64) {
    let octets = decoder.reassembled
    octets.withOctets { receive(datagram, $0, at: time) }
    run.packetDirection = .unknown
  }

  private mutating func learnNames(_ datagram: UDPDatagram, _ octets: RawSpan, at time: Int64) {
    lookups.read(
      octets.extracting(datagram.payload(in: octets)), datagram, at: time, names: &run.names, anomalies: &run.anomalies)
  }

  // MARK: Results

  /// Counts every final row for its API and passes it to the sink. After an error it goes on with the other rows, then throws the first
  /// error.
  mutating func handOver() throws(Sink.Failure) {
    do throws(Sink.Failure) { try handOverRows() } catch {
      handOverTheRest()
      throw error
    }
  }

  private mutating func handOverTheRest() {
    while !isHandedOver || !run.grpcNotes.isHandedOver {
      do throws(Sink.Failure) { try handOverRows() } catch { continue }
    }
  }

  /// Hands over every final row, up to the first one at which the sink throws; that row is removed, too.
  private mutating func handOverRows() throws(Sink.Failure) {
    defer {
      handOvers &+= 1
      if handOvers >= Self.handOversBetweenShares { shareMemory() }
    }
    if let recorder { return recordRows(recorder) }
    try handOverFinalRows(
      &run.rows, to: &held.value, &apis, &tables, &run.contentNotes, &run.fieldNotes, &run.grpcNotes, &run.texts,
      &run.anomalies)
    if !run.grpcNotes.isHandedOver { try handOverDetails() }
    while !finalConnections.isEmpty {
      let connection = finalConnections.removeFirst()
      secureHosts.add(connection, texts: run.texts)
      if tables.isWanted { tables.add(connection, run.names, texts: &run.texts, anomalies: &run.anomalies) }
      defer { connection.releaseTexts(of: &run.texts) }
      try held.value.connection(connection, texts: run.texts)
    }
  }

  /// Hands over the rows that refine messages, up to the first one at which the sink throws.
  @inline(never)
  private mutating func handOverDetails() throws(Sink.Failure) {
    while let message = run.grpcNotes.nextReady() { try held.value.detail(.grpc(message), texts: run.texts) }
  }

  /// Sets the number of packets dropped so far before they could be captured.
  public mutating func setDropped(_ packets: Int) { run.ledger.droppedPackets = packets }

  /// Ends every connection. Further packets belong to another capture.
  ///
  /// - Throws: Errors of the sink.
  public mutating func finishConnections() throws(Sink.Failure) {
    var failure: Sink.Failure?
    let octets = run.connectionOctets
    for (_, slot) in connections.allInOrder() {
      finish(Int(slot), .captureEnd)
      do throws(Sink.Failure) { try handOver() } catch { failure = failure ?? error }
    }
    finalConnections.append(contentsOf: quic.finishAll(&run))
    do throws(Sink.Failure) { try handOver() } catch { failure = failure ?? error }
    decoder.finish(ledger: &run.ledger, anomalies: &run.anomalies)
    run.familiarLines.forgetAll(&run.texts)
    processes.forgetTapped(&run.texts)
    mention = ProcessMention()
    run.clock = .min
    quietUntil = .min
    waiting.removeAll()
    secretWaiters = []
    run.budget.end(after: octets)
    if let failure { throw failure }
  }

  /// The totals so far. Before `finishConnections()`, octets of unknown class are in no class.
  public var totals: Totals {
    var totals = Totals(
      ledger: ledger, anomalies: run.anomalies, apis: apis.sorted(texts: run.texts),
      secureHosts: secureHosts.sorted, span: span, texts: run.texts)
    totals.foldedSegments = apis.segments.folded
    totals.sightings = copies.sightings
    totals.secrets = secretTotals
    tables.fill(&totals, apis, run.fieldNotes.names)
    return totals
  }

  /// The totals after `finishConnections()`, once. The pipeline gives up its totals, since there can be very many. No packet may follow.
  public mutating func takeTotals() -> Totals {
    tables.endThread(&run.anomalies)
    var totals = Totals(
      ledger: ledger, anomalies: run.anomalies, apis: [], secureHosts: secureHosts.sorted, span: span,
      texts: run.texts)
    totals.foldedSegments = apis.segments.folded
    totals.sightings = copies.sightings
    totals.secrets = secretTotals
    let octets = tables.memory + run.names.memory + apis.memory
    tables.take(into: &totals, apis, run.fieldNotes.names)
    run.names = NameTable(limit: 1)
    totals.apis = apis.takeSorted(texts: run.texts)
    run.budget.end(after: octets)
    return totals
  }

  private var span: ClosedRange<Int64>? { earliest <= latest ? earliest...latest : nil }

  /// The ledger so far.
  public var ledger: Ledger {
    var ledger = run.ledger
    if copies.leavesOut { ledger.copies = copies.found }
    return ledger
  }

  /// The totals so far, including messages that are not final, for a look at a run in progress. It takes time in proportion to the open
  /// connections.
  public var snapshot: Totals {
    var apis = apis
    var texts = run.texts
    var anomalies = run.anomalies
    forEachOpenMessage { message, _ in apis.add(message, texts: &texts, anomalies: &anomalies) }
    var totals = Totals(
      ledger: ledger, anomalies: anomalies, apis: apis.sorted(texts: texts), secureHosts: secureHosts.sorted,
      span: span, texts: texts)
    totals.foldedSegments = apis.segments.folded
    totals.sightings = copies.sightings
    totals.secrets = secretTotals
    return totals
  }

  /// Adds the tables of `Configuration.tables` to a `snapshot`, for final messages and connections. They can have very many rows.
  public func addTables(to snapshot: inout Totals) { tables.fill(&snapshot, apis, run.fieldNotes.names) }

  /// Adds the totals of hosts to a `snapshot`, for final messages and connections, if `Configuration.tables` has them. They have no order,
  /// and are at most `Configuration.hostLimit`.
  public func addHosts(to snapshot: inout Totals) { tables.fillHosts(&snapshot) }

  /// Passes every message that is not final to `body`, in the order of connections. `body` also gets the pool of the message's texts.
  public func forEachOpenMessage(_ body: (Message, borrowing TextPool) -> Void) {
    // Templates may be new texts for the pool.
    var texts = apis.keepsPaths ? TextPool() : run.texts
    var segments = apis.segments
    func pass(_ row: RowIndex, _ isInProgress: Bool, _ client: Endpoint, _ server: Endpoint) {
      var message = run.rows.messages.look(Int(row)) { $0.message }
      if isInProgress { message.exactness = .atLeast }
      message.client = client
      message.server = server
      let pending = run.rows.messages.look(Int(row)) { $0.pendingContent }
      if let outcome = pending.flatMap({ run.decoders?.outcome(of: $0) }) {
        _ = message.note(outcome, isComplete: true)
      }
      if apis.keepsPaths {
        message.apiPath = apis.path(of: message)
        body(message, run.texts)
      } else {
        message.apiPath = apis.path(of: message, &segments, &texts)
        body(message, texts)
        texts.release(message.apiPath)
      }
    }
    connections.forEach { connection in
      let client = connection.clientSide(connection.session?.known)
      connection.session?.forEachOpenMessage { row, isInProgress in
        pass(row, isInProgress, connection.endpoints[client], connection.endpoints[1 - client])
      }
    }
    quic.forEachOpenMessage(pass)
  }

  /// Estimated octets of memory that connections take, including held and kept octets and decoders, as for
  /// `Configuration.connectionOctetLimit`.
  public var connectionOctets: Int { run.connectionOctets }

  /// Octets that content decoders produced so far. A caller that checks the clock every few packets can check more often when packets take
  /// long.
  @inline(__always)
  public var decodedOctets: Int { run.decoding.spent }

  /// The number of connections in progress.
  public var connectionCount: Int { connections.count + quic.count }
}

/// Counts every final message and exchange for its API and passes it to the sink, up to the first one at which the sink throws. The parts
/// are lent separately so that each row moves once. It is no method of the pipeline, which would look up the pipeline's type for each row.
private func handOverFinalRows<Sink: ReportSink>(
  _ rows: inout RowStore, to sink: inout Sink, _ apis: inout APITable, _ tables: inout RefiningTables,
  _ contentNotes: inout ContentNotes, _ fieldNotes: inout FieldNotes, _ grpcNotes: inout GRPCNotes,
  _ texts: inout TextPool, _ anomalies: inout AnomalyLog
) throws(Sink.Failure) {
  while let row = rows.nextFinalMessage() {
    var message = rows.messages.remove(Int(row)).message
    let position = apis.add(message, texts: &texts, anomalies: &anomalies)
    message.apiPath = apis.path(at: position)
    if !grpcNotes.isEmpty { grpcNotes.prepare(message, row) }
    if tables.isWanted {
      tables.add(message, row, at: position, &contentNotes, &fieldNotes, texts: &texts, anomalies: &anomalies)
    }
    defer { message.releaseTexts(of: &texts) }
    try sink.message(message, texts: texts)
  }
  while let row = rows.nextFinalExchange() {
    var exchange = rows.exchanges.remove(Int(row)).exchange
    exchange.apiPath = apis.add(exchange, texts: &texts, anomalies: &anomalies)
    defer { exchange.releaseTexts(of: &texts) }
    try sink.exchange(exchange, texts: texts)
  }
}

extension TCPConnection where Receiver == Session {
  /// Goes on with records that waited, after secrets have come.
  fileprivate mutating func lookForSecrets(_ run: inout Run) {
    borrowRun(&run)
    if let needs = session?.lookForSecrets(&run) {
      self.needs = needs
      advance(&run, isForced: false)
    }
    giveBackRun(&run)
  }

  /// Makes the rows of its ended messages final.
  fileprivate mutating func retireRows(_ run: inout Run) {
    borrowRun(&run)
    session?.retireEnded(&run)
    giveBackRun(&run)
  }
}
