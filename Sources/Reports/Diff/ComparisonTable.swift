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
      if cells.hidden > 0 { lines.append("… and \(Numerals.grouped(cells.hidden)) more that differ (--limit)") }
    }
    lines.append("")
    lines += ("APIs: " + ComparisonCells.census(comparison)).wrapped(to: width)
    for line in ComparisonCells.unsure(comparison) {
      lines += Style.warning.lines(line, width: width, colour: colour)
    }
    if let verdict = ComparisonCells.verdict(comparison) {
      let style: Style = comparison.beyond.isEmpty ? .good : .bad
      lines += style.lines(verdict, width: width, colour: colour)
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

/// What people are shown of a comparison: which APIs, and the cells of each but its name.
struct ComparisonCells {
  /// The titles of the cells.
  static let titles = [
    "base", "new", "change", "%", "requests", "per request", "header", "body", "errors", "p95 ms",
  ]
  /// APIs beyond the threshold are shown all, up to this many: GitHub takes comments of 65,536 characters.
  private static let beyondLimit = 200

  /// The APIs that are shown, in the order of the comparison.
  let shown: [APIComparison]
  /// How many that differ are not shown.
  let hidden: Int

  init(_ comparison: ReportComparison, limit: Int) {
    let different = comparison.apis.filter { $0.change != .same }
    var shown: [APIComparison] = []
    var beyond = 0
    for (index, api) in different.enumerated() {
      if api.isBeyond { beyond += 1 }
      if index < limit || api.isBeyond && beyond <= Self.beyondLimit { shown.append(api) }
    }
    self.shown = shown
    hidden = different.count - shown.count
  }

  /// What is not sure of either report, in lines.
  static func unsure(_ comparison: ReportComparison) -> [String] {
    let base = UnsureOctets(comparison.apis.lazy.map { (key: $0.key, figures: $0.base.figures) })
    let new = UnsureOctets(comparison.apis.lazy.map { (key: $0.key, figures: $0.new.figures) })
    return base.lines.map { "base: \($0)" } + new.lines.map { "new: \($0)" }
  }

  /// The cells under `titles`: `ip_bytes` before and after, and differences.
  static func cells(_ api: APIComparison) -> [String] {
    let (old, new) = (api.base.figures[.ip], api.new.figures[.ip])
    return [
      Numerals.grouped(old), Numerals.grouped(new), Numerals.signed(new - old), share(api),
      Numerals.signed(api.difference(APIColumn.requests)),
      api.perRequestDifference.map { Numerals.mean($0, of: 1000) } ?? "",
      Numerals.signed(api.difference(APISum.header)), Numerals.signed(api.difference(APISum.body)),
      Numerals.signed(api.difference(APISum.errors)),
      api.difference(\.waitP95).map { Numerals.mean(Int($0), of: 1_000_000) } ?? "",
    ]
  }

  /// What changed in percent, or that there is nothing to compare it with.
  static func share(_ api: APIComparison) -> String {
    switch api.change {
    case .new: "new"
    case .vanished: "gone"
    default: Numerals.signedPercent(api.difference(APISum.ip), of: api.base.figures[.ip])
    }
  }

  /// What the threshold says; nil without one.
  static func verdict(_ comparison: ReportComparison) -> String? {
    guard let threshold = comparison.threshold else { return nil }
    let count = comparison.beyond.count
    let apis = count == 1 ? "1 API" : "\(Numerals.grouped(count)) APIs"
    return (count == 0 ? "nothing" : apis) + " grew beyond \(threshold.text)"
  }

  /// How many APIs are new and have vanished.
  static func census(_ comparison: ReportComparison) -> String {
    func count(_ change: APIComparison.Change) -> String {
      Numerals.grouped(comparison.apis.count { $0.change == change })
    }
    return "\(count(.new)) new, \(count(.vanished)) gone, \(count(.grew)) grew, \(count(.shrank)) shrank"
  }
}
