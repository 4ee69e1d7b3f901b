import HTTPReassembly
import Tabular

/// One row as what an SQLite statement is given. What is unknown is NULL; text from the wire is escaped as in every
/// format (`TextEscaping`), which makes it UTF-8 without control characters whatever the octets were.
struct SQLiteRow: RowWriter, ~Copyable {
  /// What is left out of hosts, paths and endpoints.
  let redaction: Redaction?
  /// The cells so far; those of text say where they stand in `text`.
  private(set) var cells: [SQLiteCell] = []
  private var buffer = RowBuffer()

  init(redaction: Redaction?) { self.redaction = redaction }

  /// The octets of all cells of text.
  var text: [UInt8] { buffer.octets }

  mutating func begin() {
    cells.removeAll(keepingCapacity: true)
    buffer.clear()
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

  mutating func name(_ name: StaticString) {
    guard name.utf8CodeUnitCount > 0 else { return empty() }
    let start = buffer.length
    buffer.append(name)
    endText(start)
  }

  mutating func name(_ name: String) {
    guard !name.isEmpty else { return empty() }
    let start = buffer.length
    buffer.append(name)
    endText(start)
  }

  mutating func flags(_ bits: UInt64, names: @autoclosure () -> [String]) {
    let start = buffer.length
    if bits != 0 { buffer.append(flags: bits, names: names()) }
    endText(start)
  }

  mutating func endpoint(_ endpoint: Endpoint) {
    let start = buffer.length
    buffer.append(endpoint, redaction)
    endText(start)
  }

  mutating func endpointParts(client: Endpoint, server: Endpoint) {
    for end in [client, server] {
      let start = buffer.length
      buffer.append(end.address, redaction)
      endText(start)
      integer(Int(end.port))
    }
  }

  mutating func text(_ octets: RawSpan) {
    guard !octets.isEmpty else { return empty() }
    let start = buffer.length
    if !buffer.appendPlain(octets) { buffer.appendEscaped(octets) }
    endText(start)
  }

  mutating func cutText(_ start: RawSpan, leavingOut count: Int) {
    let cell = buffer.length
    buffer.appendEscaped(start)
    buffer.append(RepeatedText.mark)
    buffer.append(count)
    endText(cell)
  }

  /// Octets that the row takes in the database, as it is estimated: its texts in the table and in an index, and of all other
  /// values what most numbers take in both.
  var storedLength: Int { buffer.length * 2 + cells.count * 4 }

  private mutating func endText(_ start: Int) { cells.append(.text(start: start, length: buffer.length - start)) }
}

/// A value of a column.
enum SQLiteCell {
  case null
  case integer(Int64)
  case real(Double)
  /// UTF-8 that stands elsewhere: from which octet on, and how many.
  case text(start: Int, length: Int)
}
