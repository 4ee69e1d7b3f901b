import HTTPReassembly
import Reports

/// Passes rows to a report, to the selection of `--where`, and to the summary's savings.
struct SummaryRows<Rows: ReportSink>: ReportSink {
  typealias Failure = Rows.Failure

  /// Receives every row.
  var rows: Rows
  /// Adds up the selected rows; nil for all.
  var selection: SelectedExchanges?
  /// Gathers the largest savings; nil where none are shown.
  var savings: LargestSavings?

  mutating func message(_ message: Message, texts: borrowing TextPool) throws(Failure) {
    selection?.message(message, texts: texts)
    savings?.message(message, texts: texts)
    try rows.message(message, texts: texts)
  }

  mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(Failure) {
    selection?.exchange(exchange, texts: texts)
    savings?.exchange(exchange, texts: texts)
    try rows.exchange(exchange, texts: texts)
  }

  mutating func connection(_ connection: Connection, texts: borrowing TextPool) throws(Failure) {
    savings?.connection(connection, texts: texts)
    try rows.connection(connection, texts: texts)
  }

  mutating func detail(_ row: DetailRow, texts: borrowing TextPool) throws(Failure) {
    try rows.detail(row, texts: texts)
  }
}
