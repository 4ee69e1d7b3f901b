import Packets

/// One row as a JSON object (RFC 8259) on a line of its own: every column is a member, in the order of the columns.
///
/// What is unknown is `null`. Flags are an array of names. Text from the wire is escaped as in every format
/// (`TextEscaping`), which makes it UTF-8 without control characters whatever the octets were; then JSON's own
/// escapes are put before quotes and backslashes.
package struct JSONRow: RowWriter, ~Copyable {
  /// What is left out of hosts, paths and endpoints.
  package let redaction: Redaction?
  private let keys: [[UInt8]]
  private var buffer = RowBuffer()
  private var column = 0

  /// Rows of some columns.
  package init(_ columns: [TableColumn], redaction: Redaction?) {
    self.redaction = redaction
    keys = columns.enumerated().map { index, column in
      Array((index == 0 ? "{\"" : ",\"").utf8) + Array(column.name.utf8) + Array("\":".utf8)
    }
  }

  /// What stands before the first cell.
  package var prefix: [UInt8] { keys.first ?? [] }

  /// A copy of the row, once it has ended.
  package var octets: [UInt8] { buffer.octets }

  /// Lends the row, once it has ended.
  package func withOctets(_ body: (RawSpan) throws(ReportError) -> Void) throws(ReportError) {
    try buffer.withOctets(body)
  }

  package mutating func begin() {
    buffer.clear()
    column = 0
  }

  package mutating func end() {
    buffer.append(UInt8(ascii: "}"))
    buffer.append(UInt8(ascii: "\n"))
  }

  package mutating func empty() {
    key()
    buffer.append("null")
  }

  package mutating func integer(_ value: Int) {
    key()
    buffer.append(value)
  }

  package mutating func milliseconds(_ nanoseconds: Int64?) {
    guard let nanoseconds else { return empty() }
    key()
    buffer.appendMilliseconds(nanoseconds)
  }

  package mutating func thousandths(_ value: Int?) {
    guard let value else { return empty() }
    key()
    buffer.appendThousandths(value)
  }

  package mutating func name(_ name: StaticString) {
    guard name.utf8CodeUnitCount > 0 else { return empty() }
    key()
    quote()
    buffer.append(name)
    quote()
  }

  package mutating func name(_ name: String) {
    guard !name.isEmpty else { return empty() }
    key()
    quote()
    buffer.append(name)
    quote()
  }

  package mutating func flags(_ bits: UInt64, names: @autoclosure () -> [String]) {
    let names = bits == 0 ? [] : names()
    key()
    buffer.append(UInt8(ascii: "["))
    var rest = bits
    while rest != 0 {
      let bit = rest.trailingZeroBitCount
      rest &= rest - 1
      guard bit < names.count else { break }
      quote()
      buffer.append(names[bit])
      quote()
      if rest != 0 { buffer.append(UInt8(ascii: ",")) }
    }
    buffer.append(UInt8(ascii: "]"))
  }

  package mutating func endpoint(_ endpoint: Endpoint) {
    key()
    quote()
    buffer.append(endpoint, redaction)
    quote()
  }

  package mutating func text(_ octets: RawSpan) {
    guard !octets.isEmpty else { return empty() }
    key()
    quote()
    if !buffer.appendPlain(octets) { buffer.appendEscapedForJSON(octets) }
    quote()
  }

  private mutating func key() {
    buffer.append(keys[column])
    column += 1
  }

  private mutating func quote() { buffer.append(UInt8(ascii: "\"")) }
}
