import TestSupport
import Testing

@testable import HTTPReassembly

/// Samples of captures, and the captures that have the same traffic.
@Suite struct TrafficSampleTests {
  /// More packets than a sample has: what two captures share is found however much each has besides, and in any order.
  @Test(arguments: [0, 1, 2])
  func samplesOfTheSameTrafficShareMarks(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let shared = (0..<4_000).map { _ in random.next() }
    let parts = (0..<2).map { _ in (0..<40_000).map { _ in random.next() } }
    let samples = parts.map { part in
      var settled = MarkSample()
      for mark in (part + shared + shared).shuffled(using: &random) { settled.take(mark) }
      return settled.settled()
    }
    for sample in samples {
      #expect(sample.count == TrafficSample.limit && sample == Array(Set(sample)).sorted())
    }
    // Both have the smallest marks of all: of what is shared, some eight in forty.
    let common = Set(samples[0]).intersection(samples[1])
    #expect(common.isSubset(of: shared) && (600...1_000).contains(common.count), "seed \(seed): \(common.count)")
  }

  @Test func onlyCapturesOfOneTimeAreCompared() {
    var seen = SeenTraffic()
    seen.add([1, 2, 3], of: 0, until: 100, first: 0)
    #expect(seen.reaches(99) && !seen.reaches(100))
    #expect(seen.capture(with: [2, 3, 4], from: 99) == 0)
    #expect(seen.capture(with: [2, 3, 4], from: 100) == nil)
    #expect(seen.capture(with: [3, 4], from: 50) == nil, "one packet may be sent twice")
    seen.add([5, 6], of: 1, until: 400, first: 200)
    #expect(seen.capture(with: [1, 2, 5, 6], from: 300) == 1)
    #expect(seen.capture(with: [1, 2], from: 50) == nil, "what no later capture can overlap is forgotten")
  }

  /// Captures that all overlap: what is remembered is bounded, and still tells.
  @Test func whatIsRememberedIsBounded() {
    var random = SeededRandom(seed: 7)
    var seen = SeenTraffic()
    var samples: [[UInt64]] = []
    for number in 0..<200 {
      samples.append((0..<TrafficSample.limit).map { _ in random.next() })
      seen.add(samples[number], of: number, until: 1_000, first: 0)
      #expect(seen.markCount <= SeenTraffic.limit)
    }
    for number in 0..<200 { #expect(seen.capture(with: samples[number], from: 1) == number) }
    #expect(seen.capture(with: (0..<8_192).map { _ in random.next() }, from: 1) == nil)
  }
}
