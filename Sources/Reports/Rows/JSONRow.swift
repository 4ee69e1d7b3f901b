import Packets
import Tabular

/// One row as a JSON object (RFC 8259) on a line of its own: every column is a member, in the order of the columns.
///
/// Unknown values are `null`. Flags are an array of names. Text from the wire is escaped as in every format
/// (`JSONWriter.escaped`).
package struct JSONRow: RowWriter, ~Copyable {
  /// The facts to leave out of hosts, paths and endpoints.
  package let redaction: Redaction?
  /// The names of the columns, each quoted and with its colon.
  private let keys: [[UInt8]]
  private var json = JSONWriter()
  private var cells = TextCells()
  private var column = 0

  /// Rows of some columns.
  package init(_ columns: [TableColumn], redaction: Redaction?) {
    self.redaction = redaction
    keys = columns.map { Array("\"\($0.name)\":".utf8) }
  }

  /// The text before the first cell.
  package var prefix: [UInt8] { [UInt8(ascii: "{")] + (keys.first ?? []) }

  /// A copy of the row, after it has ended.
  package var octets: [UInt8] { json.octets }

  /// Lends the row, after it has ended.
  package func withOctets(_ body: (RawSpan) throws(ReportError) -> Void) throws(ReportError) {
    try json.withOctets(body)
  }

  package mutating func begin() {
    json.clear()
    json.open("{")
    column = 0
  }

  package mutating func end() {
    json.close("}")
    json.newline()
  }

  package mutating func empty() {
    key()
    json.null()
  }

  package mutating func integer(_ value: Int) {
    key()
    json.integer(value)
  }

  package mutating func milliseconds(_ nanoseconds: Int64?) {
    guard let nanoseconds else { return empty() }
    key()
    json.milliseconds(nanoseconds)
  }

  package mutating func thousandths(_ value: Int?) {
    guard let value else { return empty() }
    key()
    json.thousandths(value)
  }

  package mutating func name(_ name: StaticString) {
    guard name.utf8CodeUnitCount > 0 else { return empty() }
    key()
    json.name(name)
  }

  package mutating func name(_ name: String) {
    guard !name.isEmpty else { return empty() }
    key()
    json.name(name)
  }

  package mutating func flags(_ bits: UInt64, names: @autoclosure () -> [String]) {
    key()
    json.open("[")
    if bits != 0 {
      for (bit, name) in names().enumerated() where bits >> UInt64(bit) & 1 == 1 { json.name(name) }
    }
    json.close("]")
  }

  package mutating func endpoint(_ endpoint: Endpoint) {
    key()
    json.endpoint(endpoint, redaction)
  }

  package mutating func endpointParts(client: Endpoint, server: Endpoint) {
    for end in [client, server] {
      key()
      json.address(end.address, redaction)
      integer(Int(end.port))
    }
  }

  package mutating func text(_ octets: RawSpan) {
    guard !octets.isEmpty else { return empty() }
    key()
    json.escaped(octets)
  }

  package mutating func cutText(_ start: RawSpan, leavingOut count: Int) {
    key()
    json.escaped(start, followedBy: "\(RepeatedText.mark)\(count)")
  }

  package func cell(of octets: RawSpan) -> Int? { cells.cell(of: octets) }

  package mutating func append(cell: Int) {
    key()
    json.held(cell, in: cells)
  }

  package mutating func newText(_ octets: [UInt8]) {
    guard !octets.isEmpty else { return empty() }
    key()
    json.escaped(octets, holdingIn: &cells)
  }

  private mutating func key() {
    json.key(keys[column])
    column += 1
  }
}
