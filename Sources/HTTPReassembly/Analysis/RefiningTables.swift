/// The tables that say more of what others sum up: each is kept where it is wanted only.
struct RefiningTables {
  /// Whether any of those is wanted that messages and connections are added to.
  let isWanted: Bool
  private var hosts: HostTable
  private var contents: ContentTable
  private var fields: FieldTable
  private var groups: GroupTable
  var timeline: Timeline

  init(configuration: Configuration, compressor: (any ContentCompressor)?) {
    groups = GroupTable(configuration: configuration)
    isWanted = groups.isWanted || !configuration.tables.isDisjoint(with: [.hosts, .contents, .fields])
    hosts = HostTable(configuration: configuration)
    contents = ContentTable(configuration: configuration, compressor: compressor)
    fields = FieldTable(configuration: configuration)
    timeline = Timeline(configuration: configuration)
  }

  /// Octets of memory that they take.
  var memory: Int {
    guard isWanted else { return timeline.memory }
    return hosts.memory + contents.memory + fields.memory + groups.memory + timeline.memory
  }

  /// None of them gets a further row.
  mutating func close() {
    hosts.close()
    contents.close()
    fields.close()
    groups.close()
  }

  /// Adds a final message, whose API is at a position.
  mutating func add(
    _ message: borrowing Message, _ row: RowIndex, at position: Int, _ contentNotes: inout ContentNotes,
    _ fieldNotes: inout FieldNotes, texts: inout TextPool, anomalies: inout AnomalyLog
  ) {
    if hosts.isWanted { hosts.add(message, texts: &texts, anomalies: &anomalies) }
    if groups.isWanted { groups.add(message, texts, &anomalies) }
    if contents.isWanted {
      var note = contentNotes.takeNote(of: row)
      contents.add(message, at: position, note, &anomalies)
      var sample: [UInt8] = []
      swap(&sample, &note.sample)
      contentNotes.giveBack(sample)
    }
    if fields.isWanted {
      var lines = fieldNotes.takeLines(of: row)
      fields.add(message, at: position, &lines, &anomalies)
      fieldNotes.giveBack(lines)
    }
  }

  /// Adds a final connection.
  mutating func add(
    _ connection: Connection, _ names: borrowing NameTable, texts: inout TextPool, anomalies: inout AnomalyLog
  ) {
    if hosts.isWanted { hosts.add(connection, names, texts: &texts, anomalies: &anomalies) }
    if groups.isWanted { groups.add(connection, texts, &anomalies) }
    if fields.isWanted { fields.forget(connection.number) }
  }

  /// Says what has been counted, as `fill` does, once: nothing is left here.
  mutating func take(into totals: inout Totals, _ apis: borrowing APITable, _ names: borrowing FieldNames) {
    fill(&totals, apis, names)
    var none = Configuration()
    none.tables = []
    none.groupKey = nil
    hosts = HostTable(configuration: none)
    contents = ContentTable(configuration: none, compressor: nil)
    fields = FieldTable(configuration: none)
    groups = GroupTable(configuration: none)
    timeline = Timeline(configuration: none)
  }

  /// Says what has been counted of hosts, in no order.
  func fillHosts(_ totals: inout Totals) { totals.hosts = hosts.totals }

  /// Says what has been counted; `apis` is the table that messages were added to.
  func fill(_ totals: inout Totals, _ apis: borrowing APITable, _ names: borrowing FieldNames) {
    totals.hosts = hosts.sorted(texts: totals.texts)
    totals.groups = groups.sorted
    totals.timeline = timeline.rows(totals.ledger)
    guard contents.isWanted || fields.isWanted else { return }
    let order = apis.order(totals.texts)
    totals.contents = contents.rows(apis.totals, order)
    totals.fields = fields.rows(apis.totals, order, names)
  }
}
