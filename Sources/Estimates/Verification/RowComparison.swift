import HTTPReassembly

/// The way in which one app's log counts its requests, or its responses: for each figure, the readings that its rows bear out.
///
/// It is an object, because it is asked for each possible pair of a row and a message, and has many lists.
final class LogReadings {
  private var lines: ReadingEvidence<LineReading>
  private var headers: ReadingEvidence<HeaderReading>
  private var bodies: ReadingEvidence<BodyReading>
  private var wholes: ReadingEvidence<WholeReading>
  /// The parts that have figures in the log.
  private let known: KnownParts

  /// Whether the log has figures in rows of other messages.
  private(set) var areMisplaced = false

  private struct KnownParts {
    var line = false
    var header = false
    var body = false
    /// Whether a missing figure of the header section or body means unknown, and not uncounted.
    var absentIsUnknown = false
    /// Whether lengths are header section and body without the start-line, which has a figure of its own.
    var lengthSkipsLine = false
  }

  /// Finds the readings from pairs that are sure and all of `kind`. `units` are those of the log's columns; `other` are the
  /// readings of the other kind of messages, when they are known: one program wrote both.
  init(
    _ pairs: [(entry: LogEntry, message: WireMessage)], log: AppLog, kind: MessageKind, units: LogUnits = LogUnits(),
    other: LogReadings? = nil
  ) {
    lines = ReadingEvidence(
      LogUnits.samples(pairs, \.lineLength), kind: kind, unit: units.line,
      hints: other?.style.line.map { [$0.counterpart(kind)] } ?? [],
      search: { message, figure in LineReading.all(for: message).filter { $0.figure(of: message) == figure } })
    // A line with a figure of its own is not counted in the header section, too.
    let hasLines = pairs.contains { $0.entry.lineLength ?? 0 > 0 }
    headers = ReadingEvidence(
      LogUnits.samples(pairs, \.headerLength), kind: kind, unit: units.header, hints: other?.headerHints(kind) ?? [],
      documented: log.dialect.documentedHeader(kind),
      fit: { FormFit($0, kind: kind).headers(withLines: !hasLines) },
      search: { message, figure in
        let readings = HeaderReadingSearch(message).readings(giving: figure)
        return hasLines ? readings.filter { $0.line == nil } : readings
      })
    bodies = ReadingEvidence(LogUnits.samples(pairs, \.bodyLength), kind: kind, unit: units.body) { message, figure in
      BodyReading.allCases.filter { $0.figure(of: message) == figure }
    }
    wholes = ReadingEvidence(
      LogUnits.wholes(pairs), kind: kind, unit: units.whole,
      hints: other?.wholeHints(kind) ?? [], fit: { FormFit($0, kind: kind).wholes() },
      search: { WholeReading.readings(of: $0, giving: $1) })
    var known = KnownParts()
    known.absentIsUnknown = log.dialect != .monitor
    // A column without any value says that its figures are unknown, not that they are not counted.
    let isRequest = kind == .request
    known.line = !log.columns.isDisjoint(with: [.lineLength, isRequest ? .requestLineLength : .responseLineLength])
    known.header =
      !log.columns.isDisjoint(with: [.headerLength, isRequest ? .requestHeaderLength : .responseHeaderLength])
    known.body = !log.columns.isDisjoint(with: [.bodyLength, isRequest ? .requestBodyLength : .responseBodyLength])
    var sums: [Parts: Int] = [:]
    for entry in log.entries where entry.kind == kind || kind == .response && entry.kind == .interim {
      if entry.hasAllParts, let parts = entry.partsOfLength(MessageOctets()) { sums[parts, default: 0] += 1 }
      if entry.lineLength != nil { known.line = true }
      if entry.headerLength != nil { known.header = true }
      if entry.bodyLength != nil { known.body = true }
    }
    let skipping = sums[[.header, .body]] ?? 0
    known.lengthSkipsLine = skipping > 1 && skipping * 2 > sums.values.reduce(0, +)
    self.known = known
  }

  /// The readings of each figure, and the number of examined rows that they fit.
  var best: [BestReading] {
    func described<R: Reading & CustomStringConvertible>(
      _ figure: String, _ evidence: ReadingEvidence<R>
    ) -> [BestReading] {
      evidence.believed.enumerated().map { index, believed in
        BestReading(
          figure, believed.reading.description + (evidence.unit == .octets ? "" : "; in \(evidence.unit.words)"),
          believed.fits, misses: believed.misses, rivals: believed.rivals,
          isFurther: index > 0)
      }
    }
    return described("start-line", lines) + described("header", headers) + described("body", bodies)
      + described("message", wholes)
  }

  /// The readings of header sections of the other kind that have the form of this one's.
  private func headerHints(_ kind: MessageKind) -> [HeaderReading] {
    guard let form = style.header, let own = headers.believed.first?.reading else { return [] }
    return form.variants.flatMap { form in
      let plain = HeaderReading(form: form)
      var counterpart = plain
      counterpart.line = own.line?.counterpart(kind)
      counterpart.countsPseudoFields = own.countsPseudoFields
      return counterpart == plain ? [plain] : [plain, counterpart]
    }
  }
  /// The same for whole messages.
  private func wholeHints(_ kind: MessageKind) -> [WholeReading] {
    guard style.whole != nil || style.wholeLine != nil else { return [] }
    let lines = [LineReading.nothing, .plain(kind)] + (style.wholeLine.map { [$0.counterpart(kind)] } ?? [])
    return (style.whole?.variants ?? [.wire]).flatMap { form in
      Set(lines).flatMap { line in
        [BodyReading.transferred, .decoded].map {
          WholeReading(line: line, header: HeaderReading(form: form), body: $0)
        }
      }
    }
  }

  /// The ways of writing in which a log differs from the wire, in the figures of parts and of whole messages. The other kind of messages
  /// may have them, too; nil where there is none.
  struct Style: Equatable {
    var line: LineReading?
    var header: HeaderForm?
    var whole: HeaderForm?
    var wholeLine: LineReading?
  }

  /// The ways that the likeliest readings have.
  var style: Style {
    let whole = wholes.believed.first
    return Style(
      line: lines.believed.first?.reading.ownStyle, header: headers.believed.first?.reading.ownForm,
      whole: whole?.reading.header.ownForm, wholeLine: whole?.reading.line.ownStyle)
  }

  /// The senses of the figures of start-lines, header sections, bodies and whole messages.
  var senses: [FigureSense] { [lines.sense, headers.sense, bodies.sense, wholes.sense] }
  /// The units of these columns.
  var units: [FigureUnit] { [lines.unit, headers.unit, bodies.unit, wholes.unit] }

  /// Takes back what figures of 0 say in a column, by its place among these.
  func doubtZeros(_ column: Int) {
    switch column {
    case 0: lines.doubtZeros()
    case 1: headers.doubtZeros()
    case 2: bodies.doubtZeros()
    default: wholes.doubtZeros()
    }
  }

  /// Whether a log has figures in rows of other messages; a few rows then bear out nothing.
  func misplace(_ areMisplaced: Bool) {
    self.areMisplaced = areMisplaced
    guard areMisplaced else { return }
    lines.doubtFewRows()
    headers.doubtFewRows()
    bodies.doubtFewRows()
    wholes.doubtFewRows()
  }

  // MARK: Expected figures

  /// The figures that an app with these readings may have for a message, by part.
  struct Expected {
    /// Whether all figures are there, and not the likeliest alone.
    var isComplete: Bool
    var lines: [Int]
    var headers: [Int]
    var bodies: [Int]
    var wholes: [Int]
    var wireBody: Int

    /// Octets by which a row's figures are off; nil when no figure has an expectation.
    func rest(_ entry: LogEntry) -> Int? {
      var rest: Int?
      func add(_ figure: Int?, _ figures: [Int]) {
        guard let figure, let nearest = figures.lazy.map({ abs($0 - figure) }).min() else { return }
        rest = (rest ?? 0) + nearest
      }
      add(entry.lineLength, lines)
      add(entry.headerLength, headers)
      add(entry.bodyLength, bodies)
      if !entry.lengthIsSum, let length = entry.length {
        add(length - (entry.bodyLength.map { $0 - wireBody } ?? 0), wholes)
      }
      return rest
    }
  }

  /// The figures that the app may have for a message.
  func expected(of message: WireMessage, isComplete: Bool) -> Expected {
    let groups = FieldGroup.groups(of: message)
    let isAll = isComplete || !(lines.hasFacts || headers.hasFacts || bodies.hasFacts || wholes.hasFacts)
    return Expected(
      isComplete: isAll, lines: lines.expected(of: message, groups, isComplete: isComplete),
      headers: headers.expected(of: message, groups, isComplete: isComplete),
      bodies: bodies.expected(of: message, groups, isComplete: isComplete),
      wholes: wholes.expected(of: message, groups, isComplete: isComplete), wireBody: message.row.octets.body)
  }

  /// The same by column. A column without a believed reading has the wire's figure.
  func columns(of message: WireMessage) -> [[Int]] {
    let expected = expected(of: message, isComplete: true)
    return zip(
      [expected.lines, expected.headers, expected.bodies, expected.wholes],
      [lines.likely(message), headers.likely(message), bodies.likely(message), wholes.likely(message)]
    ).map { $0.isEmpty ? [$1].compactMap { $0 } : $0 }
  }

  // MARK: Comparison

  /// Compares a row with its message. `related` are further messages that the row may have counted: see `Matching.Match`.
  func compare(_ entry: LogEntry, _ message: WireMessage, _ related: RelatedMessages) -> VerifiedRow {
    let octets = message.row.octets
    var row = VerifiedRow(entry: entry, message: message)
    row.line = comparison(lines, entry.lineLength, octets.startLine, entry, message, related)
    row.header = comparison(headers, entry.headerLength, octets.header, entry, message, related)
    row.body = comparison(bodies, entry.bodyLength, octets.body, entry, message, related)
    row.total = total(row, entry, message, related)
    return row
  }

  private func comparison<R: Reading>(
    _ evidence: ReadingEvidence<R>, _ figure: Int?, _ wire: Int, _ entry: LogEntry, _ message: WireMessage,
    _ related: RelatedMessages
  ) -> FigureComparison {
    var comparison = FigureComparison(app: figure, wire: wire)
    guard let figure else { return comparison }
    guard figure != wire else {
      comparison.causes = evidence.causesOfNone(message, figure)
      return comparison
    }
    if let causes = evidence.explain(message, figure)
      ?? related.explain(evidence, message, figure, wire: wire)
    {
      comparison.causes = causes
      return comparison
    }
    comparison.causes = evidence.likeliest(message, figure)
    let rest = figure - wire - comparison.causes.octets
    if R.self != LineReading.self, R.self != HeaderReading.self, isCutShort(figure, rest, entry, message) {
      comparison.causes = (comparison.causes + [Cause(.aborted, rest)]).netted
    } else {
      comparison.unexplained = rest
    }
    return comparison
  }

  /// Whether a figure is possible for a transfer that the app, or the capture, saw in part only: the app counted up to any octet of
  /// the content, or nothing. `rest` is what its way to count leaves of the difference.
  private func isCutShort(_ figure: Int, _ rest: Int, _ entry: LogEntry, _ message: WireMessage) -> Bool {
    let isOpen = message.row.exactness == .atLeast
    guard entry.isAborted || entry.isPending || isOpen else { return false }
    let octets = message.row.octets
    let content = max(octets.body, message.decodedLength ?? 0) + octets.framing + octets.trailer
    // More than was sent is possible where the capture did not see the end.
    let more = isOpen ? message.contentLength.map { max($0 - octets.body, 0) } ?? .max : 0
    return figure == 0 || (-content...more).contains(rest)
  }

  /// The whole message: from its parts if they make it up, else by readings of its own.
  private func total(
    _ row: VerifiedRow, _ entry: LogEntry, _ message: WireMessage, _ related: RelatedMessages
  ) -> FigureComparison {
    let octets = message.row.octets
    guard let length = entry.length else {
      return isWhole(entry) ? sum(row, entry.parts, message) : FigureComparison(wire: octets.total)
    }
    // A row about several messages may have their sum in its length, and only one of them in its parts.
    if !related.hops.isEmpty, let causes = related.explain(wholes, message, length, wire: octets.total) {
      return FigureComparison(app: length, wire: octets.total, causes: causes)
    }
    // Where other rows' lengths have the line in them, a length that fits without it does so by chance.
    if entry.hasAllParts, !known.lengthSkipsLine { return sum(row, entry.parts, message, length: length) }
    if let parts = entry.partsOfLength(octets) { return sum(row, parts, message, length: length) }
    if entry.hasAllParts { return sum(row, entry.parts, message, length: length) }
    guard let body = entry.bodyLength else {
      return comparison(wholes, length, octets.total, entry, message, related)
    }
    // The body has its own comparison, which decides.
    var rest = comparison(wholes, length - (body - octets.body), octets.total, entry, message, related)
    rest.app = length
    rest.causes = (rest.causes + row.body.causes).netted
    rest.unexplained += row.body.unexplained
    return rest
  }

  /// Whether a row has a figure of the whole message, or figures of the parts that its log counts.
  func isWhole(_ entry: LogEntry) -> Bool {
    if entry.length != nil { return true }
    let isUnknown =
      known.line && entry.lineLength == nil
      || (known.header || known.absentIsUnknown) && entry.headerLength == nil
      || (known.body || known.absentIsUnknown) && entry.bodyLength == nil
    return !isUnknown && !entry.parts.isEmpty
  }

  /// The whole message from some of its parts.
  private func sum(_ row: VerifiedRow, _ parts: Parts, _ message: WireMessage, length: Int? = nil) -> FigureComparison {
    let octets = message.row.octets
    let framing = Cause.Kind.framing(of: message)
    var total = FigureComparison(wire: octets.total)
    var causes: [Cause] = []
    var sum = 0
    for (part, comparison, absent, wire) in [
      (Parts.line, row.line, Cause.Kind.lineNotCounted, octets.startLine),
      (.header, row.header, .headerNotCounted, octets.header), (.body, row.body, .bodyNotCounted, octets.body),
    ] {
      if parts.contains(part), let app = comparison.app {
        sum += app
        causes += comparison.causes
        total.unexplained += comparison.unexplained
      } else if part == .line, headers.isDoubted, !row.header.causes.contains(where: { $0.kind == .lineInHeader }) {
        // Figures that are rounded, or not understood, may have the line in them.
        total.unexplained -= wire
      } else {
        causes.append(Cause(absent, -wire))
      }
    }
    total.app = length ?? sum
    causes += [Cause(framing, -octets.framing), Cause(.trailers, -octets.trailer)]
    let rest = (length ?? sum) - sum
    if rest != 0, rest == octets.framing + octets.trailer {
      causes += [Cause(framing, octets.framing), Cause(.trailers, octets.trailer)]
    } else if rest != 0 {
      // The row contradicts itself. It gets a cause without octets, and the octets stay unexplained.
      causes.append(Cause(.sumOfParts, 0))
      total.unexplained += rest
    }
    total.causes = causes.netted
    return total
  }
}

/// The parts of a message that have a figure in a row.
struct Parts: OptionSet, Hashable {
  let rawValue: Int
  static let line = Parts(rawValue: 1)
  static let header = Parts(rawValue: 2)
  static let body = Parts(rawValue: 4)
}

extension LogEntry {
  /// Whether every part has a figure, so that the whole needs no reading of its own.
  var hasAllParts: Bool { lineLength != nil && headerLength != nil && bodyLength != nil }

  /// The parts with a figure.
  var parts: Parts {
    var parts: Parts = []
    if lineLength != nil { parts.insert(.line) }
    if headerLength != nil { parts.insert(.header) }
    if bodyLength != nil { parts.insert(.body) }
    return parts
  }

  /// The parts whose sum is the length, with or without chunk framing and trailers. All parts are tried first, then fewer. Nil
  /// when it is not a sum.
  func partsOfLength(_ octets: MessageOctets) -> Parts? {
    guard let length else { return nil }
    let framing = octets.framing + octets.trailer
    var candidates: [Parts] = [parts]
    if parts.contains([.header, .body]) { candidates.append([.header, .body]) }
    // In Firefox's logs the body includes the whole message.
    if parts == [.header, .body] { candidates.append(.body) }
    for candidate in candidates where !candidate.isEmpty && isWhole(candidate) {
      let sum =
        (candidate.contains(.line) ? lineLength ?? 0 : 0) + (candidate.contains(.header) ? headerLength ?? 0 : 0)
        + (candidate.contains(.body) ? bodyLength ?? 0 : 0)
      if sum == length || framing > 0 && sum + framing == length { return candidate }
    }
    return nil
  }

  /// Whether parts can be a whole message. A body alone can only if the log also has a header figure.
  private func isWhole(_ parts: Parts) -> Bool {
    parts.contains([.header, .body]) || parts == .body && headerLength != nil
  }

  /// Whether the length is the sum of the row's parts.
  var lengthIsSum: Bool { partsOfLength(MessageOctets()) != nil || hasAllParts }

  /// The length of a row whose parts do not make it up, without the body's own difference.
  func lengthBeyondParts(_ message: WireMessage) -> Int? {
    guard let length, !hasAllParts, partsOfLength(message.row.octets) == nil else { return nil }
    return length - (bodyLength.map { $0 - message.row.octets.body } ?? 0)
  }
}
