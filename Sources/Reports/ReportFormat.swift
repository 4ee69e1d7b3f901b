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
