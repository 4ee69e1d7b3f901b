import Foundation
import HTTPReassembly

/// Rates how well an exchange of the log and one on the wire fit. Each improbable fact costs the natural logarithm of how much
/// less likely it is.
struct PairGain {
  /// The gain of a pair that fits in everything.
  static let whole = 20.0
  /// Two assignments are equally good when their sums differ by less: one is not twenty times as likely as the other.
  static let doubt = 3.0
  /// The same for a row whose figures do not fit its message: then times alone tell, and some are far off.
  static let doubtOfMisfit = 5.0

  var log: [LogEntry]
  let wire: [WireMessage]
  let exchanges: [WireExchange]
  let clock: ClockFit?
  let tolerance: Int64
  /// The delays after the exchange's moments with which the app notes requests and responses.
  var requestDelay = NotedDelay()
  var responseDelay = NotedDelay()
  /// The error of the time between the two, in nanoseconds. It is less than each one's error where a client waits for a
  /// connection.
  var waitSpread: Int64 = 20_000_000
  let chains: RequestChains
  /// Whether the log has a row for each hop of a redirection, also where a hop's row has the status of the last one.
  var logsEachHop = false
  /// The statuses that the log has in place of others.
  var replaced: Set<ReplacedStatus> = []
  /// The earlier tries of answered exchanges, by the exchange: a row may have the time of any of them.
  let tries: [Int: [Int]]
  /// All of these tries. A row with an answer is none of them.
  let triedAgain: Set<Int>
  /// First rows of exchanges that repeat earlier rows to the letter. They are real only where the wire has two at once.
  var twins: Set<Int>
  /// The distance of figures from those that the app can have counted.
  var sizes: MessageSizes

  /// The gain of a pair; nil when it is impossible. `exchange` is an index.
  func callAsFunction(_ rows: LogExchange, _ index: Int) -> Double? {
    var exchange = exchanges[index]
    guard isPossible(rows, exchange), !(rows.isJoined && rows.isAnswered && triedAgain.contains(index)) else {
      return nil
    }
    var gain = Self.whole
    if let request = rows.request, exchange.request == nil { gain -= log[request].hasFigure ? 6 : 1 }
    if let response = rows.response, exchange.response == nil { gain -= log[response].hasFigure ? 6 : 1 }
    if rows.isJoined, (rows.response == nil) != (exchange.response == nil) { gain -= 2 }
    let chain = chain(rows, index)
    if let last = chain.last {
      // The row is about the chain: its response is the last one.
      gain -= 1
      (exchange.response, exchange.status, exchange.end) = (last.response, last.status, max(exchange.end, last.end))
    } else if !WireExchange.agree(rows.status, exchange.status) {
      gain -= isShown(rows.status, for: exchange.status) ? 1 : 9
    }
    if let length = rows.queryLength, rows.query == nil, exchange.query != nil, length != queryLength(exchange) {
      gain -= 9
    }
    guard let late = timeCost(rows, exchange, tries[index] ?? []) else { return nil }
    if twins.contains(rows.first), late > Self.twinLimit { return nil }
    gain -= late
    var sizes = 0.0
    if let request = rows.request, let message = exchange.request {
      // The messages of a chain may be counted together, the requests always.
      sizes += sizeCost(request, message) * (chain.isEmpty ? 1 : 0.2)
    }
    if let response = rows.response, let message = exchange.response {
      sizes += sizeCost(response, message) * (chain.isEmpty ? 1 : 0.5)
    }
    if twins.contains(rows.first), sizes > 2 * Self.factCost { return nil }
    return gain - min(sizes, Self.sizeLimit)
  }

  /// The later exchanges of a chain that the rows are about, too: the last one has their status.
  func chain(_ rows: LogExchange, _ index: Int) -> [WireExchange] {
    let exchange = exchanges[index]
    guard rows.isJoined, rows.response != nil, rows.status > 0, exchange.status > 0, rows.status != exchange.status
    else { return [] }
    let hops = chains.hops(after: index)
    guard let last = hops.last, last.status == rows.status else { return [] }
    let isCounted = rows.rows.contains { log[$0].redirectCount > 0 }
    return logsEachHop && !isCounted ? [] : hops
  }

  /// Whether the log may have a status for another one that was sent.
  private func isShown(_ logged: Int, for sent: Int) -> Bool {
    WireExchange.isShown(logged, for: sent) || replaced.contains(ReplacedStatus(logged: logged, sent: sent))
      || replaced.contains(ReplacedStatus(logged: logged, sent: nil))
  }

  /// The largest cost of sizes: a row at the right time belongs to its message, however wrong the app counts.
  private static let sizeLimit = 15.0

  private func queryLength(_ exchange: WireExchange) -> Int {
    exchange.request.flatMap { wire[$0].row.queryLength } ?? 0
  }

  /// Whether no certain fact of the log contradicts the pair.
  private func isPossible(_ rows: LogExchange, _ exchange: WireExchange) -> Bool {
    if let query = rows.query, let other = exchange.query, query != other { return false }
    return isPossibleBesideQuery(rows, exchange)
  }

  /// The same without the text of the query.
  func isPossibleBesideQuery(_ rows: LogExchange, _ exchange: WireExchange) -> Bool {
    if !rows.method.isEmpty, !exchange.method.isEmpty, rows.method != exchange.method { return false }
    guard let port = rows.port, let message = exchange.request ?? exchange.response else { return true }
    if let named = MatchKey.port(wire[message].host) { return port == named }
    return port == (wire[message].row.isSecure ? 443 : 80) || port == Int(wire[message].row.server.port)
  }

  /// The largest time cost of a row that repeats an earlier one to the letter.
  private static let twinLimit = 3.0

  /// Whether only sizes contradict a pair: all known facts agree, and the time is nearly right.
  func isNear(_ rows: LogExchange, _ index: Int) -> Bool {
    let exchange = exchanges[index]
    guard isPossible(rows, exchange), clock != nil, rows.time != nil else { return false }
    if !WireExchange.agree(rows.status, exchange.status), !isShown(rows.status, for: exchange.status) { return false }
    if rows.request != nil, exchange.request == nil { return false }
    if rows.response != nil, exchange.response == nil { return false }
    return isInTime(rows, index)
  }

  /// Whether the rows' time is nearly right for an exchange.
  func isInTime(_ rows: LogExchange, _ index: Int) -> Bool {
    let delay = rows.request == nil ? responseDelay : requestDelay
    return lateness(rows, index) <= max(Self.near, 20 * delay.spread.magnitude)
  }

  /// Nanoseconds by which the rows' time is off from the exchange's.
  func lateness(_ rows: LogExchange, _ index: Int) -> UInt64 { rest(rows, index).magnitude }

  /// Nanoseconds by which the rows' time is after the one that the app would note for the exchange; 0 without a time.
  func rest(_ rows: LogExchange, _ index: Int) -> Int64 {
    guard let clock, let time = rows.time else { return 0 }
    let delay = rows.request == nil ? responseDelay : requestDelay
    return delay.rest(clock.captureTime(time), exchanges[index], wire)
  }

  /// Nanoseconds within which a time is nearly right.
  private static let near: UInt64 = 250_000_000

  // MARK: Time

  /// Nanoseconds within which the log's times do not tell an order; 0 while it is unknown when the app notes them.
  var orderSlack: Int64 { requestDelay.moment == nil ? 0 : 3 * requestDelay.range }

  /// The cost of the rows' times; nil where they are too far off. `tries` are earlier tries of the exchange.
  private func timeCost(_ rows: LogExchange, _ exchange: WireExchange, _ tries: [Int]) -> Double? {
    guard clock != nil else { return 0 }
    let own = timeCost(rows, exchange, ahead: 0)
    guard rows.isJoined, rows.isAnswered else { return own }
    let others = tries.compactMap {
      timeCost(rows, exchange, ahead: exchange.start.saturatingSubtract(exchanges[$0].start))
    }
    return ([own].compactMap { $0 } + others.map { $0 + Self.tryCost }).min()
  }

  /// The same for rows with the time of a try that was so many nanoseconds before the exchange.
  private func timeCost(_ rows: LogExchange, _ exchange: WireExchange, ahead: Int64) -> Double? {
    guard let clock else { return 0 }
    var rests: [Double] = []
    var cost = 0.0
    let first = rows.request.flatMap { log[$0].time }
    for (row, delay) in [(rows.request, requestDelay), (rows.response, responseDelay)] {
      guard let row, let time = log[row].time else { continue }
      // A row for both has one time, which is the try's.
      let noted = clock.captureTime(time).saturatingSubtract(time == first ? -ahead : 0)
      guard exchange.distance(to: noted).magnitude <= tolerance.magnitude else { return nil }
      rests.append(Double(delay.rest(noted, exchange, wire)))
      // The second time says something new only by its distance from the first.
      if rests.count == 1 { cost += Self.cost(rests[0], delay.spread) }
    }
    if rests.count == 2 { cost += Self.cost(rests[1] - rests[0], waitSpread) }
    return cost
  }

  /// The cost of a time that is an earlier try's.
  private static let tryCost = 0.5

  /// The cost of a time that is off: little within the spread, and never too much, because some times are far off.
  private static func cost(_ rest: Double, _ spread: Int64) -> Double {
    let share = rest / Double(spread)
    return Foundation.log(1 + share * share)
  }

  // MARK: Size

  /// The cost of a figure that only a fact of the one message gives, as a body of 0 octets in place of all.
  private static let factCost = 6.0

  /// Whether a row has figures of 0 alone, for a message that has octets: another row of the message may have them.
  private func saysNothing(_ row: Int, _ message: Int) -> Bool {
    log[row].isZero && (log[row].hasFigureBesideBody || wire[message].row.octets.body > 0)
  }

  private func sizeCost(_ row: Int, _ message: Int) -> Double {
    guard log[row].hasFigure else { return 0 }
    let misfit = sizes.misfit(log[row], message)
    guard misfit.octets != 0 else { return misfit.isFact || saysNothing(row, message) ? Self.factCost : 0 }
    // Octets that no way to count explains cost more once the app's way is known.
    let cost = (misfit.isKnown ? 8 : 3.5) + Foundation.log(1 + Double(misfit.octets))
    // A cut message may be counted up to any octet.
    let limit = log[row].isAborted || wire[message].row.exactness == .atLeast ? 3.0 : 14
    return min(cost, limit) * sizes.weight(message, isKnown: misfit.isKnown)
  }
}

/// A status in a log, and another one that was sent; nil for any.
struct ReplacedStatus: Hashable {
  var logged: Int
  var sent: Int?
}

extension LogEntry {
  /// Whether the entry has any figure of octets.
  var hasFigure: Bool { hasFigureBesideBody || bodyLength != nil }

  /// Whether the entry has a figure of the whole message, its start-line or its header section.
  var hasFigureBesideBody: Bool { length != nil || lineLength != nil || headerLength != nil }

  /// Whether the entry has no figure but 0.
  var isZero: Bool {
    (length ?? 0) == 0 && (lineLength ?? 0) == 0 && (headerLength ?? 0) == 0 && (bodyLength ?? 0) == 0
  }
}

/// The moment of an exchange at which an app notes its time, and the precision.
struct NotedDelay {
  /// A moment of an exchange.
  enum Moment: CaseIterable {
    case requestStart, requestEnd, responseStart, responseEnd

    /// The time of the moment, in nanoseconds since the Unix epoch; nil when its message is absent.
    func time(_ exchange: WireExchange, _ wire: [WireMessage]) -> Int64? {
      switch self {
      case .requestStart: exchange.request.map { wire[$0].row.firstTime }
      case .requestEnd: exchange.request.map { wire[$0].row.lastTime }
      case .responseStart: exchange.response.map { wire[$0].row.firstTime }
      case .responseEnd: exchange.response.map { wire[$0].row.lastTime }
      }
    }
  }

  /// The moment; nil stands for any time while the exchange is under way.
  var moment: Moment?
  /// The median of nanoseconds from the moment to the noted time.
  var delay: Int64 = 0
  /// Nanoseconds by which single times are off.
  var spread: Int64 = 20_000_000
  /// The same without a limit: two clocks in one log are seconds apart.
  private(set) var range: Int64 = 20_000_000

  /// No moment is known.
  init() {}

  /// Finds the moment that fits the noted times best; `pairs` are the sure ones.
  init(_ pairs: [(noted: Int64, exchange: WireExchange)], _ wire: [WireMessage]) {
    var least = Int64.max
    for moment in Moment.allCases {
      let delays = pairs.compactMap { pair in
        moment.time(pair.exchange, wire).map { pair.noted.saturatingSubtract($0) }
      }.sorted()
      guard delays.count >= 5, delays.count * 2 > pairs.count else { continue }
      let middle = delays[delays.count / 2]
      let rests = delays.map { Int64(clamping: $0.saturatingSubtract(middle).magnitude) }.sorted()
      // Nine of ten times are within it, so that a few outliers do not count.
      let spread = rests[rests.count * 9 / 10]
      guard spread < least else { continue }
      least = spread
      (self.moment, delay) = (moment, middle)
      range = max(spread, 1_000_000)
      self.spread = min(range, 1_000_000_000)
    }
  }

  /// Nanoseconds from the expected time of the note to the noted time.
  func rest(_ noted: Int64, _ exchange: WireExchange, _ wire: [WireMessage]) -> Int64 {
    guard let time = moment?.time(exchange, wire) else { return exchange.distance(to: noted) }
    return noted.saturatingSubtract(time).saturatingSubtract(delay)
  }
}
