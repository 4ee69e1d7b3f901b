import GRDB

/// A table of the database, and the rows that wait for the next transaction.
struct SQLiteTable {
  /// The table's name.
  let name: String
  private let insertion: String
  private var rows: SQLiteRows

  init(_ name: String, _ columns: [Column]) {
    self.name = name
    rows = SQLiteRows(width: columns.count)
    let names = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
    let places = columns.map { _ in "?" }.joined(separator: ", ")
    insertion = "INSERT INTO \(name) (\(names)) VALUES (\(places))"
  }

  /// Rows that wait.
  var count: Int { rows.count }

  /// Adds a row, which has a cell for each column.
  mutating func add(_ row: borrowing SQLiteRow) { rows.add(row) }

  /// Inserts the rows that wait. They still wait until `clear`: the transaction may fail.
  func insert(into database: Database) throws {
    guard count > 0 else { return }
    try rows.execute(database.cachedStatement(sql: insertion))
  }

  /// Inserts the rows that wait in the place of all that the table has.
  func replace(in database: Database) throws {
    try database.execute(sql: "DELETE FROM \(name)")
    try insert(into: database)
  }

  /// Forgets the rows that wait.
  mutating func clear() { rows.clear() }
}
