import HTTPReassembly

/// The readings that a log's figures bear out, most rows first.
///
/// One program writes one log, and it counts every message of a kind the same way. A reading is believed when it fits exactly for
/// at least five rows and for a twentieth of the rows that it concerns. Each of its assumptions needs the same, because sums of a
/// few small causes give any figure. An assumption that a row bears out by itself needs no other rows.
struct ReadingEvidence<R: Reading> {
  /// A figure of the app, and its message.
  typealias Sample = (message: WireMessage, figure: Int)

  /// A reading that is believed.
  struct Believed: Sendable {
    var reading: R
    /// Examined rows that it fits exactly.
    var fits: Int
    /// Examined rows that neither it nor an earlier reading fits.
    var misses: Int
    /// The number of other readings that fit as many rows, and name other causes.
    var rivals = 0
  }

  /// The believed readings, most rows first.
  private(set) var believed: [Believed] = []
  private let plain: R

  /// The largest number of examined rows; they are spread evenly over all rows.
  static var sampleLimit: Int { 500 }
  /// The number of rows that makes a reading believed; `leastShare` is the divisor of the share.
  static var leastRows: Int { 5 }
  static var leastShare: Int { 20 }
  /// The number of rows for which every reading is sought.
  private static var thoroughSamples: Int { 12 }
  /// The number of rows for which readings are sought when no other reading explains them.
  private static var searchLimit: Int { 40 }
  /// The largest number of readings that are voted on.
  private static var candidateLimit: Int { 600 }
  /// The largest number of believed readings: an app has a few kinds of messages.
  private static var believedLimit: Int { 6 }

  private struct Prepared {
    var message: WireMessage
    var groups: [FieldGroup]
    var figure: Int
  }

  /// Weighs the results of `search` on samples.
  init(_ all: [Sample], kind: MessageKind, search: (WireMessage, Int) -> [R]) {
    plain = R.plain(kind)
    let step = max((all.count + Self.sampleLimit - 1) / Self.sampleLimit, 1)
    let samples = stride(from: 0, to: all.count, by: step).map { index in
      let (message, figure) = all[index]
      return Prepared(message: message, groups: FieldGroup.groups(of: message), figure: figure)
    }
    guard samples.count >= Self.leastRows else { return }
    var candidates = Self.candidates(samples, plain, search)
    var rest = samples
    while believed.count < Self.believedLimit, rest.count >= Self.leastRows,
      let best = Self.best(&candidates, rest, plain, after: believed.first?.reading)
    {
      let misses = rest.count { best.reading.figure(of: $0.message, $0.groups) != $0.figure }
      guard misses < rest.count else { break }
      believed.append(Believed(reading: best.reading, fits: rest.count - misses, misses: misses, rivals: best.rivals))
      rest.removeAll { best.reading.figure(of: $0.message, $0.groups) == $0.figure }
    }
  }

  private static func candidates(
    _ samples: [Prepared], _ plain: R, _ search: (WireMessage, Int) -> [R]
  ) -> [R] {
    var candidates: [R] = [plain]
    var known: Set<R> = [plain]
    var searches = 0
    func look(_ sample: Prepared) {
      searches += 1
      for reading in search(sample.message, sample.figure)
      where candidates.count < candidateLimit && known.insert(reading).inserted {
        candidates.append(reading)
      }
    }
    let stride = max(samples.count / thoroughSamples, 1)
    let thorough = Set(Swift.stride(from: 0, to: samples.count, by: stride).prefix(thoroughSamples))
    for index in thorough.sorted() { look(samples[index]) }
    for (index, sample) in samples.enumerated() where !thorough.contains(index) {
      guard searches < searchLimit, candidates.count < candidateLimit else { break }
      if candidates.contains(where: { $0.figure(of: sample.message, sample.groups) == sample.figure }) { continue }
      look(sample)
    }
    return candidates
  }

  /// The reading that fits most of `rest`, without assumptions that the rows do not bear out; nil when none fits enough.
  private static func best(
    _ candidates: inout [R], _ rest: [Prepared], _ plain: R, after first: R?
  ) -> (reading: R, rivals: Int)? {
    if let first { candidates.removeAll { !$0.isOfOneProgram(with: first) } }
    var votes = candidates.map { reading in fits(reading, rest) }
    // Two readings that fit different rows may be parts of one reading.
    if let top = votes.indices.max(by: { isBehind($0, $1, votes, candidates) }) {
      let others = votes.indices.filter { $0 != top && votes[$0] >= leastRows }.sorted { votes[$0] > votes[$1] }
      var joined = (reading: candidates[top], votes: votes[top])
      for index in others.prefix(60) {
        guard let union = joined.reading.joined(candidates[index]) else { continue }
        let count = fits(union, rest)
        if count >= joined.votes + leastRows { joined = (union, count) }
      }
      if joined.votes > votes[top] {
        candidates.append(joined.reading)
        votes.append(joined.votes)
      }
    }
    let order = votes.indices.sorted { isBehind($1, $0, votes, candidates) }
    for index in order.prefix(20) where votes[index] >= leastRows {
      let reading = pruned(candidates[index], rest)
      let count = fits(reading, rest)
      guard count >= leastRows, count * leastShare >= speaksOf(reading, rest, plain),
        shapes(reading, rest) >= min(reading.assumptions, mostShapes)
      else { continue }
      let rivals = order.prefix(60).count { other in
        votes[other] >= count && candidates[other].cost <= reading.cost + 2 && differs(candidates[other], reading, rest)
      }
      return (reading, rivals)
    }
    return nil
  }

  private static func isBehind(_ a: Int, _ b: Int, _ votes: [Int], _ candidates: [R]) -> Bool {
    if votes[a] != votes[b] { return votes[a] < votes[b] }
    return (candidates[a].cost, a) > (candidates[b].cost, b)
  }

  private static func fits(_ reading: R, _ samples: [Prepared]) -> Int {
    samples.count { reading.figure(of: $0.message, $0.groups) == $0.figure }
  }

  /// The number of different messages among the rows that a reading fits: rows with equal header sections are one equation.
  private static func shapes(_ reading: R, _ samples: [Prepared]) -> Int {
    var shapes: Set<[Int]> = []
    for sample in samples where reading.figure(of: sample.message, sample.groups) == sample.figure {
      shapes.insert(sample.groups.flatMap { [$0.nameLength, $0.lines, $0.valueLength] })
      if shapes.count >= mostShapes { break }
    }
    return shapes.count
  }

  /// The number of equations that is enough for any number of unknowns.
  private static var mostShapes: Int { 4 }

  /// The number of rows for which a reading gives another figure than the plain one; all rows for the plain reading itself.
  private static func speaksOf(_ reading: R, _ samples: [Prepared], _ plain: R) -> Int {
    if reading == plain { return samples.count }
    return samples.count { sample in
      let figure = reading.figure(of: sample.message, sample.groups)
      return figure != nil && figure != plain.figure(of: sample.message, sample.groups)
    }
  }

  /// The reading without the assumptions that too few rows bear out.
  private static func pruned(_ reading: R, _ samples: [Prepared]) -> R {
    var reading = reading
    while true {
      var weakest: (reading: R, rows: Int)?
      for simpler in reading.simpler {
        var bearing = 0
        var concerned = 0
        for sample in samples {
          let (own, other) = (
            reading.figure(of: sample.message, sample.groups), simpler.figure(of: sample.message, sample.groups)
          )
          guard own != other else { continue }
          concerned += 1
          if own == sample.figure { bearing += 1 }
          if other == sample.figure { bearing -= 1 }
        }
        if bearing < leastRows || bearing * leastShare < concerned, bearing < weakest?.rows ?? .max {
          weakest = (simpler, bearing)
        }
      }
      guard let weakest else { return reading }
      reading = weakest.reading
    }
  }

  /// Whether two readings that fit the same rows name different causes for them.
  private static func differs(_ a: R, _ b: R, _ samples: [Prepared]) -> Bool {
    guard a != b else { return false }
    return samples.prefix(50).contains { sample in
      a.figure(of: sample.message, sample.groups) == sample.figure
        && b.figure(of: sample.message, sample.groups) == sample.figure
        && Set(a.causes(of: sample.message)) != Set(b.causes(of: sample.message))
    }
  }

  // MARK: Explanations of a row

  /// The causes of the difference of `figure` from the wire's for `message`; nil when no believed reading gives it.
  func explain(_ message: WireMessage, _ figure: Int) -> [Cause]? {
    for believed in believed where believed.reading.figure(of: message) == figure {
      return believed.reading.causes(of: message)
    }
    let bases = believed.isEmpty ? [plain] : believed.prefix(2).map(\.reading)
    for base in bases {
      let borneOut = base.borneOut.filter { $0.figure(of: message) == figure }
      if let reading = borneOut.min(by: { $0.cost < $1.cost }) { return reading.causes(of: message) }
    }
    return nil
  }

  /// The causes of the likeliest reading for a figure that none gives; the rest is unexplained.
  func likeliest(_ message: WireMessage, _ figure: Int) -> [Cause] {
    let readings = believed.isEmpty ? [plain] : believed.map(\.reading)
    return readings.first { $0.figure(of: message) != nil }?.causes(of: message) ?? []
  }

  /// The figures that an app with these readings may have for a message, the likeliest first; empty when nothing is known.
  func expected(of message: WireMessage) -> [Int] {
    var figures = likeliestFigures(of: message)
    for reading in believed.first?.reading.borneOut ?? [] {
      if let figure = reading.figure(of: message), !figures.contains(figure) { figures.append(figure) }
    }
    return figures
  }

  /// The figures that the believed readings alone give for a message.
  private func likeliestFigures(of message: WireMessage) -> [Int] {
    believed.compactMap { $0.reading.figure(of: message) }
  }

  /// The likeliest figure of a message: the wire's when no reading is believed. Nil when it is unknown.
  func likely(_ message: WireMessage) -> Int? {
    believed.isEmpty ? plain.figure(of: message) : likeliestFigures(of: message).first
  }
}
