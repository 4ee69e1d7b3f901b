import HTTPReassembly

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
