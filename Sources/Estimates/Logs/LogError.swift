import TableReading

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
