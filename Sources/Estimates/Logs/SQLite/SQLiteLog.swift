import GRDB
import TableReading

/// Reads a monitor's table from an SQLite database.
struct SQLiteLog {
  let path: String
  let options: LogOptions

  func read() throws(LogError) -> AppLog {
    let file = try SQLiteSource(path: path)
    do { return try file.queue.read { database in try read(database) } } catch {
      throw SQLiteSource.error(error, file: path)
    }
  }

  /// The tables to choose from, or the table whose columns are not known; nil when there is nothing to ask.
  func unknownTables() throws(LogError) -> [LogTable]? {
    let file = try SQLiteSource(path: path)
    do {
      return try file.queue.read { database in
        if (try? SQLiteLogTable.find(in: database, options: options, file: path)) != nil { return nil }
        return try SQLiteLogTable.names(in: database, options: options, file: path).map { name, columns in
          let rows = try Row.fetchAll(
            database,
            sql: "SELECT \(columns.map(Self.quoted).joined(separator: ", ")) FROM \(Self.quoted(name)) LIMIT ?",
            arguments: [LogTable.sampleRows])
          return LogTable(name: name, columns: columns, rows: rows.map { $0.databaseValues.map { LogCell($0) } })
        }
      }
    } catch {
      throw SQLiteSource.error(error, file: path)
    }
  }

  private func read(_ database: Database) throws -> AppLog {
    let table = try SQLiteLogTable.find(in: database, options: options, file: path)
    let quotedName = Self.quoted(table.name)
    // A damaged tree may lack rows, which a query would not notice.
    let verdict = try String.fetchOne(database, sql: "PRAGMA quick_check(\(quotedName))")
    guard verdict == "ok" else {
      throw LogError(file: path, "is a damaged SQLite database: \((verdict ?? "malformed").shortened(to: 200))")
    }

    let rowID = table.hasRowID ? "_rowid_" : "NULL"
    let columns = table.columns.map(Self.quoted).joined(separator: ", ")
    // One row beyond the limit shows that there are too many.
    let cursor = try Row.fetchCursor(
      database, sql: "SELECT \(rowID), \(columns) FROM \(quotedName) LIMIT ?", arguments: [options.rowLimit + 1])

    var entries = MonitorTable(columns: table.positions, options: options)
    var bad = BadRows()
    var rows = 0
    while let values = try cursor.next() {
      rows += 1
      try options.admit(rows, "rows in table \(table.name)", of: path)
      let number: Int
      if case .int64(let rowID) = (values[0] as DatabaseValue).storage { number = Int(rowID) } else { number = rows }
      do throws(RowProblem) {
        try entries.add(number) { found throws(RowProblem) in
          let value: DatabaseValue = values[found.index + 1]
          if found.column == .path, value.isNull { throw RowProblem(.path, expected: "a path", found: .absent) }
          return LogCell(value)
        }
      } catch {
        bad.note("table \(table.name.shortened()), row \(number)", error)
      }
      try entries.keep(of: path)
    }
    try bad.check(file: path, rows: rows)
    guard rows > 0 else { throw LogError(file: path, "table \(table.name) has no rows") }
    return try entries.finished(of: path)
  }

  /// A name in SQL's spelling.
  private static func quoted(_ name: String) -> String {
    "\"\(name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
  }
}

extension LogCell {
  /// A value of SQLite, with the type that it has, whatever its column declares.
  init(_ value: DatabaseValue) {
    self =
      switch value.storage {
      case .null: .absent
      case .int64(let number): .integer(number)
      case .double(let number): .real(number)
      case .string(let text): .text(text)
      case .blob: .octets
      }
  }
}
