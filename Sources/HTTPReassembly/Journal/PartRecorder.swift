import Packets

/// Writes down the results of a part's analysis, instead of counting them.
final class PartRecorder {
  /// The records so far.
  var rows = RowWriting()
  /// Endpoints of connections whose rows depend on other parts.
  private(set) var dependent: Set<ConnectionKey> = []
  private let compressor: (any ContentCompressor)?
  private var messages = 0
  private var exchanges = 0
  private var connections = 0
  private var fieldNames = 1
  private var noted = 0
  private var counted: [Anomaly: Int] = [:]

  /// Creates a recorder. `compressor` measures how much compression would save for uncoded contents.
  init(compressor: (any ContentCompressor)?) { self.compressor = compressor }

  /// Starts of records in the octets of `rows`, each about a piece apart, so that the octets can be taken in pieces.
  private var edges: [Int] = []
  private static let pieceLength = 1 << 20

  private func begin(_ record: PartRecord) {
    if rows.octets.count - (edges.last ?? 0) >= Self.pieceLength { edges.append(rows.octets.count) }
    rows.octets.append(record.rawValue)
  }

  /// Lends the records since the last call, in pieces of whole records. One packet can end very many connections.
  func take<Failure: Error>(_ body: (RawSpan) throws(Failure) -> Void) throws(Failure) {
    guard !rows.octets.isEmpty else { return }
    defer {
      rows.octets.removeAll(keepingCapacity: rows.octets.capacity <= 4 * Self.pieceLength)
      edges.removeAll()
    }
    var start = 0
    for end in edges + [rows.octets.count] {
      try rows.octets.withOctets { octets throws(Failure) in try body(octets.extracting(start..<end)) }
      start = end
    }
  }

  /// Records that time has passed up to a deadline.
  func elapse(to deadline: Int64) {
    begin(.elapsed)
    var time = deadline
    rows.time(&time)
  }

  // MARK: Connections that begin

  /// Records that a connection begins with a segment.
  func open(_ segment: TCPSegment, number: Int) {
    begin(.opening)
    var (source, destination, sequence, number) = (segment.source, segment.destination, segment.sequence, number)
    rows.endpoint(&source)
    rows.endpoint(&destination)
    rows.bits(&sequence)
    rows.integer(&number)
  }

  /// Notes that the rows of the connection between two endpoints depend on other parts.
  func depend(on key: ConnectionKey) { dependent.insert(key) }

  // MARK: Changes by a packet

  /// Records the changes since the last call, without final rows.
  func noteChanges(_ run: inout Run) {
    for asked in run.shared.names.takeAsked() {
      begin(.lookup)
      var (address, connection) = asked
      rows.address(&address)
      rows.integer(&connection)
    }
    if messages != run.numbers.messages || exchanges != run.numbers.exchanges || connections != run.numbers.connections
    {
      begin(.numbers)
      rows.number(UInt64(run.numbers.messages - messages))
      rows.number(UInt64(run.numbers.exchanges - exchanges))
      rows.number(UInt64(run.numbers.connections - connections))
      (messages, exchanges, connections) = (run.numbers.messages, run.numbers.exchanges, run.numbers.connections)
    }
    if noted != run.anomalies.noted { noteAnomalies(run.anomalies) }
  }

  private func noteAnomalies(_ log: AnomalyLog) {
    noted = log.noted
    // The analysis that merges the parts notes this one itself, from the packets.
    for (anomaly, first) in log.all where anomaly != .timestampBackwards {
      let new = first.count - counted[anomaly, default: 0]
      guard new > 0 else { continue }
      counted[anomaly] = first.count
      begin(.anomaly)
      var (name, more) = (anomaly.rawValue, first)
      more.count = new
      rows.string(&name)
      more.code(&rows)
    }
  }

  // MARK: Final rows

  func add(
    _ message: inout Message, _ note: ContentNotes.Note, _ lines: [FieldNotes.Line], _ calls: [GRPCNotes.Note],
    _ names: borrowing FieldNames, _ texts: inout TextPool
  ) {
    while fieldNames < names.count {
      begin(.fieldName)
      var name = names[UInt16(fieldNames)]
      rows.octets(&name)
      fieldNames += 1
    }
    if message.hostSource == .address || message.hostSource == .dns {
      depend(on: ConnectionKey(message.client, message.server))
    }
    begin(.message)
    message.code(&rows, &texts)
    var facts = ContentFacts(mark: note.mark.value, length: note.mark.count)
    if let compressor, !note.sample.isEmpty, message.octets.body > 0, ContentTable.isUncoded(message) {
      facts.sample = note.sample.count
      facts.compressed = note.sample.withOctets { compressor.compressedLength(of: $0) }
    }
    facts.code(&rows)
    rows.number(UInt64(lines.count))
    for var line in lines { line.code(&rows) }
    rows.number(UInt64(calls.count))
    for var call in calls { call.code(&rows) }
  }

  func add(_ exchange: inout Exchange, _ texts: inout TextPool) {
    begin(.exchange)
    exchange.code(&rows, &texts)
  }

  func add(_ connection: inout Connection, _ texts: inout TextPool) {
    begin(.connection)
    connection.code(&rows, &texts)
  }

  // MARK: The end

  /// Writes the last record: the account of the counted packets' octets.
  func end(_ ledger: Ledger, _ timeline: Timeline.Part, hasSteps: Bool) {
    begin(.accounts)
    let figures = ledger.figures
    rows.number(UInt64(figures.count))
    for var figure in figures { rows.difference(&figure) }
    rows.signed(timeline.unit)
    rows.number(UInt64(timeline.intervals.count))
    for (number, step, cells) in timeline.intervals {
      rows.signed(number)
      // The reader of a partial has the same marks.
      if hasSteps { rows.number(UInt64(step)) }
      rows.number(UInt64(cells.count))
      for var cell in cells { rows.difference(&cell) }
    }
  }
}
