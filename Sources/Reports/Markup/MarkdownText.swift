import Tabular

/// Pieces of GitHub Flavored Markdown.
///
/// Names from the wire stand in code spans, in which Markdown, HTML, mentions and links mean nothing. What would end a
/// code span or a cell of a table, a backtick or a vertical bar, is escaped as reports escape other octets (`\x60`,
/// `\x7c`), so that nothing depends on how a reader of Markdown takes nested escapes.
enum MarkdownText {
  /// Columns of a name: GitHub takes comments of 65,536 characters.
  private static let nameWidth = 120

  /// A code span of a text that is escaped already.
  static func code(_ text: String) -> String {
    let safe = text.shortened(to: nameWidth).replacing("`", with: "\\x60").replacing("|", with: "\\x7c")
    // An empty code span is two plain backticks.
    return safe.isEmpty ? "` `" : "`" + safe + "`"
  }

  /// A row of a table. Cells are code spans, or digits and words of our own, in which nothing but `<` could mean anything.
  static func row(_ cells: [String]) -> String {
    "| "
      + cells.map { $0.hasPrefix("`") || $0.hasPrefix("❌") ? $0 : $0.replacing("<", with: "&lt;") }
      .joined(separator: " | ") + " |"
  }

  /// The line below a table's head: the first `left` columns stand at their left edges, the others at their right ones.
  static func rule(left: Int, of count: Int) -> String {
    "|" + String(repeating: "---|", count: left) + String(repeating: "---:|", count: count - left)
  }
}
