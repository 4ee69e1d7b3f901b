import TableReading

/// Reads an app's log: CSV, SQLite, a table of JSON, HAR, task metrics of URLSession, curl's output, or Chrome's netlog.
///
/// It is strict. One bad row refuses the whole log, because sums over the rest would look right and be wrong. The error has the
/// first bad row and the number of them.
public struct LogReader: Sendable {
  let options: LogOptions

  /// A reader.
  public init(options: LogOptions = LogOptions()) { self.options = options }

  /// Reads the log at `path`, a regular file, and does not change it. A log without any row is an error.
  public func read(_ path: String) throws(LogError) -> AppLog {
    let file = try TableFile(path: path)
    switch try format(of: file) {
    case .csv: return try CSVLog(file: file, options: options).read()
    case .sqlite: return try SQLiteLog(path: path, options: options).read()
    case .har, .urlSessionMetrics, .curl, .netlog, .json, nil:
      return try JSONLog(file: file, options: options).read(options.format)
    }
  }

  /// The format of a file; nil for JSON of a kind that only its reader tells. The caller's format is not questioned: its reader tells if
  /// the content does not fit.
  func format(of file: TableFile) throws(LogError) -> LogFormat? {
    if let asked = options.format { return asked }
    let shown = try file.format()
    guard shown == .csv else { return shown }
    if CSVLog(file: file, options: options).hasKnownColumns { return .csv }
    if try JSONLog(file: file, options: options).hasConsoleLines(FirstLine(file)) { return nil }
    guard !file.isAccessLog else {
      throw LogError(
        file: file.path, "is a server's access log; expected a table with the names of its columns: CSV, SQLite or JSON"
      )
    }
    return .csv
  }
}

/// The reason why a log could not be read.
public typealias LogError = ReadingError

/// The reason why one row cannot be an entry: the column, its content, and the expectation.
struct RowProblem: Error, Equatable {
  /// The reason in words for people.
  let description: String

  init(_ description: String) { self.description = description }

  init(_ column: LogColumn, expected: String, found: LogCell) {
    self.init("column \(column.rawValue): expected \(expected), found \(found.quoted)")
  }
}

extension String {
  /// At most `count` scalars, so that one cell of a file cannot fill a screen. A character can have millions of them.
  func shortened(to count: Int = 40) -> String {
    let beginning = unicodeScalars.prefix(count)
    return beginning.endIndex == endIndex ? self : String(beginning) + "…"
  }
}
