import TestSupport
import Testing

@testable import Estimates

/// The log's clock, by votes of its rows.
@Suite struct ClockTests {
  private let second: Int64 = 1_000_000_000

  /// `count` rows, one every `gap` nanoseconds, each with its own exchange and, as often as `others` says, wrong ones.
  private func votes(
    _ count: Int, gap: Int64, others: Int = 0, offset: (Int64) -> Int64
  ) -> [ClockFit.Vote] {
    var random = SeededRandom(seed: 11)
    let start: Int64 = 1_700_000_000 * second
    return (0..<count).map { index in
      let elapsed = Int64(index) * gap
      let right = offset(elapsed) + Int64.random(in: -2_000_000...2_000_000, using: &random)
      let wrong = (0..<others).map { _ in right + Int64.random(in: -40...40, using: &random) * gap / 3 }
      return ClockFit.Vote(time: start + elapsed + right, distances: [right] + wrong)
    }
  }

  @Test func staysZeroWhereZeroFits() throws {
    let clock = try #require(ClockFit(votes(200, gap: second, others: 3) { _ in -10_000_000 }))
    #expect(clock.offset == 0 && clock.drift == 0)
    #expect(clock.captureTime(17) == 17)
  }

  @Test(arguments: [3, -7_200, 40_000] as [Int64])
  func findsAnOffsetAmongWrongPairs(_ seconds: Int64) throws {
    let clock = try #require(ClockFit(votes(200, gap: second, others: 5) { _ in seconds * second }))
    #expect(abs(clock.offset - seconds * second) < 50_000_000 && clock.drift == 0)
  }

  /// A clock that gains 200 ms an hour is off by 4.8 s after a day.
  @Test(arguments: [0, 90] as [Int64])
  func findsADrift(_ seconds: Int64) throws {
    let clock = try #require(
      ClockFit(votes(2_000, gap: 43 * second, others: 2) { $0 / 18_000 + seconds * second }))
    #expect(abs(clock.drift - 1e9 / 18_000) < 1_000, "\(clock.drift)")
    let end = clock.origin + 86_000 * second
    #expect(abs(end - clock.captureTime(end) - (86_000 * second / 18_000 + seconds * second)) < 100_000_000)
  }

  @Test func aShortLogHasNoDrift() throws {
    let clock = try #require(ClockFit(votes(50, gap: second / 10) { $0 / 100 + 5 * second }))
    #expect(clock.drift == 0)
  }

  @Test func nobodyVotes() { #expect(ClockFit([]) == nil) }
}
