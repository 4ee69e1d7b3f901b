import GRDB
import TableReading
import Tabular

/// Reads the table `apis` of `report.sqlite`, and changes neither it nor its folder.
struct SQLiteReportReader {
  let path: String
  let name: String

  /// Opens the database.
  static func open(_ path: String) throws(ReadingError) -> SQLiteSource {
    do { return try SQLiteSource(path: path) } catch {
      throw ReadingError(SQLiteSource.error(error, file: path).description)
    }
  }

  func read() throws(ReadingError) -> ReportedAPIs { try read(Self.open(path)) }

  /// Reads the open database.
  func read(_ source: SQLiteSource) throws(ReadingError) -> ReportedAPIs {
    do {
      return try source.queue.read { database in try rows(database) }
    } catch {
      if let error = error as? ReadingError { throw error }
      if let error = error as? RowFault { throw ReadingError(file: path, error.description) }
      throw ReadingError(SQLiteSource.error(error, file: path).description)
    }
  }

  private func rows(_ database: Database) throws -> ReportedAPIs {
    let known = try check(database)
    var apis = ReportedAPIs(name: name)
    let meta = try meta(database)
    let keys = (meta["grouping"] ?? "host,path").split(separator: ",")
    apis.isByPath = keys.contains("path")
    apis.isByMethod = keys.contains("method")
    apis.isByProcess = keys.contains("process")
    apis.isRedacted = meta["redacted"] == "1"
    apis.isComplete = meta["complete"] == "1"
    if let template = meta["template"], let options = meta["options"] {
      apis.choices = RunChoices(template: template, filter: meta["filter"] ?? "", options: options)
    }
    try addHosts(of: database, to: &apis)
    let counts = APIColumn.allCases.filter { known.contains($0.rawValue) }
    // Reports of earlier versions lack processes.
    let process = known.contains("process") ? "process" : "NULL"
    let columns = ["host", "path", "method", process] + counts.map(\.rawValue) + ["wait_ms_p50", "wait_ms_p95"]
    let cursor = try Row.fetchCursor(database, sql: "SELECT \(columns.joined(separator: ", ")) FROM apis")
    while let row = try cursor.next() {
      let key = APIKey(
        host: try text(row, 0), path: try text(row, 1), method: try text(row, 2), process: try text(row, 3))
      var api = ReportedAPI()
      for (position, column) in counts.enumerated() {
        guard case .int64(let value) = (row[4 + position] as DatabaseValue).storage else {
          throw RowFault("apis: \(column.rawValue) is not a whole number")
        }
        api.figures[column] = try ReportedCell.checked(Int(value), column)
      }
      api.waitP50 = try duration(row, columns.count - 2, "wait_ms_p50")
      api.waitP95 = try duration(row, columns.count - 1, "wait_ms_p95")
      try apis.add(key, api)
    }
    return apis
  }

  /// Checks that it is a report with a known schema, and returns the columns of its table `apis`.
  private func check(_ database: Database) throws -> Set<String> {
    let identity = try Int.fetchOne(database, sql: "PRAGMA application_id")
    guard identity == SQLiteSchema.applicationID else {
      throw ReadingError(file: path, "is an SQLite database, but no report")
    }
    let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    guard version == SQLiteSchema.version else {
      throw ReadingError(
        file: path, "its schema has version \(version), and this program reads version \(SQLiteSchema.version)")
    }
    // A view with that name could run forever.
    for table in ["apis", "meta"] {
      let kind = try String.fetchOne(database, sql: "SELECT type FROM sqlite_master WHERE name = ?", arguments: [table])
      guard kind == "table" else { throw ReadingError(file: path, "has no table \(table)") }
    }
    // Generated columns are not in these lists: their expressions could run as long.
    let facts = Set(try String.fetchAll(database, sql: "SELECT name FROM pragma_table_info('meta')"))
    guard facts.isSuperset(of: ["name", "value"]) else {
      throw ReadingError(file: path, "its table meta lacks its columns")
    }
    let known = Set(try String.fetchAll(database, sql: "SELECT name FROM pragma_table_info('apis')"))
    let counts = APIColumn.allCases.filter(\.isOriginal).map(\.rawValue)
    for column in ["host", "path", "method"] + counts + ["wait_ms_p50", "wait_ms_p95"] where !known.contains(column) {
      throw ReadingError(file: path, "its table apis has no column \(column)")
    }
    return known
  }

  /// Adds the hosts, if there is a table with their figures.
  private func addHosts(of database: Database, to apis: inout ReportedAPIs) throws {
    let kind = try String.fetchOne(database, sql: "SELECT type FROM sqlite_master WHERE name = 'hosts'")
    let known = Set(try String.fetchAll(database, sql: "SELECT name FROM pragma_table_info('hosts')"))
    let columns = ["host"] + ReportedHost.columns
    guard kind == "table", columns.allSatisfy({ known.contains($0) }) else { return }
    apis.beginHosts()
    let cursor = try Row.fetchCursor(database, sql: "SELECT \(columns.joined(separator: ", ")) FROM hosts")
    while let row = try cursor.next() {
      var values: [Int] = []
      for (position, column) in ReportedHost.columns.enumerated() {
        guard case .int64(let value) = (row[1 + position] as DatabaseValue).storage else {
          throw RowFault("hosts: \(column) is not a whole number")
        }
        values.append(Int(value))
      }
      try apis.add(try text(row, 0), try ReportedHost(values))
    }
  }

  private func meta(_ database: Database) throws -> [String: String] {
    var meta: [String: String] = [:]
    for row in try Row.fetchAll(database, sql: "SELECT name, value FROM meta LIMIT 100") {
      if let name = row[0] as String? { meta[name] = row[1] }
    }
    return meta
  }

  private func text(_ row: Row, _ position: Int) throws(RowFault) -> [UInt8] {
    switch (row[position] as DatabaseValue).storage {
    case .null: return []
    case .string(let text) where text.utf8.count <= ReportedCell.longestText:
      return TextEscaping.octets(Array(text.utf8)[...])
    default: throw RowFault("apis: a name is not text")
    }
  }

  private func duration(_ row: Row, _ position: Int, _ column: String) throws(RowFault) -> Int64? {
    switch (row[position] as DatabaseValue).storage {
    case .null: return nil
    case .double(let value): return try ReportedCell.nanoseconds(value, column)
    case .int64(let value): return try ReportedCell.nanoseconds(Double(value), column)
    default: throw RowFault("apis: \(column) is not a number")
    }
  }
}
