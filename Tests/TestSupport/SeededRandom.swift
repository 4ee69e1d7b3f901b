import Foundation

/// A seeded generator (SplitMix64), so that a failing case can be run again.
///
/// `SNIFFER_SEED` is a whole number that changes all seeds, for a run that tries other cases; a run says it.
package struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed ^ Self.run }

  /// What changes the seeds of this run; 0 unless asked for.
  private static let run: UInt64 = {
    let run = ProcessInfo.processInfo.environment["SNIFFER_SEED"].flatMap { UInt64($0) } ?? 0
    FileHandle.standardError.write(Data("SEED: SNIFFER_SEED=\(run) repeats what is random here\n".utf8))
    return run
  }()

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
    return z ^ z >> 31
  }

  /// Whether an event of this probability happens.
  package mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

  /// A whole number in `range`.
  package mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }
}
