import HTTPReassembly
import Tabular

/// The formats of `--format`. A new one is a case here and a folder of its own.
public enum ReportFormat: String, CaseIterable, Sendable {
  /// Six CSV files (RFC 4180).
  case csv
  /// One JSON object (RFC 8259) a line for each message.
  case ndjson
  /// An SQLite database.
  case sqlite
  /// An HTTP Archive 1.2.
  case har
  /// A page to look at (HTML).
  case html

  /// Opens a report of this format in `folder`, which is created if need be.
  public func report(folder: String, _ context: ReportContext) throws(ReportError) -> any Report {
    switch self {
    case .csv: try CSVReport(folder: folder, grouping: context.grouping, redaction: context.redaction)
    case .ndjson: try NDJSONReport(folder: folder, redaction: context.redaction)
    case .sqlite: try SQLiteReport(folder: folder, context)
    case .har:
      try HARReport(
        folder: folder, options: HAROptions(content: context.harContent, creatorVersion: context.toolVersion),
        redaction: context.redaction)
    case .html: try HTMLReport(folder: folder, grouping: context.grouping, redaction: context.redaction)
    }
  }

  /// Opens a report of this format of a run that goes on for long.
  public func liveReport(folder: String, _ context: ReportContext) throws(ReportError) -> any LiveReport {
    switch self {
    case .csv: try LiveCSVReport(folder: folder, grouping: context.grouping, redaction: context.redaction)
    case .ndjson: try LiveNDJSONReport(folder: folder, redaction: context.redaction)
    case .sqlite: try SQLiteReport(folder: folder, context, isLive: true)
    case .har:
      throw ReportError(
        .create, folder + "/" + HARReport.fileName, reason: "A HAR is readable only when it is complete")
    case .html: try HTMLReport(folder: folder, grouping: context.grouping, redaction: context.redaction)
    }
  }
}

/// Several reports of one analysis, each of which gets everything, also after an error of another one.
public struct ReportSet: Report {
  private var reports: [any Report]

  /// Opens a report of each format in `folder`, which is created if need be.
  public init(_ formats: [ReportFormat], folder: String, _ context: ReportContext) throws(ReportError) {
    reports = []
    for format in formats { reports.append(try format.report(folder: folder, context)) }
  }

  /// Tells every report that wants to know what messages say; nil when none does.
  public var observer: (any MessageObserver)? {
    MessageObservers.all(reports.compactMap(\.observer))
  }

  /// Passes a message on.
  public mutating func message(_ message: Message, texts: borrowing TextPool) throws(ReportError) {
    try reports.attemptAll { report throws(ReportError) in try report.message(message, texts: texts) }
  }

  /// Passes an exchange on.
  public mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(ReportError) {
    try reports.attemptAll { report throws(ReportError) in try report.exchange(exchange, texts: texts) }
  }

  /// Passes a connection on.
  public mutating func connection(_ connection: Connection, texts: borrowing TextPool) throws(ReportError) {
    try reports.attemptAll { report throws(ReportError) in try report.connection(connection, texts: texts) }
  }

  /// Finishes every report.
  public mutating func finish(_ totals: Totals) throws(ReportError) {
    try reports.attemptAll { report throws(ReportError) in try report.finish(totals) }
  }
}

extension Array {
  /// Calls `body` with each element, also after an error.
  ///
  /// - Throws: the first error.
  mutating func attemptAll(_ body: (inout Element) throws(ReportError) -> Void) throws(ReportError) {
    var failure: ReportError?
    for index in indices {
      do throws(ReportError) { try body(&self[index]) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }
}

/// Several reports of one live run, each of which gets everything, also after an error of another one.
public final class LiveReportSet: LiveReport {
  private var reports: [any LiveReport]

  /// Opens a report of each format in `folder`, which is created if need be.
  public init(_ formats: [ReportFormat], folder: String, _ context: ReportContext) throws(ReportError) {
    var reports: [any LiveReport] = []
    for format in formats { reports.append(try format.liveReport(folder: folder, context)) }
    self.reports = reports
  }

  /// One report that is open already.
  public init(_ report: any LiveReport) { reports = [report] }

  /// Tells every report that wants to know what messages say; nil when none does.
  public var observer: (any MessageObserver)? { MessageObservers.all(reports.compactMap(\.observer)) }

  /// Passes a message on.
  public func message(_ message: Message, texts: borrowing TextPool) throws(ReportError) {
    try reports.attemptAll { report throws(ReportError) in try report.message(message, texts: texts) }
  }

  /// Passes an exchange on.
  public func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(ReportError) {
    try reports.attemptAll { report throws(ReportError) in try report.exchange(exchange, texts: texts) }
  }

  /// Passes a connection on.
  public func connection(_ connection: Connection, texts: borrowing TextPool) throws(ReportError) {
    try reports.attemptAll { report throws(ReportError) in try report.connection(connection, texts: texts) }
  }

  /// Brings every report up to date.
  public func flush(
    _ totals: Totals, openMessages: ((Message, borrowing TextPool) -> Void) -> Void
  ) throws(ReportError) {
    try reports.attemptAll { report throws(ReportError) in try report.flush(totals, openMessages: openMessages) }
  }

  /// Starts anew what somebody has moved away.
  public func reopen() throws(ReportError) {
    try reports.attemptAll { report throws(ReportError) in try report.reopen() }
  }

  /// Finishes every report.
  public func finish(_ totals: Totals) throws(ReportError) {
    try reports.attemptAll { report throws(ReportError) in try report.finish(totals) }
  }
}
