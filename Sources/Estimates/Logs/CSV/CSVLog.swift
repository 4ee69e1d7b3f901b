import TableReading

/// Reads a monitor's table from CSV, as a stream: only the entries are kept.
struct CSVLog {
  let file: TableFile
  let options: LogOptions

  func read() throws(LogError) -> AppLog {
    var records = CSVRecords(file: file)
    let positions = try columns(&records)
    let width = records.ends.count

    var table = MonitorTable(columns: positions, options: options)
    var bad = BadRows()
    var rows = 0
    while try records.advance() {
      rows += 1
      try options.admit(rows, of: file.path)
      do throws(RowProblem) {
        guard records.ends.count == width else {
          throw RowProblem("expected \(width) cells as in the header, found \(records.ends.count)")
        }
        try table.add(records.line) { column throws(RowProblem) in
          let text = try records.text(column.index)
          return text.isEmpty ? .absent : .text(text)
        }
      } catch {
        bad.note("line \(records.line)", error)
      }
      try table.keep(of: file.path)
    }
    try bad.check(file: file.path, rows: rows)
    guard rows > 0 else { throw LogError(file: file.path, "has a header but no rows") }
    var log = try table.finished(of: file.path)
    log.hasLines = true
    return log
  }

  /// Whether the columns are those of a table.
  var hasKnownColumns: Bool {
    var records = CSVRecords(file: file)
    return (try? columns(&records)) != nil
  }

  /// The columns by the first record.
  private func columns(_ records: inout CSVRecords) throws(LogError) -> ColumnPositions {
    guard try records.advance() else { throw LogError(file: file.path, "is empty but for line ends") }
    do throws(RowProblem) {
      var header: [String] = []
      for cell in records.ends.indices { header.append(try records.text(cell)) }
      return try ColumnPositions(header: header, columns: options.columns)
    } catch {
      throw LogError(file: file.path, "line \(records.line), \(error.description)")
    }
  }
}

extension CSVRecords {
  /// A cell of the current record as text.
  ///
  /// - Throws: When it is not UTF-8.
  borrowing func text(_ cell: Int) throws(RowProblem) -> String {
    guard let text = String(validating: self.cell(cell), as: UTF8.self) else {
      throw RowProblem("cell \(cell + 1): expected UTF-8")
    }
    return text
  }
}
