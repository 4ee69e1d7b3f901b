import HTTPReassembly
import Tabular

/// One row as the arguments of an SQLite statement. Unknown values are NULL. Text from the wire is escaped as in every format
/// (`TextEscaping`), which makes any octets UTF-8 without control characters.
struct SQLiteRow: GatheredTextRow, ~Copyable {
  /// The facts to leave out of hosts, paths and endpoints.
  let redaction: Redaction?
  /// The cells so far; cells of text have their ranges in `texts`.
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

  /// Estimated octets of the row in the database. Texts count in the table and in an index. All other values count as most
  /// numbers take in both.
  var storedLength: Int { texts.length * 2 + cells.count * 4 }

  mutating func endText(_ start: Int) { cells.append(.text(start: start, length: texts.length - start)) }
}

/// A value of a column.
enum SQLiteCell {
  case null
  case integer(Int64)
  case real(Double)
  /// UTF-8 in another buffer: the first octet, and the number of octets.
  case text(start: Int, length: Int)
}
