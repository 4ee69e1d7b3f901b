import EstimateReports
import Reports

/// The files that a command writes to the folder of its reports.
struct ReportFiles {
  /// The files that this run writes.
  let written: [String]
  /// The files of this kind of run. Those that exist and are not written now come from an earlier run. Files of other commands
  /// stay, so that the comparison with an app's log can be in the folder of the reports.
  let known: [String]

  /// The reports in these formats.
  static func reports(_ formats: [ReportFormat]) -> ReportFiles {
    ReportFiles(written: formats.flatMap(\.fileNames), known: ReportFormat.allCases.flatMap(\.fileNames))
  }

  /// The files of `budget`: the reports, and a table of its own.
  static func budget(_ formats: [ReportFormat]) -> ReportFiles {
    let reports = reports(formats)
    return ReportFiles(written: reports.written + [BudgetCSV.fileName], known: reports.known + [BudgetCSV.fileName])
  }

  /// The files of `verify`.
  static func verify(_ formats: [ReportFormat]) -> ReportFiles { tables([VerifyCSV.fileName], formats) }

  /// The files of `models`.
  static func models(_ formats: [ReportFormat]) -> ReportFiles { tables(ModelReport.fileNames, formats) }

  private static func tables(_ names: [String], _ formats: [ReportFormat]) -> ReportFiles {
    let page = formats.contains(.html) ? ReportFormat.html.fileNames : []
    return ReportFiles(written: (formats.contains(.csv) ? names : []) + page, known: names)
  }
}
