/// How many exchanges waited how long: exact counts, in steps of 1, 2 and 5.
struct WaitHistogram {
  /// Where each step ends, in nanoseconds: from 100 µs to 100 s. What is longer has a step of its own.
  static let limits: [Int64] =
    [100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000].flatMap { [$0, 2 * $0, 5 * $0] }
    + [100_000_000_000]

  /// By step; a duration that is exactly a limit is in the step that ends there.
  private(set) var counts = [Int](repeating: 0, count: limits.count + 1)

  /// Adds a duration in nanoseconds.
  mutating func add(_ duration: Int64) {
    counts[Self.limits.firstIndex { duration <= $0 } ?? Self.limits.count] += 1
  }
}
