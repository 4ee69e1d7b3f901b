import Packets
import Parquet
import Tabular

/// One row on its way to a Parquet file, as it waits in a file without a name.
///
/// It has its own length and the length of its cells, eight octets each; then the cells; then all texts, one after the other. A
/// cell is an octet, 0 for null and 1 for a value, and eight octets of the value. These are a number, nanoseconds for a duration,
/// or the length of a text. Text from the wire is escaped as in every format (`TextEscaping`), which makes any octets UTF-8.
struct ParquetRow: GatheredTextRow, LentRow, ~Copyable {
  /// The facts to leave out of hosts, paths and endpoints.
  let redaction: Redaction?
  private var cells = RowBuffer()
  var texts = RowBuffer()
  private var record = RowBuffer()
  private var known = TextCells()

  private static var null: UInt8 { 0 }
  private static var value: UInt8 { 1 }

  init(redaction: Redaction?) { self.redaction = redaction }

  /// Lends the row, after it has ended.
  func withOctets(_ body: (RawSpan) throws(ReportError) -> Void) throws(ReportError) { try record.withOctets(body) }

  mutating func begin() {
    cells.clear()
    texts.clear()
  }

  mutating func end() {
    record.clear()
    record.append(littleEndian: UInt64(FileRecords.prefixLength + cells.length + texts.length))
    record.append(littleEndian: UInt64(cells.length))
    cells.withOctets { record.append($0) }
    texts.withOctets { record.append($0) }
  }

  @inline(__always)
  mutating func empty() { cells.append(Self.null) }

  @inline(__always)
  mutating func integer(_ value: Int) {
    cells.append(Self.value)
    cells.append(littleEndian: UInt64(bitPattern: Int64(value)))
  }

  mutating func milliseconds(_ nanoseconds: Int64?) {
    if let nanoseconds { integer(Int(nanoseconds)) } else { empty() }
  }

  mutating func thousandths(_ value: Int?) {
    // A value beyond a 64-bit number of millionths is left out.
    if let value, case let (millionths, overflow) = value.multipliedReportingOverflow(by: 1000), !overflow {
      integer(millionths)
    } else {
      empty()
    }
  }

  func cell(of octets: RawSpan) -> Int? { known.cell(of: octets) }

  mutating func append(cell: Int) {
    let start = texts.length
    known.append(cell, to: &texts)
    endText(start)
  }

  mutating func newText(_ octets: [UInt8]) {
    guard !octets.isEmpty else { return empty() }
    let start = texts.length
    text(octets)
    known.remember(octets, cellFrom: start, of: texts)
  }

  mutating func endText(_ start: Int) { integer(texts.length - start) }
}

extension ParquetFile {
  /// Adds a row made by `ParquetRow`.
  mutating func append(_ row: RawSpan, kinds: [ParquetColumn.Kind]) throws(ReportError) {
    var cell = FileRecords.prefixLength * 2
    var text = cell + Int(truncatingIfNeeded: row.littleEndian64(FileRecords.prefixLength))
    for column in kinds.indices {
      guard row.octet(cell) != 0 else {
        cell += 1
        appendNull(column)
        continue
      }
      let value = Int64(bitPattern: row.littleEndian64(cell + 1))
      cell += 9
      if kinds[column] == .text {
        append(row.extracting(text..<text + Int(value)), column)
        text += Int(value)
      } else {
        append(value, column)
      }
    }
    try endRow()
  }
}

extension [TableColumn] {
  /// These columns for a Parquet file.
  var ofParquet: [ParquetColumn] {
    map { column in
      let kind: ParquetColumn.Kind =
        switch column.kind {
        case .integer: .integer
        case .time: .time
        case .real: .millionths
        case .text: .text
        }
      return ParquetColumn(column.name, kind, isOptional: column.isOptional)
    }
  }
}
