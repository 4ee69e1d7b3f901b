import HTTPReassembly
import Reports
import Tabular

/// Passes the rows of a live run to the report, if any, to the served page, and to the selection of `--where`.
struct LiveSink: ReportSink {
  /// The report; nil when only the summary is wanted.
  var report: ReportSet?
  /// Adds up the exchanges of `--where`; nil for all.
  var selection: SelectedExchanges?
  /// The latest exchanges for the view; nil without one.
  var recent: RecentExchanges?
  /// The content of the served page; nil without one.
  var page: LivePage?

  mutating func message(_ message: Message, texts: borrowing TextPool) throws(ReportError) {
    selection?.message(message, texts: texts)
    page?.message(message, texts: texts)
    try report?.message(message, texts: texts)
  }

  mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(ReportError) {
    if selection?.exchange(exchange, texts: texts) ?? true { recent?.add(exchange, texts: texts) }
    page?.exchange(exchange, texts: texts)
    try report?.exchange(exchange, texts: texts)
  }

  mutating func connection(_ connection: Connection, texts: borrowing TextPool) throws(ReportError) {
    page?.connection(connection, texts: texts)
    try report?.connection(connection, texts: texts)
  }

  mutating func detail(_ row: DetailRow, texts: borrowing TextPool) throws(ReportError) {
    try report?.detail(row, texts: texts)
  }
}
