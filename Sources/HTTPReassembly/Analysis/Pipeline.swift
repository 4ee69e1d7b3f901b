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
  var decoder: PacketDecoder
  var copies: PacketCopies
  var connections = ConnectionTable<Session>()
  var waiting = WaitingConnections()
  /// Slots of connections that began to wait for secrets, in that order. Some may no longer wait.
  var secretWaiters: [Int32] = []
  /// The looks of those connections for new secrets that are paid for.
  var offers = SecretOffers()
  var quic = QUICConnections()
  var run: Run
  var apis: APITable
  var tables: RefiningTables
  /// Rows of connections that the sink has not seen yet.
  var finalConnections: Deque<Connection> = []
  /// The sink, in memory of its own. Its size is known only at run time. Inside the pipeline, it would make the pipeline's layout unknown,
  /// and each row would look up the parts' places again.
  let held: OwnMemory<Sink>
  var secureHosts = SecureHosts()
  var multipath = MultipathConnections()
  /// Whether a capture's first secrets came behind packets.
  var hasLateSecrets = false
  var lookups = DNSLookups()
  var processes = ProcessTable()
  var expected = ExpectedProcesses()
  /// Expected processes of QUIC connections, which have ports of their own.
  var expectedOfQUIC = ExpectedProcesses()
  /// Records final rows of a part of another analysis; nil if they are counted here.
  var recorder: PartRecorder?
  /// The numbers of the part in progress.
  var part = PartNumbers()
  /// The process of the current packet.
  var mention = ProcessMention()
  /// The number of open messages at which those of idle connections become final.
  var retirementMark: Int
  /// The number of hand-overs since memory was last shared.
  var handOvers = 0
  /// A capture time before which no time-out runs out.
  var quietUntil = Int64.min
  /// Capture times of the earliest and the latest packet.
  var earliest = Int64.max
  var latest = Int64.min

  /// The receiver of the rows.
  public var sink: Sink {
    _read { yield held.value }
    _modify { yield &held.value }
  }

  /// Reads captured octets of packets again; nil if that is impossible. It applies to packets processed after it is set.
  public var capturedOctets: (any CapturedOctets)? {
    get { run.shared.history.captured }
    set { run.shared.history.captured = newValue }
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
    if let datagram = decoder.ordinaryDatagram(packet, octets),
      let slot = quic.next(datagram, octets, at: time, idleTimeout: run.configuration.idleTimeout)
    {
      decoder.chargeDatagram(packet, octets, ledger: &run.ledger)
      return receiveNext(slot, datagram, octets, at: time)
    }
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
  mutating func receive(_ decoded: DecodedPacket, _ packet: Packet, _ octets: RawSpan, at time: Int64) {
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
    [waiting.first?.deadline, nextToExpire?.deadline, quic.nextDeadline, multipath.nextDeadline(run.configuration)]
      .compactMap(\.self).min()
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
}
