/// The tables that need only the final messages of an analysis: costs of contents, and header fields.
struct MessageTables: Sendable {
  private var contents: ContentTable
  private var fields: FieldTable

  init(configuration: Configuration, compressor: (any ContentCompressor)?) {
    contents = ContentTable(configuration: configuration, compressor: compressor)
    fields = FieldTable(configuration: configuration)
  }

  /// Tables that are not wanted.
  static var none: MessageTables {
    var configuration = Configuration()
    configuration.tables = []
    return MessageTables(configuration: configuration, compressor: nil)
  }

  /// Whether one of the tables is wanted.
  var isWanted: Bool { contents.isWanted || fields.isWanted }

  /// Octets of memory that the tables take.
  var memory: Int { contents.memory + fields.memory }

  /// Ends the growth of all tables.
  mutating func close() {
    contents.close()
    fields.close()
  }

  /// Adds a final message of the API at a position, with the facts about its content. It may take the lines away. Message and
  /// note do not change; they are `inout` so that they are not copied.
  mutating func add(
    _ message: inout Message, at position: Int, _ note: inout ContentNotes.Note,
    _ lines: inout [FieldNotes.Line], _ anomalies: inout AnomalyLog
  ) {
    if contents.isWanted { contents.add(&message, at: position, &note, &anomalies) }
    if fields.isWanted { fields.add(&message, at: position, &lines, &anomalies) }
  }

  /// Forgets a final connection: no message of it follows.
  mutating func forget(_ connection: Int) {
    if fields.isWanted { fields.forget(connection) }
  }

  /// The rows of both tables. `apis` is the table that messages were added to, and `texts` has its texts.
  func rows(
    _ apis: borrowing APITable, _ names: borrowing FieldNames, _ texts: borrowing TextPool
  ) -> (contents: [ContentTotals], fields: [FieldTotals]) {
    guard isWanted else { return ([], []) }
    let order = apis.order(texts)
    return (contents.rows(apis.totals, order), fields.rows(apis.totals, order, names))
  }
}

/// Final messages in rounds of a few hundred with limited data, for a thread that counts them.
///
/// The memory of the tables is asked for at the end of each round. It is known some rounds later, since the thread may lag that far.
/// Without a thread it is the same, so a lack of memory has the same effect.
struct TableRounds {
  private var rows = 0
  private var lines = 0
  private var samples = 0
  /// Measurements that are not known yet, oldest first.
  private var asked = Array(repeating: 0, count: delay)
  /// Octets of memory that the tables took at the last known measurement.
  private(set) var memory = 0

  /// Rows of a round: enough to make waking a thread cheap, few enough to take little memory.
  static let rowLimit = 256
  /// Lines of header fields in a round, without those of its last message.
  static let lineLimit = 4096
  /// Octets of contents in a round, without those of its last message.
  static let sampleLimit = 1 << 20
  /// Rounds that a thread may lag.
  static let delay = 3

  /// Adds a row with the number of its lines and the octets of its content. Returns whether the round ends.
  @inline(__always)
  mutating func add(lines: Int, sample: Int) -> Bool {
    rows &+= 1
    self.lines &+= lines
    samples &+= sample
    return rows >= Self.rowLimit || self.lines >= Self.lineLimit || samples >= Self.sampleLimit
  }

  /// Begins the next round, after a thread reported the memory of `delay` rounds ago.
  mutating func begin(memoryBefore: Int) {
    (rows, lines, samples) = (0, 0, 0)
    memory = memoryBefore
  }

  /// Begins the next round, when the tables have all rows and take so many octets now.
  mutating func begin(memory now: Int) {
    asked.append(now)
    begin(memoryBefore: asked.removeFirst())
  }
}
