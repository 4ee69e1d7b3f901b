import Foundation
import Testing

/// `report.html` with the CSV files of the same run, and the page's data as a reader of its own finds it.
struct Page: Sendable {
  let outcome: Outcome
  /// The CSV files.
  let report: Report
  /// The page as it was written.
  let text: String
  /// The page's data as JSON.
  let json: Data
  private let scratch: Scratch

  /// Where the page is.
  var url: URL { scratch.url.appendingPathComponent("report/report.html") }

  /// Analyses captures into CSV files and a page.
  init(_ arguments: [String]) throws {
    scratch = try Scratch()
    outcome = try Sniffer.run(arguments + ["--format", "csv,html", "-o", scratch.path("report")])
    report = try Report(folder: scratch.url.appendingPathComponent("report"))
    text = try String(contentsOf: scratch.url.appendingPathComponent("report/report.html"), encoding: .utf8)
    let start = try #require(text.range(of: "<script type=\"application/json\" id=\"data\">"))
    let end = try #require(text.range(of: "</script>", range: start.upperBound..<text.endIndex))
    json = Data(text[start.upperBound..<end.lowerBound].utf8)
  }

  /// A page of one hand-made exchange.
  init(request: String, response: String, _ arguments: [String] = []) throws {
    let input = try Scratch()
    let capture = try input.file("capture.pcap", HandMadeCapture.octets(request: request, response: response))
    try self.init([capture.path] + arguments)
  }

  /// The page's data.
  func data() throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: json)
    return try #require(value as? [String: Any])
  }

  /// A table of the data, as records.
  func table(_ name: String) throws -> PageTable {
    let table = try data()[name] as? [String: Any]
    return try PageTable(#require(table))
  }

  /// The summary's integers.
  func summary(_ name: String) throws -> Int {
    let summary = try #require(try data()["summary"] as? [String: Any])
    return try #require(summary[name] as? Int)
  }
}

/// A table of the page's data.
struct PageTable {
  let columns: [String]
  let rows: [[String: Any]]
  let total: Int?
  let rest: [String: Any]?

  init(_ table: [String: Any]) throws {
    let columns = try #require(table["columns"] as? [String])
    func record(_ cells: [Any]) throws -> [String: Any] {
      try #require(cells.count == columns.count)
      return Dictionary(uniqueKeysWithValues: zip(columns, cells))
    }
    self.columns = columns
    rows = try #require(table["rows"] as? [[Any]]).map(record)
    total = table["total"] as? Int
    rest = try (table["rest"] as? [Any]).map(record)
  }

  /// The sum of a column over all rows, shown or not.
  func sum(_ column: String) -> Int {
    (rows + (rest.map { [$0] } ?? [])).reduce(0) { $0 + ($1[column] as? Int ?? 0) }
  }
}
