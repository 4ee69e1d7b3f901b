import GRDB

/// A table of a database, and the positions of a log's columns in it.
struct SQLiteLogTable {
  /// Its name.
  let name: String
  /// Its columns, in their order.
  let columns: [String]
  /// Whether rows have a rowid, by which people find them.
  let hasRowID: Bool
  /// The positions of a log's columns.
  let positions: ColumnPositions

  /// The largest number of tables that are looked at: it bounds a schema of nothing but tables.
  static let limit = 1_000

  /// Finds the table of a log: the given one, else the only table that has the columns.
  static func find(in database: Database, options: LogOptions, file: String) throws -> SQLiteLogTable {
    let rows = try tables(database)
    let names: [String] = try rows.map { try text($0[0], file) }
    guard !names.isEmpty else { throw LogError(file: file, "has no table") }

    if let asked = options.table {
      guard let position = names.firstIndex(where: { $0.lowercased() == asked.lowercased() }) else {
        throw LogError(file: file, "has no table \(asked); there are: \(list(names))")
      }
      let found = try description(of: rows[position], in: database, file)
      do throws(RowProblem) { return try SQLiteLogTable(found, options) } catch {
        throw LogError(file: file, "table \(asked.shortened()): \(error.description)")
      }
    }

    var fitting: [SQLiteLogTable] = []
    var lastProblem = ""
    for row in rows {
      let found = try description(of: row, in: database, file)
      do throws(RowProblem) { fitting.append(try SQLiteLogTable(found, options)) } catch {
        lastProblem = error.description
      }
    }
    switch fitting.count {
    case 1: return fitting[0]
    case 0 where names.count == 1: throw LogError(file: file, "table \(names[0].shortened()): \(lastProblem)")
    case 0:
      let required = LogColumn.required.map(options.columns.name).joined(separator: ", ")
      throw LogError(
        file: file, "no table has the columns \(required) and a length; there are: \(list(names)); choose one")
    default:
      throw LogError(file: file, "several tables could be the log: \(list(fitting.map(\.name))); choose one")
    }
  }

  /// The tables to choose from, or the given table, with their columns.
  static func names(
    in database: Database, options: LogOptions, file: String
  ) throws -> [(name: String, columns: [String])] {
    try tables(database).map { try description(of: $0, in: database, file) }
      .filter { !$0.isComputed && (options.table == nil || options.table?.lowercased() == $0.name.lowercased()) }
      .map { ($0.name, $0.columns) }
  }

  /// Virtual tables would run code of their own, and a view can show any data; neither is listed.
  private static func tables(_ database: Database) throws -> [Row] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT name, wr FROM pragma_table_list
        WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name LIMIT ?
        """, arguments: [limit])
  }

  private struct Description {
    let name: String
    let columns: [String]
    let hasRowID: Bool
    let isComputed: Bool
  }

  private init(_ description: Description, _ options: LogOptions) throws(RowProblem) {
    // An expression of a hostile table takes any time for each row, and a check of the table computes it, too.
    guard !description.isComputed else { throw RowProblem("it has generated columns; copy it without them") }
    positions = try ColumnPositions(header: description.columns, columns: options.columns)
    (name, columns, hasRowID) = (description.name, description.columns, description.hasRowID)
  }

  private static func description(of table: Row, in database: Database, _ file: String) throws -> Description {
    let name = try text(table[0], file)
    // Generated columns are hidden.
    let columns = try Row.fetchAll(
      database, sql: "SELECT name, hidden FROM pragma_table_xinfo(?) ORDER BY cid", arguments: [name])
    return Description(
      name: name, columns: try columns.map { try text($0[0], file) }, hasRowID: table[1] == DatabaseValue.false,
      isComputed: columns.contains { $0[1] != DatabaseValue.false })
  }

  /// A name in the schema. A damaged file can have any value there.
  private static func text(_ value: DatabaseValue, _ file: String) throws(LogError) -> String {
    guard case .string(let text) = value.storage else {
      throw LogError(file: file, "is a damaged SQLite database: a name that is no text")
    }
    return text
  }

  private static func list(_ names: [String]) -> String {
    let more = names.count > 20 ? " and \(names.count - 20) more" : ""
    return names.prefix(20).map { $0.shortened() }.joined(separator: ", ") + more
  }
}

extension DatabaseValue {
  /// The value for no in SQLite's pragmas.
  fileprivate static var `false`: DatabaseValue { 0.databaseValue }
}
