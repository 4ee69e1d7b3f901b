/// Rows that are final and that the sink has not seen yet.
struct FinishedRows {
  private var messages = RowSlots(Message())
  private var exchanges = RowSlots(Exchange())
  private var connections = RowSlots(Connection())

  /// Whether there is none.
  @inline(__always)
  var isEmpty: Bool { messages.isEmpty && exchanges.isEmpty && connections.isEmpty }

  // What is known last is written to the row where it lies: to copy what was written a moment ago makes the processor wait
  // for it.

  /// Adds a message between these endpoints.
  @inline(__always)
  mutating func add(_ message: Message, _ client: Endpoint, _ server: Endpoint) {
    let place = messages.add()
    messages.rows[place] = message
    messages.rows[place].client = client
    messages.rows[place].server = server
  }

  /// Adds an exchange with these timings.
  @inline(__always)
  mutating func add(_ exchange: Exchange, _ timings: ExchangeTimings) {
    let place = exchanges.add()
    exchanges.rows[place] = exchange
    exchanges.rows[place].timings = timings
  }

  /// Adds a connection.
  mutating func add(_ connection: Connection) { connections.rows[connections.add()] = connection }

  /// Hands over every row and takes it away, up to the first one that the sink throws at, which is taken away too: called
  /// again, it goes on after that one.
  ///
  /// - Throws: What the sink throws.
  mutating func handOver<Sink: ReportSink>(to sink: inout Sink, texts: inout TextPool) throws(Sink.Failure) {
    while let message = messages.takeNext() {
      defer { message.releaseTexts(of: &texts) }
      try sink.message(message, texts: texts)
    }
    while let exchange = exchanges.takeNext() {
      defer { exchange.releaseTexts(of: &texts) }
      try sink.exchange(exchange, texts: texts)
    }
    while let connection = connections.takeNext() { try sink.connection(connection, texts: texts) }
  }
}

/// Rows in places that are used again and again, so that a row is written where it will be read.
private struct RowSlots<Row> {
  private let placeholder: Row
  var rows: [Row] = []
  /// How many there are, and how many of them have been taken.
  private var count = 0
  private var next = 0

  init(_ placeholder: Row) { self.placeholder = placeholder }

  @inline(__always)
  var isEmpty: Bool { count == 0 }

  /// Adds a row. Returns the place where it is to be written, over another one.
  @inline(__always)
  mutating func add() -> Int {
    if count == rows.count { rows.append(placeholder) }
    count += 1
    return count - 1
  }

  /// Takes the oldest row; nil when all have been taken, and the places are free again.
  @inline(__always)
  mutating func takeNext() -> Row? {
    guard next < count else {
      next = 0
      count = 0
      return nil
    }
    next += 1
    return rows[next - 1]
  }
}
