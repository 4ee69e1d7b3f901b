import Packets

// MARK: Recording a part

extension Pipeline {
  /// Records all final rows from now on, and counts none of them.
  mutating func record(with recorder: PartRecorder) {
    self.recorder = recorder
    run.shared.names.isElsewhere = true
  }

  /// Records the changes of the last packet.
  @inline(__always)
  mutating func noteChanges() { recorder?.noteChanges(&run) }

  /// Records every final row.
  mutating func recordRows(_ recorder: PartRecorder) {
    recorder.noteChanges(&run)
    while let row = run.rows.nextFinalMessage() {
      var message = run.rows.messages.remove(Int(row)).message
      var note = run.notes.contents.takeNote(of: row)
      let lines = run.notes.fields.takeLines(of: row)
      recorder.add(&message, note, lines, run.notes.grpc.take(of: row), run.notes.fields.names, &run.texts)
      run.notes.contents.giveBack(sampleOf: &note)
      run.notes.fields.giveBack(lines)
      message.releaseTexts(of: &run.texts)
    }
    while let row = run.rows.nextFinalExchange() {
      var exchange = run.rows.exchanges.remove(Int(row)).exchange
      recorder.add(&exchange, &run.texts)
      exchange.releaseTexts(of: &run.texts)
    }
    while !finalConnections.isEmpty {
      var connection = finalConnections.removeFirst()
      recorder.add(&connection, &run.texts)
      connection.releaseTexts(of: &run.texts)
    }
  }

  /// The endpoints of the connections in progress.
  var openConnections: [ConnectionKey] {
    var keys: [ConnectionKey] = []
    connections.forEach { keys.append(ConnectionKey($0.endpoints[0], $0.endpoints[1])) }
    return keys
  }

  /// The timeline so far.
  var timelinePart: Timeline.Part { tables.timeline.part(run.ledger) }

  /// Whether the timeline has steps.
  var hasSteps: Bool { tables.timeline.hasSteps }
}

// MARK: Taking parts

extension Pipeline {
  /// Advances the clock and does all that is due. Final rows wait for those of the next packet.
  mutating func advance(to timestamp: Int64) { advanceClock(to: PacketTime.bounded(timestamp)) }

  /// Skips a packet that is counted elsewhere: only its time matters here. Final rows wait for `handOverPart`.
  package mutating func skip(to timestamp: Int64) {
    let time = PacketTime.bounded(timestamp)
    advanceClock(to: time)
    if run.isDirected, !tables.timeline.isCurrent(time) {
      tables.timeline.change(to: time, run.ledger, &run.anomalies)
    }
  }

  /// Hands over the rows of a part's packet, once all have come.
  ///
  /// - Throws: Errors of the sink.
  package mutating func handOverPart() throws(Sink.Failure) {
    if !isHandedOver { try handOver() }
  }

  /// Begins a part, which has its own numbers.
  package mutating func beginPart(_ reading: inout RowReading) {
    reading.forgetTexts(&run.texts)
    part = PartNumbers()
  }

  /// Takes the next record of a part, except packets and events. `reading` has already read its number.
  ///
  /// - Throws: A fault of the part.
  package mutating func take(_ record: PartRecord, _ reading: inout RowReading) throws(PartFault) {
    switch record {
    case .elapsed:
      var time: Int64 = 0
      try reading.time(&time)
      expireConnections(at: time)
    case .opening: try takeOpening(&reading)
    case .lookup: try takeLookup(&reading)
    case .numbers: try takeNumbers(&reading)
    case .anomaly: try takeAnomaly(&reading)
    case .fieldName:
      var name: [UInt8] = []
      try reading.octets(&name)
      part.fieldNames.append(name.withOctets { run.notes.fields.number(of: $0) })
    case .message: try takeMessage(&reading)
    case .exchange: try takeExchange(&reading)
    case .connection: try takeConnection(&reading)
    case .accounts: try takeAccounts(&reading)
    case .countedPacket, .keptPacket, .event: throw .damaged
    }
  }

  /// Takes the beginning of a connection. Finishes an open one between the same endpoints.
  private mutating func takeOpening(_ reading: inout RowReading) throws(PartFault) {
    var source = Endpoint(address: IPAddress(high: 0, low: 0), port: 0)
    var destination = source
    var (sequence, number) = (UInt32(0), 0)
    try reading.endpoint(&source)
    try reading.endpoint(&destination)
    try reading.bits(&sequence)
    try reading.integer(&number)
    let key = ConnectionKey(source, destination)
    guard let slot = connections.slot(for: key) else { return }
    let segment = TCPSegment(
      source: source, destination: destination, sequence: sequence, acknowledgment: 0, flags: .syn, window: 0,
      networkLength: 0, headerLength: 0, payloadOffset: 0, payloadLength: 0, capturedPayloadLength: 0)
    guard !connections.look(slot, { $0.hasStranger }), isReopened(slot, segment) else {
      throw .sameEndpoints(source, destination)
    }
    run.anomalies.note(.tcpPortReused, connection: connections.number(of: slot))
    finish(slot, .captureEnd)
    part.reused.insert(number)
  }

  private mutating func takeLookup(_ reading: inout RowReading) throws(PartFault) {
    var (address, connection) = (IPAddress(high: 0, low: 0), 0)
    try reading.address(&address)
    try reading.integer(&connection)
    part.lookups[connection] = run.shared.names.takeLookup(of: address, for: 0)
  }

  private mutating func takeNumbers(_ reading: inout RowReading) throws(PartFault) {
    var counts: [Int] = []
    for _ in 0..<3 {
      // No packet makes more.
      guard let count = Int(exactly: try reading.number()), count <= 1 << 18 else { throw .damaged }
      counts.append(count)
    }
    let numbers = run.numbers.take(messages: counts[0], exchanges: counts[1], connections: counts[2])
    part.take(messages: numbers.messages, exchanges: numbers.exchanges, connections: numbers.connections)
  }

  private mutating func takeAnomaly(_ reading: inout RowReading) throws(PartFault) {
    var name = ""
    var first = AnomalyCount(count: 0, firstTime: 0, firstConnection: 0, example: [])
    try reading.string(&name)
    try first.code(&reading)
    guard let anomaly = Anomaly(rawValue: name), first.count > 0, first.example.count <= AnomalyLog.exampleLimit else {
      throw .damaged
    }
    try PartNumbers.translate(&first.firstConnection, by: part.connections)
    run.anomalies.add(anomaly, first)
  }

  private mutating func takeMessage(_ reading: inout RowReading) throws(PartFault) {
    var message = Message()
    try message.code(&reading, &run.texts)
    try part.translate(&message)
    var facts = ContentFacts()
    try facts.code(&reading)
    let count = try reading.number()
    guard count <= UInt64(FieldNotes.messageLimit) else { throw .damaged }
    var lines: [FieldNotes.Line] = []
    for _ in 0..<count {
      var line = FieldNotes.Line(name: 0, length: 0, expanded: 0, value: 0)
      try line.code(&reading)
      guard Int(line.name) < part.fieldNames.count else { throw .damaged }
      line.name = part.fieldNames[Int(line.name)]
      lines.append(line)
    }
    let calls = try reading.number()
    guard calls <= UInt64(run.configuration.grpcMessageLimit) else { throw .damaged }
    var notes: [GRPCNotes.Note] = []
    for _ in 0..<calls {
      notes.append(GRPCNotes.Note())
      try notes[notes.count - 1].code(&reading)
    }
    var open = OpenMessage()
    open.message = message
    let row = RowIndex(run.rows.messages.insert(open))
    if run.notes.contents.isWanted { run.notes.contents.note(facts, of: row) }
    if run.notes.fields.isWanted {
      for line in lines { run.notes.fields.add(line, to: row) }
    }
    if run.notes.grpc.isWanted {
      for note in notes where !run.notes.grpc.add(note, to: row) { run.note(.grpcMessagesFull) }
    }
    run.rows.finishMessage(row)
  }

  private mutating func takeExchange(_ reading: inout RowReading) throws(PartFault) {
    var exchange = Exchange()
    try exchange.code(&reading, &run.texts)
    if exchange.timings.dns == NameTable.unknownLookup {
      exchange.timings.dns = part.lookups.removeValue(forKey: exchange.connection)
    }
    try part.translate(&exchange)
    var open = OpenExchange()
    open.exchange = exchange
    run.rows.finishExchange(RowIndex(run.rows.exchanges.insert(open)))
  }

  private mutating func takeConnection(_ reading: inout RowReading) throws(PartFault) {
    var connection = Connection()
    try connection.code(&reading, &run.texts)
    part.lookups[connection.number] = nil
    if part.reused.remove(connection.number) != nil { connection.flags.insert(.portReused) }
    try PartNumbers.translate(&connection.number, by: part.connections)
    finalConnections.append(connection)
  }

  private mutating func takeAccounts(_ reading: inout RowReading) throws(PartFault) {
    var ledger = Ledger()
    var figures = ledger.figures
    guard try reading.number() == UInt64(figures.count) else { throw .damaged }
    for index in figures.indices { try reading.difference(&figures[index]) }
    ledger.figures = figures
    var timeline = Timeline.Part()
    timeline.unit = try reading.signed()
    for _ in 0..<(try reading.number()) {
      let number = try reading.signed()
      guard let step = Int(exactly: hasSteps ? try reading.number() : 0) else { throw .damaged }
      let count = try reading.number()
      guard count <= UInt64(3 * (OctetClass.count + 1)) else { throw .damaged }
      var cells: [Int] = []
      for _ in 0..<count {
        cells.append(0)
        try reading.difference(&cells[cells.count - 1])
      }
      timeline.intervals.append((number, step, cells))
    }
    guard tables.timeline.fits(timeline) else { throw .damaged }
    run.ledger.add(ledger)
    tables.timeline.add(timeline, ledger)
    shareMemory()
  }
}
