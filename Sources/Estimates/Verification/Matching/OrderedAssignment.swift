/// The best assignment of ordered rows to ordered columns in which no two pairs cross, and the loss of each other choice.
///
/// Each row has a range of possible columns; the ranges' bounds never decrease. A pair has a gain. A row or a column without a
/// partner has none. The assignment has the largest sum. Time and memory are proportional to the sum of all ranges.
struct OrderedAssignment {
  /// The column of each row; nil when it has none.
  private(set) var columns: [Int?]

  private let ranges: [Range<Int>]
  private let offsets: [Int]
  private let gains: [Double]
  /// The best sums of the first *i* rows with the columns before *j*, for *j* in the range of row *i* - 1 and its end.
  private var before: [Double]
  /// The best sums of the rows from *i* with the columns from *j*, for *j* in the range of row *i* and its end.
  private var after: [Double]

  /// Finds the assignment. `gain` is nil for an impossible pair.
  init(ranges: [Range<Int>], gain: (_ row: Int, _ column: Int) -> Double?) {
    self.ranges = ranges
    var offsets = [0]
    for range in ranges { offsets.append(offsets[offsets.count - 1] + range.count + 1) }
    var gains = Array(repeating: -Double.infinity, count: offsets[ranges.count])
    for (row, range) in ranges.enumerated() {
      for column in range {
        if let gain = gain(row, column) { gains[offsets[row] + column - range.lowerBound] = gain }
      }
    }
    self.offsets = offsets
    self.gains = gains
    before = gains
    after = gains
    columns = Array(repeating: nil, count: ranges.count)
    sumBefore()
    sumAfter()
    choose()
  }

  /// The gain of a pair; minus infinity if it is impossible.
  func gain(_ row: Int, _ column: Int) -> Double {
    ranges[row].contains(column) ? gains[offsets[row] + column - ranges[row].lowerBound] : -.infinity
  }

  /// The best sum of the rows before `row` with the columns before `column`.
  private func best(before row: Int, _ column: Int) -> Double {
    guard row > 0 else { return 0 }
    let range = ranges[row - 1]
    return before[offsets[row - 1] + min(max(column, range.lowerBound), range.upperBound) - range.lowerBound]
  }

  /// The best sum of the rows from `row` with the columns from `column`.
  private func best(from row: Int, _ column: Int) -> Double {
    guard row < ranges.count else { return 0 }
    let range = ranges[row]
    if column > range.upperBound { return best(from: row + 1, column) }
    return after[offsets[row] + max(column, range.lowerBound) - range.lowerBound]
  }

  private mutating func sumBefore() {
    for (row, range) in ranges.enumerated() {
      for column in range.lowerBound...range.upperBound {
        var sum = best(before: row, column)
        if column > range.lowerBound {
          sum = max(sum, before[offsets[row] + column - 1 - range.lowerBound])
          sum = max(sum, best(before: row, column - 1) + gain(row, column - 1))
        }
        before[offsets[row] + column - range.lowerBound] = sum
      }
    }
  }

  private mutating func sumAfter() {
    for row in ranges.indices.reversed() {
      let range = ranges[row]
      for column in (range.lowerBound...range.upperBound).reversed() {
        var sum = best(from: row + 1, column)
        if column < range.upperBound {
          sum = max(sum, after[offsets[row] + column + 1 - range.lowerBound])
          sum = max(sum, gain(row, column) + best(from: row + 1, column + 1))
        }
        after[offsets[row] + column - range.lowerBound] = sum
      }
    }
  }

  private mutating func choose() {
    var column = 0
    for (row, range) in ranges.enumerated() {
      column = max(column, range.lowerBound)
      while column < range.upperBound {
        let sum = best(from: row, column)
        if gain(row, column) + best(from: row + 1, column + 1) == sum {
          columns[row] = column
          column += 1
          break
        }
        guard best(from: row, column + 1) == sum else { break }
        column += 1
      }
    }
  }

  /// The loss of the best assignment with `row` at `column` against the best of all; infinite if that is impossible.
  func loss(_ row: Int, at column: Int) -> Double {
    best(from: 0, 0) - (best(before: row, column) + gain(row, column) + best(from: row + 1, column + 1))
  }
}
