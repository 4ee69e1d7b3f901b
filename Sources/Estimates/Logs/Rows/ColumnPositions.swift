/// Where a table has the columns of a log.
struct ColumnPositions {
  /// Positions by the column's place in `LogColumn.allCases`, -1 for none: looked up for each cell.
  private let positions: [Int]
  /// The columns that are there.
  let found: [LogColumn]

  /// Finds the columns, without regard to case and to spaces around a name. Throws a `RowProblem` with what is missing.
  init(header: [String], columns: LogColumns) throws(RowProblem) {
    let header = header.map(Self.folded)
    var positions = [Int](repeating: -1, count: LogColumn.allCases.count)
    var found: [LogColumn] = []
    for (place, column) in LogColumn.allCases.enumerated() {
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
      positions[place] = position
      found.append(column)
    }
    let missing = LogColumn.required.filter { !found.contains($0) }
    guard missing.isEmpty else { throw Self.missing(missing, columns, header) }
    guard LogColumn.lengths.contains(where: found.contains) else {
      throw Self.missing(LogColumn.lengths, columns, header)
    }
    self.positions = positions
    self.found = found
  }

  /// Where a column is; nil when it is not there.
  subscript(_ column: LogColumn) -> Int? {
    let position = positions[column.place]
    return position < 0 ? nil : position
  }

  /// One line for each figure that this log cannot say anything about.
  var notices: [String] {
    LogColumn.lengths.filter { !found.contains($0) }.map { "no column \($0.rawValue): it is not verified" }
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

extension LogColumn {
  /// Its place in `allCases`.
  fileprivate var place: Int {
    switch self {
    case .host: 0
    case .path: 1
    case .type: 2
    case .time: 3
    case .length: 4
    case .lineLength: 5
    case .headerLength: 6
    case .bodyLength: 7
    case .decodedLength: 8
    case .method: 9
    case .status: 10
    case .queryLength: 11
    case .error: 12
    case .isFromCache: 13
    case .source: 14
    }
  }
}
