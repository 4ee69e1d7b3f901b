/// A comparison for a terminal. Names are escaped; the same comparison and width give the same text.
struct ComparisonTable {
  private let comparison: ReportComparison
  private let cells: ComparisonCells
  /// Below this the columns of numbers would not fit whatever is left out.
  private static let leastWidth = 40

  init(_ comparison: ReportComparison, limit: Int) {
    self.comparison = comparison
    cells = ComparisonCells(comparison, limit: limit)
  }

  /// The APIs that differ, and the total.
  func text(width: Int, colour: Bool) -> String {
    let width = max(width, Self.leastWidth)
    var lines: [String] = []
    if cells.shown.isEmpty {
      lines.append("No API is different.")
    } else {
      lines += table(width).lines(width: width, colour: colour)
      if cells.hidden > 0 { lines.append("… and \(Summary.grouped(cells.hidden)) more that differ (--limit)") }
    }
    lines.append("")
    lines += ("APIs: " + ComparisonCells.census(comparison)).wrapped(to: width)
    if let verdict = ComparisonCells.verdict(comparison) {
      let style: Style = comparison.beyond.isEmpty ? .good : .bad
      lines += verdict.wrapped(to: width).map { style.apply($0, colour: colour) }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func table(_ width: Int) -> TextTable {
    // The change is what it is about, and stays; of the others those go first that others imply.
    let importance = [
      "base": 6, "new": 7, "%": 9, "requests": 5, "per request": 8, "header": 3, "body": 4, "errors": 2, "p95 ms": 1,
    ]
    let nameWidth = min(max(width * 2 / 5, 12), 32)
    var table = TextTable(
      columns: [.init(title: "API", isRight: false, minimum: nameWidth)]
        + ComparisonCells.titles.map { .init(title: $0, importance: importance[$0]) })
    for api in cells.shown {
      let mark = api.isBeyond ? "! " : ""
      table.rows.append(([mark + api.key.text] + ComparisonCells.cells(api), api.isBeyond ? .bad : .plain))
    }
    table.rows.append((["total"] + ComparisonCells.cells(comparison.total), .heading))
    return table
  }
}
