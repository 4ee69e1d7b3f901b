/// Improves an ordered assignment where pairs cross: an app notes parallel messages in another order than they are sent.
///
/// Where any two rows may exchange their columns, the columns are those of the best assignment in any order. Else two rows that are
/// near each other exchange their columns, and a row without a column takes a free one. Both happen only if there is a gain.
struct CrossingRepair {
  /// The column of each row; nil when it has none.
  private(set) var columns: [Int?]
  /// The gain of the columns over the ordered assignment.
  private(set) var gained = 0.0
  /// The row of each column; nil when it has none.
  private var rows: [Int?]
  private let assignment: OrderedAssignment
  private let ranges: [Range<Int>]
  /// Whether two rows may exchange their columns. They may not when both rows and both columns follow each other without overlap.
  private let mayCross: (_ rows: (Int, Int), _ columns: (Int, Int)) -> Bool

  /// The number of rows before and after a row that may exchange with it.
  private static let reach = 24
  /// The least gain of an exchange: the order of rows and messages is evidence itself.
  static let leastGain = 1.0
  /// The number of passes over all rows.
  private static let turns = 4
  /// The number of columns that are tried for a row without one.
  static let columnLimit = 512

  init(
    _ assignment: OrderedAssignment, ranges: [Range<Int>],
    mayCross: @escaping (_ rows: (Int, Int), _ columns: (Int, Int)) -> Bool
  ) {
    self.mayCross = mayCross
    self.assignment = assignment
    self.ranges = ranges
    columns = assignment.columns
    rows = Array(repeating: nil, count: ranges.last?.upperBound ?? 0)
    setRows()
  }

  private mutating func setRows() {
    for (row, column) in columns.enumerated() {
      if let column { rows[column] = row }
    }
  }

  private func worth(_ row: Int, _ column: Int?) -> Double {
    column.map { assignment.gain(row, $0) } ?? 0
  }

  /// Improves until no change gains, or the passes are over.
  mutating func improve() {
    for _ in 0..<Self.turns {
      var hasChanged = false
      for row in columns.indices {
        for other in row + 1..<max(row + 1, min(row + Self.reach, columns.count)) {
          let now = worth(row, columns[row]) + worth(other, columns[other])
          let then = worth(row, columns[other]) + worth(other, columns[row])
          guard then > now + Self.leastGain, crosses(row, other) else { continue }
          set(row, columns[other], other, columns[row])
          gained += then - now
          hasChanged = true
        }
        if let free = bestFree(row) {
          if let column = columns[row] {
            gained -= worth(row, column)
            rows[column] = nil
          }
          columns[row] = free
          rows[free] = row
          gained += worth(row, free)
          hasChanged = true
        }
      }
      if !hasChanged { return }
    }
  }

  /// Takes over an assignment in any order. False: two of its pairs cross that may not, and nothing is taken over.
  mutating func take(_ free: FreeAssignment) -> Bool {
    for (row, column) in free.columns.enumerated() {
      guard let column else { continue }
      for other in row + 1..<max(row + 1, free.columns.count) {
        guard let otherColumn = free.columns[other], otherColumn < column else { continue }
        guard mayCross((row, other), (column, otherColumn)) else { return false }
      }
    }
    gained = columns.indices.reduce(0) { $0 + worth($1, free.columns[$1]) - worth($1, columns[$1]) }
    columns = free.columns
    for column in rows.indices { rows[column] = nil }
    setRows()
    return true
  }

  /// Whether two rows may exchange their columns; a free column cannot cross.
  private func crosses(_ row: Int, _ other: Int) -> Bool {
    guard let column = columns[row], let otherColumn = columns[other] else { return true }
    return mayCross((row, other), (column, otherColumn))
  }

  private mutating func set(_ row: Int, _ column: Int?, _ other: Int, _ otherColumn: Int?) {
    columns[row] = column
    columns[other] = otherColumn
    if let column { rows[column] = row }
    if let otherColumn { rows[otherColumn] = other }
  }

  private func bestFree(_ row: Int) -> Int? {
    // A row leaves its column only for a larger gain.
    let least = columns[row].map { worth(row, $0) + Self.leastGain } ?? 0
    var best: (column: Int, gain: Double)?
    for column in ranges[row].prefix(Self.columnLimit) where rows[column] == nil && fits(row, column) {
      let gain = assignment.gain(row, column)
      if gain > best?.gain ?? least { best = (column, gain) }
    }
    return best?.column
  }

  /// Whether the pairs near a row may cross the pair of the row and a free column.
  private func fits(_ row: Int, _ column: Int) -> Bool {
    let near = (row - Self.reach..<row + Self.reach + 1).clamped(to: columns.indices)
    return near.allSatisfy { other in
      guard other != row, let otherColumn = columns[other], (other < row) != (otherColumn < column) else { return true }
      return mayCross((row, other), (column, otherColumn))
    }
  }

  /// The loss when `row` takes `column`. The former owner of `column` takes the column of `row`, or none where that is
  /// impossible.
  func loss(_ row: Int, to column: Int) -> Double {
    let now = worth(row, columns[row])
    guard let other = rows[column] else { return now - worth(row, column) }
    guard crosses(row, other) else { return .infinity }
    let swapped = worth(row, column) + worth(other, columns[row])
    return now + worth(other, column) - max(swapped, worth(row, column))
  }
}
