import HTTPReassembly
import Tabular

/// The formats of `--format`. A new one is a case here and a folder of its own.
public enum ReportFormat: String, CaseIterable, Sendable {
  /// A CSV file a table (RFC 4180).
  case csv
  /// One JSON object (RFC 8259) a line for each message.
  case ndjson
  /// An SQLite database.
  case sqlite
  /// An HTTP Archive 1.2.
  case har
  /// A page for people (HTML).
  case html
  /// A Parquet file a table.
  case parquet

  /// The files of this format.
  public var fileNames: [String] {
    switch self {
    case .csv: CSVReport.fileNames
    case .ndjson: NDJSONReport.fileNames
    case .sqlite: [SQLiteReport.fileName]
    case .har: [HARReport.fileName]
    case .html: [HTMLReport.fileName]
    case .parquet: ParquetReport.fileNames
    }
  }

  /// Opens a report of this format in `folder`, which is created if need be.
  ///
  /// - Parameters:
  ///   - folder: The folder of the files.
  ///   - context: The facts for every report of the run.
  ///   - isLive: Whether the run is live, and its rows are read before it ends.
  /// - Returns: The report.
  /// - Throws: When a file cannot be created, and for a HAR of a live run.
  public func report(
    folder: String, _ context: ReportContext, isLive: Bool = false
  ) throws(ReportError) -> any Report {
    let (grouping, redaction) = (context.grouping, context.redaction)
    switch self {
    case .csv:
      return try CSVReport(
        folder: folder, grouping: grouping, redaction: redaction, isLive: isLive, allowance: context.allowance)
    case .ndjson:
      return try NDJSONReport(
        folder: folder, grouping: grouping, redaction: redaction, isLive: isLive, allowance: context.allowance)
    case .sqlite: return try SQLiteReport(folder: folder, context, isLive: isLive)
    case .har:
      guard !isLive else {
        throw ReportError(
          .create, folder + "/" + HARReport.fileName, reason: "A HAR is readable only when it is complete")
      }
      return try HARReport(
        folder: folder, options: HAROptions(content: context.harContent, creatorVersion: context.toolVersion),
        redaction: redaction, allowance: context.allowance)
    case .html:
      return try HTMLReport(
        folder: folder, grouping: grouping, redaction: redaction, captures: context.captures,
        keyLogs: context.keyLogs, choices: context.choices)
    case .parquet: return try ParquetReport(folder: folder, context, isLive: isLive)
    }
  }
}

/// Several reports of one analysis. Each gets all rows, even after an error of another one.
///
/// Rows beyond `ReportContext.allowance` are missing in all reports with a row for each, and are counted here. Rows of totals take what is
/// left of it in the order of the formats.
public struct ReportSet: Report {
  private var reports: [any Report]
  private let allowance: RowAllowance
  /// The rows that were left out.
  public private(set) var leftOut = LeftOutRows()

  /// Opens a report of each format in `folder`, which is created if need be.
  public init(
    _ formats: [ReportFormat], folder: String, _ context: ReportContext, isLive: Bool = false
  ) throws(ReportError) {
    reports = []
    allowance = context.allowance
    allowance.reserveTotals()
    // The page comes last: it takes the most memory to finish, when the others have let go of theirs.
    for format in formats.filter({ $0 != .html }) + formats.filter({ $0 == .html }) {
      reports.append(try format.report(folder: folder, context, isLive: isLive))
    }
  }

  /// A set of one open report.
  public init(_ report: any Report) {
    reports = [report]
    allowance = RowAllowance()
  }

  /// Calls every report that observes messages; nil when none does.
  public var observer: (any MessageObserver)? {
    MessageObservers.all(reports.compactMap(\.observer))
  }

  /// Passes a message on.
  public mutating func message(_ message: Message, texts: borrowing TextPool) throws(ReportError) {
    defer { if !allowance.isOpen { leftOut.add(message) } }
    try attempt { report throws(ReportError) in try report.message(message, texts: texts) }
  }

  /// Passes an exchange on.
  public mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(ReportError) {
    defer { if !allowance.isOpen { leftOut.add(exchange) } }
    try attempt { report throws(ReportError) in try report.exchange(exchange, texts: texts) }
  }

  /// Passes a connection on.
  public mutating func connection(_ connection: Connection, texts: borrowing TextPool) throws(ReportError) {
    defer { if !allowance.isOpen { leftOut.add(connection) } }
    try attempt { report throws(ReportError) in try report.connection(connection, texts: texts) }
  }

  /// Passes a row of details on.
  public mutating func detail(_ row: DetailRow, texts: borrowing TextPool) throws(ReportError) {
    defer { if !allowance.isOpen { leftOut.add(row) } }
    try attempt { report throws(ReportError) in try report.detail(row, texts: texts) }
  }

  /// Allows this number of further octets for rows from now on, whatever the earlier rows took.
  public func renewAllowance(_ octets: Int) { allowance.renew(octets) }

  /// Brings every report up to date.
  public mutating func flush(
    _ totals: Totals, openMessages: ((Message, borrowing TextPool) -> Void) -> Void
  ) throws(ReportError) {
    let totals = totals.noting(leftOut)
    allowance.beginTotals()
    defer { leftOut.totals = allowance.totalsLeftOut }
    try reports.attemptAll { report throws(ReportError) in try report.flush(totals, openMessages: openMessages) }
  }

  /// Starts anew the files that were moved away.
  public mutating func reopen() throws(ReportError) {
    try reports.attemptAll { report throws(ReportError) in try report.reopen() }
  }

  /// Finishes every report and lets go of it, so that its memory is free for the next one. Later rows are in none.
  public mutating func finish(_ totals: Totals) throws(ReportError) {
    let totals = totals.noting(leftOut)
    allowance.beginTotals()
    defer { leftOut.totals = allowance.totalsLeftOut }
    var first = FirstError()
    while !reports.isEmpty {
      var report: (any Report)? = reports.removeFirst()
      first.attempt { () throws(ReportError) in try report?.finish(totals) }
      report = nil
      UnusedMemory.giveBack()
    }
    try first.check()
  }

  /// Passes a row to every report. After the allowance is used up, passes it only to those that still take it.
  private mutating func attempt(_ body: (inout any Report) throws(ReportError) -> Void) throws(ReportError) {
    let isOpen = allowance.isOpen
    try reports.attemptAll { report throws(ReportError) in
      if isOpen || report.takesEveryRow { try body(&report) }
    }
  }
}

extension Array {
  /// Calls `body` with each element, even after an error.
  ///
  /// - Throws: The first error.
  mutating func attemptAll(_ body: (inout Element) throws(ReportError) -> Void) throws(ReportError) {
    var failure: ReportError?
    for index in indices {
      do throws(ReportError) { try body(&self[index]) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }
}
