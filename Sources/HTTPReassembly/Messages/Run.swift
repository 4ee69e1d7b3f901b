/// The state of a whole run. A connection borrows it while it works on a segment.
struct Run: StreamContext {
  let configuration: Configuration
  var ledger = Ledger()
  var anomalies = AnomalyLog()
  var shared: SharedByConnections
  var clock: Int64 = .min
  var connectionMemory = 0
  var budget: MemoryBudget
  var connection = ConnectionContext()

  /// The side being read. It must be set before a session reads.
  var side: Side = 0
  /// The packet that brought the octets being read.
  var arrival = SegmentArrival.none
  /// The direction of the current packet; `unknown` if it is not known.
  var packetDirection = OctetDirection.unknown

  var texts = TextPool()
  var rows = RowStore()
  var numbers = RowNumbers()
  /// The readers of contents.
  var contents: ContentReaders
  var familiar = FamiliarText()
  /// Facts that tables need.
  var notes: MessageNotes
  /// The secrets that open TLS records.
  var secrets: KeyLog
  var records = RecordMemory()

  init(configuration: Configuration, decoders: (any ContentDecoderSource)?, observer: (any MessageObserver)? = nil) {
    OctetMark.chooseKeys()
    self.configuration = configuration
    shared = SharedByConnections(configuration)
    contents = ContentReaders(configuration, decoders: decoders, observer: observer)
    notes = MessageNotes(configuration)
    secrets = KeyLog(limit: configuration.secretOctetLimit)
    budget = MemoryBudget(configuration)
  }

  /// Whether the ledger tells directions apart, which a timeline needs.
  @inline(__always)
  var isDirected: Bool { configuration.tables.contains(.timeline) }

  /// Octets of memory that all connections take: with octets behind gaps, rows, texts, and the decoders of contents.
  @inline(__always)
  var connectionOctets: Int {
    connectionMemory &+ shared.processes.count &* MemoryLayout<ConnectionProcesses>.stride &+ shared.heldOctets
      &+ rows.memory &+ texts.memory &+ contents.memory &+ notes.memory
  }

  /// The direction of octets that a side of the current connection sends; `unknown` if the client is unknown.
  private func direction(of side: Side) -> OctetDirection {
    guard let client = connection.directedClient else { return .unknown }
    return side == client ? .up : .down
  }

  mutating func turn(to side: Side) { ledger.turn(to: direction(of: side)) }

  mutating func turnPacket(to side: Side) {
    packetDirection = direction(of: side)
    ledger.turn(to: packetDirection)
  }

  /// Notes the prefix of the current connection.
  mutating func note(_ prefix: ConnectionPrefix) { rows.prefixes[connection.number] = texts.intern(prefix) }

  /// The final row of a connection, with what was noted for it by its number.
  mutating func settled(_ row: Connection) -> Connection {
    var row = row
    if !rows.doubtedConnections.isEmpty { rows.doubtedConnections.remove(row.number) }
    if !rows.prefixes.isEmpty { row.prefix = rows.prefixes.removeValue(forKey: row.number) ?? .none }
    return row
  }

  /// Sets the side being read.
  @inline(__always)
  mutating func read(_ side: Side) {
    self.side = side
    if isDirected { turn(to: side) }
  }

  /// Gives octets of a side their class, whichever side is being read.
  mutating func settle(_ count: Int, as octetClass: OctetClass, of side: Side) {
    if isDirected { turn(to: side) }
    ledger.settle(count, as: octetClass)
    if isDirected, side != self.side { turn(to: self.side) }
  }

  /// Unused octets of memory, which decoders may take for larger windows than usual.
  @inline(__always)
  var freeMemory: Int { budget.connectionRoom &- connectionOctets }

  /// The number of ended messages of one direction that may still take charges. `count` is how many there are. It is only the newest one
  /// while all directions together have too many. Messages of the current packet come in addition, because the packet is charged last.
  @inline(__always)
  mutating func lingeringLimit(for count: Int) -> Int {
    let limit = configuration.lingeringMessageLimit
    let recent = numbers.olderOfPacket
    guard rows.lingering > configuration.lingeringMessageTotalLimit, (2...limit).contains(count) else {
      return limit &+ recent
    }
    note(.httpMessagesFull)
    return 1 &+ recent
  }

  /// The process of the message being started, for the side of its client. The text is retained for the row.
  @inline(__always)
  mutating func process(client: Side?) -> TextID {
    let process = connection.processes.named(client: client)
    texts.retain(process)
    return process
  }

  /// Gives an exchange the process of its final message: the request, or the response if there is no request.
  @inline(__always)
  mutating func adoptProcess(of row: RowIndex, into exchange: RowIndex) {
    let (process, kind) = rows.messages.look(Int(row)) { ($0.message.process, $0.message.kind) }
    guard process != .none else { return }
    let (known, hasRequest) = rows.exchanges.look(Int(exchange)) {
      ($0.exchange.process, $0.exchange.request != nil)
    }
    guard known == .none, kind == .request || !hasRequest else { return }
    rows.exchanges[Int(exchange)].exchange.process = process
    texts.retain(process)
  }
}

/// The readers of the contents of messages.
struct ContentReaders {
  // The type is not limited to classes, so the compiler does not copy the whole run where it is lent.
  var decoders: (any ContentDecoderSource)?
  /// The observer of messages; nil if only lengths are needed.
  let observer: (any MessageObserver)?
  /// Octets of memory that it held when it was last asked.
  private var observedMemory = 0
  var codings = CodingList()
  /// The amount that decoders may still produce for the current packet.
  var decoding: DecodingAllowance

  init(
    _ configuration: Configuration, decoders: (any ContentDecoderSource)?, observer: (any MessageObserver)?
  ) {
    self.decoders = configuration.decodesContent ? decoders : nil
    self.observer = observer
    decoding = DecodingAllowance(
      limit: configuration.decodedAtOnceLimit, ratio: configuration.decodedAtOnceRatio,
      totalLimit: configuration.decodedTotalLimit, totalRatio: configuration.decodedTotalRatio)
  }

  /// Octets of memory that decoders and the observer held when they were last asked.
  @inline(__always)
  var memory: Int { MemoryBudget.counted(decoders: decoding.memoryHeld) &+ observedMemory }

  /// Updates how much decoders hold, after some may have gone.
  mutating func countDecoders() { decoding.memoryHeld = decoders?.memory ?? 0 }

  /// Updates how much the observer holds.
  mutating func countObserved() { observedMemory = observer?.memory ?? 0 }
}

/// Facts about messages that tables need.
struct MessageNotes {
  var contents: ContentNotes
  var fields: FieldNotes
  /// Messages of gRPC calls in progress.
  var grpc: GRPCNotes

  init(_ configuration: Configuration) {
    contents = ContentNotes(isWanted: configuration.tables.contains(.contents))
    fields = FieldNotes(isWanted: configuration.tables.contains(.fields))
    grpc = GRPCNotes(configuration: configuration)
  }

  /// Octets of memory of the facts.
  @inline(__always)
  var memory: Int { contents.memory &+ fields.memory &+ grpc.memory }
}

/// Memory for octets of records.
struct RecordMemory {
  /// Memory of finished gathered records, for new ones.
  private var spare = SpareArrays<UInt8>(limit: 4)
  /// Memory for the octets of the record being opened; moved out while in use.
  var opened: [UInt8] = []
  /// Octets that may still be opened in vain to find a record's number behind lost ones. Each captured octet gives one.
  var trialOctets = Allowance(RecordMemory.trialOctetLimit)
  /// The captured octets that have given theirs.
  private var earned = 0

  /// The most of them. Behind a gap, the trials of the next record take as many octets as were lost, at most.
  static let trialOctetLimit = 16 << 20

  /// Adds what `captured` octets give that were captured so far.
  mutating func earnTrials(_ captured: Int) {
    trialOctets.earn(max(captured &- earned, 0), most: Self.trialOctetLimit)
    earned = captured
  }

  /// Memory for the octets of a record.
  mutating func take() -> [UInt8] { spare.take() }

  /// Gives the memory of a record back.
  mutating func giveBack(_ memory: consuming [UInt8]) { spare.giveBack(memory) }
}

extension Run {
  /// Names the host of a request whose fields name none: by the layer below, or else by its server's address (MEASURES §2).
  mutating func nameHost(of row: RowIndex, server side: Side) {
    guard rows[message: row].hostSource == .unknown else { return }
    let beneath = connection.beneath
    guard beneath.serverName == .none else {
      texts.retain(beneath.serverName)
      rows[message: row].host = beneath.serverName
      rows[message: row].hostSource = beneath.isNamePublic ? .publicServerName : .serverNameIndication
      return
    }
    let server = connection.endpoints[side]
    let name = shared.names.name(of: server.address)
    rows[message: row].host = texts.intern(name ?? Array(server.address.description.utf8))
    rows[message: row].hostSource = name == nil ? .address : .dns
  }
}
