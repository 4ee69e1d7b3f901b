/// How a comparison is printed.
package enum ComparisonFormat: String, CaseIterable, Sendable {
  /// For people, fitted to the terminal.
  case table
  /// For spreadsheets and databases: every API and figure.
  case csv
  /// For programs: every API and figure.
  case json
  /// For a comment on a pull request.
  case markdown

  /// Prints a comparison on standard output.
  ///
  /// - Parameters:
  ///   - comparison: What is printed.
  ///   - limit: The most APIs of a table, those beyond the threshold not counted.
  /// - Throws: when the other end of a pipe has gone, or a disk is full.
  package func print(_ comparison: ReportComparison, limit: Int) throws(ReportError) {
    let file = OutputFile(.standard(1), path: "standard output", isOwn: false)
    switch self {
    case .table:
      let terminal = Terminal.standardOutput
      try file.append(
        Array(
          ComparisonTable(comparison, limit: limit)
            .text(width: terminal.width ?? Summary.defaultWidth, colour: terminal.takesColour).utf8))
    case .csv: try ComparisonFile.writeCSV(comparison, to: file)
    case .json: try ComparisonFile.writeJSON(comparison, to: file)
    case .markdown: try file.append(Array(ComparisonMarkdown(comparison, limit: limit).text.utf8))
    }
    try file.flush()
  }
}
