import HTTPReassembly

/// The formats of `--format`. A new one is a case here and a file of its own.
public enum ReportFormat: String, CaseIterable, Sendable {
  /// Six CSV files (RFC 4180).
  case csv

  /// Opens a report of this format in `folder`, which is created if need be.
  public func report(
    folder: String, grouping: Configuration.Grouping, redaction: Redaction? = nil
  ) throws(ReportError) -> any Report {
    switch self {
    case .csv: try CSVReport(folder: folder, grouping: grouping, redaction: redaction)
    }
  }
}
