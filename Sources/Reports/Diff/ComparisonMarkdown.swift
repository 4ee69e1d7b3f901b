import Tabular

/// A comparison as GitHub Flavored Markdown, for a comment on a pull request.
///
/// Names from the wire stand in code spans, in which Markdown, HTML, mentions and links mean nothing. What would end a
/// code span or a cell of a table, a backtick or a vertical bar, is escaped as reports escape other octets (`\x60`,
/// `\x7c`), so that nothing depends on how a reader of Markdown takes nested escapes.
struct ComparisonMarkdown {
  private let comparison: ReportComparison
  private let cells: ComparisonCells
  /// Columns of a name: GitHub takes comments of 65,536 characters.
  private static let nameWidth = 120

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
      Self.code(TextEscaping.string(Array(comparison.baseName.utf8))) + " → "
        + Self.code(TextEscaping.string(Array(comparison.newName.utf8))) + ": "
        + "\(Numerals.grouped(total.base.figures[.ip])) → **\(Numerals.grouped(total.new.figures[.ip]))** IP bytes ("
        + [Numerals.signed(total.difference(APISum.ip)), ComparisonCells.share(total)].filter { !$0.isEmpty }
        .joined(separator: ", ")
        + "); APIs: \(ComparisonCells.census(comparison)).",
      "",
    ]
    if let verdict = ComparisonCells.verdict(comparison) {
      lines += [(comparison.beyond.isEmpty ? "✅ " : "❌ ") + "**\(verdict)**", ""]
    }
    if cells.shown.isEmpty {
      lines.append("No API is different.")
    } else {
      lines += table
      if cells.hidden > 0 { lines += ["", "… and \(Numerals.grouped(cells.hidden)) more that differ."] }
    }
    let unsure = ComparisonCells.unsure(comparison)
    if !unsure.isEmpty { lines += [""] + unsure.map { "- ⚠️ \($0)" } }
    return lines.joined(separator: "\n") + "\n"
  }

  private var table: [String] {
    let titles = ComparisonCells.titles
    var lines = [row(["API"] + titles), "|---|" + String(repeating: "---:|", count: titles.count)]
    for api in cells.shown {
      let name = Self.code(api.key.text)
      lines.append(row([api.isBeyond ? "❌ " + name : name] + ComparisonCells.cells(api)))
    }
    lines.append(row(["**total**"] + ComparisonCells.cells(comparison.total)))
    return lines
  }

  private func row(_ cells: [String]) -> String {
    // "<0.1%" is what starts like a tag; the other cells are digits and words of our own.
    "| "
      + cells.map { $0.hasPrefix("`") || $0.hasPrefix("❌") ? $0 : $0.replacing("<", with: "&lt;") }
      .joined(separator: " | ") + " |"
  }

  /// A code span.
  static func code(_ text: String) -> String {
    let safe = text.shortened(to: nameWidth).replacing("`", with: "\\x60").replacing("|", with: "\\x7c")
    return "`" + safe + "`"
  }
}
