import HTTPReassembly

/// A figure of an app, with its message and the groups of the message's fields. It is an object, because lists of samples are
/// filtered many times, and a message has many texts.
final class ReadingSample: Sendable {
  let message: WireMessage
  let groups: [FieldGroup]
  let figure: Int

  init(message: WireMessage, groups: [FieldGroup], figure: Int) {
    self.message = message
    self.groups = groups
    self.figure = figure
  }
}

/// The readings that a log's figures bear out, most rows first.
///
/// One program writes one log, and it counts every message of a kind the same way. A reading is believed when it fits exactly for
/// at least five rows, and for nine in ten of the rows that tell it from a count as on the wire. Each of its assumptions needs the
/// same, because sums of a few small causes give any figure. A reading with a rival that fits as well is not believed. The rival of
/// a further reading is the first one of another message: an app may log the figures of an API's message before once more.
///
/// Forms without a name are fitted before a field counts as unseen. An assumption that a row bears out by itself, as that its body
/// was decoded, must hold for two rows and for nine in ten of those that it could explain.
struct ReadingEvidence<R: Reading> {
  /// A figure of the app, and its message.
  typealias Sample = (message: WireMessage, figure: Int)
  private typealias Prepared = ReadingSample

  /// A reading that is believed.
  struct Believed: Sendable {
    var reading: R
    /// Examined rows that it fits exactly.
    var fits: Int
    /// Examined rows that neither it nor an earlier reading fits, and whose figure is not the wire's.
    var misses: Int
    /// The number of other readings that fit as many rows, and name other causes.
    var rivals = 0
    /// Whether all figures that it fits are 0.
    var isSilent = false
  }

  /// The believed readings, most rows first.
  private(set) var believed: [Believed] = []
  /// The unit of the figures.
  let unit: FigureUnit
  /// The readings that single rows bear out, the likeliest first.
  private(set) var facts: [R] = []
  /// Those of them that fewer rows bear out than make a reading believed.
  private var factsOfFewRows: Set<R> = []
  /// Whether some rows bear out a reading of their own.
  var hasFacts: Bool { !facts.isEmpty }
  /// The sense of the figures.
  private(set) var sense = FigureSense.few
  /// A count as on the wire.
  let plain: R
  /// Readings of the program that are known otherwise: of readings that fit as many rows they go first.
  private let hints: Set<R>
  /// The fields that rows of the first believed reading have, and that it counts.
  private var counted: Set<String> = []

  /// The largest number of examined rows; they are spread evenly over all rows.
  static var sampleLimit: Int { 500 }
  /// The share of the rows that the first believed reading fits is one in this number.
  private static var leastShare: Int { 4 }
  /// The number of rows that makes a reading believed.
  static var leastRows: Int { 5 }
  /// The number of rows for which every reading is sought.
  private static var thoroughSamples: Int { 12 }
  /// The number of rows for which readings are sought when no other reading explains them.
  private static var searchLimit: Int { 40 }
  /// The largest number of readings that are voted on.
  private static var candidateLimit: Int { 600 }
  /// The number of messages in front of a row's among which those of its API are sought, and of those that may have its figure.
  private static var reach: Int { 64 }
  private static var mostBefore: Int { 2 }
  /// The largest number of believed readings: an app has a few kinds of messages.
  private static var believedLimit: Int { 6 }

  /// Weighs readings on samples.
  ///
  /// - Parameters:
  ///   - all: The figures, with their messages.
  ///   - kind: The kind of the messages.
  ///   - unit: The unit of the figures.
  ///   - hints: Readings of the program that are known otherwise.
  ///   - documented: The reading that the log's format says. Rows that are too few for another one are taken by it, if it fits them all.
  ///   - fit: Gives readings with forms that have no name, from figures in octets.
  ///   - search: Gives the readings of one figure in octets.
  init(
    _ all: [Sample], kind: MessageKind, unit: FigureUnit = .octets, hints: [R] = [], documented: R? = nil,
    fit: ([ReadingSample]) -> [R] = { _ in [] }, search: (WireMessage, Int) -> [R]
  ) {
    plain = R.plain(kind)
    self.hints = Set(hints)
    self.unit = unit
    let step = max((all.count + Self.sampleLimit - 1) / Self.sampleLimit, 1)
    let samples = stride(from: 0, to: all.count, by: step).map { index in
      let (message, figure) = all[index]
      return Prepared(message: message, groups: FieldGroup.groups(of: message), figure: figure)
    }
    if samples.count >= Self.leastRows {
      let octets = samples.compactMap { sample -> Prepared? in
        guard let octets = unit.octets(sample.figure) else { return nil }
        return Prepared(message: sample.message, groups: sample.groups, figure: octets)
      }
      var candidates = [plain] + hints.filter { $0 != plain }
      if octets.count == samples.count {
        let named = Self.candidates(octets, plain, candidates, search)
        let isForm = named.contains {
          $0.isForm && $0.cost <= R.simpleCost && fits($0, samples) * 10 >= samples.count * 9
        }
        candidates = (isForm ? [] : fit(octets)) + named
        var known: Set<R> = []
        candidates.removeAll { !known.insert($0).inserted }
      } else {
        candidates += R.coarse(kind)
      }
      believe(candidates, samples) { place, first in
        let index = place * step
        let before = all[..<index].reversed().prefix(Self.reach).filter { $0.message.isOfAPI(of: all[index].message) }
        return before.prefix(Self.mostBefore).contains {
          first.figure(of: $0.message).map(unit.figure) == all[index].figure
        }
      }
    }
    if samples.count < Self.leastRows, let documented, !samples.isEmpty, fits(documented, samples) == samples.count {
      believed = [Believed(reading: documented, fits: samples.count, misses: 0)]
    }
    findFacts(samples)
    sense = sense(of: samples)
    // Among figures that nothing explains a few rows fit a fact by chance.
    if believed.isEmpty, sense == .strange, samples.count >= Self.leastRows { facts = [] }
  }

  private func sense(of samples: [Prepared]) -> FigureSense {
    let isReduced = samples.compactMap { sample in
      plain.figure(of: sample.message, sample.groups).map { (octets: $0, figure: sample.figure) }
    }
    .sorted { $0.octets > $1.octets }.prefix(Self.largestRows)
    .contains { $0.figure > 0 && $0.figure <= $0.octets / 1000 }
    guard !isReduced else { return .strange }
    let figured = samples.filter { $0.figure != 0 }
    if figured.count * 20 < samples.count {
      return samples.count < Self.leastRows ? .few : .silent
    }
    let understood = figured.count { sample in believed.contains { figure($0.reading, sample) == sample.figure } }
    return understood * 2 < figured.count ? .strange : samples.isEmpty ? .few : .understood
  }

  /// The number of the largest messages that show whether figures are rounded down.
  private static var largestRows: Int { 3 }

  /// Whether figures of 0 say nothing.
  private(set) var isDoubted = false

  /// Takes back what figures of 0 say.
  mutating func doubtZeros() {
    isDoubted = true
    let plain = plain
    believed.removeAll { $0.reading.isEvident || $0.isSilent && $0.reading != plain }
    facts.removeAll { $0.isEvident }
  }

  /// Takes back what a few rows bear out: they may have the figures of other messages.
  mutating func doubtFewRows() { facts.removeAll(where: factsOfFewRows.contains) }

  /// The figure of a reading in the log's unit.
  func figure(_ reading: R, _ message: WireMessage) -> Int? { reading.figure(of: message).map(unit.figure) }

  func figure(_ reading: R, _ sample: ReadingSample) -> Int? {
    reading.figure(of: sample.message, sample.groups).map(unit.figure)
  }

  /// A reading, and whether it fits each sample: that is asked again for each further reading.
  struct Candidate {
    var reading: R
    var fits: [Bool]
  }

  /// Believes readings one after the other. `isRepeated` says whether the sample at a place has the figure that a reading gives for a
  /// message before of its API.
  private mutating func believe(_ readings: [R], _ samples: [Prepared], isRepeated: (Int, R) -> Bool) {
    var candidates = weighed(readings, samples)
    candidates += weighed(others(than: candidates, samples), samples)
    var places = Array(samples.indices)
    var rest = samples
    while believed.count < Self.believedLimit, rest.count >= Self.leastRows,
      let best = best(&candidates, samples, places, after: believed.first?.reading)
    {
      let isFitted = rest.map { figure(best.reading, $0) == $0.figure }
      let misses = isFitted.count { !$0 }
      guard misses < rest.count else { break }
      if let first = believed.first?.reading {
        let repeated = zip(places, isFitted).count { $1 && isRepeated($0, first) }
        guard repeated * 2 <= rest.count - misses else { break }
      }
      if believed.isEmpty {
        counted = Set(zip(rest, isFitted).lazy.filter(\.1).flatMap { $0.0.groups.map(\.name) })
          .subtracting(best.reading.unseen)
      }
      believed.append(
        Believed(
          reading: best.reading, fits: rest.count - misses,
          misses: zip(rest, isFitted).count { !$1 && unit.figure(R.wire($0.message)) != $0.figure },
          rivals: best.rivals,
          isSilent: zip(rest, isFitted).allSatisfy { !$1 || $0.figure == 0 }))
      places = zip(places, isFitted).filter { !$0.1 }.map(\.0)
      rest = places.map { samples[$0] }
    }
  }

  /// The readings that may be believed, and the samples that they fit.
  private func weighed(_ readings: [R], _ samples: [Prepared]) -> [Candidate] {
    let misses = samples.count - fits(plain, samples)
    guard misses < Self.leastRows else {
      return zip(readings, R.figures(readings, samples)).map { reading, figures in
        Candidate(
          reading: reading,
          fits: zip(figures, samples).map { figure, sample in figure.map(unit.figure) == sample.figure })
      }
    }
    // Where the count as on the wire fits all but a few, no reading is believed that fits fewer: what it leaves is too little.
    return readings.compactMap { reading in
      var fits = Array(repeating: true, count: samples.count)
      var missed = 0
      for (place, sample) in samples.enumerated() where figure(reading, sample) != sample.figure {
        fits[place] = false
        missed += 1
        if missed > misses { return nil }
      }
      return Candidate(reading: reading, fits: fits)
    }
  }

  /// Finds the readings that single rows bear out: two rows, and nine in ten of those that they could explain. A figure of 0 is no
  /// coincidence, and needs no other row.
  private mutating func findFacts(_ samples: [Prepared]) {
    // A rounded figure bears out nothing by itself.
    guard unit.octets(0) != nil else { return }
    let bases = believed.isEmpty ? [plain] : believed.prefix(2).map(\.reading)
    let open = samples.filter { sample in !bases.contains { figure($0, sample) == sample.figure } }
    let others = open.filter { sample in !believed.contains { figure($0.reading, sample) == sample.figure } }
    var known: Set<R> = []
    for base in bases {
      for fact in base.borneOut.sorted(by: { $0.cost < $1.cost }) where known.insert(fact).inserted {
        let (fits, telling) = fits(fact, against: base, others)
        guard fact.isEvident || fits > 1 && fits * 10 >= telling * 9 else { continue }
        facts.append(fact)
        if fits < Self.leastRows { factsOfFewRows.insert(fact) }
      }
    }
  }

  private static func candidates(
    _ samples: [Prepared], _ plain: R, _ known: [R], _ search: (WireMessage, Int) -> [R]
  ) -> [R] {
    var candidates = known
    var known = Set(known)
    var searches = 0
    func look(_ sample: Prepared) {
      searches += 1
      for reading in search(sample.message, sample.figure)
      where candidates.count < candidateLimit && known.insert(reading).inserted {
        candidates.append(reading)
      }
    }
    let stride = max(samples.count / thoroughSamples, 1)
    var thorough = Set(Swift.stride(from: 0, to: samples.count, by: stride).prefix(thoroughSamples))
    // A reading that fits more rows than the count as on the wire fits one that this one misses.
    let missed = samples.count { plain.figure(of: $0.message, $0.groups) != $0.figure }
    if missed < leastRows { thorough = [] }
    for index in thorough.sorted() { look(samples[index]) }
    for (index, sample) in samples.enumerated() where !thorough.contains(index) {
      guard searches < searchLimit, candidates.count < candidateLimit else { break }
      if candidates.contains(where: { $0.figure(of: sample.message, sample.groups) == sample.figure }) { continue }
      look(sample)
    }
    return candidates
  }

  /// The reading that fits most of the rest, without assumptions that the rows do not bear out; nil when none fits enough.
  ///
  /// The rest are the `samples` at `places`.
  private func best(
    _ known: inout [Candidate], _ samples: [Prepared], _ places: [Int], after first: R?
  ) -> (reading: R, rivals: Int)? {
    let rest = places.map { samples[$0] }
    if let first { known.removeAll { !$0.reading.isOfOneProgram(with: first) } }
    var candidates = known.map(\.reading)
    var votes = known.map { candidate in places.count { candidate.fits[$0] } }
    // Two readings that fit different rows may be parts of one reading.
    if let top = votes.indices.max(by: { isBehind($0, $1, votes, candidates) }) {
      let others = votes.indices.filter { $0 != top && votes[$0] >= Self.leastRows }.sorted { votes[$0] > votes[$1] }
      var joined = (reading: candidates[top], votes: votes[top])
      for index in others.prefix(60) {
        guard let union = joined.reading.joined(candidates[index]) else { continue }
        let count = fits(union, rest)
        if count >= joined.votes + Self.leastRows { joined = (union, count) }
      }
      if joined.votes > votes[top] {
        candidates.append(joined.reading)
        known.append(
          Candidate(reading: joined.reading, fits: samples.map { figure(joined.reading, $0) == $0.figure }))
        votes.append(joined.votes)
      }
    }
    let order = votes.indices.sorted { isBehind($1, $0, votes, candidates) }
    for index in order.prefix(60) where votes[index] >= Self.leastRows {
      let reading = pruned(candidates[index], rest)
      let count = fits(reading, rest)
      // A reading that fits few of all rows fits them by chance where none fits the others.
      guard count >= Self.leastRows, first != nil || count * Self.leastShare >= samples.count,
        isBorneOut(reading, besides(candidates[index], reading, rest, places), known), !isConstant(reading, rest),
        !isShift(reading, candidates, rest, fits: count),
        shapes(reading, rest) >= min(reading.assumptions, Self.mostShapes)
      else { continue }
      let rivals = order.prefix(60).count { other in
        votes[other] >= count && isAsLikely(candidates[other], as: reading)
          && differs(candidates[other], reading, rest)
      }
      // Where several named readings fit as well, the formula of all of them is what is known.
      if rivals > 0,
        let own = order.prefix(60).first(where: { candidates[$0].isUnnamed && votes[$0] >= count })
      {
        return (candidates[own], 0)
      }
      return (reading, rivals)
    }
    return nil
  }

  private func isBehind(_ a: Int, _ b: Int, _ votes: [Int], _ candidates: [R]) -> Bool {
    if votes[a] != votes[b] { return votes[a] < votes[b] }
    return (cost(candidates[a]), a) > (cost(candidates[b]), b)
  }

  private func cost(_ reading: R) -> Int {
    if hints.contains(reading) { return 0 }
    // An app that counts a field in most messages sees it in the others, too.
    return reading.cost + Self.countedCost * (counted.isEmpty ? 0 : reading.unseen.count { counted.contains($0) })
  }

  /// Whether a reading may raise a doubt about another one. A way of writing that the other kind of messages shows has no rivals but
  /// such ones.
  private func isAsLikely(_ other: R, as reading: R) -> Bool {
    guard hints.contains(reading) else { return cost(other) <= cost(reading) + R.rivalMargin }
    return hints.contains(other) && other.cost <= reading.cost
  }

  /// The improbability that an app sees a field in some messages alone.
  private static var countedCost: Int { 6 }

  private func fits(_ reading: R, _ samples: [Prepared]) -> Int {
    samples.count { figure(reading, $0) == $0.figure }
  }

  /// The rows for which a reading gives another figure than another one, and how many of them it fits.
  private func fits(_ reading: R, against other: R, _ samples: [Prepared]) -> (fits: Int, telling: Int) {
    var (fits, telling) = (0, 0)
    for sample in samples {
      guard let own = figure(reading, sample), own != figure(other, sample) else { continue }
      telling += 1
      if own == sample.figure { fits += 1 }
    }
    return (fits, telling)
  }

  /// Whether a reading fits nine in ten of the rows for which it gives another figure than a count as on the wire.
  ///
  /// The count as on the wire itself needs half of the rows that have something to count: those without fit any reading. So does a form
  /// of all fields where a few other readings of the program fit nine in ten of the other rows: their messages lack some fields. OkHttp
  /// and Go take two fields off contents that they decode.
  ///
  /// The samples are those of the `candidates` at `places`.
  private func isBorneOut(_ reading: R, _ rest: (samples: [Prepared], places: [Int]), _ candidates: [Candidate]) -> Bool
  {
    let (samples, places) = rest
    guard reading != plain else {
      let telling = samples.filter { $0.figure != 0 || figure(plain, $0) != 0 }
      return fits(plain, telling) * 2 >= telling.count
    }
    let (fits, telling) = fits(reading, against: plain, samples)
    if fits * 10 >= telling * 9 { return fits >= Self.leastRows }
    // Rows of the other kind bear out a way of writing, too.
    if hints.contains(reading), fits >= Self.leastRows, fits * 5 >= telling * 4 { return true }
    guard reading.isForm, fits >= Self.leastRows, fits * 2 >= telling else { return false }
    let open = zip(places, samples).filter { figure(reading, $1) != $1.figure }.map(\.0)
    let others = candidates.filter {
      $0.reading.assumptions <= Self.mostShapes && $0.reading.isOfOneProgram(with: reading)
    }
    var rest = open
    for _ in 0..<Self.mostOthers {
      let counts = others.map { other in rest.count { other.fits[$0] } }
      guard let best = counts.indices.max(by: { counts[$0] < counts[$1] }), counts[best] >= Self.leastRows
      else { break }
      rest.removeAll { others[best].fits[$0] }
    }
    return rest.count * 10 <= open.count
  }

  /// The rest without a few rows that a reading fits by assumptions that they alone bear out: they say nothing of the others.
  private func besides(
    _ whole: R, _ reading: R, _ rest: [Prepared], _ places: [Int]
  ) -> (samples: [Prepared], places: [Int]) {
    let few = rest.indices.filter { index in
      figure(whole, rest[index]) == rest[index].figure && figure(reading, rest[index]) != rest[index].figure
    }
    guard whole != reading, few.count < Self.leastRows else { return (rest, places) }
    let kept = rest.indices.filter { !few.contains($0) }
    return (kept.map { rest[$0] }, kept.map { places[$0] })
  }

  /// The readings that together may fit the rows beside those of a form.
  private static var mostOthers: Int { 3 }

  /// Whether a constant beside a likelier reading fits rounded figures as well: most of them hide what the octets are.
  private func isShift(_ reading: R, _ candidates: [R], _ samples: [Prepared], fits count: Int) -> Bool {
    guard unit.octets(0) == nil, reading != plain else { return false }
    let own = samples.map { reading.figure(of: $0.message, $0.groups) }
    return candidates.contains { other in
      guard cost(other) < cost(reading) else { return false }
      let octets = samples.map { other.figure(of: $0.message, $0.groups) }
      let shifts = Set(zip(own, octets).compactMap { own, octets in own.flatMap { own in octets.map { own - $0 } } })
      return shifts.sorted { abs($0) < abs($1) }.prefix(Self.mostShifts).contains { shift in
        zip(octets, samples).count { octets, sample in octets.map { unit.figure($0 + shift) } == sample.figure }
          >= count
      }
    }
  }

  /// The number of constants that are tried.
  private static var mostShifts: Int { 100 }
}
