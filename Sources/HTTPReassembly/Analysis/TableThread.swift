import Packets
import Shared

/// Counts final messages on a separate thread during the analysis. The cost of contents and header fields takes a sixth of an analysis, and
/// is needed only at the end.
final class TableThread {
  private let thread: BatchThread<TableBatch, Counted>
  /// In memory of its own: overlapping access to a property of a class would be looked for at each row. Only the owner has it.
  private let batch = OwnMemory(TableBatch())

  /// The counts so far.
  private struct Counted {
    var tables: MessageTables
    var anomalies = AnomalyLog()
    /// The lines of the current message.
    var lines: [FieldNotes.Line] = []
  }

  /// Starts counting for `tables`.
  init(_ tables: MessageTables) {
    thread = BatchThread(
      "sniffer.tables", Counted(tables: tables), batches: (1...TableRounds.delay).map { _ in TableBatch() }
    ) { batch, counted in
      batch.count(&counted.tables, &counted.anomalies, &counted.lines)
    }
  }

  deinit { thread.end() }

  /// Queues a final message of the API at a position. It takes the note away.
  @inline(__always)
  func add(
    _ message: Message, at position: Int, _ note: inout ContentNotes.Note, _ lines: [FieldNotes.Line], time: Int64
  ) {
    var moving = ContentNotes.Note()
    swap(&moving, &note)
    batch.value.append(message, at: position, consume moving, lines, time: time)
  }

  /// Queues the end of a connection.
  func forget(_ connection: Int) {
    batch.value.rows.append(.end)
    batch.value.ended.append(connection)
  }

  /// Ends the growth of the tables from here on.
  func close() { batch.value.rows.append(.close) }

  /// Ends a round, which is counted while the next one comes.
  ///
  /// - Parameter notes: Gets memory of contents back.
  /// - Returns: Octets of memory that the tables took `TableRounds.delay` rounds ago.
  func endRound(_ notes: inout ContentNotes) -> Int {
    var full = TableBatch()
    swap(&full, &batch.value)
    batch.value = thread.exchange(full) ?? TableBatch()
    batch.value.clear(&notes)
    return batch.value.memory
  }

  /// Counts the rest, and returns the tables and their anomalies. Nothing may follow.
  func finish() -> (tables: MessageTables, anomalies: AnomalyLog) {
    thread.finish(batch.value)
    return thread.withState { counted in
      var tables = MessageTables.none
      swap(&tables, &counted.tables)
      return (tables, counted.anomalies)
    }
  }
}

/// Rows to be counted, in order.
private struct TableBatch: Sendable {
  enum Row: UInt8 {
    case message
    /// The end of a connection.
    case end
    /// From here on, tables get no further rows.
    case close
  }

  /// The facts about a message that are not in its row.
  struct Facts {
    /// The position of its API.
    var position: Int
    /// The time when it became final, for its anomalies.
    var time: Int64
    /// The number of its lines.
    var lines: Int
  }

  var rows: [Row] = []
  private var messages: [Message] = []
  private var facts: [Facts] = []
  private var notes: [ContentNotes.Note] = []
  /// The lines of all messages, one after the other.
  private var lines: [FieldNotes.Line] = []
  /// Numbers of connections.
  var ended: [Int] = []
  /// Octets of memory that the tables took after this batch.
  var memory = 0

  @inline(__always)
  mutating func append(
    _ message: Message, at position: Int, _ note: consuming ContentNotes.Note, _ own: [FieldNotes.Line], time: Int64
  ) {
    rows.append(.message)
    messages.append(message)
    facts.append(Facts(position: position, time: time, lines: own.count))
    lines.append(contentsOf: own)
    notes.append(note)
  }

  mutating func count(_ tables: inout MessageTables, _ anomalies: inout AnomalyLog, _ own: inout [FieldNotes.Line]) {
    var (message, end, line) = (0, 0, 0)
    for row in rows {
      switch row {
      case .message:
        let next = line + facts[message].lines
        own.removeAll(keepingCapacity: true)
        own.append(contentsOf: lines[line..<next])
        anomalies.now = facts[message].time
        tables.add(&messages[message], at: facts[message].position, &notes[message], &own, &anomalies)
        line = next
        message += 1
      case .end:
        tables.forget(ended[end])
        end += 1
      case .close: tables.close()
      }
    }
    memory = tables.memory
  }

  /// Removes all elements but keeps the memory.
  mutating func clear(_ spare: inout ContentNotes) {
    rows.removeAll(keepingCapacity: true)
    messages.removeAll(keepingCapacity: true)
    facts.removeAll(keepingCapacity: true)
    lines.removeAll(keepingCapacity: true)
    ended.removeAll(keepingCapacity: true)
    for index in notes.indices { spare.giveBack(sampleOf: &notes[index]) }
    notes.removeAll(keepingCapacity: true)
  }
}
