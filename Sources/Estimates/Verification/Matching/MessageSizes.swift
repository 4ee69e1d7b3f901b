import HTTPReassembly

/// The distance of a row's figures from those that an app can have counted for a message. It is computed once for each message.
struct MessageSizes {
  private let wire: [WireMessage]
  private let memo: Memo
  /// The app's way to count requests; nil until it is known.
  var requestReadings: LogReadings? { didSet { memo.expected.removeAll() } }
  /// The app's way to count responses; nil until it is known.
  var responseReadings: LogReadings? { didSet { memo.expected.removeAll() } }

  private final class Memo {
    var bodies: [Int: [Int]] = [:]
    var expected: [Int: LogReadings.Expected] = [:]
  }

  init(_ wire: [WireMessage]) {
    self.wire = wire
    memo = Memo()
  }

  /// The row of a message on the wire.
  func row(_ message: Int) -> Message { wire[message].row }

  /// Octets between a row's figures and the nearest ones that the app would have; 0 when they fit.
  func rest(_ entry: LogEntry, _ message: Int) -> Int { rest(entry, message, isLoose: true) ?? 0 }

  private func rest(_ entry: LogEntry, _ message: Int, isLoose: Bool) -> Int? {
    guard let readings = wire[message].row.kind == .request ? requestReadings : responseReadings else {
      return looseRest(entry, message)
    }
    let expected =
      memo.expected[message]
      ?? {
        let expected = readings.expected(of: wire[message])
        memo.expected[message] = expected
        return expected
      }()
    return readings.rest(entry, expected) ?? (isLoose ? looseRest(entry, message) : nil)
  }

  /// Whether the app's known way to count gives all figures of a row for a message.
  func fits(_ entry: LogEntry, _ message: Int) -> Bool {
    let isKnown = (wire[message].row.kind == .request ? requestReadings : responseReadings) != nil
    return isKnown && entry.hasFigure && rest(entry, message, isLoose: false) == 0
  }

  /// As `rest`, before the app's way to count is known: of body and length only.
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
