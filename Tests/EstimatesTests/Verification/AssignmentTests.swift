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
}
