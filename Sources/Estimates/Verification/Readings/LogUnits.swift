import HTTPReassembly

/// The units of a log's columns. They are the same for requests and responses, because one program wrote both.
struct LogUnits {
  /// A row of the log, and its message.
  typealias Pair = (entry: LogEntry, message: WireMessage)

  private(set) var line = FigureUnit.octets
  private(set) var header = FigureUnit.octets
  private(set) var body = FigureUnit.octets
  private(set) var whole = FigureUnit.octets

  /// The largest number of rows that are examined.
  private static let limit = 1000

  /// Octets in each column.
  init() {}

  /// Finds the units from sure pairs of both kinds.
  init(_ pairs: [Pair]) {
    let step = max((pairs.count + Self.limit - 1) / Self.limit, 1)
    let some = stride(from: 0, to: pairs.count, by: step).map { pairs[$0] }
    line = Self.unit(Self.samples(some, \.lineLength), LineReading.self) { $0.row.octets.startLine }
    header = Self.unit(Self.samples(some, \.headerLength), HeaderReading.self) { $0.row.octets.header }
    if header.isScale, Self.hasForm(Self.samples(some, \.headerLength), { !$0.headers().isEmpty }) { header = .octets }
    body = Self.unit(Self.samples(some, \.bodyLength), BodyReading.self) { $0.row.octets.body }
    whole = Self.unit(Self.wholes(some), WholeReading.self) { $0.row.octets.total }
    if whole.isScale, Self.hasForm(Self.wholes(some), { !$0.wholes().isEmpty }) { whole = .octets }
    // One program writes all columns. A scale that rounds short figures down may look like a constant difference in one of them.
    let shared = [header, body, line].filter { $0 != .octets }
    guard !shared.isEmpty else { return }
    line = Self.unit(Self.samples(some, \.lineLength), LineReading.self, shared: shared) { $0.row.octets.startLine }
    header = Self.unit(Self.samples(some, \.headerLength), HeaderReading.self, shared: shared) { $0.row.octets.header }
    body = Self.unit(Self.samples(some, \.bodyLength), BodyReading.self, shared: shared) { $0.row.octets.body }
  }

  /// Whether a form of fields in octets fits the figures of both kinds of messages: in short figures it looks like a scale.
  private static func hasForm(
    _ samples: [(message: WireMessage, figure: Int)], _ fits: (FormFit) -> Bool
  ) -> Bool {
    [MessageKind.request, .response].allSatisfy { kind in
      let own = samples.filter { ($0.message.row.kind == .request) == (kind == .request) }.map {
        ReadingSample(message: $0.message, groups: FieldGroup.groups(of: $0.message), figure: $0.figure)
      }
      return own.isEmpty || fits(FormFit(own, kind: kind))
    }
  }

  private static func unit<R: Reading>(
    _ samples: [(message: WireMessage, figure: Int)], _ reading: R.Type, shared: [FigureUnit] = [],
    _ wire: (WireMessage) -> Int
  ) -> FigureUnit {
    func kind(_ message: WireMessage) -> MessageKind { message.row.kind == .request ? .request : .response }
    let figures = samples.map(\.figure)
    // The number of ways is the same for both kinds. The plain one is first, and mostly the last one that is asked for.
    let ways = 2 + R.coarse(.request).count
    return FigureUnit.fitted(figures, ways: ways, shared: shared) { way in
      samples.map { sample in
        let message = sample.message
        if way == ways - 1 { return wire(message) }
        return (way == 0 ? R.plain(kind(message)) : R.coarse(kind(message))[way - 1]).figure(of: message)
      }
    }
  }

  /// The figures of a part, with their messages.
  static func samples(_ pairs: [Pair], _ figure: (LogEntry) -> Int?) -> [(message: WireMessage, figure: Int)] {
    pairs.compactMap { pair in
      pair.entry.isAborted || pair.message.row.exactness == .atLeast
        ? nil : figure(pair.entry).map { (pair.message, $0) }
    }
  }

  /// The figures of whole messages that their parts do not make up.
  static func wholes(_ pairs: [Pair]) -> [(message: WireMessage, figure: Int)] {
    pairs.compactMap { pair in
      pair.entry.isAborted ? nil : pair.entry.lengthBeyondParts(pair.message).map { (pair.message, $0) }
    }
  }

  /// The readings of requests and of responses.
  static func readings(requests: [Pair], responses: [Pair], log: AppLog) -> (
    requests: LogReadings, responses: LogReadings
  ) {
    let units = LogUnits(requests + responses)
    var first = LogReadings(requests, log: log, kind: .request, units: units)
    var second = LogReadings(responses, log: log, kind: .response, units: units)
    if first.style != second.style {
      // Rows of one kind may bear out a way of writing that those of the other kind fit as well as another.
      let none = LogReadings.Style()
      if second.style != none { first = LogReadings(requests, log: log, kind: .request, units: units, other: second) }
      if first.style != none, first.style != second.style {
        second = LogReadings(responses, log: log, kind: .response, units: units, other: first)
      }
    }
    let areMisplaced = MisplacedFigures.areIn(
      requests.map { ($0.entry, $0.message, first) } + responses.map { ($0.entry, $0.message, second) })
    LogReadings.doubtZeros(first, second, areMisplaced: areMisplaced)
    return (first, second)
  }
}

extension HeaderReading {
  /// The form, if it is text in another form than the wire's.
  var ownForm: HeaderForm? { form.flatMap { $0 == .wire || $0.isEncoded ? nil : $0 } }
}
