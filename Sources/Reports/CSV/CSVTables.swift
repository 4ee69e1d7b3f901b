import HTTPReassembly
import Tabular

/// The tables of a CSV report whose rows are numbered: a value, so that a row costs the report one access.
struct CSVTables: ~Copyable {
  private var row: CSVRow
  private var messages: OrderedTable
  private var exchanges: OrderedTable
  private var connections: OrderedTable

  /// Tables whose header rows have been written.
  init(
    row: consuming CSVRow, messages: consuming OrderedTable, exchanges: consuming OrderedTable,
    connections: consuming OrderedTable
  ) {
    self.row = row
    self.messages = messages
    self.exchanges = exchanges
    self.connections = connections
  }

  /// Writes a message's row.
  mutating func add(_ message: Message, texts: borrowing TextPool) throws(ReportError) {
    guard messages.isOpen else { return }
    row.begin()
    MessageRow.append(message, texts: texts, to: &row)
    row.end()
    try row.withOctets { octets throws(ReportError) in try messages.add(message.number, octets) }
  }

  /// Writes an exchange's row.
  mutating func add(_ exchange: Exchange, texts: borrowing TextPool) throws(ReportError) {
    guard exchanges.isOpen else { return }
    row.begin()
    ExchangeRow.append(exchange, texts: texts, to: &row)
    row.end()
    try row.withOctets { octets throws(ReportError) in try exchanges.add(exchange.number, octets) }
  }

  /// Writes a connection's row.
  mutating func add(_ connection: Connection) throws(ReportError) {
    guard connections.isOpen else { return }
    row.begin()
    ConnectionRow.append(connection, to: &row)
    row.end()
    try row.withOctets { octets throws(ReportError) in try connections.add(connection.number, octets) }
  }

  /// Completes the messages' file.
  mutating func finishMessages() throws(ReportError) { try messages.finish() }

  /// Completes the exchanges' file.
  mutating func finishExchanges() throws(ReportError) { try exchanges.finish() }

  /// Completes the connections' file.
  mutating func finishConnections() throws(ReportError) { try connections.finish() }
}
