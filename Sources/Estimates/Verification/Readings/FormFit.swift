import HTTPReassembly

/// Fits the form in which an app writes fields: *S* + *b* · *n* + *c* octets for *n* fields with *S* octets of names and values.
///
/// Most meters are home-made, and their form has no name. The fit takes what the message shows from each figure: names and
/// values, a start-line, a body. The rest must be the same line in *n* for nine of ten rows, to the octet. All fields count: a fit
/// that may also leave out fields would fit anything.
struct FormFit {
  /// A figure of the app, with its message.
  typealias Sample = ReadingSample

  /// The number of rows that are tried before all are.
  private static let trialRows = 30
  /// The number of forms that are given out.
  private static let limit = 12
  /// The number of pairs of rows whose slopes vote.
  private static let slopePairs = 200

  private let samples: [Sample]
  private let kind: MessageKind
  /// The positions of the rows that are tried first: spread evenly.
  private let trial: [Int]

  init(_ samples: [Sample], kind: MessageKind) {
    self.samples = samples
    self.kind = kind
    let step = max(samples.count / Self.trialRows, 1)
    trial = Array(stride(from: 0, to: samples.count, by: step))
  }

  /// Forms of header sections, without a start-line or, where they may have one, with one.
  func headers(withLines: Bool = true) -> [HeaderReading] {
    found(lines: [nil] + (withLines ? lines.map { Optional($0) } : []), bodies: [.nothing]).map { fit in
      var reading = fit.header
      reading.line = fit.line
      return reading
    }
  }

  /// Forms of header sections in the figures of whole messages.
  func wholes() -> [WholeReading] {
    found(lines: [nil] + lines.map { Optional($0) }, bodies: Self.bodies).map { fit in
      WholeReading(line: fit.line ?? .nothing, header: fit.header, body: fit.body)
    }
  }

  private struct Fit {
    var header: HeaderReading
    var line: LineReading?
    var body: BodyReading
    var fits: Int
    var cost: Int { header.cost + (line?.cost ?? 1) + body.cost }
  }

  /// The texts of start-lines. Their ends and versions are constant, and part of *c*.
  private var lines: [LineReading] {
    kind == .request
      ? LineReading.Target.allCases.map { .request($0, .crlf) }
      : [.asSent, .none, .registered, .localized].map { .status($0, .crlf) }
  }

  private static let bodies: [BodyReading] = [.transferred, .nothing, .decoded, .characters, .utf16Units]

  private func found(lines: [LineReading?], bodies: [BodyReading]) -> [Fit] {
    let lineFigures = lines.map { line in
      Column(line, samples.map { sample in line.map { $0.figure(of: sample.message) } ?? 0 })
    }
    let bodyFigures = bodies.map { body in Column(body, samples.map { body.figure(of: $0.message) }) }
    var fits: [Fit] = []
    for header in shapes {
      for line in Self.different(lineFigures) {
        for body in Self.different(bodyFigures) {
          let rests = samples.indices.map { index -> Int? in
            guard let text = header.figures[index], let line = line.figures[index], let body = body.figures[index]
            else { return nil }
            return samples[index].figure - text - line - body
          }
          guard let (perField, base, count) = straight(rests, header.fields) else { continue }
          // A figure that all messages have is no way to count.
          if header.form.texts == .none, perField == 0 { continue }
          var reading = header.reading
          reading.form = HeaderForm(
            texts: header.form.texts, perField: perField, base: base, quoting: header.form.quoting)
          fits.append(Fit(header: reading, line: line.value, body: body.value, fits: count))
        }
      }
    }
    return Array(fits.sorted { ($0.fits, -$0.cost) > ($1.fits, -$1.cost) }.prefix(Self.limit))
  }

  private struct Column<Value> {
    var value: Value
    var figures: [Int?]

    init(_ value: Value, _ figures: [Int?]) {
      self.value = value
      self.figures = figures
    }
  }

  /// The columns without those that give the figures of an earlier one, or nothing.
  private static func different<Value>(_ columns: [Column<Value>]) -> [Column<Value>] {
    var seen: Set<[Int?]> = []
    return columns.filter { column in
      column.figures.contains { $0 != nil } && seen.insert(column.figures).inserted
    }
  }

  /// A way to count the texts of fields, with the octets of each sample.
  private struct Shape {
    var reading: HeaderReading
    var form: HeaderForm
    var figures: [Int?]
    var fields: [Int]
  }

  private var shapes: [Shape] {
    var shapes: [Shape] = []
    var seen: Set<[Int?]> = []
    let hasEncoded = samples.contains { $0.message.isEncoded }
    let unsent: [(fields: [UnsentField], countsPseudoFields: Bool)] =
      hasEncoded ? [([], false), ([.connection], false), ([.firefoxMark], false), ([], true)] : [([], false)]
    for texts in HeaderForm.Texts.allCases {
      for quoting in HeaderForm.Quoting.allCases where texts == .namesAndValues || quoting == .none {
        for folds in Folding.allCases {
          for unsent in unsent {
            let form = HeaderForm(texts: texts, perField: 4, base: 2, quoting: quoting)
            let reading = HeaderReading(
              form: form, folds: folds, countsPseudoFields: unsent.countsPseudoFields, unsent: unsent.fields)
            var figures: [Int?] = []
            var fields: [Int] = []
            for sample in samples {
              let added = unsent.fields.filter { $0.applies(to: sample.message) }
              var n = sample.groups.reduce(added.count) { $0 + $1.countedLines(folds: folds) }
              if unsent.countsPseudoFields, sample.message.isEncoded {
                n += PseudoFields(sample.message).count - (sample.groups.first { $0.name == "host" }?.lines ?? 0)
              }
              fields.append(n)
              figures.append(reading.figure(of: sample.message, sample.groups).map { $0 - 4 * n - 2 })
            }
            guard seen.insert(figures + fields.map { Optional($0) }).inserted else { continue }
            shapes.append(Shape(reading: reading, form: form, figures: figures, fields: fields))
          }
        }
      }
    }
    return shapes
  }

  /// The line through the rests that nine of ten lie on, and their number; nil when there is none.
  private func straight(_ rests: [Int?], _ fields: [Int]) -> (perField: Int, base: Int, fits: Int)? {
    var votes: [Int: Int] = [0: 1]
    var pairs = 0
    for (position, index) in trial.enumerated() {
      for other in trial[(position + 1)...].prefix(12) where fields[index] != fields[other] && pairs < Self.slopePairs {
        guard let a = rests[index], let b = rests[other] else { continue }
        let (rise, run) = (a - b, fields[index] - fields[other])
        pairs += 1
        if rise % run == 0 { votes[rise / run, default: 0] += 1 }
      }
    }
    var best: (perField: Int, base: Int, fits: Int)?
    for slope in votes.sorted(by: { ($0.value, -abs($0.key)) > ($1.value, -abs($1.key)) }).prefix(3).map(\.key) {
      guard let (_, inTrial) = commonest(trial, rests, fields, slope), inTrial * 5 >= trial.count * 4,
        let (base, fits) = commonest(Array(samples.indices), rests, fields, slope), fits * 10 >= samples.count * 9,
        fits > best?.fits ?? 0, slope == 0 || isShown(slope, base, rests, fields)
      else { continue }
      best = (slope, base, fits)
    }
    return best
  }

  /// Whether a slope rests on more than one row: without those with the commonest number of fields, two of its rows are left.
  private func isShown(_ slope: Int, _ base: Int, _ rests: [Int?], _ fields: [Int]) -> Bool {
    let numbers = Dictionary(grouping: fields.indices) { fields[$0] }.mapValues(\.count)
    let commonest = numbers.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
    return fields.indices.count { fields[$0] != commonest && rests[$0] == base + slope * fields[$0] } > 1
  }

  private func commonest(_ rows: [Int], _ rests: [Int?], _ fields: [Int], _ slope: Int) -> (base: Int, fits: Int)? {
    var counts: [Int: Int] = [:]
    for row in rows {
      guard let rest = rests[row] else { continue }
      counts[rest - slope * fields[row], default: 0] += 1
    }
    return counts.max { ($0.value, -abs($0.key)) < ($1.value, -abs($1.key)) }.map { ($0.key, $0.value) }
  }
}
