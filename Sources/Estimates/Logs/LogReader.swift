import TableReading

/// Reads an app's log: CSV, SQLite, HAR, task metrics of URLSession, what curl writes, or Chrome's netlog.
///
/// It is strict. A row that is not what it should be refuses the whole log, with the first such row and the count of
/// them, because sums over the rest would look right and be wrong.
public struct LogReader: Sendable {
  let options: LogOptions

  /// A reader.
  public init(options: LogOptions = LogOptions()) { self.options = options }

  /// Reads the log at `path`, a regular file, which is not changed. A log without any row is an error.
  public func read(_ path: String) throws(LogError) -> AppLog {
    let file = try TableFile(path: path)
    // A format that was asked for is taken at its word; the format's own reader says what does not fit.
    let format = if let asked = options.format { asked } else { try file.format() }
    switch format {
    case .csv: return try CSVLog(file: file, options: options).read()
    case .sqlite: return try SQLiteLog(path: path, options: options).read()
    case .har, .urlSessionMetrics, .curl, .netlog, nil: return try JSONLog(file: file, options: options).read(format)
    }
  }
}

/// Why a log could not be read.
public typealias LogError = ReadingError

/// Why one row cannot be an entry: which column, what was found there, what was expected.
struct RowProblem: Error, Equatable {
  /// Words for people.
  let description: String

  init(_ description: String) { self.description = description }

  init(_ column: LogColumn, expected: String, found: LogCell) {
    self.init("column \(column.rawValue): expected \(expected), found \(found.quoted)")
  }
}

extension String {
  /// At most `count` characters, so that one cell of a file cannot fill a screen.
  func shortened(to count: Int = 40) -> String { self.count > count ? prefix(count) + "…" : self }
}
