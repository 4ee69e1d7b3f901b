import Packets

// MARK: A shard

extension Pipeline {
  /// Writes down what becomes final from now on, and when, and counts none of it.
  mutating func record(with recorder: ShardRecorder) {
    shard = recorder
    run.names.isElsewhere = true
  }

  /// It is `clock` by the packets of all shards: what is due is done.
  mutating func elapse(to clock: Int64) {
    guard clock > run.clock else { return }
    run.anomalies.now = clock
    run.clock = clock
    expireConnections(at: clock)
  }

  /// Takes the segment that a packet has completed, whose fragments are charged elsewhere; `octets` are the datagram's.
  mutating func process(_ segment: TCPSegment, of packet: Packet, _ octets: RawSpan) {
    let time = PacketTime.bounded(packet.timestamp)
    advanceClock(to: time)
    if packet.origin.concernsPacket || hasMention { readOrigin(packet.origin) }
    turnTimeline(to: time)
    run.packetDirection = .unknown
    run.ledger.turn(to: .unknown)
    receive(segment, octets, at: time, source: nil)
  }

  /// What is counted from now on belongs to the interval of `time`.
  mutating func turnTimeline(to time: Int64) {
    if run.isDirected, time != .min, !tables.timeline.isCurrent(time) {
      tables.timeline.change(to: time, run.ledger, &run.anomalies)
    }
  }

  /// Learns names of a datagram that is charged elsewhere.
  mutating func learnNames(
    _ datagram: UDPDatagram, _ octets: RawSpan, _ lookups: inout DNSLookups, _ anomalies: inout AnomalyLog
  ) {
    lookups.read(
      octets.extracting(datagram.payload(in: octets)), datagram, at: run.clock, names: &run.names, anomalies: &anomalies
    )
  }

  /// Something is due in a shard: what it does is written down for the moment at which one analysis of all packets would do it.
  mutating func startDue(_ recorder: ShardRecorder, _ deadline: Int64, rank: UInt8, order: UInt32) {
    turnTimeline(to: recorder.recording.begin(due: deadline, rank: rank, order: order))
  }

  /// The least numbers that open rows refer to.
  var oldestNumbers: ShardBatch.OldestNumbers {
    var oldest = ShardBatch.OldestNumbers(
      message: run.messageCount + 1, exchange: run.exchangeCount + 1, connection: run.connectionCount + 1)
    for row in run.rows.messages.indices {
      let (number, exchange) = run.rows.messages.look(row) { ($0.message.number, $0.message.exchange) }
      oldest.message = min(oldest.message, number)
      if exchange > 0 { oldest.exchange = min(oldest.exchange, exchange) }
    }
    for row in run.rows.exchanges.indices {
      let exchange = run.rows.exchanges.look(row) { $0.exchange }
      if exchange.number > 0 { oldest.exchange = min(oldest.exchange, exchange.number) }
      for message in [exchange.request, exchange.response] {
        if let message { oldest.message = min(oldest.message, message) }
      }
    }
    connections.forEachUnordered { oldest.connection = min(oldest.connection, $0.record.number) }
    return oldest
  }
}

// MARK: The analysis of all shards

extension Pipeline {
  /// Takes what a shard says at its end.
  mutating func take(_ end: ShardBatch.End) {
    run.ledger.add(end.ledger)
    tables.timeline.add(end.timeline, end.ledger)
    for (anomaly, count) in end.anomalies where anomaly != .timestampBackwards { run.anomalies.add(anomaly, count) }
  }
}

extension Run {
  /// Takes a message that is final in a shard; its numbers and texts are those of this analysis.
  @inline(__always)
  mutating func take(_ message: Message, _ note: consuming ContentNotes.Note, _ lines: ArraySlice<FieldNotes.Line>) {
    var open = OpenMessage()
    open.message = message
    let row = RowIndex(rows.messages.insert(open))
    if contentNotes.isWanted { contentNotes.put(note, of: row) }
    if fieldNotes.isWanted { fieldNotes.put(lines, of: row) }
    rows.finishMessage(row)
  }

  /// Takes an exchange that is final in a shard.
  @inline(__always)
  mutating func take(_ exchange: Exchange) {
    var open = OpenExchange()
    open.exchange = exchange
    rows.finishExchange(RowIndex(rows.exchanges.insert(open)))
  }
}
