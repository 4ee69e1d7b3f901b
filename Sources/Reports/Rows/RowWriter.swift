import HTTPReassembly
import Tabular

/// Writes the cells of a row, one after another, in the order of the columns.
///
/// `MessageRow` and its neighbours define the cells of a row, each with the name and the kind of its column. New cells come at the end.
/// A format defines only how a cell looks in it. Writers are generic arguments, so that no cell costs an existential call. Names cost
/// nothing in writers that do not ask for them; only `ColumnList` does.
package protocol RowWriter: ~Copyable {
  /// The facts to leave out of hosts, paths and endpoints.
  var redaction: Redaction? { get }

  /// Starts a row.
  mutating func begin()
  /// Ends the row.
  mutating func end()
  /// The next cells are those of some columns. Only `ColumnList` uses them.
  mutating func note(_ columns: () -> [TableColumn])

  /// A cell for an unknown value, or one that does not apply.
  mutating func empty()
  /// An integer.
  mutating func integer(_ value: Int)
  /// Several integers, a cell each.
  mutating func integers<let count: Int>(_ values: InlineArray<count, Int>)
  /// A time in nanoseconds since the Unix epoch.
  mutating func time(_ nanoseconds: Int64)
  /// A duration given in nanoseconds, in milliseconds; nothing for nil.
  mutating func milliseconds(_ nanoseconds: Int64?)
  /// A number given in thousandths, with up to three decimals; nothing for nil.
  mutating func thousandths(_ value: Int?)
  /// A name of our own, which needs no escaping; an empty one is unknown.
  mutating func name(_ name: StaticString)
  /// A name of our own, made while the program runs; an empty one is unknown.
  mutating func name(_ name: String)
  /// The names of the bits that are set.
  mutating func flags(_ bits: UInt64, names: @autoclosure () -> [String])
  /// `address:port`.
  mutating func endpoint(_ endpoint: Endpoint)
  /// The addresses and ports of both ends of a connection, in four cells, for formats with these columns besides the endpoints.
  mutating func endpointParts(client: Endpoint, server: Endpoint)
  /// Text from the wire; an empty one is unknown.
  mutating func text(_ octets: RawSpan)
  /// The start of a text from the wire that another row has whole, and the number of octets that are left out (`RepeatedText`).
  mutating func cutText(_ start: RawSpan, leavingOut count: Int)
  /// The number of the cell of a repeated text from the wire, for `append(cell:)`; nil if it has none yet.
  func cell(of octets: RawSpan) -> Int?
  /// Repeated text from the wire: copies its cell.
  mutating func append(cell: Int)
  /// Repeated text from the wire whose cell is made now.
  mutating func newText(_ octets: [UInt8])
}

extension RowWriter where Self: ~Copyable {
  @inline(__always)
  package mutating func note(_ columns: () -> [TableColumn]) {}

  /// The row; its next cell belongs to a column: `row[.integer("status").orUnknown].integerUnlessZero(message.status)`.
  subscript(_ column: @autoclosure () -> TableColumn) -> Self {
    @inline(__always) _read { yield self }
    @inline(__always) _modify {
      note { [column()] }
      yield &self
    }
  }

  /// The row; its next cells belong to some columns.
  subscript(_ columns: @autoclosure () -> [TableColumn]) -> Self {
    @inline(__always) _read { yield self }
    @inline(__always) _modify {
      note(columns)
      yield &self
    }
  }

  package mutating func integers<let count: Int>(_ values: InlineArray<count, Int>) {
    for index in values.indices { integer(values[index]) }
  }

  /// Most formats need only the endpoint's one cell.
  package mutating func endpointParts(client: Endpoint, server: Endpoint) {}

  package func cell(of octets: RawSpan) -> Int? { nil }

  package mutating func append(cell: Int) { preconditionFailure("only a writer that keeps cells is asked for them") }

  package mutating func newText(_ octets: [UInt8]) { text(octets) }

  /// An integer, or nothing for nil.
  @inline(__always)
  package mutating func integer(_ value: Int?) {
    if let value { integer(value) } else { empty() }
  }

  /// A number or code; 0 means none.
  @inline(__always)
  package mutating func integerUnlessZero(_ value: Int) {
    if value != 0 { integer(value) } else { empty() }
  }

  /// A time in nanoseconds since the Unix epoch.
  package mutating func time(_ nanoseconds: Int64) { integer(Int(nanoseconds)) }

  /// Text from the wire; an empty one is unknown.
  package mutating func text(_ octets: [UInt8]) { octets.withOctets { text($0) } }

  /// A host from the wire.
  package mutating func host(_ octets: [UInt8]) { text(redaction?.host(octets) ?? octets) }

  /// A path from the wire.
  package mutating func path(_ octets: [UInt8]) { text(redaction?.path(octets) ?? octets) }
}

extension RowWriter where Self: ~Copyable {
  /// Text from the wire; none is unknown.
  @inline(__always)
  mutating func text(_ id: TextID, _ texts: borrowing TextPool) {
    if id == .none { return empty() }
    // There are three steps: while the text is lent, the row does not change, for that would retain the text's array.
    if let cell = texts.withOctets(id, { cell(of: $0) }) { append(cell: cell) } else { newText(texts.octets(id)) }
  }

  /// Name, identifier, app and source of a process, in four cells; none is unknown.
  @inline(__always)
  mutating func process(_ id: TextID, _ texts: borrowing TextPool) {
    note {
      [
        .text("process").orUnknown, .integer("pid").orUnknown, .text("app").orUnknown,
        .text("process_source").orUnknown,
      ]
    }
    if id == .none { for _ in 0..<4 { empty() } } else { knownProcess(id, texts) }
  }

  @inline(never)
  private mutating func knownProcess(_ id: TextID, _ texts: borrowing TextPool) {
    texts.withOctets(id) { octets in
      guard let process = ProcessText(octets) else { return }
      text(octets.extracting(process.name))
      integer(process.pid.map { Int($0) })
      text(octets.extracting(process.app))
      name(process.source.literal)
    }
  }

  /// The protocol of a prefix, and the client and the server that it names, in three cells; none is unknown.
  mutating func prefix(_ id: TextID, _ texts: borrowing TextPool) {
    note { ["proxied_by", "origin_client", "origin_server"].map { .text($0).orUnknown } }
    guard id != .none, let prefix = texts.prefix(id) else { return (0..<3).forEach { _ in empty() } }
    name(prefix.kind.literal)
    host(prefix.client)
    host(prefix.server)
  }

  /// The name of a process; none is unknown.
  @inline(__always)
  mutating func processName(_ id: TextID, _ texts: borrowing TextPool) {
    if id == .none { return empty() }
    texts.withOctets(id) { octets in text(octets.extracting(ProcessText(octets)?.name ?? 0..<0)) }
  }

  /// A host from the wire.
  @inline(__always)
  mutating func host(_ id: TextID, _ texts: borrowing TextPool) {
    if redaction == nil { text(id, texts) } else { host(texts.octets(id)) }
  }

  /// A path from the wire.
  @inline(__always)
  mutating func path(_ id: TextID, _ texts: borrowing TextPool) {
    if redaction == nil { text(id, texts) } else { path(texts.octets(id)) }
  }
}

extension [TableColumn] {
  /// The columns of a table in a format with addresses and ports besides the endpoints (`RowWriter.endpointParts`).
  var withEndpointParts: [TableColumn] {
    self + [
      .text("client_address"), .integer("client_port"), .text("server_address"), .integer("server_port"),
    ]
  }

  /// Columns of whole numbers.
  static func integers(_ names: String...) -> [TableColumn] { names.map { .integer($0) } }
}

/// A column of a table: its name, which is the same in every format, and the kind of its cells.
package struct TableColumn: Sendable {
  /// The kinds of cells.
  package enum Kind: Sendable {
    /// A whole number: octets, a number or a count.
    case integer
    /// A time in nanoseconds since the Unix epoch.
    case time
    /// Milliseconds.
    case real
    /// Text.
    case text
  }

  /// The name, in lower case with underscores.
  package let name: String
  /// The kind of its cells.
  package let kind: Kind
  /// Whether a cell may be unknown or not apply.
  package var isOptional = false

  /// A column of whole numbers.
  package static func integer(_ name: String) -> TableColumn { TableColumn(name: name, kind: .integer) }
  /// A column of times.
  package static func time(_ name: String) -> TableColumn { TableColumn(name: name, kind: .time) }
  /// A column of milliseconds.
  package static func real(_ name: String) -> TableColumn { TableColumn(name: name, kind: .real) }
  /// A column of text.
  package static func text(_ name: String) -> TableColumn { TableColumn(name: name, kind: .text) }

  /// This column with cells that may be unknown.
  package var orUnknown: TableColumn { TableColumn(name: name, kind: kind, isOptional: true) }
}
