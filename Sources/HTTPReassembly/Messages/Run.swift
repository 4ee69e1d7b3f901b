/// What belongs to a whole run, and is lent to each connection while it works on a segment.
struct Run: StreamContext {
  let configuration: Configuration
  var ledger = Ledger()
  var anomalies = AnomalyLog()
  var names: NameTable
  var history: PayloadHistory
  var clock: Int64 = .min
  var nextLook: (deadline: Int64, isSoon: Bool)?
  var heldOctets = 0
  var connectionMemory = 0
  var budget: MemoryBudget
  var connection = ConnectionContext()

  /// The side being read: set before a session reads.
  var side: Side = 0
  /// The packet that brought what is being read.
  var arrival = SegmentArrival.none

  var texts = TextPool()
  var rows = RowStore()
  var decoders: (any ContentDecoderSource)?
  /// Sees what messages say; nil for an analysis that needs lengths only.
  let observer: (any MessageObserver)?
  var codings = CodingList()
  /// What decoders may still make of what the packet in hand brought.
  var decoding: DecodingAllowance
  /// Empty while `observer` wants to see every line.
  var familiarLines = FamiliarLines()

  /// The secrets that records of TLS are opened with.
  var secrets: KeyLog
  /// Memory for octets of records that are gathered, in use no more.
  private var spareRecords: [[UInt8]] = []
  /// Memory for the octets of the record that is being opened; taken away while it is in use.
  var openedOctets: [UInt8] = []

  private(set) var messageCount = 0
  private(set) var exchangeCount = 0
  private(set) var connectionCount = 0

  init(configuration: Configuration, decoders: (any ContentDecoderSource)?, observer: (any MessageObserver)? = nil) {
    self.configuration = configuration
    self.observer = observer
    self.decoders = configuration.decodesContent ? decoders : nil
    secrets = KeyLog(limit: configuration.secretOctetLimit)
    budget = MemoryBudget(configuration)
    names = NameTable(limit: configuration.nameLimit)
    history = PayloadHistory(capacity: configuration.payloadHistoryLength)
    decoding = DecodingAllowance(limit: configuration.decodedAtOnceLimit, ratio: configuration.decodedAtOnceRatio)
  }

  /// Octets of memory that all connections take, what they hold behind holes, their rows, their texts and the decoders of their
  /// contents included.
  @inline(__always)
  var connectionOctets: Int {
    connectionMemory &+ heldOctets &+ rows.memory &+ texts.memory
      &+ MemoryBudget.counted(decoders: decoding.memoryHeld)
  }

  /// Octets that nobody takes, and decoders may have for windows that are larger than usual.
  @inline(__always)
  var freeMemory: Int { budget.connectionRoom &- connectionOctets }

  /// Asks how much decoders hold, after some may have gone.
  mutating func countDecoders() { decoding.memoryHeld = decoders?.memory ?? 0 }

  /// Memory for the octets of a record.
  mutating func takeRecordMemory() -> [UInt8] { spareRecords.popLast() ?? [] }

  /// Gives it back.
  mutating func giveRecordMemory(_ memory: consuming [UInt8]) {
    guard memory.capacity > 0, spareRecords.count < 4 else { return }
    spareRecords.append(memory)
  }

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

  mutating func nextConnection() -> Int {
    connectionCount += 1
    return connectionCount
  }
}
