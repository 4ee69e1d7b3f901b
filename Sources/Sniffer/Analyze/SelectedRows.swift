import HTTPReassembly
import Reports

/// Passes rows to a report, and to the selection of `--where`.
struct SelectedRows<Rows: ReportSink>: ReportSink {
  typealias Failure = Rows.Failure

  /// Receives every row.
  var rows: Rows
  /// Adds up the selected rows.
  var selection: SelectedExchanges

  mutating func message(_ message: Message, texts: borrowing TextPool) throws(Failure) {
    selection.message(message, texts: texts)
    try rows.message(message, texts: texts)
  }

  mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(Failure) {
    selection.exchange(exchange, texts: texts)
    try rows.exchange(exchange, texts: texts)
  }

  mutating func connection(_ connection: Connection, texts: borrowing TextPool) throws(Failure) {
    try rows.connection(connection, texts: texts)
  }

  mutating func detail(_ row: DetailRow, texts: borrowing TextPool) throws(Failure) {
    try rows.detail(row, texts: texts)
  }
}
