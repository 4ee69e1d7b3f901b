import Foundation
import TestSupport
import Testing

/// Work is linear in the input: twice the packets take twice the instructions, for hostile traffic, too.
///
/// Instructions are counted by valgrind, not time measured: the figures are nearly the same on any machine at any load.
@Suite struct WorkTests {
  /// Growth from 2n to 4n against that from n to 2n: 2 where work is linear, 4 where it is quadratic.
  private static let limit = 2.2

  @Test(.enabled(if: InstructionCount.valgrind != nil, "valgrind is not installed"), arguments: WorkCapture.allCases)
  func isLinear(_ kind: WorkCapture) async throws {
    let counts = try await InstructionCount.counts(of: kind)
    let (first, second) = counts.growth
    print("WORK \(kind): \(counts.instructions) instructions, growth \(Double(second) / Double(first))")
    // Enough work to be seen beside what every run does.
    #expect(first > 1_000_000)
    #expect(Double(second) <= Self.limit * Double(first), "\(counts.instructions)")
  }
}
