import Foundation

/// How many random cases a test tries: a quarter of what it could, and all with `SNIFFER_ALL_SEEDS=1`, which `make test-all` sets.
///
/// Either way they are the same in each run, but for `SNIFFER_SEED` (`SeededRandom`).
package enum RandomCases {
  /// Whether this run tries all.
  package static let areAll = ProcessInfo.processInfo.environment["SNIFFER_ALL_SEEDS"] == "1"

  /// As many as this run tries of `count` cases: never none.
  package static func count(_ count: Int) -> Int { areAll ? count : (count + 3) / 4 }

  /// The seeds that this run tries: every fourth from `first` on, so that all kinds of cases are there that are told by a remainder.
  package static func seeds(_ range: Range<Int>, from first: Int = 0) -> [Int] {
    areAll ? Array(range) : range.filter { $0 % 4 == first % 4 }
  }
}
