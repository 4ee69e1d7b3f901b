import HTTPReassembly
import Reports
import Tabular

/// Where the rows of a live run go: to the report, if there is one, to the page that is served, and to what `--where` selects.
struct LiveSink: ReportSink {
  /// The report; nil when only the summary is wanted.
  var report: ReportSet?
  /// What adds up the exchanges of `--where`; nil for all.
  var selection: SelectedExchanges?
  /// The last ones of them, for the view; nil without one.
  var recent: RecentExchanges?
  /// What the page shows that is served; nil without one.
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
}
