import Tabular

/// Pieces of GitHub Flavored Markdown.
///
/// Names from the wire are in code spans, where Markdown, HTML, mentions and links have no meaning. A backtick would end a code
/// span, and a vertical bar a cell of a table. Both are escaped as other octets in reports (`\x60`, `\x7c`), so that no reader of
/// Markdown has to understand nested escapes.
enum MarkdownText {
  /// The largest number of columns of a name: GitHub takes comments of 65,536 characters.
  private static let nameWidth = 120

  /// A code span of an escaped text.
  static func code(_ text: String) -> String {
    let safe = text.shortened(to: nameWidth).replacing("`", with: "\\x60").replacing("|", with: "\\x7c")
    // An empty code span would be two plain backticks.
    return safe.isEmpty ? "` `" : "`" + safe + "`"
  }

  /// Our own words with names from the wire among them: characters with a meaning in Markdown and HTML are escaped as other octets are.
  static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      if let ascii = character.asciiValue, "`|<>[]*_@#&\\".utf8.contains(ascii) {
        result += "\\x" + String(ascii, radix: 16)
      } else {
        result.append(character)
      }
    }
    return result
  }

  /// A row of a table. Cells are code spans, or our own digits and words, where only `<` could have a meaning.
  static func row(_ cells: [String]) -> String {
    "| "
      + cells.map { $0.hasPrefix("`") || $0.hasPrefix("❌") ? $0 : $0.replacing("<", with: "&lt;") }
      .joined(separator: " | ") + " |"
  }

  /// The line below a table's head: the first `left` columns are aligned left, the others right.
  static func rule(left: Int, of count: Int) -> String {
    "|" + String(repeating: "---|", count: left) + String(repeating: "---:|", count: count - left)
  }
}
