/// The number of exchanges by wait time: exact counts, in steps of 1, 2 and 5.
struct WaitHistogram {
  /// The end of each step, in nanoseconds: from 100 µs to 100 s. Longer waits have a step of their own.
  static let limits: [Int64] =
    [100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000].flatMap { [$0, 2 * $0, 5 * $0] }
    + [100_000_000_000]

  /// Counts by step; a duration exactly at a limit is in the step that ends there.
  private(set) var counts = [Int](repeating: 0, count: limits.count + 1)

  /// Adds a duration in nanoseconds.
  mutating func add(_ duration: Int64) {
    counts[Self.limits.firstIndex { duration <= $0 } ?? Self.limits.count] += 1
  }
}
