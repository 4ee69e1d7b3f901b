import HTTPReassembly
import Reports

/// The rows of a report, and beside them what `--where` selects of them.
struct SelectedRows<Rows: ReportSink>: ReportSink {
  typealias Failure = Rows.Failure

  /// Where every row goes.
  var rows: Rows
  /// What adds up the selected ones.
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
}
