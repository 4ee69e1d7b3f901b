import Foundation
import Testing

@testable import Reports

@Suite struct ComparisonMarkdownTests {
  private func markdown(path: [UInt8], host: String = "h") throws -> [String] {
    var base = ReportedAPIs(name: "b`|se")
    var new = ReportedAPIs(name: "new\n# heading")
    let key = APIKey(host: Array(host.utf8), path: path)
    var api = ReportedAPI()
    try base.add(key, api)
    api.figures[.requestIP] = 3
    try new.add(key, api)
    let comparison = try ReportComparison(
      base, new, thresholds: .init(apis: GrowthThreshold(share: try share("5%"))))
    return ComparisonMarkdown(comparison, limit: 9).text.split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
  }

  /// Whatever a name is: as many cells as there are columns, and between the two backticks of a code span no other.
  @Test func nothingLeavesItsCell() throws {
    let hostile = [
      "/a|b", "/`<img src=x onerror=alert(1)>", "/@user", "/](http://evil.example)", "/a\\", "/a\\|b", "\n\n# x", "``",
      "/\u{202e}x", "|---|", "<!--", "https://evil.example", "\\`", "&lt;", "**b**",
      "/" + String(repeating: "|`", count: 5000),
    ]
    for path in hostile {
      let lines = try markdown(path: Array(path.utf8))
      let rows = lines.filter { $0.hasPrefix("|") }
      #expect(rows.count == 4, "\(path)")
      let row = rows[2]
      #expect(row.count { $0 == "|" } == 12 && row.count { $0 == "`" } == 2, "\(row)")
      #expect(row.hasPrefix("| ❌ `h") && row.utf8.count < 600)
      #expect(lines.first == "### HTTP traffic" && lines.count { $0.hasPrefix("#") } == 1)
      #expect(lines[2].hasPrefix("`b\\x60\\x7cse` → `new\\x0a# heading`: 0 → **3** IP bytes (+3); APIs: 0 new"))
    }
  }

  @Test func figuresStandInTheirColumns() throws {
    let lines = try markdown(path: [0x2f])
    #expect(lines.contains("| ❌ `h/` | 0 | 3 | +3 |  | 0 |  | 0 | 0 | 0 |  |"))
    #expect(lines.contains("❌ **1 API grew beyond 5% (IP bytes of an API)**"))
  }

  /// What a table is sorted by stays in it, however narrow the terminal is.
  @Test(arguments: ComparisonOrder.allCases)
  func theSortedColumnIsThereAtAnyWidth(_ order: ComparisonOrder) throws {
    func figures(_ factor: Int) -> [APIColumn: Int] {
      Dictionary(uniqueKeysWithValues: APIColumn.allCases.map { ($0, 123_456 * factor) })
    }
    let base = try report("base", [("/a", figures(1), 5_000_000), ("/b", figures(3), 7_000_000)])
    let new = try report("new", [("/a", figures(2), 6_000_000), ("/b", figures(9), 17_000_000)])
    let comparison = try ReportComparison(base, new, order: order)
    let titles = try (40...200).map { width in
      try #require(
        ComparisonTable(comparison, limit: 9).text(width: width, colour: false).split(separator: "\n").first)
    }
    for title in titles {
      let columns = title.split(separator: "  ").map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(columns.contains(order.column?.title ?? "API") && columns.contains("change"), "\(title)")
    }
    #expect(titles.last?.contains("tls") == true)
  }
}
