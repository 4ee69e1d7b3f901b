// Rows are bound with SQLite's own functions. GRDB's values would turn each text into a string, and copy it into an array and
// again into SQLite. That took half the time of the whole analysis. Unsafe: these calls hand memory to C. SQLite gets the address
// and the length of a cell inside an array that outlives the statement's execution. Every binding is removed before that array
// can change.

import GRDB
import GRDBSQLite
import Tabular

/// Rows of one table that wait to be inserted.
struct SQLiteRows {
  private let width: Int
  private var cells: [SQLiteCell] = []
  /// It is never empty, so that an empty text in it has an address, too: without one SQLite would take it for NULL.
  private var text: [UInt8] = [0]

  /// Rows with `width` columns.
  init(width: Int) { self.width = width }

  /// The number of rows.
  var count: Int { cells.count / width }

  /// Octets of their texts.
  var textLength: Int { text.count - 1 }

  /// Adds a row, which has a cell for each column.
  mutating func add(_ row: borrowing SQLiteRow) {
    precondition(row.cells.count == width)
    let base = text.count
    text.append(contentsOf: row.text)
    for cell in row.cells {
      if case .text(let start, let length) = cell {
        cells.append(.text(start: base + start, length: length))
      } else {
        cells.append(cell)
      }
    }
  }

  /// Removes all rows, and keeps their memory.
  mutating func clear() {
    cells.removeAll(keepingCapacity: true)
    text.removeSubrange(1...)
  }

  /// Executes a statement with each row as its arguments.
  func execute(_ statement: Statement) throws {
    let handle = unsafe statement.sqliteStatement
    defer { _ = unsafe sqlite3_clear_bindings(handle) }
    try unsafe text.withUnsafeBytes { text in
      for row in 0..<count {
        for column in 0..<width {
          let code = unsafe Self.bind(cells[row * width + column], of: text, to: handle, at: CInt(column + 1))
          guard code == SQLITE_OK else { throw unsafe Self.error(code, handle) }
        }
        let code = unsafe sqlite3_step(handle)
        guard code == SQLITE_DONE else {
          let error = unsafe Self.error(code, handle)
          _ = unsafe sqlite3_reset(handle)
          throw error
        }
        _ = unsafe sqlite3_reset(handle)
      }
    }
  }

  private static func error(_ code: CInt, _ handle: OpaquePointer) -> DatabaseError {
    let message = unsafe sqlite3_errmsg(sqlite3_db_handle(handle)).map { unsafe String(cString: $0) }
    return DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
  }

  private static func bind(
    _ cell: SQLiteCell, of text: UnsafeRawBufferPointer, to handle: OpaquePointer, at index: CInt
  ) -> CInt {
    switch cell {
    case .null: return unsafe sqlite3_bind_null(handle, index)
    case .integer(let value): return unsafe sqlite3_bind_int64(handle, index, value)
    case .real(let value): return unsafe sqlite3_bind_double(handle, index, value)
    case .text(let start, let length):
      // The slice is checked to be inside. Without a destructor SQLite reads the octets in place.
      let octets = unsafe UnsafeRawBufferPointer(rebasing: text[start..<start + length])
      let address = unsafe octets.baseAddress?.assumingMemoryBound(to: CChar.self)
      return unsafe sqlite3_bind_text(handle, index, address, CInt(length), nil)
    }
  }
}

/// A table of the database, and the rows that wait for the next transaction.
struct SQLiteTable {
  /// The table's name.
  let name: String
  private let insertion: String
  private var rows: SQLiteRows

  init(_ name: String, _ columns: [TableColumn]) {
    self.name = name
    rows = SQLiteRows(width: columns.count)
    let names = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    insertion = "INSERT INTO \(name) (\(names)) VALUES (\(marks))"
  }

  /// Waiting rows.
  var count: Int { rows.count }

  /// Octets of their texts.
  var textLength: Int { rows.textLength }

  /// Adds a row, which has a cell for each column.
  mutating func add(_ row: borrowing SQLiteRow) { rows.add(row) }

  /// Inserts the waiting rows. They still wait until `clear`, because the transaction may fail.
  func insert(into database: Database) throws {
    guard count > 0 else { return }
    try rows.execute(database.cachedStatement(sql: insertion))
  }

  /// Replaces the content of the table by the waiting rows.
  func replace(in database: Database) throws {
    try database.execute(sql: "DELETE FROM \(name)")
    try insert(into: database)
  }

  /// Removes the waiting rows.
  mutating func clear() { rows.clear() }
}
