import HTTPReassembly
import Tabular

/// One row as what an SQLite statement is given. What is unknown is NULL; text from the wire is escaped as in every
/// format (`TextEscaping`), which makes it UTF-8 without control characters whatever the octets were.
struct SQLiteRow: GatheredTextRow, ~Copyable {
  /// What is left out of hosts, paths and endpoints.
  let redaction: Redaction?
  /// The cells so far; those of text say where they stand in `texts`.
  private(set) var cells: [SQLiteCell] = []
  var texts = RowBuffer()

  init(redaction: Redaction?) { self.redaction = redaction }

  /// The octets of all cells of text.
  var text: [UInt8] { texts.octets }

  mutating func begin() {
    cells.removeAll(keepingCapacity: true)
    texts.clear()
  }

  mutating func end() {}

  mutating func empty() { cells.append(.null) }

  mutating func integer(_ value: Int) { cells.append(.integer(Int64(value))) }

  mutating func milliseconds(_ nanoseconds: Int64?) {
    guard let nanoseconds else { return empty() }
    cells.append(.real(Double(nanoseconds) / 1_000_000))
  }

  mutating func thousandths(_ value: Int?) {
    guard let value else { return empty() }
    cells.append(.real(Double(value) / 1000))
  }

  /// Octets that the row takes in the database, as it is estimated: its texts in the table and in an index, and of all other
  /// values what most numbers take in both.
  var storedLength: Int { texts.length * 2 + cells.count * 4 }

  mutating func endText(_ start: Int) { cells.append(.text(start: start, length: texts.length - start)) }
}

/// A value of a column.
enum SQLiteCell {
  case null
  case integer(Int64)
  case real(Double)
  /// UTF-8 that stands elsewhere: from which octet on, and how many.
  case text(start: Int, length: Int)
}
