/// The tables that need nothing of an analysis but its final messages: what contents cost, and header fields.
struct MessageTables: Sendable {
  private var contents: ContentTable
  private var fields: FieldTable

  init(configuration: Configuration, compressor: (any ContentCompressor)?) {
    contents = ContentTable(configuration: configuration, compressor: compressor)
    fields = FieldTable(configuration: configuration)
  }

  /// Tables that nobody wants.
  static var none: MessageTables {
    var configuration = Configuration()
    configuration.tables = []
    return MessageTables(configuration: configuration, compressor: nil)
  }

  /// Whether anybody wants one of them.
  var isWanted: Bool { contents.isWanted || fields.isWanted }

  /// Octets of memory that they take.
  var memory: Int { contents.memory + fields.memory }

  /// None of them gets a further row.
  mutating func close() {
    contents.close()
    fields.close()
  }

  /// Adds a final message, whose API is at a position, with what was noted of it. It may take the lines away; the note stays as it is, and is
  /// lent so that it is not copied.
  mutating func add(
    _ message: borrowing Message, at position: Int, _ note: inout ContentNotes.Note,
    _ lines: inout [FieldNotes.Line], _ anomalies: inout AnomalyLog
  ) {
    if contents.isWanted { contents.add(message, at: position, &note, &anomalies) }
    if fields.isWanted { fields.add(message, at: position, &lines, &anomalies) }
  }

  /// A connection is final: nothing comes after its messages.
  mutating func forget(_ connection: Int) {
    if fields.isWanted { fields.forget(connection) }
  }

  /// What has been counted; `apis` is the table that messages were added to, and `texts` has its texts.
  func rows(
    _ apis: borrowing APITable, _ names: borrowing FieldNames, _ texts: borrowing TextPool
  ) -> (contents: [ContentTotals], fields: [FieldTotals]) {
    guard isWanted else { return ([], []) }
    let order = apis.order(texts)
    return (contents.rows(apis.totals, order), fields.rows(apis.totals, order, names))
  }
}

/// Final messages in rounds, as they go to a thread that counts them: a few hundred, with not too much beside them.
///
/// What the tables take is asked for at the end of each round, and is known some rounds later: the thread may be that far behind. It is the
/// same without a thread, so that what is given up for want of memory does not depend on that.
struct TableRounds {
  private var rows = 0
  private var lines = 0
  private var samples = 0
  /// What was asked for and is not known yet, the oldest first.
  private var asked = Array(repeating: 0, count: delay)
  /// Octets of memory that the tables took, as far as that is known.
  private(set) var memory = 0

  /// Rows of a round: enough that waking a thread for it costs nothing beside them, few enough to take little memory.
  static let rowLimit = 256
  /// Lines of header fields in a round, but for those of its last message.
  static let lineLimit = 4096
  /// Octets of contents in a round, but for those of its last message.
  static let sampleLimit = 1 << 20
  /// Rounds that a thread may be behind.
  static let delay = 3

  /// A row comes, with so many lines, and so many octets of its content. Returns whether that ends the round.
  @inline(__always)
  mutating func add(lines: Int, sample: Int) -> Bool {
    rows &+= 1
    self.lines &+= lines
    samples &+= sample
    return rows >= Self.rowLimit || self.lines >= Self.lineLimit || samples >= Self.sampleLimit
  }

  /// The next round begins, and a thread says what the tables took `delay` rounds ago.
  mutating func begin(memoryBefore: Int) {
    (rows, lines, samples) = (0, 0, 0)
    memory = memoryBefore
  }

  /// The next round begins, and the tables, which have all rows, take so many octets now.
  mutating func begin(memory now: Int) {
    asked.append(now)
    begin(memoryBefore: asked.removeFirst())
  }
}
