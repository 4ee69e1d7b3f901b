import HTTPReassembly

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
