import HTTPReassembly

/// The rows of a monitor's table and the decisions that need all rows.
struct MonitorTable {
  private let columns: ColumnPositions
  /// The columns whose cells are read.
  private let taken: [ColumnPositions.Found]
  private var row: MonitorRow
  private var exchanges = ExchangeNumbers()
  private var log = AppLog(dialect: .monitor, entries: [])
  /// The entries of the last row.
  private var newest: [LogEntry] = []
  private let options: LogOptions
  private var count = 0
  private let hasStatus: Bool
  private var counts = RowCounts()
  /// Whether a path without a query says that there is none. So it is when some paths have one, or a column has queries.
  private var hasQueries = false
  /// Whether the column `duration` cannot be in seconds.
  private var hasLongDuration = false

  init(columns: ColumnPositions, options: LogOptions) {
    self.columns = columns
    self.options = options
    hasStatus = columns.has(.status)
    // A duration without a unit is the least certain source of the end.
    let hasEnd = columns.has(.endTime) || columns.has(.durationMilliseconds)
    taken = columns.found.filter { $0.column != .duration || !hasEnd }
    row = MonitorRow(times: LogTime(unit: options.timeUnit, zone: options.timeZone))
  }

  /// Reads a row, which `keep` then adds. `cell` returns the value of a column.
  mutating func add(_ number: Int, cell: (ColumnPositions.Found) throws(RowProblem) -> LogCell) throws(RowProblem) {
    newest.removeAll(keepingCapacity: true)
    row.begin(number)
    for column in taken { try row.take(cell(column), column.column) }
    switch columns.shape {
    case .message:
      var entry = row.message()
      entry.exchange = row.exchange.map { exchanges.number($0, entry) }
      newest.append(entry)
    case .exchange:
      count += 1
      newest = row.messages(exchange: count, hasStatus: hasStatus)
    }
    if let count = row.count { counts.add(count) }
    if row.showsQueries { hasQueries = true }
    if row.hasLongDuration { hasLongDuration = true }
  }

  /// Adds the entries of the last row of a file.
  ///
  /// - Throws: When all of them take too much memory.
  mutating func keep(of file: String) throws(LogError) {
    try log.add(newest, of: file, options)
    newest.removeAll(keepingCapacity: true)
  }

  /// The log of all rows of a file.
  ///
  /// - Throws: When rows are sums of several requests.
  consuming func finished(of file: String) throws(LogError) -> AppLog {
    guard !counts.areSums else {
      throw LogError(
        file: file,
        "has rows that sum up several requests (column count, requests, hits or calls); expected a row for each request"
      )
    }
    if hasQueries {
      for index in log.entries.indices where log.entries[index].query == nil && log.entries[index].queryLength == nil {
        log.entries[index].query = ""
      }
    }
    if columns.shape == .message {
      for index in log.entries.indices where log.entries[index].exchange.map(exchanges.isShared) ?? false {
        log.entries[index].exchange = nil
      }
    }
    movePhases()
    log.columns = Set(columns.found.map(\.column))
    log.notices = columns.notices
    if hasLongDuration {
      for index in log.entries.indices where log.entries[index].kind != .request || columns.shape == .message {
        log.entries[index].endTime = nil
      }
      log.notices.append(
        "column duration is not in seconds and is skipped; if it is in milliseconds, map it, as duration_ms=duration")
    }
    log.noteTimes()
    return log
  }

  /// Moves phases to the first row of their exchange; a log may have them only on the last.
  private mutating func movePhases() {
    guard columns.shape == .message, columns.found.contains(where: { LogColumn.phases.contains($0.column) }) else {
      return
    }
    var first: [Int: Int] = [:]
    for index in log.entries.indices {
      guard let exchange = log.entries[index].exchange else { continue }
      guard let start = first[exchange] else {
        first[exchange] = index
        continue
      }
      if log.entries[start].phases == nil { log.entries[start].phases = log.entries[index].phases }
      log.entries[index].phases = nil
    }
  }
}
