import Packets
import Tabular

/// One row of a CSV file (RFC 4180), cell after cell.
///
/// Text from the wire is escaped (`TextEscaping`). A cell that a spreadsheet would run as a formula gets a leading apostrophe,
/// and so does a cell that starts with one. To get the octets back, remove one leading apostrophe, then undo the escapes. Numbers
/// and names of our own need neither. Cells are quoted only when necessary.
package struct CSVRow: RowWriter, ~Copyable {
  private var buffer = RowBuffer()
  private var cells = TextCells()
  /// The facts to leave out of hosts, paths and endpoints.
  package let redaction: Redaction?

  /// A writer without a row.
  package init(redaction: Redaction?) { self.redaction = redaction }

  /// A header row.
  package static func header(_ columns: [String]) -> [UInt8] {
    Array((columns.joined(separator: ",") + "\r\n").utf8)
  }

  /// A copy of the row, after it has ended.
  package var octets: [UInt8] { buffer.octets }

  /// Lends the row, after it has ended.
  @inline(__always)
  package func withOctets(_ body: (RawSpan) throws(ReportError) -> Void) throws(ReportError) {
    try buffer.withOctets(body)
  }

  /// Starts a row.
  @inline(__always)
  package mutating func begin() { buffer.clear() }

  /// Ends the row.
  @inline(__always)
  package mutating func end() {
    buffer.removeLast()
    buffer.append(UInt8(ascii: "\r"))
    buffer.append(UInt8(ascii: "\n"))
  }

  /// A cell for an unknown value, or one that does not apply.
  @inline(__always)
  package mutating func empty() { separate() }

  /// An integer.
  @inline(__always)
  package mutating func integer(_ value: Int) { buffer.append(value, then: Self.separator) }

  /// Several integers, which most cells of a row are.
  @inline(__always)
  package mutating func integers<let count: Int>(_ values: InlineArray<count, Int>) {
    buffer.append(values, each: Self.separator)
  }

  /// A time in nanoseconds since the Unix epoch.
  package mutating func time(_ nanoseconds: Int64) { buffer.append(time: nanoseconds, then: Self.separator) }

  /// A duration given in nanoseconds, in milliseconds; nothing for nil.
  package mutating func milliseconds(_ nanoseconds: Int64?) {
    if let nanoseconds { buffer.appendMilliseconds(nanoseconds) }
    separate()
  }

  /// A number given in thousandths; nothing for nil.
  package mutating func thousandths(_ value: Int?) {
    if let value { buffer.appendThousandths(value) }
    separate()
  }

  /// A name of our own: it needs no escaping.
  @inline(__always)
  package mutating func name(_ name: StaticString) { buffer.append(name, then: Self.separator) }

  /// A name of our own.
  package mutating func name(_ name: String) {
    buffer.append(name)
    separate()
  }

  /// The names of the bits that are set, separated by spaces.
  @inline(__always)
  package mutating func flags(_ bits: UInt64, names: @autoclosure () -> [String]) {
    if bits != 0 { buffer.append(flags: bits, names: names()) }
    separate()
  }

  /// `address:port`.
  @inline(__always)
  package mutating func endpoint(_ endpoint: Endpoint) {
    if redaction == nil { buffer.append(endpoint) } else { buffer.append(endpoint, redaction) }
    separate()
  }

  /// Text from the wire.
  package mutating func text(_ octets: RawSpan) {
    let isDefused = Self.isFormula(octets)
    if !isDefused, buffer.appendPlain(octets, then: Self.separator) { return }
    escape(octets, isDefused: isDefused, leavingOut: 0)
  }

  /// The start of a text from the wire.
  package mutating func cutText(_ start: RawSpan, leavingOut count: Int) {
    escape(start, isDefused: Self.isFormula(start), leavingOut: count)
  }

  private mutating func escape(_ octets: RawSpan, isDefused: Bool, leavingOut count: Int) {
    let isQuoted = (0..<octets.byteCount).contains {
      octets.octet($0) == UInt8(ascii: ",") || octets.octet($0) == UInt8(ascii: "\"")
    }
    if isQuoted { buffer.append(UInt8(ascii: "\"")) }
    if isDefused { buffer.append(UInt8(ascii: "'")) }
    buffer.appendEscaped(octets, doublingQuotes: isQuoted)
    if count > 0 {
      buffer.append(RepeatedText.mark)
      buffer.append(count)
    }
    if isQuoted { buffer.append(UInt8(ascii: "\"")) }
    separate()
  }

  /// The cell of a text from the wire, if it exists already.
  @inline(__always)
  package func cell(of octets: RawSpan) -> Int? { cells.cell(of: octets) }

  /// Text from the wire whose cell exists already.
  @inline(__always)
  package mutating func append(cell: Int) { cells.append(cell, to: &buffer) }

  /// Text from the wire whose cell is made now.
  @inline(never)
  package mutating func newText(_ octets: [UInt8]) {
    let start = buffer.length
    text(octets)
    cells.remember(octets, cellFrom: start, of: buffer)
  }

  private static var separator: UInt8 { UInt8(ascii: ",") }

  @inline(__always)
  private mutating func separate() { buffer.append(Self.separator) }

  /// Whether the cell gets an apostrophe: it starts as a formula in a spreadsheet (OWASP, CSV Injection), full-width forms
  /// included, or with an apostrophe.
  private static func isFormula(_ octets: RawSpan) -> Bool {
    guard octets.byteCount > 0 else { return false }
    switch octets.octet(0) {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), UInt8(ascii: "'"), 0x09, 0x0d:
      return true
    case 0xef:
      // U+FF1D, U+FF0B, U+FF0D, U+FF20
      guard octets.byteCount >= 3, octets.octet(1) == 0xbc else { return false }
      return [0x9d, 0x8b, 0x8d, 0xa0].contains(octets.octet(2))
    default:
      return false
    }
  }
}
