/// Rows that are final and that the sink has not seen yet.
struct FinishedRows {
  var messages: [Message] = []
  var exchanges: [Exchange] = []
  var connections: [Connection] = []
  /// How many of each have been handed over.
  private var next = (message: 0, exchange: 0, connection: 0)

  /// Whether there is none.
  @inline(__always)
  var isEmpty: Bool { messages.isEmpty && exchanges.isEmpty && connections.isEmpty }

  // What is known last is written to the row where it lies: to copy what was written a moment ago makes the processor wait
  // for it.

  /// Adds a message between these endpoints.
  mutating func add(_ message: Message, _ client: Endpoint, _ server: Endpoint) {
    messages.append(message)
    let last = messages.count - 1
    messages[last].client = client
    messages[last].server = server
  }

  /// Adds an exchange with these timings.
  mutating func add(_ exchange: Exchange, _ timings: ExchangeTimings) {
    exchanges.append(exchange)
    exchanges[exchanges.count - 1].timings = timings
  }

  /// Hands over every row and takes it away, up to the first one that the sink throws at, which is taken away too: called
  /// again, it goes on after that one.
  ///
  /// - Throws: What the sink throws.
  mutating func handOver<Sink: ReportSink>(to sink: inout Sink, texts: inout TextPool) throws(Sink.Failure) {
    while next.message < messages.count {
      next.message += 1
      defer { messages[next.message - 1].releaseTexts(of: &texts) }
      try sink.message(messages[next.message - 1], texts: texts)
    }
    while next.exchange < exchanges.count {
      next.exchange += 1
      defer { exchanges[next.exchange - 1].releaseTexts(of: &texts) }
      try sink.exchange(exchanges[next.exchange - 1], texts: texts)
    }
    while next.connection < connections.count {
      next.connection += 1
      try sink.connection(connections[next.connection - 1], texts: texts)
    }
    if next.message > 0 { messages.removeAll(keepingCapacity: true) }
    if next.exchange > 0 { exchanges.removeAll(keepingCapacity: true) }
    if next.connection > 0 { connections.removeAll(keepingCapacity: true) }
    next = (0, 0, 0)
  }
}
