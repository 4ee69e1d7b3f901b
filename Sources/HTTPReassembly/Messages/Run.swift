/// The state of a whole run. A connection borrows it while it works on a segment.
struct Run: StreamContext {
  let configuration: Configuration
  var ledger = Ledger()
  var anomalies = AnomalyLog()
  var names: NameTable
  var history: PayloadHistory
  var clock: Int64 = .min
  /// The next check of the larger connection that the current one is a subflow of; nil without one.
  var multipathLook: (slot: Int, deadline: Int64, isSoon: Bool)?
  var heldOctets = 0
  var connectionMemory = 0
  var processSlots = Slab<ConnectionProcesses>()
  var budget: MemoryBudget
  var connection = ConnectionContext()

  /// The side being read. It must be set before a session reads.
  var side: Side = 0
  /// The packet that brought the octets being read.
  var arrival = SegmentArrival.none

  var texts = TextPool()
  var rows = RowStore()
  // The type is not limited to classes, so the compiler does not copy the whole run where it is lent.
  var decoders: (any ContentDecoderSource)?
  /// The observer of messages; nil if only lengths are needed.
  let observer: (any MessageObserver)?
  /// Octets of memory that it held when it was last asked.
  private var observedMemory = 0
  var codings = CodingList()
  /// The amount that decoders may still produce for the current packet.
  var decoding: DecodingAllowance
  /// Recent lines of header sections, and recent sections; empty while `observer` needs every line.
  var familiarLines = FamiliarLines()
  var familiarSections = FamiliarSections()

  /// The texts of prefixes, by the numbers of open connections that have one.
  var prefixes: [Int: TextID] = [:]

  /// The secrets that open TLS records.
  var secrets: KeyLog
  /// The secrets that have opened something.
  var usedSecrets = UsedSecrets()
  /// Whether secrets may still come for records that came before.
  var mayLearnSecrets = false
  /// Whether the current connection has begun to wait for secrets. Reset by the pipeline.
  var hasBegunToWait = false
  /// Memory of finished gathered records, for new ones.
  private var spareRecords = SpareArrays<UInt8>(limit: 4)
  /// Memory for the octets of the record being opened; moved out while in use.
  var openedOctets: [UInt8] = []

  /// Facts about contents and fields that tables need.
  var contentNotes: ContentNotes
  var fieldNotes: FieldNotes
  /// Messages of gRPC calls in progress.
  var grpcNotes: GRPCNotes

  /// Whether the ledger tells directions apart, which a timeline needs.
  let isDirected: Bool
  /// The direction of the current packet; `unknown` if it is not known.
  var packetDirection = OctetDirection.unknown

  private(set) var messageCount = 0
  /// The number of messages that began before the octets being read.
  private var messagesBeforePacket = 0
  private(set) var exchangeCount = 0
  private(set) var connectionCount = 0

  init(configuration: Configuration, decoders: (any ContentDecoderSource)?, observer: (any MessageObserver)? = nil) {
    OctetMark.chooseKeys()
    self.configuration = configuration
    self.observer = observer
    contentNotes = ContentNotes(isWanted: configuration.tables.contains(.contents))
    fieldNotes = FieldNotes(isWanted: configuration.tables.contains(.fields))
    grpcNotes = GRPCNotes(configuration: configuration)
    isDirected = configuration.tables.contains(.timeline)
    self.decoders = configuration.decodesContent ? decoders : nil
    secrets = KeyLog(limit: configuration.secretOctetLimit)
    budget = MemoryBudget(configuration)
    names = NameTable(limit: configuration.nameLimit)
    history = PayloadHistory(capacity: configuration.payloadHistoryLength)
    decoding = DecodingAllowance(
      limit: configuration.decodedAtOnceLimit, ratio: configuration.decodedAtOnceRatio,
      totalLimit: configuration.decodedTotalLimit, totalRatio: configuration.decodedTotalRatio)
  }

  /// Octets of memory that all connections take: with octets behind gaps, rows, texts, and the decoders of contents.
  @inline(__always)
  var connectionOctets: Int {
    connectionMemory &+ processSlots.count &* MemoryLayout<ConnectionProcesses>.stride &+ heldOctets &+ rows.memory
      &+ texts.memory
      &+ MemoryBudget.counted(decoders: decoding.memoryHeld) &+ contentNotes.memory &+ fieldNotes.memory
      &+ grpcNotes.memory &+ observedMemory
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
  mutating func note(_ prefix: ConnectionPrefix) { prefixes[connection.number] = texts.intern(prefix) }

  /// The final row of a connection, with what was noted for it by its number.
  mutating func settled(_ row: Connection) -> Connection {
    var row = row
    if !rows.doubtedConnections.isEmpty { rows.doubtedConnections.remove(row.number) }
    if !prefixes.isEmpty { row.prefix = prefixes.removeValue(forKey: row.number) ?? .none }
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
    if isDirected { turn(to: self.side) }
  }

  /// Unused octets of memory, which decoders may take for larger windows than usual.
  @inline(__always)
  var freeMemory: Int { budget.connectionRoom &- connectionOctets }

  /// Updates how much decoders hold, after some may have gone.
  mutating func countDecoders() { decoding.memoryHeld = decoders?.memory ?? 0 }

  /// Updates how much the observer holds.
  mutating func countObserved() { observedMemory = observer?.memory ?? 0 }

  /// Memory for the octets of a record.
  mutating func takeRecordMemory() -> [UInt8] { spareRecords.take() }

  /// Gives the memory of a record back.
  mutating func giveRecordMemory(_ memory: consuming [UInt8]) { spareRecords.giveBack(memory) }

  /// The number of ended messages of one direction that may still take charges. `count` is how many there are. It is only the newest one
  /// while all directions together have too many. Messages of the current packet come in addition, because the packet is charged last.
  @inline(__always)
  mutating func lingeringLimit(for count: Int) -> Int {
    let limit = configuration.lingeringMessageLimit
    let recent = max(messageCount &- messagesBeforePacket &- 1, 0)
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

  /// Notes that the octets of another packet are read.
  @inline(__always)
  mutating func beginPacket() { messagesBeforePacket = messageCount }

  @inline(__always)
  mutating func nextMessage() -> Int {
    messageCount += 1
    return messageCount
  }

  @inline(__always)
  mutating func nextExchange() -> Int {
    exchangeCount += 1
    return exchangeCount
  }

  /// Reserves numbers for rows that are made elsewhere.
  mutating func takeNumbers(
    messages: Int, exchanges: Int, connections: Int
  ) -> (messages: Range<Int>, exchanges: Range<Int>, connections: Range<Int>) {
    defer {
      messageCount += messages
      exchangeCount += exchanges
      connectionCount += connections
    }
    return (
      messageCount + 1..<messageCount + messages + 1, exchangeCount + 1..<exchangeCount + exchanges + 1,
      connectionCount + 1..<connectionCount + connections + 1
    )
  }

  mutating func nextConnection() -> Int {
    connectionCount += 1
    return connectionCount
  }
}
