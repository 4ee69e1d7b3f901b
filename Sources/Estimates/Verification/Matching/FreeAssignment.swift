/// The best assignment of rows to columns in any order, and what each other choice loses.
///
/// It is for rows whose order says little: parallel messages, or messages of one second. Rows are added one by one, each by the
/// cheapest chain of displaced rows (Kuhn, "The Hungarian method", 1955). A row may stay alone. Prices of rows and columns show
/// that the result is the best: no pair costs less than its two prices.
struct FreeAssignment {
  /// The column of each row; nil when it has none.
  private(set) var columns: [Int?]
  private let ordered: OrderedAssignment
  private let ranges: [Range<Int>]
  private let preference: Double
  /// The row of each column.
  private var owners: [Int?]
  /// Zero for a row without a column, else at most zero.
  private var rowPrices: [Double]
  /// Zero for a column without a row, else at most zero.
  private var columnPrices: [Double]
  /// The least cost at which a row leaves its column and something else takes it, or nothing.
  private var vacancies: [Double]
  /// The least cost at which a row is placed that has lost its column.
  private var placings: [Double]
  private var search: Search

  /// The largest number of rows, and of columns.
  static let sizeLimit = 1_024
  /// Rows that are displaced in a search for another choice. Beyond it, the choice is found only if it displaces fewer.
  static let chainLimit = 256
  /// The number of pairs that are looked at.
  static let workLimit = 20_000_000

  /// The cheapest way to each column from the row that is added.
  private struct Search {
    var costs: [Double]
    var from: [Int]
    var isDone: [Bool]
    var reached: [Int] = []
    var work = 0

    init(columns: Int) {
      costs = Array(repeating: .infinity, count: columns)
      from = Array(repeating: 0, count: columns)
      isDone = Array(repeating: false, count: columns)
    }

    /// The reached column with the least cost that is not done.
    var next: Int? { reached.lazy.filter { !isDone[$0] }.min { costs[$0] < costs[$1] } }

    mutating func clear() {
      for column in reached { (costs[column], isDone[column]) = (.infinity, false) }
      reached.removeAll(keepingCapacity: true)
    }
  }

  /// Finds the assignment from the gains of an ordered one; nil where that is too much work.
  ///
  /// A row leaves its column of the ordered assignment only for a gain of more than `preference`.
  init?(_ ordered: OrderedAssignment, ranges: [Range<Int>], preference: Double) {
    let count = ranges.last?.upperBound ?? 0
    guard max(ranges.count, count) <= Self.sizeLimit else { return nil }
    (self.ordered, self.ranges, self.preference) = (ordered, ranges, preference)
    columns = Array(repeating: nil, count: ranges.count)
    owners = Array(repeating: nil, count: count)
    rowPrices = Array(repeating: 0, count: ranges.count)
    columnPrices = Array(repeating: 0, count: count)
    vacancies = []
    placings = []
    search = Search(columns: count)
    for row in ranges.indices {
      add(row)
      guard search.work < Self.workLimit else { return nil }
    }
    findVacancies()
    findPlacings()
  }

  /// The cost of a pair beyond its prices, never below zero but for rounding; infinite for an impossible pair.
  private func rest(_ row: Int, _ column: Int) -> Double {
    let bonus = ordered.columns[row] == column ? preference : 0
    return max(-ordered.gain(row, column) - bonus - rowPrices[row] - columnPrices[column], 0)
  }

  private mutating func add(_ row: Int) {
    for column in ranges[row] {
      let bonus = ordered.columns[row] == column ? preference : 0
      rowPrices[row] = min(rowPrices[row], -ordered.gain(row, column) - bonus - columnPrices[column])
    }
    var visited: [(row: Int, cost: Double)] = []
    var (last, cost) = (row, 0.0)
    // The row that is the cheapest one to stay alone.
    var alone = (row: row, cost: -rowPrices[row])
    var end: Int?
    while true {
      visited.append((last, cost))
      for column in ranges[last] where !search.isDone[column] {
        let sum = cost + rest(last, column)
        guard sum < search.costs[column] else { continue }
        if search.costs[column] == .infinity { search.reached.append(column) }
        (search.costs[column], search.from[column]) = (sum, last)
      }
      search.work += ranges[last].count + search.reached.count
      guard let column = search.next, search.costs[column] < alone.cost else { break }
      search.isDone[column] = true
      guard let owner = owners[column] else {
        end = column
        break
      }
      (last, cost) = (owner, search.costs[column])
      if cost - rowPrices[owner] < alone.cost { alone = (owner, cost - rowPrices[owner]) }
    }
    let whole = end.map { search.costs[$0] } ?? alone.cost
    for (row, cost) in visited { rowPrices[row] += whole - cost }
    for column in search.reached where search.isDone[column] {
      columnPrices[column] -= whole - search.costs[column]
    }
    displace(end, alone.row, for: row)
    search.clear()
  }

  /// Gives each row of the chain its new column: up to a free one, or to a row that stays alone.
  private mutating func displace(_ end: Int?, _ alone: Int, for row: Int) {
    var free = end
    if free == nil {
      guard alone != row else { return }
      free = columns[alone]
      columns[alone] = nil
    }
    while let column = free {
      let taker = search.from[column]
      free = columns[taker]
      columns[taker] = column
      owners[column] = taker
      if taker == row { return }
    }
  }

  // MARK: Losses

  /// The rows that may have a column.
  private func rows(of column: Int) -> Range<Int> {
    let low = ranges.partitioningIndex { $0.upperBound > column }
    return low..<max(low, ranges.partitioningIndex { $0.lowerBound > column })
  }

  private static func least(of costs: [Double], _ isOpen: [Bool]) -> Int? {
    costs.indices.lazy.filter { isOpen[$0] }.min { costs[$0] < costs[$1] }
  }

  private mutating func findVacancies() {
    vacancies = columnPrices.map { -$0 }
    for row in ranges.indices where columns[row] == nil {
      for column in ranges[row] { vacancies[column] = min(vacancies[column], rest(row, column)) }
    }
    var isOpen = owners.map { $0 != nil }
    while let column = Self.least(of: vacancies, isOpen) {
      isOpen[column] = false
      guard let owner = owners[column] else { continue }
      for other in ranges[owner] where isOpen[other] {
        vacancies[other] = min(vacancies[other], vacancies[column] + rest(owner, other))
      }
    }
  }

  private mutating func findPlacings() {
    placings = rowPrices.map { -$0 }
    for row in ranges.indices {
      for column in ranges[row] where owners[column] == nil { placings[row] = min(placings[row], rest(row, column)) }
    }
    var isOpen = columns.map { $0 != nil }
    while let row = Self.least(of: placings, isOpen) {
      isOpen[row] = false
      guard let column = columns[row] else { continue }
      for other in rows(of: column) where isOpen[other] {
        placings[other] = min(placings[other], placings[row] + rest(other, column))
      }
    }
  }

  /// The columns that `row` could have with a loss below `limit`. All other rows are placed anew as is best.
  func choices(of row: Int, below limit: Double) -> [Int] {
    // The least cost at which a row is placed that has lost its column, where the column of `row` is free.
    var costs = Array(repeating: Double.infinity, count: columns.count)
    if let own = columns[row] {
      var open: [Int] = []
      func reach(_ column: Int, _ cost: Double) {
        for other in rows(of: column) where other != row && columns[other] != nil {
          let sum = cost + rest(other, column)
          guard sum < min(limit, costs[other]) else { continue }
          if costs[other] == .infinity { open.append(other) }
          costs[other] = sum
        }
      }
      reach(own, 0)
      for _ in 0..<Self.chainLimit {
        guard let place = open.indices.min(by: { costs[open[$0]] < costs[open[$1]] }) else { break }
        let next = open[place]
        open.swapAt(place, open.count - 1)
        open.removeLast()
        if let column = columns[next] { reach(column, costs[next]) }
      }
    }
    let vacancy = columns[row].map { vacancies[$0] } ?? 0
    return ranges[row].filter { column in
      guard column != columns[row] else { return false }
      let placing = owners[column].map { min(costs[$0], placings[$0] + vacancy) } ?? vacancy
      return rest(row, column) + placing < limit
    }
  }
}
