/// The readings that explain a log's figures, best first.
///
/// One log is written by one program, which counts every message the same way. So a reading that explains many rows is
/// believed before one that explains this row only: what fits a single row can be chance.
struct ReadingPool<R: Reading> {
  /// A figure of the app, and the message that it is about.
  typealias Sample = (message: WireMessage, figure: Int)

  /// A reading, and how many of the samples it explains.
  struct Ranked: Sendable {
    var reading: R
    var votes: Int
  }

  /// Best first.
  private(set) var ranked: [Ranked] = []
  private let search: (WireMessage, Int) -> [R]

  /// Samples that vote.
  static var sampleLimit: Int { 500 }
  /// Samples of which every reading is sought, whatever else explains them.
  private static var thoroughSamples: Int { 20 }
  /// Readings that are voted on.
  private static var candidateLimit: Int { 400 }

  /// Ranks what `search` finds on samples: at most `sampleLimit` of them, evenly spread.
  init(_ all: [Sample], search: @escaping (WireMessage, Int) -> [R]) {
    self.search = search
    let step = max((all.count + Self.sampleLimit - 1) / Self.sampleLimit, 1)
    let samples = stride(from: 0, to: all.count, by: step).map { all[$0] }
    var candidates: [R] = []
    var known: Set<R> = []
    for (index, sample) in samples.enumerated() where candidates.count < Self.candidateLimit {
      let isThorough = index < Self.thoroughSamples
      if !isThorough, candidates.contains(where: { $0.figure(of: sample.message) == sample.figure }) { continue }
      for reading in search(sample.message, sample.figure) where known.insert(reading).inserted {
        candidates.append(reading)
      }
    }
    var votes = Array(repeating: 0, count: candidates.count)
    for sample in samples {
      for index in candidates.indices where candidates[index].figure(of: sample.message) == sample.figure {
        votes[index] += 1
      }
    }
    let order = candidates.indices.sorted {
      if votes[$0] != votes[$1] { return votes[$0] > votes[$1] }
      let costs = (candidates[$0].cost, candidates[$1].cost)
      return costs.0 == costs.1 ? $0 < $1 : costs.0 < costs.1
    }
    ranked = order.map { Ranked(reading: candidates[$0], votes: votes[$0]) }
  }

  /// Why `figure` differs from the wire's for `message`; nil when no reading gives it.
  func explain(_ message: WireMessage, _ figure: Int) -> [Cause]? {
    let known = ranked.first { $0.reading.figure(of: message) == figure }?.reading
    let reading = known ?? search(message, figure).min { $0.cost < $1.cost }
    return reading.map { $0.causes(of: message) }
  }

  /// The causes that the best reading names, for a figure that no reading gives: the rest is unexplained.
  func likeliest(_ message: WireMessage) -> [Cause] {
    ranked.first { $0.reading.figure(of: message) != nil }?.reading.causes(of: message) ?? []
  }
}
