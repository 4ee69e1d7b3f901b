import Packets

/// Writes down what a shard finds, moment by moment.
struct ShardRecording {
  private var batch = ShardBatch()
  private let exchange: (consuming ShardBatch) -> ShardBatch
  private var moment = ShardMoment(index: 0)
  /// Whether the batch has a step of the moment.
  private var hasStep = false
  private var messages = 0
  private var exchanges = 0
  private var connections = 0
  private var fieldNames = 1
  private var noted = 0
  private var seen: Set<Anomaly> = []
  /// The packets among which something can be due, and how far the shard is in them.
  private var times = ChunkTimes()
  private var passed = 0
  /// Where everything is due, however late, that is due; nil where its time says with which packet.
  private var dueIndex: Int?

  /// Hands full batches over with `exchange`, which gives another one, and waits for that if it has to.
  init(exchange: @escaping (consuming ShardBatch) -> ShardBatch) { self.exchange = exchange }

  // MARK: Moments

  /// The packets of a chunk come, after all before.
  mutating func begin(_ times: ChunkTimes) {
    self.times = times
    passed = 0
    dueIndex = nil
  }

  /// The packet at an offset in the chunk comes. Returns its number among all.
  mutating func begin(packet offset: Int) -> Int {
    begin(ShardMoment(index: times.first + offset))
    return moment.index
  }

  /// The packets before an offset have come: what is due from now on shows with a later one.
  mutating func pass(to offset: Int) { passed = offset }

  /// Something comes after the packets of the chunk that is no packet.
  mutating func beginEvent() {
    begin(ShardMoment(index: times.first + times.count))
    dueIndex = moment.index
  }

  /// A connection ends because the capture does.
  mutating func begin(ending connection: Int) {
    var ending = ShardMoment(index: times.first + times.count)
    ending.ending = connection
    begin(ending)
  }

  /// Something is done because it was due at `deadline`. Returns the time of the packet before the one with which that shows.
  mutating func begin(due deadline: Int64, rank: UInt8, order: UInt32) -> Int64 {
    var offset = dueIndex.map { $0 - times.first } ?? times.offset(ofFirstAfter: deadline, from: passed)
    var due = ShardMoment(index: times.first + offset, deadline: deadline, rank: rank, order: order)
    // What was done before it comes first, though it was due later: one thing waits for another where times go back.
    if moment.deadline < .max, moment.index >= due.index {
      (due.index, due.deadline) = (moment.index, max(moment.deadline, deadline))
      offset = due.index - times.first
    }
    begin(due)
    return times.time(before: offset)
  }

  private mutating func begin(_ next: ShardMoment) {
    guard !hasStep || !moment.isSame(as: next) else { return }
    moment = next
    hasStep = false
  }

  @inline(__always)
  private mutating func change(_ body: (inout ShardBatch.Step) -> Void) {
    if !hasStep {
      batch.steps.append(ShardBatch.Step(moment: moment))
      hasStep = true
    }
    body(&batch.steps[batch.steps.count - 1])
  }

  // MARK: What has changed

  @inline(__always)
  mutating func noteChanges(_ run: inout Run) {
    if messages != run.messageCount || exchanges != run.exchangeCount || connections != run.connectionCount {
      let new = (run.messageCount - messages, run.exchangeCount - exchanges, run.connectionCount - connections)
      change { step in
        step.newMessages += new.0
        step.newExchanges += new.1
        step.newConnections += new.2
      }
      (messages, exchanges, connections) = (run.messageCount, run.exchangeCount, run.connectionCount)
    }
    if noted != run.anomalies.noted { noteAnomalies(run.anomalies) }
    if !run.names.asked.isEmpty {
      for asked in run.names.takeAsked() {
        change { $0.lookups += 1 }
        batch.lookups.append(asked)
      }
    }
  }

  /// How often is said at the end; where first, now.
  @inline(never)
  private mutating func noteAnomalies(_ log: AnomalyLog) {
    noted = log.noted
    guard log.kinds != seen.count else { return }
    for (anomaly, first) in log.all where seen.insert(anomaly).inserted && anomaly != .timestampBackwards {
      var first = first
      first.count = 0
      change { $0.anomalies += 1 }
      batch.anomalies.append((anomaly, first))
    }
  }

  // MARK: Final rows

  mutating func add(
    _ message: Message, _ note: inout ContentNotes.Note, _ lines: [FieldNotes.Line], _ names: borrowing FieldNames,
    _ texts: borrowing TextPool
  ) {
    while fieldNames < names.count {
      batch.fieldNames.append(names[UInt16(fieldNames)])
      fieldNames += 1
    }
    change { $0.messages += 1 }
    var copy = message
    copy.changeTexts { batch.texts.copy($0, of: texts) }
    batch.messages.append(copy)
    var moving = ContentNotes.Note()
    swap(&moving, &note)
    batch.notes.append(moving)
    batch.lines.append(contentsOf: lines)
    batch.lineCounts.append(lines.count)
    if batch.isFull { handOver() }
  }

  mutating func add(_ exchange: Exchange, _ texts: borrowing TextPool) {
    change { $0.exchanges += 1 }
    var copy = exchange
    copy.changeTexts { batch.texts.copy($0, of: texts) }
    batch.exchanges.append(copy)
    if batch.isFull { handOver() }
  }

  mutating func add(_ connection: Connection, _ texts: borrowing TextPool) {
    change { $0.connections += 1 }
    var copy = connection
    copy.changeTexts { batch.texts.copy($0, of: texts) }
    batch.connections.append(copy)
    if batch.isFull { handOver() }
  }

  // MARK: Batches

  /// The shard is through with a chunk.
  mutating func complete(_ chunk: Int, oldest: ShardBatch.OldestNumbers?, end: ShardBatch.End?) {
    batch.completes = chunk
    batch.oldest = oldest
    batch.end = end
    handOver()
  }

  private mutating func handOver() {
    var full = ShardBatch()
    swap(&full, &batch)
    batch = exchange(full)
    hasStep = false
  }
}

/// A recording that a pipeline writes to, where it lies.
final class ShardRecorder: RowRecorder {
  private let own: OwnMemory<ShardRecording>

  /// Hands full batches over with `exchange`, which gives another one, and waits for that if it has to.
  init(exchange: @escaping (consuming ShardBatch) -> ShardBatch) { own = OwnMemory(ShardRecording(exchange: exchange)) }

  /// The recording.
  var recording: ShardRecording {
    @inline(__always) _read { yield own.value }
    @inline(__always) _modify { yield &own.value }
  }

  @inline(__always)
  func noteChanges(_ run: inout Run) { own.value.noteChanges(&run) }

  func add(
    _ message: inout Message, _ note: inout ContentNotes.Note, _ lines: [FieldNotes.Line],
    _ names: borrowing FieldNames, _ texts: inout TextPool
  ) {
    own.value.add(message, &note, lines, names, texts)
  }

  func add(_ exchange: inout Exchange, _ texts: inout TextPool) { own.value.add(exchange, texts) }

  func add(_ connection: inout Connection, _ texts: inout TextPool) { own.value.add(connection, texts) }
}
