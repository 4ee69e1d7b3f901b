// Whether rows bear out what a reading assumes.

extension ReadingEvidence {
  /// The number of different messages among the rows that a reading fits: rows with equal header sections are one equation.
  func shapes(_ reading: R, _ samples: [ReadingSample]) -> Int {
    var shapes: Set<[Int]> = []
    for sample in samples where figure(reading, sample) == sample.figure {
      shapes.insert(sample.groups.flatMap { [$0.nameLength, $0.lines, $0.valueLength] })
      if shapes.count >= Self.mostShapes { break }
    }
    return shapes.count
  }

  /// The number of equations that is enough for any number of unknowns.
  static var mostShapes: Int { 4 }

  /// Whether a reading of many assumptions gives one figure to all rows that it fits, and the wire has several: that is no way to count.
  /// No more is a sum in which the header section is a constant.
  func isConstant(_ reading: R, _ samples: [ReadingSample]) -> Bool {
    guard !reading.isEvident, reading.assumptions > 2 else { return false }
    let fitted = samples.filter { figure(reading, $0) == $0.figure }
    func isOne(_ figure: (ReadingSample) -> Int?) -> Bool {
      guard let one = fitted.first.flatMap(figure), one > 0 else { return false }
      return fitted.allSatisfy { figure($0) == one }
    }
    if isOne({ $0.figure }), !isOne({ figure(plain, $0) }) { return true }
    guard let fields = reading.fields, reading.assumptions > 4 else { return false }
    return isOne { fields.figure(of: $0.message, $0.groups) } && !isOne { $0.message.spelledHeader }
  }

  /// The reading without the assumptions that too few rows bear out.
  func pruned(_ reading: R, _ samples: [ReadingSample]) -> R {
    var reading = reading
    while true {
      var weakest: (reading: R, rows: Int)?
      for simpler in reading.simpler {
        var bearing = 0
        var concerned = 0
        for sample in samples {
          let (own, other) = (figure(reading, sample), figure(simpler, sample))
          guard own != other else { continue }
          // A form may hold for a part of the messages: those that other readings of the program fit.
          if reading.isForm, own != sample.figure, other != sample.figure { continue }
          concerned += 1
          if own == sample.figure { bearing += 1 }
          if other == sample.figure { bearing -= 1 }
        }
        if bearing < Self.leastRows || bearing * 5 < concerned * 4, bearing < weakest?.rows ?? .max {
          weakest = (simpler, bearing)
        }
      }
      guard let weakest else { return reading }
      reading = weakest.reading
    }
  }

  /// Whether two readings that fit the same rows name different causes for them.
  func differs(_ a: R, _ b: R, _ samples: [ReadingSample]) -> Bool {
    guard a != b else { return false }
    return samples.prefix(50).contains { sample in
      figure(a, sample) == sample.figure && figure(b, sample) == sample.figure
        && Set(a.causes(of: sample.message)) != Set(b.causes(of: sample.message))
    }
  }

  // MARK: Other fields

  /// Readings that the search may have passed over, because it takes one set of fields for a sum. They are like the likeliest
  /// candidates, but leave out another field with as many octets, or one more where that fits.
  func others(than candidates: [Candidate], _ samples: [ReadingSample]) -> [R] {
    let fits = candidates.map { candidate in candidate.fits.count { $0 } }
    let costs = candidates.map(\.reading.cost)
    let likely = fits.indices.filter { fits[$0] >= Self.leastRows }.sorted { a, b in
      (fits[b], costs[a], a) < (fits[a], costs[b], b)
    }
    var known = Set(candidates.map(\.reading))
    var found: [R] = []
    // Many candidates fit the same rows.
    var alike: [[Bool]: Int] = [:]
    let different = likely.filter { index in
      alike[candidates[index].fits, default: 0] += 1
      return alike[candidates[index].fits] ?? 0 <= Self.mostAlike
    }
    for index in different.prefix(Self.likeliest) {
      let reading = candidates[index].reading
      let pairs = zip(samples, candidates[index].fits)
      let fitted = reading.unseen.isEmpty ? [] : pairs.filter(\.1).prefix(Self.fewSamples)
      for (sample, isFitted) in fitted + pairs.filter({ !$0.1 }).prefix(Self.fewSamples) {
        let names = sample.groups.map(\.name)
        let replaced = isFitted ? reading.unseen.filter(names.contains).map { Optional($0) } : [nil]
        for other in replaced {
          for name in names where !reading.unseen.contains(name) {
            guard let twin = reading.leavingOut(name, insteadOf: other), !known.contains(twin),
              figure(twin, sample) == sample.figure
            else { continue }
            known.insert(twin)
            found.append(twin)
          }
        }
      }
    }
    return found
  }

  /// The number of candidates that others are like, of those with the same rows, and of messages of each kind in which they are sought.
  private static var likeliest: Int { 20 }
  private static var mostAlike: Int { 4 }
  private static var fewSamples: Int { 6 }
}
