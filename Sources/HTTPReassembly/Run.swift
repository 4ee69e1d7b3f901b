/// What belongs to a whole run, and is lent to each connection while it works on a segment.
struct Run {
  let configuration: Configuration
  var ledger = Ledger()
  var anomalies = AnomalyLog()
  var texts = TextPool()
  var names: NameTable
  var apis: APITable
  var history: PayloadHistory
  var decoders: (any ContentDecoderSource)?
  /// Sees what messages say; nil for an analysis that needs lengths only.
  let observer: (any MessageObserver)?
  var codings = CodingList()
  /// Empty while `observer` wants to see every line.
  var familiarFieldLines = FamiliarFieldLines()

  /// Capture time of the packet being processed, never going backwards: what timers go by.
  var clock: Int64 = .min
  /// Octets held behind holes, all connections together.
  var heldOctets = 0
  /// Exchanges that are not final, all connections together.
  var openExchanges = 0
  /// Ended messages that still take charges, all connections together, but for the newest one of each direction.
  var lingeringMessages = 0
  /// Octets of memory that connections take, all together, without what `heldOctets` and `texts` count: see `StateCost`.
  var stateOctets = 0

  private(set) var messageCount = 0
  private(set) var exchangeCount = 0
  private(set) var connectionCount = 0

  /// The connection being worked on.
  var connection = ConnectionContext()

  /// Final rows that the sink has not seen yet.
  var finished = FinishedRows()

  init(configuration: Configuration, decoders: (any ContentDecoderSource)?, observer: (any MessageObserver)? = nil) {
    self.configuration = configuration
    self.observer = observer
    self.decoders = configuration.decodesContent ? decoders : nil
    names = NameTable(limit: configuration.nameLimit)
    apis = APITable(configuration: configuration)
    history = PayloadHistory(capacity: configuration.payloadHistoryLength)
  }

  /// Octets of memory that all connections take, what they hold behind holes and their texts included.
  var connectionOctets: Int { stateOctets + heldOctets + texts.memory }

  mutating func nextMessage() -> Int {
    messageCount += 1
    return messageCount
  }

  mutating func nextExchange() -> Int {
    exchangeCount += 1
    return exchangeCount
  }

  mutating func nextConnection() -> Int {
    connectionCount += 1
    return connectionCount
  }

  /// Counts an anomaly of the connection being worked on.
  mutating func note(_ anomaly: Anomaly) {
    anomalies.note(anomaly, connection: connection.number)
  }

  /// Counts an anomaly, with the octets that show it.
  mutating func note(_ anomaly: Anomaly, example: RawSpan) {
    anomalies.note(anomaly, connection: connection.number, example: example)
  }
}

/// The connection being worked on: what its application layer needs to know of it, and what it adds to it.
struct ConnectionContext {
  /// Its number in reports, which no other has; 0 before the first.
  var number = 0
  /// The endpoint of each side.
  var endpoints = Sides(repeating: Endpoint(address: IPAddress(high: 0, low: 0), port: 0))
  /// The side that opened the connection, where the capture shows it.
  var client: Side?
  var added = Added()

  /// What is added to it.
  struct Added {
    /// Octets in no message.
    var unattributed = 0
    /// Octets never captured.
    var missing = 0
    /// Messages.
    var messages = 0
    /// Flags.
    var flags: ConnectionFlags = []
  }
}
