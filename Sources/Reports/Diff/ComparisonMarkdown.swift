import Tabular

/// A comparison as GitHub Flavored Markdown, for a comment on a pull request. Names are in code spans (`MarkdownText`).
struct ComparisonMarkdown {
  private let comparison: ReportComparison
  private let cells: ComparisonCells

  init(_ comparison: ReportComparison, limit: Int) {
    self.comparison = comparison
    cells = ComparisonCells(comparison, limit: limit)
  }

  /// The text; ends with a line break.
  var text: String {
    let total = comparison.total
    var lines = [
      "### HTTP traffic",
      "",
      MarkdownText.code(TextEscaping.string(Array(comparison.baseName.utf8))) + " → "
        + MarkdownText.code(TextEscaping.string(Array(comparison.newName.utf8))) + ": "
        + "\(Numerals.grouped(total.base.figures[.ip])) → **\(Numerals.grouped(total.new.figures[.ip]))** IP bytes ("
        + [Numerals.signed(total.difference(APISum.ip)), ComparisonCells.share(total)].filter { !$0.isEmpty }
        .joined(separator: ", ")
        + "); APIs: \(ComparisonCells.census(comparison)).",
      "",
    ]
    for verdict in ComparisonCells.verdicts(comparison) {
      lines += [(verdict.isKept ? "✅ " : "❌ ") + "**\(MarkdownText.escaped(verdict.text))**", ""]
    }
    if cells.shown.isEmpty {
      lines.append("No API is different.")
    } else {
      lines += table
      if cells.hidden > 0 { lines += ["", "… and \(Numerals.grouped(cells.hidden)) more that differ."] }
    }
    if let handshakes = ComparisonCells.handshakes(comparison) { lines += ["", handshakes + "."] }
    let notes = ComparisonCells.unsure(comparison) + comparison.gaps
    if !notes.isEmpty { lines += [""] + notes.map { "- ⚠️ \(MarkdownText.escaped($0))" } }
    return lines.joined(separator: "\n") + "\n"
  }

  private var table: [String] {
    let titles = cells.columns.map(\.title)
    var lines = [MarkdownText.row(["API"] + titles), MarkdownText.rule(left: 1, of: titles.count + 1)]
    for api in cells.shown {
      let name = MarkdownText.code(api.key.text)
      lines.append(MarkdownText.row([api.isBeyond ? "❌ " + name : name] + cells.cells(api)))
    }
    lines.append(MarkdownText.row(["**total**"] + cells.cells(comparison.total)))
    return lines
  }
}
