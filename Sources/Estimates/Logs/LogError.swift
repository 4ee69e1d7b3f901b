/// Why a log could not be read. Each description is one line that names the file and what to do.
public struct LogError: Error, Equatable, CustomStringConvertible {
  /// One line for people. What comes from the file in it is not escaped.
  public let description: String

  /// An error.
  public init(_ description: String) { self.description = description }

  /// An error of a file.
  init(file: String, _ problem: String) { self.init("\(file): \(problem)") }
}

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
