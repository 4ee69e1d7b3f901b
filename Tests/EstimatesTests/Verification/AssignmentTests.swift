import TestSupport
import Testing

@testable import Estimates

/// The assignment of ordered rows to ordered columns, against all that there are.
@Suite struct AssignmentTests {
  /// The largest sum of gains over all assignments in which no two pairs cross, by trying them all.
  private func best(_ gains: [[Double?]], _ row: Int = 0, _ column: Int = 0) -> Double {
    guard row < gains.count else { return 0 }
    var most = best(gains, row + 1, column)
    for other in column..<max(column, gains[row].count) {
      if let gain = gains[row][other] { most = max(most, gain + best(gains, row + 1, other + 1)) }
    }
    return most
  }

  private func sum(_ columns: [Int?], _ gains: [[Double?]]) -> Double {
    columns.enumerated().reduce(0) { sum, pair in sum + (pair.element.flatMap { gains[pair.offset][$0] } ?? 0) }
  }

  /// Gains at random, some pairs impossible, in bands whose bounds never decrease.
  private func sample(_ random: inout SeededRandom) -> (ranges: [Range<Int>], gains: [[Double?]]) {
    let columns = Int.random(in: 0...6, using: &random)
    var ranges: [Range<Int>] = []
    var low = 0
    var high = 0
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      low = min(Int.random(in: low...low + 1, using: &random), columns)
      high = max(low, high, min(columns, low + Int.random(in: 0...4, using: &random)))
      ranges.append(low..<high)
    }
    let gains = ranges.map { range in
      (0..<columns).map { column -> Double? in
        range.contains(column) && Int.random(in: 0..<4, using: &random) > 0
          ? Double(Int.random(in: -3...9, using: &random)) : nil
      }
    }
    return (ranges, gains)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func isTheBestOfAll(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<RandomCases.count(400) {
      let (ranges, gains) = sample(&random)
      let assignment = OrderedAssignment(ranges: ranges) { gains[$0][$1] }
      let most = best(gains)
      #expect(sum(assignment.columns, gains) == most)
      let taken = assignment.columns.compactMap { $0 }
      #expect(taken == taken.sorted() && Set(taken).count == taken.count)
      // What a choice loses is what the best assignment with it has less.
      for row in ranges.indices {
        for column in ranges[row] {
          guard let gain = gains[row][column] else { continue }
          let before = Array(gains[..<row]).map { Array($0[..<column]) }
          let after = Array(gains[(row + 1)...]).map { Array($0[(column + 1)...]) }
          #expect(assignment.loss(row, at: column) == most - (best(before) + gain + best(after)))
        }
      }
    }
  }

  /// Exchanging columns never makes an assignment worse, gives each column once, and finds a crossing that is worth it.
  @Test func crossingsAreFoundWhereTheyGain() {
    var random = SeededRandom(seed: 7)
    for _ in 0..<RandomCases.count(400) {
      let (ranges, gains) = sample(&random)
      let assignment = OrderedAssignment(ranges: ranges) { gains[$0][$1] }
      var repair = CrossingRepair(assignment, ranges: ranges) { _, _ in true }
      repair.improve()
      #expect(sum(repair.columns, gains) >= sum(assignment.columns, gains))
      #expect(abs(sum(repair.columns, gains) - sum(assignment.columns, gains) - repair.gained) < 1e-9)
      let taken = repair.columns.compactMap { $0 }
      #expect(Set(taken).count == taken.count)
    }
    let gains: [[Double?]] = [[5, 20], [20, 5]]
    let assignment = OrderedAssignment(ranges: [0..<2, 0..<2]) { gains[$0][$1] }
    var repair = CrossingRepair(assignment, ranges: [0..<2, 0..<2]) { _, _ in true }
    repair.improve()
    #expect(repair.columns == [1, 0] && repair.loss(0, to: 0) == 30)
    var fixed = CrossingRepair(assignment, ranges: [0..<2, 0..<2]) { _, _ in false }
    fixed.improve()
    #expect(fixed.columns == assignment.columns)
  }

  /// The largest sum of gains over all assignments in any order, by trying them all. `fixed` is a pair that must be one of them.
  private func bestInAnyOrder(_ gains: [[Double?]], fixed: (row: Int, column: Int)? = nil) -> Double {
    func best(_ row: Int, _ taken: Set<Int>) -> Double {
      guard row < gains.count else { return 0 }
      if row == fixed?.row { return best(row + 1, taken) }
      var most = best(row + 1, taken)
      for column in gains[row].indices where !taken.contains(column) {
        if let gain = gains[row][column] { most = max(most, gain + best(row + 1, taken.union([column]))) }
      }
      return most
    }
    guard let fixed else { return best(0, []) }
    return (gains[fixed.row][fixed.column] ?? -.infinity) + best(0, [fixed.column])
  }

  /// In any order the sum is the largest of all, and each choice that loses less than a limit is found.
  @Test(arguments: [4, 5, 6] as [UInt64])
  func isTheBestInAnyOrder(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var (found, near) = (0, 0)
    for _ in 0..<RandomCases.count(400) {
      let (ranges, gains) = sample(&random)
      let ordered = OrderedAssignment(ranges: ranges) { gains[$0][$1] }
      let free = try #require(FreeAssignment(ordered, ranges: ranges, preference: 0))
      let most = bestInAnyOrder(gains)
      #expect(abs(sum(free.columns, gains) - most) < 1e-9)
      let taken = free.columns.compactMap { $0 }
      #expect(Set(taken).count == taken.count)
      for row in ranges.indices {
        let limit = Double(Int.random(in: 1...8, using: &random)) - 0.5
        let choices = free.choices(of: row, below: limit)
        for column in ranges[row] where column != free.columns[row] {
          guard most - bestInAnyOrder(gains, fixed: (row, column)) < limit else { continue }
          near += 1
          #expect(choices.contains(column))
        }
        found += choices.count
      }
    }
    // Chains that meet each other make a choice look nearer than it is, which is rare.
    #expect(near > RandomCases.count(400) / 4 && found < near + near / 4, "\(found) found, \(near) near")
  }

  /// Rows without an order find their columns by a chain of three, which no exchange of two gains.
  @Test func chainsAreFound() throws {
    let gains: [[Double?]] = [[10, 20, nil], [nil, 10, 20], [20, nil, 10]]
    let ranges = Array(repeating: 0..<3, count: 3)
    let ordered = OrderedAssignment(ranges: ranges) { gains[$0][$1] }
    let free = try #require(FreeAssignment(ordered, ranges: ranges, preference: 0.5))
    #expect(free.columns == [1, 2, 0] && free.choices(of: 0, below: 20) == [])
    #expect(free.choices(of: 0, below: 40) == [0])
    var repair = CrossingRepair(ordered, ranges: ranges) { _, _ in true }
    #expect(repair.take(free) && repair.columns == free.columns && repair.gained == 20)
    var fixed = CrossingRepair(ordered, ranges: ranges) { _, _ in false }
    #expect(!fixed.take(free) && fixed.columns == ordered.columns)
    // A row stays in its place of the order unless something is gained.
    let equal = OrderedAssignment(ranges: ranges) { _, _ in 10 }
    #expect(try #require(FreeAssignment(equal, ranges: ranges, preference: 0.5)).columns == [0, 1, 2])
    let many = Array(repeating: 0..<1, count: FreeAssignment.sizeLimit + 1)
    #expect(FreeAssignment(OrderedAssignment(ranges: many) { _, _ in 1 }, ranges: many, preference: 0) == nil)
  }
}
