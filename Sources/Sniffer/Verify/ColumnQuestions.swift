import Estimates
import Foundation

/// Asks on the terminal which of a log's columns is which, when their names do not tell.
enum ColumnQuestions {
  /// Whether a person can answer. Both the answers and the questions, which are on standard error, need a terminal.
  static var areAnswered: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// The mapping with which the log can be read; nil when there is nothing to ask.
  static func mapping(of log: String, _ options: LogOptions) throws(LogError) -> LogMapping? {
    guard let tables = try LogReader(options: options).unknownTables(log) else { return nil }
    var dialogue = ColumnDialogue(
      tables: tables, mapping: LogMapping(columns: options.columns, table: options.table),
      ask: { question in
        ErrorOutput.show(question)
        return readLine()
      },
      say: { ErrorOutput.show($0.replacingOccurrences(of: "\n", with: " ") + "\n") })
    do throws(LogError) { return try dialogue.run() } catch { throw LogError("\(log): \(error.description)") }
  }
}
