import HTTPReassembly

/// The messages of one exchange on the wire, as indices into the list of all.
struct WireExchange {
  /// The request; nil when it was not captured.
  var request: Int?
  /// The final response; nil when there was none.
  var response: Int?
  /// The interim responses.
  var interims: [Int] = []
  /// Host and path.
  var key: MatchKey
  /// The query, percent-decoded, empty without one; nil when the request-line is unknown.
  var query: String?
  /// The method; empty when unknown.
  var method: String
  /// The final response's status; 0 when unknown.
  var status = 0
  /// The exchange's first octet and its last, in nanoseconds since the Unix epoch.
  var start: Int64
  var end: Int64

  /// The exchanges of `wire`, by the time of their first octet.
  static func all(_ wire: [WireMessage]) -> [WireExchange] {
    var exchanges: [WireExchange] = []
    var indices: [Int: Int] = [:]
    for (index, message) in wire.enumerated() {
      // Rows without an exchange are exchanges of their own.
      let number = message.row.exchange == 0 ? -1 - index : message.row.exchange
      let known = indices[number]
      let position = known ?? exchanges.count
      if known == nil {
        indices[number] = position
        exchanges.append(
          WireExchange(
            key: MatchKey(message), method: message.method, start: message.row.firstTime, end: message.row.lastTime))
      }
      exchanges[position].add(message, index)
    }
    return exchanges.sorted { ($0.start, $0.request ?? $0.response ?? 0) < ($1.start, $1.request ?? $1.response ?? 0) }
  }

  /// The tries before each answered exchange, as indices: requests without an answer that the client may have sent again. Of many
  /// tries only the latest are there.
  static func tries(_ exchanges: [WireExchange]) -> [Int: [Int]] {
    struct Target: Hashable {
      var key: MatchKey
      var query: String?
      var method: String
    }
    var open: [Target: [Int]] = [:]
    var tries: [Int: [Int]] = [:]
    for (index, exchange) in exchanges.enumerated() where exchange.request != nil {
      let target = Target(key: exchange.key, query: exchange.query, method: exchange.method)
      if exchange.response == nil {
        open[target] = (open[target] ?? []).suffix(tryLimit - 1) + [index]
      } else if let earlier = open[target] {
        tries[index] = earlier.filter { exchange.start.saturatingSubtract(exchanges[$0].start) <= repeatReach }
      }
    }
    return tries
  }

  /// The largest number of tries of an exchange.
  private static let tryLimit = 8

  /// The longest time in nanoseconds from a request to its repetition.
  static let repeatReach: Int64 = 60_000_000_000

  private mutating func add(_ message: WireMessage, _ index: Int) {
    start = min(start, message.row.firstTime)
    end = max(end, message.row.lastTime)
    switch message.row.kind {
    case .request:
      request = index
      key = MatchKey(message)
      method = message.method
      if !message.startLine.isEmpty, !message.row.flags.contains(.lineTooLong) {
        query = MatchKey.decodedQuery(String(decoding: RequestTargetParts.query(message.startLine), as: UTF8.self))
      }
    case .response:
      response = index
      status = message.row.status
    case .interim: interims.append(index)
    }
  }

  /// Whether a status in a log and one on the wire may be the same: they are, or one is unknown.
  static func agree(_ logged: Int, _ sent: Int) -> Bool { logged == 0 || sent == 0 || logged == sent }

  /// Whether an app may be shown a status in place of the 304 that was sent: 200 with the cached content, or 416 where a range of
  /// it was asked for.
  static func isShown(_ logged: Int, for sent: Int) -> Bool { sent == 304 && (logged == 200 || logged == 416) }

  /// From the first octet to the last.
  var span: ExchangeSpan { ExchangeSpan(start: start, end: end) }

  /// Nanoseconds from the exchange to `time`: negative before its first octet, positive after its last, 0 between them.
  func distance(to time: Int64) -> Int64 {
    if time < start { return time.saturatingSubtract(start) }
    return time > end ? time.saturatingSubtract(end) : 0
  }
}

/// The time from the start of an exchange to its end, in nanoseconds since the Unix epoch.
struct ExchangeSpan {
  var start: Int64
  var end: Int64

  /// Whether the two overlap.
  func overlaps(_ other: ExchangeSpan) -> Bool { start <= other.end && other.start <= end }
}

extension Int64 {
  /// The difference, saturated at the ends of the range.
  func saturatingSubtract(_ other: Int64) -> Int64 {
    let (difference, overflows) = subtractingReportingOverflow(other)
    return overflows ? (self < other ? .min : .max) : difference
  }
}
