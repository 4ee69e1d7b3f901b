import Foundation
import HTTPReassembly
import Testing

@testable import Reports

/// The figures of an API; those that are not named are 0.
func counts(_ figures: [APIColumn: Int]) -> APICounts {
  var counts = APICounts()
  for (column, value) in figures { counts[column] = value }
  return counts
}

/// A share that has to be one.
func share(_ text: String) throws -> Proportion {
  let share: Proportion? = Proportion(text)
  return try #require(share)
}

/// A report with some APIs.
func report(
  _ name: String, _ apis: [(path: String, figures: [APIColumn: Int], p95: Int64?)]
) throws(RowFault) -> ReportedAPIs {
  var report = ReportedAPIs(name: name)
  for api in apis {
    var reported = ReportedAPI()
    reported.figures = counts(api.figures)
    reported.waitP95 = api.p95
    try report.add(APIKey(host: Array("api.example.com".utf8), path: Array(api.path.utf8)), reported)
  }
  return report
}

/// An `apis.csv` as text: a row is host, path and the 22 figures, of which those that are not given are 0, and the last
/// two, which are latencies, empty.
func apisCSV(_ rows: [(host: String, path: String, figures: [APIColumn: Int])]) -> String {
  let header = ["host", "path"] + APIColumn.allCases.map(\.rawValue) + ["wait_ms_p50", "wait_ms_p95"]
  let lines = rows.map { row in
    [row.host, row.path] + APIColumn.allCases.map { String(row.figures[$0] ?? 0) } + ["", ""]
  }
  return ([header] + lines).map { $0.joined(separator: ",") + "\r\n" }.joined()
}

extension TemporaryFolder {
  /// Puts a file into it and returns the file's path.
  func put(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/" + name))
    return path + "/" + name
  }
}
