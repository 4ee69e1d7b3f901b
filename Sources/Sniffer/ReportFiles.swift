import EstimateReports
import Reports

/// The files that a command writes to the folder of its reports.
struct ReportFiles {
  /// Those that this run writes.
  let written: [String]
  /// Those that runs of its kind write: what of them is there and this run does not write is an earlier run's. Files of other commands
  /// stay, so that what an app's log says can lie beside the reports that it was held against.
  let known: [String]

  /// The reports in these formats.
  static func reports(_ formats: [ReportFormat]) -> ReportFiles {
    ReportFiles(written: formats.flatMap(\.fileNames), known: ReportFormat.allCases.flatMap(\.fileNames))
  }

  /// What `budget` writes: the reports, and a table of its own.
  static func budget(_ formats: [ReportFormat]) -> ReportFiles {
    let reports = reports(formats)
    return ReportFiles(written: reports.written + [BudgetCSV.fileName], known: reports.known + [BudgetCSV.fileName])
  }

  /// What `verify` writes.
  static func verify(_ formats: [ReportFormat]) -> ReportFiles { tables([VerifyCSV.fileName], formats) }

  /// What `models` writes.
  static func models(_ formats: [ReportFormat]) -> ReportFiles { tables(ModelReport.fileNames, formats) }

  private static func tables(_ names: [String], _ formats: [ReportFormat]) -> ReportFiles {
    let page = formats.contains(.html) ? ReportFormat.html.fileNames : []
    return ReportFiles(written: (formats.contains(.csv) ? names : []) + page, known: names)
  }
}
