// Final rows go to the sink, and totals out.

import Packets

extension Pipeline {
  /// Counts every final row for its API and passes it to the sink. After an error it goes on with the other rows, then throws the first
  /// error.
  mutating func handOver() throws(Sink.Failure) {
    do throws(Sink.Failure) { try handOverRows() } catch {
      handOverTheRest()
      throw error
    }
  }

  private mutating func handOverTheRest() {
    while !isHandedOver || !run.notes.grpc.isHandedOver {
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
      &run.rows, to: &held.value, &apis, &tables, &run.notes.contents, &run.notes.fields, &run.notes.grpc, &run.texts,
      &run.anomalies)
    if !run.notes.grpc.isHandedOver { try handOverDetails() }
    while !finalConnections.isEmpty {
      let connection = finalConnections.removeFirst()
      secureHosts.add(connection, texts: run.texts)
      if tables.isWanted { tables.add(connection, run.shared.names, texts: &run.texts, anomalies: &run.anomalies) }
      defer { connection.releaseTexts(of: &run.texts) }
      try held.value.connection(connection, texts: run.texts)
    }
  }

  /// Hands over the rows that refine messages, up to the first one at which the sink throws.
  @inline(never)
  private mutating func handOverDetails() throws(Sink.Failure) {
    while let message = run.notes.grpc.nextReady() { try held.value.detail(.grpc(message), texts: run.texts) }
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
    multipath.finishAll(&run) { finalConnections.append($0) }
    finalConnections.append(contentsOf: quic.finishAll(&run))
    do throws(Sink.Failure) { try handOver() } catch { failure = failure ?? error }
    decoder.finish(ledger: &run.ledger, anomalies: &run.anomalies)
    run.familiar.forgetAll(&run.texts)
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
    tables.fill(&totals, apis, run.notes.fields.names)
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
    let octets = tables.memory + run.shared.names.memory + apis.memory
    tables.take(into: &totals, apis, run.notes.fields.names)
    run.shared.names = NameTable(limit: 1)
    totals.apis = apis.takeSorted(texts: run.texts)
    run.budget.end(after: octets)
    return totals
  }

  var span: ClosedRange<Int64>? { earliest <= latest ? earliest...latest : nil }

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
  public func addTables(to snapshot: inout Totals) { tables.fill(&snapshot, apis, run.notes.fields.names) }

  /// Adds the totals of hosts to a `snapshot`, for final messages and connections, if `Configuration.tables` has them. They have no order,
  /// and are at most `Configuration.hostLimit`.
  public func addHosts(to snapshot: inout Totals) { tables.fillHosts(&snapshot) }

  /// Adds to a `snapshot` the contents and header fields of final messages, and of messages that are complete but not final. Where that
  /// takes too much memory, it is as `addTables`.
  public func addOpenTables(to snapshot: inout Totals) {
    guard var added = tables.openMessages else { return }
    var (apis, anomalies, rest) = (apis, AnomalyLog(), RefiningTables.openSampleLimit)
    forEachOpenRow { message, row, isInProgress in
      guard !isInProgress else { return }
      let position = apis.add(message, texts: &snapshot.texts, anomalies: &anomalies)
      var note = run.notes.contents.note(of: row)
      rest -= note.sample.count
      if rest < 0 { note.sample = [] }
      var lines = run.notes.fields.lines(of: row)
      added.add(&message, at: position, &note, &lines, &anomalies)
    }
    (snapshot.contents, snapshot.fields) = added.rows(apis, run.notes.fields.names, snapshot.texts)
  }

  /// Passes every message that is not final to `body`, in the order of connections. `body` also gets the pool of the message's texts.
  public func forEachOpenMessage(_ body: (Message, borrowing TextPool) -> Void) {
    // Templates may be new texts for the pool.
    var texts = apis.keepsPaths ? TextPool() : run.texts
    var segments = apis.segments
    forEachOpenRow { message, _, _ in
      if apis.keepsPaths {
        message.apiPath = apis.path(of: message)
        body(message, run.texts)
      } else {
        message.apiPath = apis.path(of: message, &segments, &texts)
        body(message, texts)
        texts.release(message.apiPath)
      }
    }
  }

  /// Passes every message that is not final to `body`, with its row and whether it is in progress, in the order of connections.
  private func forEachOpenRow(_ body: (inout Message, RowIndex, _ isInProgress: Bool) -> Void) {
    func pass(_ row: RowIndex, _ isInProgress: Bool, _ client: Endpoint, _ server: Endpoint) {
      var message = run.rows.messages.look(Int(row)) { $0.message }
      if isInProgress { message.exactness = .atLeast }
      message.client = client
      message.server = server
      let pending = run.rows.messages.look(Int(row)) { $0.pendingContent }
      if let outcome = pending.flatMap({ run.contents.decoders?.outcome(of: $0) }) {
        _ = message.note(outcome, isComplete: true)
      }
      body(&message, row, isInProgress)
    }
    connections.forEach { connection in
      let client = connection.clientSide(connection.session?.known)
      connection.session?.forEachOpenMessage { row, isInProgress in
        pass(row, isInProgress, connection.endpoints[client], connection.endpoints[1 - client])
      }
    }
    multipath.forEachOpenMessage(pass)
    quic.forEachOpenMessage(pass)
  }

  /// Estimated octets of memory that connections take, including held and kept octets and decoders, as for
  /// `Configuration.connectionOctetLimit`.
  public var connectionOctets: Int { run.connectionOctets }

  /// Octets that content decoders produced so far. A caller that checks the clock every few packets can check more often when packets take
  /// long.
  @inline(__always)
  public var decodedOctets: Int { run.contents.decoding.spent }

  /// The number of connections in progress.
  public var connectionCount: Int { connections.count + quic.count }
}

/// Counts every final message and exchange for its API and passes it to the sink, up to the first one at which the sink throws. The parts
/// are lent separately so that rows are read where they lie. It is no method of the pipeline, which would look up the pipeline's type for
/// each row.
private func handOverFinalRows<Sink: ReportSink>(
  _ rows: inout RowStore, to sink: inout Sink, _ apis: inout APITable, _ tables: inout RefiningTables,
  _ contentNotes: inout ContentNotes, _ fieldNotes: inout FieldNotes, _ grpcNotes: inout GRPCNotes,
  _ texts: inout TextPool, _ anomalies: inout AnomalyLog
) throws(Sink.Failure) {
  while let row = rows.nextFinalMessage() {
    let retained = rows.messages.change(Int(row)) { open in
      let position = apis.add(open.message, texts: &texts, anomalies: &anomalies)
      open.message.apiPath = apis.path(at: position)
      if !grpcNotes.isEmpty { grpcNotes.prepare(open.message, row) }
      if tables.isWanted {
        tables.add(&open.message, row, at: position, &contentNotes, &fieldNotes, texts: &texts, anomalies: &anomalies)
      }
      return open.message.retainedTexts
    }
    defer {
      texts.release(retained)
      rows.messages.discard(Int(row))
    }
    try sink.message(rows.messages[Int(row)].message, texts: texts)
  }
  while let row = rows.nextFinalExchange() {
    let retained = rows.exchanges.change(Int(row)) { open in
      open.exchange.apiPath = apis.add(open.exchange, texts: &texts, anomalies: &anomalies)
      if tables.isWanted { tables.add(&open.exchange, texts) }
      return open.exchange.retainedTexts
    }
    defer {
      texts.release(retained)
      rows.exchanges.discard(Int(row))
    }
    try sink.exchange(rows.exchanges[Int(row)].exchange, texts: texts)
  }
}
