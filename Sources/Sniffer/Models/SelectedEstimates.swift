import EstimateReports
import Estimates
import HTTPReassembly
import Reports

/// Passes messages to the models, and exchanges to the selection of `--where`.
struct SelectedEstimates: ReportSink {
  typealias Rows = PagedMessages<ModelReplay<ModelReport>>
  typealias Failure = Rows.Failure

  /// Receives every row.
  var rows: Rows
  /// Tests whether exchanges are selected; nil without a condition.
  var selection: SelectedExchanges?

  /// The models, with their errors.
  var replay: ModelReplay<ModelReport> { rows.messages.consumer }

  mutating func message(_ message: Message, texts: borrowing TextPool) throws(Failure) {
    selection?.message(message, texts: texts)
    try rows.message(message, texts: texts)
  }

  mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) {
    rows.exchange(exchange, texts: texts)
    guard let isSelected = selection?.exchange(exchange, texts: texts) else { return }
    rows.messages.consumer.exchange(exchange.number, isSelected: isSelected)
  }

  mutating func connection(_ connection: Connection, texts: borrowing TextPool) {
    rows.connection(connection, texts: texts)
  }
}
