import HTTPReassembly

/// Matches the rows of a log with the messages on the wire.
///
/// Rows that the log joins go to one exchange of the wire together: an entry of a HAR, a transaction, a row for an exchange. The
/// facts known on both sides must agree, also the whole target where it is logged. Among rows with one key the likeliest
/// assignment as a whole is chosen, by time, sizes and status. The first pass allows any way to count. Later passes use the app's
/// way to count, which the sure pairs show. There are more than two while the trust in sizes grows.
struct Matching {
  /// A row's message, and the facts about the match.
  struct Match: Equatable {
    /// Index of the message.
    var message: Int
    /// Whether another message is as likely.
    var isAmbiguous = false
    /// Whether a message that is as likely has other figures, so that the row's difference from its own says nothing.
    var isOpen = false
    /// Further messages that the row may count: hops of a redirection, requests repeated with credentials, interim responses.
    var hops: [Int] = []
    /// Whether the row is about several exchanges.
    var isChain = false
    /// For a 304, the earlier responses with the content; for a redirection, the response of its target.
    var contents: [Int] = []
    /// Nanoseconds by which the row's time is off, if far more than in the log's other rows; else nil.
    var timeShift: Int64?
  }

  /// The reason why a row has no message.
  enum Stray: Equatable {
    /// Another row with the same figures and time has the message.
    case doubled
    /// A message at another host has the same path and figures.
    case otherHost(String)
    /// The log says that nothing of it was sent.
    case neverSent

    /// Whether it is at another host.
    var isOtherHost: Bool { if case .otherHost = self { true } else { false } }
  }

  /// The match of each entry; nil when there is none.
  private(set) var matches: [Match?]
  /// Index of the entry for each message; nil when there is none.
  private(set) var entries: [Int?]
  /// Requests without an answer that the client sent again, and the messages of the tries that followed.
  private(set) var sentAgain: [Int: Int] = [:]
  /// The numbers of exchanges that led to another one with a row, by a redirection.
  private(set) var redirected: Set<Int> = []
  /// The reasons for entries without a match, where known.
  var strays: [Int: Stray] { left.rows }
  /// Messages without a match because their row names another host.
  var misplaced: [Int: String] { left.misplaced }
  /// The clocks' relation; nil when the log has no times or shares no key with the wire.
  var clock: ClockFit? { pairing.clock }

  private let source: AppLog
  private var pairing: Matcher
  /// The readings that were found last, and their pairs.
  private var learned: (pairs: SurePairs, readings: (requests: LogReadings, responses: LogReadings))?
  private var left = Matcher.Strays()

  private var log: [LogEntry] { pairing.log }
  private var wire: [WireMessage] { pairing.wire }
  private var rows: [LogExchange] { pairing.rows }
  private var exchanges: [WireExchange] { pairing.exchanges }
  private var pairs: [Matcher.Pair?] { pairing.pairs }

  /// Matches a log. `tolerance` is the time in nanoseconds by which a row may be off, after the clocks' offset.
  init(_ log: AppLog, _ wire: [WireMessage], tolerance: Int64) {
    source = log
    matches = Array(repeating: nil, count: log.entries.count)
    entries = Array(repeating: nil, count: wire.count)
    let exchanges = WireExchange.all(wire)
    let sizes = MessageSizes(wire)
    pairing = Matcher(log.withoutUntoldQueries(exchanges), wire, exchanges, sizes)
    let chains = RequestChains(exchanges, wire)
    let tries = WireExchange.tries(exchanges)
    var gain = PairGain(
      log: log.entries, wire: wire, exchanges: exchanges, clock: pairing.clock, tolerance: tolerance, chains: chains,
      tries: tries, triedAgain: Set(tries.values.joined()),
      twins: LogExchange.twins(among: pairing.rows, log.entries), sizes: sizes)
    gain.sizes.earlyTrust = pairing.sizesShare(sizes)
    learnFromWire(&gain)
    assign(&gain)
    let others = pairing.otherClocks(gain)
    if !others.isEmpty {
      pairing = Matcher(
        pairing.log(without: others), wire, exchanges, sizes, clock: pairing.clock, slack: gain.orderSlack)
      gain.log = pairing.log
      gain.twins = LogExchange.twins(among: pairing.rows, pairing.log)
      assign(&gain)
    }
    pairing.takeRevalidated(gain)
    pairing.takeExact(gain)
    pairing.takeNear(gain)
    pairing.takeShifted(gain)
    left = pairing.findStrays(gain)
    pairing.doubtHosts(left, gain)
    pairing.doubtContested(left, gain)
    pairing.doubtCopies(gain)
    pairing.doubtExchanged(gain)
    pairing.doubtLater(gain)
    settle(chains, gain)
    findRepeated()
    findRedirected(chains)
  }

  /// Pairs all rows in several passes. Each knows better how the app counts, and how exact its times are.
  private mutating func assign(_ gain: inout PairGain) {
    pairing.assign(gain)
    learn(&gain)
    if rows.contains(where: \.isJoinedByOrder) {
      pairing = Matcher(log, wire, exchanges, gain.sizes, clock: pairing.clock, slack: gain.orderSlack)
      gain.twins = LogExchange.twins(among: pairing.rows, log)
    }
    // Where times tell little, better pairs give more trust in sizes, and that gives better pairs.
    for _ in 0..<Self.passes {
      let (weight, areMisplaced) = (gain.sizes.weight, gain.sizes.areMisplaced)
      pairing.assign(gain)
      learn(&gain)
      guard gain.sizes.weight > weight + Self.leastGrowth || gain.sizes.areMisplaced != areMisplaced else { break }
    }
  }

  // MARK: Learning from pairs

  /// Learns that the app counts as the wire does, where at least half of the rows have the figures of one message each.
  ///
  /// Where times tell little, a first assignment without it would pair rows with each other's messages.
  private mutating func learnFromWire(_ gain: inout PairGain) {
    let pairs = pairing.wirePairs(gain)
    guard pairs.count >= Self.leastExact, pairs.count * 2 >= rows.count else { return }
    var sure = SurePairs()
    for (index, exchange) in pairs { add(index, exchange, to: &sure) }
    learn(sure, &gain)
  }

  /// The fewest rows that show it.
  private static let leastExact = 20

  /// Adds the messages of a pair, unless the row has another status than its message.
  private func add(_ index: Int, _ exchange: Int, to sure: inout SurePairs) {
    if let row = rows[index].request, let message = exchanges[exchange].request {
      sure.requests.append(SurePair(entry: row, message: message))
    }
    if let row = rows[index].response, let message = exchanges[exchange].response {
      let isSame = log[row].status == 0 || log[row].status == wire[message].row.status
      if isSame, wire[message].isPaired { sure.responses.append(SurePair(entry: row, message: message)) }
    }
  }

  private mutating func learn(_ sure: SurePairs, _ gain: inout PairGain) {
    var sure = sure
    sure.requests.sort { $0.entry < $1.entry }
    sure.responses.sort { $0.entry < $1.entry }
    guard learned?.pairs != sure else { return }
    gain.sizes.learn(
      readings(of: sure), requests: sure.requests.map { (log[$0.entry], $0.message) },
      responses: sure.responses.map { (log[$0.entry], $0.message) })
  }

  /// Learns from sure pairs how the app counts, and when it notes its times.
  private mutating func learn(_ gain: inout PairGain) {
    var sure = SurePairs()
    gain.logsEachHop = logsEachHop(gain)
    gain.replaced = replacedStatuses(gain)
    var requestTimes: [(noted: Int64, exchange: WireExchange)] = []
    var responseTimes: [(noted: Int64, exchange: WireExchange)] = []
    for (index, pair) in pairs.enumerated() {
      guard let pair, !pair.isOpen, gain.chain(rows[index], pair.exchange).isEmpty else { continue }
      let exchange = exchanges[pair.exchange]
      add(index, pair.exchange, to: &sure)
      guard let clock else { continue }
      if exchange.request != nil, let time = rows[index].request.flatMap({ log[$0].time }) {
        requestTimes.append((clock.captureTime(time), exchange))
      }
      if exchange.response != nil, let time = rows[index].response.flatMap({ log[$0].time }) {
        responseTimes.append((clock.captureTime(time), exchange))
      }
    }
    for (row, exchange) in repeats() {
      guard let time = log[row].time, let clock else { continue }
      if log[row].kind == .request {
        requestTimes.append((clock.captureTime(time), exchanges[exchange]))
      } else {
        responseTimes.append((clock.captureTime(time), exchanges[exchange]))
      }
    }
    learn(sure, &gain)
    gain.requestDelay = NotedDelay(requestTimes, wire)
    gain.responseDelay = NotedDelay(responseTimes, wire)
    gain.waitSpread = waitSpread(gain)
  }

  /// Whether most hops that rows may be about, too, have rows of their own.
  private func logsEachHop(_ gain: PairGain) -> Bool {
    var gain = gain
    gain.logsEachHop = false
    var (hops, own) = (0, 0)
    for (index, pair) in pairs.enumerated() {
      guard let pair, !gain.chain(rows[index], pair.exchange).isEmpty else { continue }
      for hop in gain.chains.indices(after: pair.exchange) {
        hops += 1
        if let owner = pairing.takenBy[hop].response, owner != index { own += 1 }
      }
    }
    return own * 2 > hops
  }

  /// The statuses that at least half of the rows have in place of another one, and five rows; or nine in ten in place of any.
  private func replacedStatuses(_ gain: PairGain) -> Set<ReplacedStatus> {
    var rows: [Int?: Int] = [:]
    var differing: [ReplacedStatus: Int] = [:]
    for (index, pair) in pairs.enumerated() {
      guard let pair, !pair.isOpen, self.rows[index].status > 0, exchanges[pair.exchange].status > 0 else { continue }
      let status = ReplacedStatus(logged: self.rows[index].status, sent: exchanges[pair.exchange].status)
      rows[status.sent, default: 0] += 1
      rows[nil, default: 0] += 1
      guard status.logged != status.sent, gain.chain(self.rows[index], pair.exchange).isEmpty else { continue }
      differing[status, default: 0] += 1
    }
    var replaced = Set(differing.filter { $0.value >= 5 && $0.value * 2 >= rows[$0.key.sent] ?? 0 }.keys)
    for logged in Set(differing.keys.map(\.logged)) {
      let sum = differing.filter { $0.key.logged == logged }.values.reduce(0, +)
      let others = (rows[nil] ?? 0) - (rows[logged] ?? 0)
      if sum >= 5, sum * 10 >= others * 9 { replaced.insert(ReplacedStatus(logged: logged, sent: nil)) }
    }
    return replaced
  }

  /// The rows that repeat another row, and the exchange of that one: they show how exact times are where two parts of an app
  /// log. Empty where a few do.
  private func repeats() -> [(row: Int, exchange: Int)] {
    let open = pairs.indices.filter { pairs[$0] == nil }
    guard open.count * 10 >= pairs.count else { return [] }
    return open.flatMap { rows[$0].rows }.compactMap { row in
      // A second logger soon follows the first. A later row has a time of its own.
      pairing.original(of: row, within: Matcher.longestEcho).map { (row, $0) }
    }
  }

  /// A row and its message, as indices.
  struct SurePair: Equatable {
    var entry: Int
    var message: Int
  }

  /// Pairs that are sure, by the row.
  struct SurePairs: Equatable {
    var requests: [SurePair] = []
    var responses: [SurePair] = []
  }

  /// The readings that pairs bear out. They are found once where the pairs stay the same.
  mutating func readings(of sure: SurePairs) -> (requests: LogReadings, responses: LogReadings) {
    if let learned, learned.pairs == sure { return learned.readings }
    let readings = LogUnits.readings(
      requests: sure.requests.map { (log[$0.entry], wire[$0.message]) },
      responses: sure.responses.map { (log[$0.entry], wire[$0.message]) }, log: source)
    learned = (sure, readings)
    return readings
  }

  /// The error of the time from request to response in most pairs, in nanoseconds.
  private func waitSpread(_ gain: PairGain) -> Int64 {
    let rests = pairs.indices.compactMap { index -> UInt64? in
      guard let pair = pairs[index], !pair.isOpen, let clock, let request = rows[index].request,
        let response = rows[index].response, let sent = log[request].time, let came = log[response].time
      else { return nil }
      let exchange = exchanges[pair.exchange]
      let first = gain.requestDelay.rest(clock.captureTime(sent), exchange, wire)
      return gain.responseDelay.rest(clock.captureTime(came), exchange, wire).saturatingSubtract(first).magnitude
    }.sorted()
    guard rests.count >= 5 else { return gain.waitSpread }
    return Int64(clamping: min(max(rests[rests.count * 9 / 10], 500_000), 1_000_000_000))
  }

  // MARK: Rows and messages

  private mutating func settle(_ chains: RequestChains, _ gain: PairGain) {
    let earlier = earlierContents()
    for (index, pair) in pairs.enumerated() {
      guard var pair else { continue }
      let exchange = exchanges[pair.exchange]
      let hops = gain.chain(rows[index], pair.exchange).filter { $0.response.map { entries[$0] == nil } ?? true }
      if !hops.isEmpty, chains.isShared(after: pair.exchange) { pair.isAmbiguous = true }
      if let row = rows[index].request, let message = exchange.request {
        set(
          row, message, pair, hops: hops.compactMap(\.request), isChain: !hops.isEmpty,
          pair.isRepeat ? nil : shift(row, exchange, gain.requestDelay))
      }
      if let row = rows[index].response, let message = hops.last?.response ?? exchange.response {
        // The row is the answer of the last hop. It may also count the earlier hops and the interim responses.
        let all = [exchange] + hops
        let before = all.dropLast().compactMap(\.response) + all.flatMap(\.interims)
        set(
          row, message, pair, hops: before, isChain: !hops.isEmpty,
          pair.isRepeat ? nil : shift(row, exchange, gain.responseDelay))
      }
      for (row, message) in zip(rows[index].interims, exchange.interims) { set(row, message, pair, hops: [], nil) }
      if let row = rows[index].response, matches[row] != nil {
        let contents = contents(of: pair.exchange, earlier, chains)
        matches[row]?.contents = contents
      }
    }
  }

  /// Finds requests without an answer and without a row that are followed by the same request with a row: the client sent them
  /// again, because the connection or the stream was refused (RFC 9110 §9.2.2, RFC 9113 §8.7).
  private mutating func findRepeated() {
    struct Target: Hashable {
      var key: MatchKey
      var query: String?
      var method: String
    }
    var later: [Target: (time: Int64, request: Int)] = [:]
    for exchange in exchanges.reversed() {
      guard let request = exchange.request else { continue }
      let target = Target(key: exchange.key, query: exchange.query, method: exchange.method)
      if entries[request] != nil {
        later[target] = (exchange.start, request)
      } else if exchange.response == nil, let next = later[target],
        next.time.saturatingSubtract(exchange.start) <= WireExchange.repeatReach
      {
        sentAgain[request] = next.request
      }
    }
  }

  /// Finds redirections whose target has a row: the app knows the last hop alone.
  private mutating func findRedirected(_ chains: RequestChains) {
    for (index, exchange) in exchanges.enumerated() {
      guard let response = exchange.response, wire[response].isRedirect else { continue }
      let isKnown = chains.hops(after: index).contains { hop in
        [hop.request, hop.response].compactMap { $0 }.contains { entries[$0] != nil }
      }
      if isKnown { redirected.insert(wire[response].row.exchange) }
    }
  }

  /// The number of passes after the first, and the least growth of the trust in sizes that is worth another one.
  private static let passes = 4
  private static let leastGrowth = 0.05

  /// The latest responses with content of each target before each of its 304s.
  private func earlierContents() -> [Int: [Int]] {
    var latest: [MatchKey: [Int]] = [:]
    var contents: [Int: [Int]] = [:]
    for exchange in exchanges {
      guard let response = exchange.response else { continue }
      var key = exchange.key
      key.query = exchange.query ?? ""
      if exchange.status == 304 {
        contents[response] = latest[key] ?? []
      } else if exchange.status == 200 {
        latest[key] = Array(([response] + (latest[key] ?? [])).prefix(4))
      }
    }
    return contents
  }

  private func contents(of index: Int, _ earlier: [Int: [Int]], _ chains: RequestChains) -> [Int] {
    let exchange = exchanges[index]
    guard let response = exchange.response else { return [] }
    if exchange.status == 304 { return earlier[response] ?? [] }
    guard (300..<400).contains(exchange.status) else { return [] }
    let certain = chains.hops(after: index).compactMap(\.response)
    guard wire[response].isEncoded else { return certain }
    return certain + chains.alternatives(after: index).compactMap(\.response).filter { !certain.contains($0) }
  }

  private mutating func set(
    _ row: Int, _ message: Int, _ pair: Matcher.Pair, hops: [Int], isChain: Bool = false, _ shift: Int64?
  ) {
    guard entries[message] == nil else { return }
    matches[row] = Match(
      message: message, isAmbiguous: pair.isAmbiguous, isOpen: pair.isOpen, hops: hops, isChain: isChain,
      timeShift: shift)
    entries[message] = row
  }

  /// The error of a row's time in nanoseconds, if it is a second or more and far beyond the other rows'; else nil.
  private func shift(_ row: Int, _ exchange: WireExchange, _ delay: NotedDelay) -> Int64? {
    // The log's own time, also where the clock was put right.
    guard let time = source.entries[row].time, let clock else { return nil }
    let noted = clock.captureTime(time)
    let rest = delay.rest(noted, exchange, wire)
    let away = exchange.distance(to: noted)
    guard rest.magnitude >= 1_000_000_000, away.magnitude >= 1_000_000_000,
      rest.magnitude / 20 >= delay.spread.magnitude
    else { return nil }
    return rest
  }
}
