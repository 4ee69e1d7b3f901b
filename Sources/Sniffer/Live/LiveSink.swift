import HTTPReassembly
import Reports
import Tabular

/// Where the rows of a live run go: to the report, if there is one.
struct LiveSink: ReportSink {
  /// The report; nil when only the summary is wanted.
  var report: ReportSet?

  mutating func message(_ message: Message, texts: borrowing TextPool) throws(ReportError) {
    try report?.message(message, texts: texts)
  }

  mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(ReportError) {
    try report?.exchange(exchange, texts: texts)
  }

  mutating func connection(_ connection: Connection, texts: borrowing TextPool) throws(ReportError) {
    try report?.connection(connection, texts: texts)
  }
}
