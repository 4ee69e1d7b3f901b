/// Where a table has the columns of a log.
struct ColumnPositions {
  /// A column that is there, and its index in a row.
  struct Found {
    let column: LogColumn
    let index: Int
  }

  /// The columns that are there.
  let found: [Found]

  /// Finds the columns, without regard to case and to spaces around a name. Throws a `RowProblem` with what is missing.
  init(header: [String], columns: LogColumns) throws(RowProblem) {
    let header = header.map(Self.folded)
    var found: [Found] = []
    for column in LogColumn.allCases {
      let name = Self.folded(columns.name(column))
      let other = columns.names[column] == nil ? column.otherName : nil
      guard let position = header.firstIndex(where: { $0 == name || $0 == other }) else {
        // A name that was given has to be there, even for a column that a log may lack.
        if columns.names[column] != nil { throw Self.missing([column], columns, header) }
        continue
      }
      guard header[(position + 1)...].firstIndex(where: { $0 == name || $0 == other }) == nil else {
        throw RowProblem("column \(columns.name(column)) is there twice")
      }
      found.append(Found(column: column, index: position))
    }
    let names = Set(found.map(\.column))
    let missing = LogColumn.required.filter { !names.contains($0) }
    guard missing.isEmpty else { throw Self.missing(missing, columns, header) }
    guard LogColumn.lengths.contains(where: names.contains) else {
      throw Self.missing(LogColumn.lengths, columns, header)
    }
    self.found = found
  }

  /// Whether a column is there.
  func has(_ column: LogColumn) -> Bool { found.contains { $0.column == column } }

  /// One line for each figure that this log cannot say anything about.
  var notices: [String] {
    LogColumn.lengths.filter { !has($0) }.map { "no column \($0.rawValue): it is not verified" }
  }

  private static func folded(_ name: String) -> String {
    name.lowercased().split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
  }

  private static func missing(_ columns: [LogColumn], _ names: LogColumns, _ header: [String]) -> RowProblem {
    let wanted = columns.map { names.name($0) }.joined(separator: ", ")
    let there = header.prefix(20).map { $0.shortened() }.joined(separator: ", ")
    let more = header.count > 20 ? " and \(header.count - 20) more" : ""
    let map = columns.first.map { "map it, as \($0.rawValue)=NAME" } ?? ""
    return RowProblem("no column \(wanted); there are: \(there)\(more); \(map)")
  }
}
