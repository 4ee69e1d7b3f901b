import HTTPReassembly
import Tabular

/// The tables of a report with numbered rows, in a file each. It is a value, so that a row costs the report one access.
struct NumberedTables<Row: LentRow & ~Copyable, Table: RowTable & ~Copyable>: ~Copyable {
  var row: Row
  let allowance: RowAllowance
  var messages: Table
  var exchanges: Table
  var connections: Table
  var grpc: Table
  var webSockets: Table

  /// Creates the report's tables. `table` creates one of a name, with columns that are the same in every format.
  init(
    row: consuming Row, allowance: RowAllowance, _ table: (String, [TableColumn]) throws(ReportError) -> Table
  ) throws(ReportError) {
    // All are made before any is stored: a value without copies cannot be given up half made.
    let messages = try table(MessageRow.name, MessageRow.columns)
    let exchanges = try table(ExchangeRow.name, ExchangeRow.columns)
    let connections = try table(ConnectionRow.name, ConnectionRow.columns)
    let grpc = try table(DetailTable.grpc.rawValue, DetailTable.grpc.columns)
    let webSockets = try table(DetailTable.websockets.rawValue, DetailTable.websockets.columns)
    self.row = row
    self.allowance = allowance
    self.messages = messages
    self.exchanges = exchanges
    self.connections = connections
    self.grpc = grpc
    self.webSockets = webSockets
  }

  mutating func add(_ message: Message, texts: borrowing TextPool) throws(ReportError) {
    if message.webSocket != .none { try addWebSocket(of: message, texts: texts) }
    guard messages.isOpen else { return }
    MessageRow.write(message, texts: texts, to: &row)
    try Self.store(message.number, row, in: &messages, allowance)
  }

  mutating func add(_ exchange: Exchange, texts: borrowing TextPool) throws(ReportError) {
    guard exchanges.isOpen else { return }
    ExchangeRow.write(exchange, texts: texts, to: &row)
    try Self.store(exchange.number, row, in: &exchanges, allowance)
  }

  mutating func add(_ connection: Connection, texts: borrowing TextPool) throws(ReportError) {
    guard connections.isOpen else { return }
    ConnectionRow.write(connection, texts: texts, to: &row)
    try Self.store(connection.number, row, in: &connections, allowance)
  }

  private mutating func addWebSocket(of message: Message, texts: borrowing TextPool) throws(ReportError) {
    guard webSockets.isOpen, let frames = texts.webSocket(message.webSocket) else { return }
    WebSocketRow.write(frames, of: message, texts: texts, to: &row)
    try Self.store(message.number, row, in: &webSockets, allowance)
  }

  mutating func add(_ detail: DetailRow) throws(ReportError) {
    switch detail {
    case .grpc(let message):
      guard grpc.isOpen else { return }
      GRPCMessageRow.write(message, to: &row)
      try Self.store(message.number, row, in: &grpc, allowance)
    }
  }

  /// Adds the row that was written last to its table.
  @inline(__always)
  private static func store(
    _ number: Int, _ row: borrowing Row, in table: inout Table, _ allowance: RowAllowance
  ) throws(ReportError) {
    try row.withOctets { octets throws(ReportError) in
      if allowance.take(octets.byteCount) { try table.add(number, octets) }
    }
  }

  /// Calls `body` with each table, even after an error of another one.
  mutating func attemptEach(
    _ first: inout FirstError, _ body: (inout Table) throws(ReportError) -> Void
  ) {
    first.attempt { () throws(ReportError) in try body(&messages) }
    first.attempt { () throws(ReportError) in try body(&exchanges) }
    first.attempt { () throws(ReportError) in try body(&connections) }
    first.attempt { () throws(ReportError) in try body(&grpc) }
    first.attempt { () throws(ReportError) in try body(&webSockets) }
  }
}

/// A row that is lent as octets after it has ended.
protocol LentRow: RowWriter, ~Copyable {
  /// Lends the row.
  func withOctets(_ body: (RawSpan) throws(ReportError) -> Void) throws(ReportError)
}

/// A table that gets its rows with their numbers, in any order.
protocol RowTable: ~Copyable {
  /// Whether rows are still accepted.
  var isOpen: Bool { get }
  /// Adds the row of `number`, which is at least 1 and comes once.
  mutating func add(_ number: Int, _ row: RawSpan) throws(ReportError)
}

extension CSVRow: LentRow {}
extension NumberedTable: RowTable {}
