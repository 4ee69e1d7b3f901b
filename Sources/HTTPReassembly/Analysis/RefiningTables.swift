/// Tables that add detail to totals. Each is kept only if it is wanted.
struct RefiningTables {
  /// Whether a table is wanted that messages and connections are added to.
  let isWanted: Bool
  private var hosts: HostTable
  private var groups: GroupTable
  private var messages: MessageTables
  /// Whether the tables of messages are wanted.
  private let countsMessages: Bool
  /// Counts messages on another thread; nil if they are counted here.
  private var thread: TableThread?
  private var rounds = TableRounds()
  var timeline: Timeline

  init(configuration: Configuration, compressor: (any ContentCompressor)?) {
    groups = GroupTable(configuration: configuration)
    isWanted = groups.isWanted || !configuration.tables.isDisjoint(with: [.hosts, .contents, .fields])
    hosts = HostTable(configuration: configuration)
    messages = MessageTables(configuration: configuration, compressor: compressor)
    countsMessages = messages.isWanted
    timeline = Timeline(configuration: configuration)
  }

  /// Octets of memory that the tables take.
  var memory: Int {
    guard isWanted else { return timeline.memory }
    return hosts.memory + rounds.memory + groups.memory + timeline.memory
  }

  /// Ends the growth of all tables.
  mutating func close() {
    hosts.close()
    groups.close()
    if let thread { thread.close() } else { messages.close() }
  }

  /// Counts contents and fields on a separate thread until the totals are taken, if they are wanted. Must be called before the first
  /// message.
  mutating func startThread() {
    guard countsMessages, thread == nil else { return }
    var moving = MessageTables.none
    swap(&moving, &messages)
    thread = TableThread(moving)
  }

  /// Waits for the thread to count the rest. From now on, all is counted here.
  mutating func endThread(_ anomalies: inout AnomalyLog) {
    guard let ended = thread.take()?.finish() else { return }
    messages = ended.tables
    for (anomaly, count) in ended.anomalies.all { anomalies.add(anomaly, count) }
  }

  /// Adds a final message of the API at a position. It does not change; it is `inout` so that it is not copied.
  mutating func add(
    _ message: inout Message, _ row: RowIndex, at position: Int, _ contentNotes: inout ContentNotes,
    _ fieldNotes: inout FieldNotes, texts: inout TextPool, anomalies: inout AnomalyLog
  ) {
    if hosts.isWanted { hosts.add(&message, texts: &texts, anomalies: &anomalies) }
    if groups.isWanted { groups.add(message, texts, &anomalies) }
    guard countsMessages else { return }
    var note = ContentNotes.Note()
    if contentNotes.isWanted { contentNotes.takeNote(of: row, into: &note) }
    var lines: [FieldNotes.Line] = []
    if fieldNotes.isWanted { fieldNotes.takeLines(of: row, into: &lines) }
    let isRoundOver = rounds.add(lines: lines.count, sample: note.sample.count)
    if let thread {
      thread.add(message, at: position, &note, lines, time: anomalies.now)
      if isRoundOver { rounds.begin(memoryBefore: thread.endRound(&contentNotes)) }
    } else {
      messages.add(&message, at: position, &note, &lines, &anomalies)
      contentNotes.giveBack(sampleOf: &note)
      if isRoundOver { rounds.begin(memory: messages.memory) }
    }
    fieldNotes.giveBack(lines)
  }

  /// Adds a final exchange, which does not change either.
  mutating func add(_ exchange: inout Exchange, _ texts: borrowing TextPool) {
    if hosts.isWanted { hosts.add(&exchange, texts) }
  }

  /// Adds a final connection.
  mutating func add(
    _ connection: Connection, _ names: borrowing NameTable, texts: inout TextPool, anomalies: inout AnomalyLog
  ) {
    if hosts.isWanted { hosts.add(connection, names, texts: &texts, anomalies: &anomalies) }
    if groups.isWanted { groups.add(connection, texts, &anomalies) }
    if let thread { thread.forget(connection.number) } else { messages.forget(connection.number) }
  }

  /// Moves the counts into `totals`, as `fill` copies them; the tables are empty after it.
  mutating func take(into totals: inout Totals, _ apis: borrowing APITable, _ names: borrowing FieldNames) {
    fill(&totals, apis, names)
    var none = Configuration()
    none.tables = []
    none.groupKey = nil
    hosts = HostTable(configuration: none)
    messages = .none
    groups = GroupTable(configuration: none)
    timeline = Timeline(configuration: none)
  }

  /// A copy of the tables of contents and fields, to add messages that are not final; nil where they are counted elsewhere, are not
  /// wanted, or are too large for a copy.
  var openMessages: MessageTables? {
    countsMessages && thread == nil && messages.memory <= Self.openTableLimit ? messages : nil
  }

  /// Octets of tables that are copied for a look at a run in progress.
  static let openTableLimit = 16 << 20
  /// Octets of contents that are compressed for such a look: about 30 ms.
  static let openSampleLimit = 1 << 20

  /// Copies the totals of hosts, in no order.
  func fillHosts(_ totals: inout Totals) { totals.hosts = hosts.totals }

  /// Copies the counts into `totals`. `apis` is the table that messages were added to.
  func fill(_ totals: inout Totals, _ apis: borrowing APITable, _ names: borrowing FieldNames) {
    totals.hosts = hosts.sorted(texts: totals.texts)
    totals.groups = groups.sorted
    totals.timeline = timeline.rows(totals.ledger)
    totals.steps = timeline.steps(totals.ledger, totals.span)
    precondition(thread == nil, "what a thread counts is known at the end")
    (totals.contents, totals.fields) = messages.rows(apis, names, totals.texts)
  }
}
