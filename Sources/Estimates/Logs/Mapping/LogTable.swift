import TableReading

/// A table of a log whose columns are not known yet, for people who say which column is which.
public struct LogTable: Sendable, Equatable {
  /// A column of a table.
  public struct Column: Sendable, Equatable {
    /// Its name, as the file has it.
    public let name: String
    /// The column's first value among the first rows, shortened; nil when they have none.
    public let sample: String?
  }

  /// The table's name; nil in a CSV file.
  public let name: String?
  /// Its columns, in their order.
  public let columns: [Column]

  /// Rows in which a value is looked for.
  static let sampleRows = 20

  init(name: String?, columns: [String], rows: [[LogCell]]) {
    self.name = name
    self.columns = columns.enumerated().map { index, name in
      let cells = rows.lazy.compactMap { $0.count > index && $0[index] != .absent ? $0[index] : nil }
      return Column(name: name, sample: cells.first?.plain.shortened(to: 60))
    }
  }
}

extension LogReader {
  /// The tables of a log whose columns are not known. Nil when they are known, or when the format needs no columns. Throws a
  /// `LogError` when the file is no log, or none of its tables can be read.
  public func unknownTables(_ path: String) throws(LogError) -> [LogTable]? {
    let file = try TableFile(path: path)
    switch try format(of: file) {
    case .csv: return try CSVLog(file: file, options: options).unknownTable().map { [$0] }
    case .sqlite: return try SQLiteLog(path: path, options: options).unknownTables()
    case .json, nil: return try JSONLog(file: file, options: options).table(options.format)?.unknownTable().map { [$0] }
    case .har, .urlSessionMetrics, .curl, .netlog: return nil
    }
  }
}

extension CSVLog {
  /// The table if its columns are not known; else nil.
  fileprivate func unknownTable() throws(LogError) -> LogTable? {
    var records = CSVRecords(file: file)
    guard try records.advance() else { throw LogError(file: file.path, "is empty but for line ends") }
    let header = try Self.cells(records, file)
    if (try? ColumnPositions(header: header, columns: options.columns)) != nil { return nil }
    var rows: [[LogCell]] = []
    while rows.count < LogTable.sampleRows, try records.advance() {
      rows.append(try Self.cells(records, file).map { $0.isEmpty ? .absent : .text($0) })
    }
    return LogTable(name: nil, columns: header, rows: rows)
  }

  private static func cells(_ records: borrowing CSVRecords, _ file: TableFile) throws(LogError) -> [String] {
    do throws(RowProblem) {
      var cells: [String] = []
      for cell in records.ends.indices { cells.append(try records.text(cell)) }
      return cells
    } catch {
      throw LogError(file: file.path, "line \(records.line), \(error.description)")
    }
  }
}

extension LogCell {
  /// The value as people write it.
  fileprivate var plain: String {
    switch self {
    case .text(let text): text
    case .absent, .integer, .real, .octets: quoted
    }
  }
}
