import HTTPReassembly

/// The distance of a row's figures from those that an app can have counted for a message. It is computed once for each message.
struct MessageSizes {
  private let wire: [WireMessage]
  private let memo: Memo
  /// The app's ways to count requests and responses; nil until they are known.
  private(set) var readings: (requests: LogReadings, responses: LogReadings)?
  /// The trust in figures of requests and of responses, from 0 to 1: nil until enough pairs show it.
  private var trust: (requests: Double?, responses: Double?) = (nil, nil)
  /// The same before there are pairs, by the rows' times; nil where they do not show it.
  var earlyTrust: Double?

  /// Figures of each message, as they become known.
  private final class Memo {
    var bodies: [[Int]?]
    /// By the app's way to count: the likeliest figures of a message, then all.
    var expected: [LogReadings.Expected?]

    init(count: Int) {
      bodies = Array(repeating: nil, count: count)
      expected = Array(repeating: nil, count: 2 * count)
    }
  }

  init(_ wire: [WireMessage]) {
    self.wire = wire
    memo = Memo(count: wire.count)
  }

  /// The row of a message on the wire.
  func row(_ message: Int) -> Message { wire[message].row }

  /// Takes over how the app counts. `requests` and `responses` are pairs that are sure.
  mutating func learn(
    _ readings: (requests: LogReadings, responses: LogReadings), requests: [Pair], responses: [Pair]
  ) {
    self.readings = readings
    for index in memo.expected.indices { memo.expected[index] = nil }
    trust = (share(requests), share(responses))
  }

  /// A row and its message.
  typealias Pair = (entry: LogEntry, message: Int)

  /// The share of sure pairs whose figures fit; nil for too few pairs. Pairs beyond the limit are passed over.
  private func share(_ pairs: [Pair]) -> Double? {
    let step = max(pairs.count / Self.trustRows, 1)
    let telling = stride(from: 0, to: pairs.count, by: step).map { pairs[$0] }.filter { pair in
      pair.entry.hasFigure && !pair.entry.isAborted && wire[pair.message].row.exactness != .atLeast
    }
    guard telling.count >= Self.leastRows else { return nil }
    return Double(telling.count { misfit($0.entry, $0.message).octets == 0 }) / Double(telling.count)
  }

  private static let trustRows = 500
  private static let leastRows = 5

  /// The weights of sizes of requests and of responses together; a weight is 0 as long as too few pairs show it.
  var weight: Double { [trust.requests, trust.responses].reduce(0) { $0 + ($1.map(Self.weight) ?? 0) } }

  private static func weight(_ trust: Double) -> Double { min(max((trust - 0.5) / 0.3, 0), 1) }

  /// The weight of sizes, from 0 to 1. Where the figures of half of the sure pairs fit nothing, figures say nothing of pairs. The
  /// same is so where many pairs do not show how the app counts.
  func weight(_ message: Int, isKnown: Bool) -> Double {
    guard let trust = wire[message].row.kind == .request ? trust.requests : trust.responses else {
      return Self.weight(earlyTrust ?? 1)
    }
    return isKnown ? Self.weight(trust) * (areMisplaced ? Self.misplacedWeight : 1) : 0
  }

  /// Whether the log has figures in rows of other messages.
  var areMisplaced: Bool { readings?.requests.areMisplaced ?? false }

  /// The weight of figures in a log that has some in rows of other messages: one that is another message's is no coincidence.
  private static let misplacedWeight = 0.05

  /// The distance of a row's figures from the nearest ones that the app would have.
  struct Misfit {
    /// 0 when they fit.
    var octets: Int
    /// Whether the app's way to count is known.
    var isKnown: Bool
    /// Whether only a fact of this one message gives some of the figures, as a body of 0 octets in place of all.
    var isFact = false
  }

  /// The distance of a row's figures from those that the app would have for a message.
  func misfit(_ entry: LogEntry, _ message: Int) -> Misfit {
    rest(entry, message) ?? Misfit(octets: looseRest(entry, message), isKnown: false)
  }

  /// The same where the app's way to count is known; else nil.
  private func rest(_ entry: LogEntry, _ message: Int) -> Misfit? {
    // Most rows have the likeliest figures, and need no others.
    guard let likely = expected(of: message, isComplete: false), let rest = likely.rest(entry) else { return nil }
    guard rest != 0, !likely.isComplete else { return Misfit(octets: rest, isKnown: true) }
    return expected(of: message, isComplete: true)?.rest(entry).map {
      Misfit(octets: $0, isKnown: true, isFact: $0 == 0)
    }
  }

  /// The figures that the app would have for a message; nil where its way to count is not known.
  private func expected(of message: Int, isComplete: Bool) -> LogReadings.Expected? {
    guard let readings else { return nil }
    let place = 2 * message + (isComplete ? 1 : 0)
    if let known = memo.expected[place] { return known }
    let own = wire[message].row.kind == .request ? readings.requests : readings.responses
    let expected = own.expected(of: wire[message], isComplete: isComplete)
    memo.expected[place] = expected
    return expected
  }

  /// Whether many pairs show how the app counts messages of a kind.
  func isLearned(_ kind: MessageKind) -> Bool { (kind == .request ? trust.requests : trust.responses) != nil }

  /// All figures that the app would have for a message: start-line, header section, body and whole message. A column without a likely
  /// figure is empty, because it tells nothing.
  func columns(of message: Int) -> [[Int]] {
    guard let likely = expected(of: message, isComplete: false), let all = expected(of: message, isComplete: true)
    else { return [[], [], [], []] }
    return zip(
      [likely.lines, likely.headers, likely.bodies, likely.wholes], [all.lines, all.headers, all.bodies, all.wholes]
    ).map { $0.isEmpty ? [] : $1 }
  }

  /// The wire's own figures of a message, by column: those of text, and the whole also without chunk framing and trailers.
  func wireColumns(of message: Int) -> [[Int]] {
    let octets = wire[message].visibleOctets
    return [
      [octets.startLine], [octets.header], [octets.body],
      [octets.total, octets.total - octets.framing - octets.trailer],
    ]
  }

  /// Whether a row has figures, and all of them are the wire's own.
  func areWire(_ entry: LogEntry, _ message: Int) -> Bool {
    let figures = [entry.lineLength, entry.headerLength, entry.bodyLength, entry.length]
    return entry.hasFigure
      && zip(figures, wireColumns(of: message)).allSatisfy { figure, own in figure.map(own.contains) ?? true }
  }

  /// How well a row's figures are those of a message.
  enum Fit: Int, Comparable {
    /// They are not.
    case none
    /// They are by a fact of this one message.
    case fact
    /// They are by the app's way to count.
    case reading

    static func < (a: Fit, b: Fit) -> Bool { a.rawValue < b.rawValue }
  }

  /// Whether the app's known way to count gives all figures of a row for a message.
  func fit(_ entry: LogEntry, _ message: Int) -> Fit {
    guard entry.hasFigure, let rest = rest(entry, message), rest.octets == 0 else { return .none }
    return rest.isFact ? .fact : .reading
  }

  /// Whether a row's figures can be those of a message. Where many pairs show how the app counts, they must be.
  func mayBe(_ entry: LogEntry, _ message: Int) -> Bool {
    isLearned(wire[message].row.kind) ? fit(entry, message) != .none : misfit(entry, message).octets == 0
  }

  /// As `misfit`, before the app's way to count is known: of body and length only.
  func looseRest(_ entry: LogEntry, _ message: Int) -> Int {
    let bodies = bodies(of: message)
    let octets = wire[message].row.octets
    var rest = 0
    if let body = entry.bodyLength { rest = bodies.map { abs($0 - body) }.min() ?? 0 }
    if let length = entry.length {
      // A header section may be counted in any way, or not at all.
      let row = wire[message].row
      let head = max(octets.startLine + octets.header, (row.expandedStartLine ?? 0) + (row.expandedHeader ?? 0))
      let slack = 2 * head + octets.framing + octets.trailer
      let nearest = bodies.map { body in length < body ? body - length : max(length - body - slack, 0) }.min() ?? 0
      rest = max(rest, nearest)
    }
    return rest
  }

  private func bodies(of message: Int) -> [Int] {
    if let known = memo.bodies[message] { return known }
    let bodies = BodyReading.allCases.compactMap { $0.figure(of: wire[message]) }
    memo.bodies[message] = bodies
    return bodies
  }
}
