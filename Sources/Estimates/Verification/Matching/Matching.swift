import HTTPReassembly

/// Which row of a log is which message on the wire.
///
/// Rows that the log joins (an entry of a HAR, a transaction, a row for an exchange) go to one exchange of the wire, as one. What
/// both sides know must agree: the whole target where it is logged. Among rows with one key the assignment as a whole is the
/// likeliest one, by time, sizes and status: first with any way to count, then, once it is known from the pairs that are sure
/// how the app counts, again.
struct Matching {
  /// A row of the log and what it is.
  struct Match: Equatable {
    /// Index of the message.
    var message: Int
    /// Whether another message is as likely.
    var isAmbiguous = false
    /// Whether such a message has other figures, so that the row's difference from its own says nothing.
    var isOpen = false
    /// Other messages that the row may count, too: hops of a redirection, requests repeated with credentials, interim responses.
    var hops: [Int] = []
    /// Whether the row is about several exchanges.
    var isChain = false
    /// For a 304 the earlier responses with the content, for a redirection the response of its target.
    var contents: [Int] = []
    /// Nanoseconds by which the row's time is off, where that is more than the log's other rows let expect; else nil.
    var timeShift: Int64?
  }

  /// Why a row has no message.
  enum Stray: Equatable {
    /// Another row with the same figures and time has it.
    case doubled
    /// A message at another host has the same path and figures.
    case otherHost(String)
  }

  /// The match of each entry; nil when there is none.
  private(set) var matches: [Match?]
  /// Index of the entry for each message; nil when there is none.
  private(set) var entries: [Int?]
  /// What became of entries without a match, where something is known.
  var strays: [Int: Stray] { left.rows }
  /// Messages without a row whose row names another host.
  var misplaced: [Int: String] { left.misplaced }
  /// How the clocks run; nil when the log has no times or shares no key with the wire.
  var clock: ClockFit? { pairing.clock }

  private var pairing: Matcher
  private var left = Matcher.Strays()

  private var log: [LogEntry] { pairing.log }
  private var wire: [WireMessage] { pairing.wire }
  private var rows: [LogExchange] { pairing.rows }
  private var exchanges: [WireExchange] { pairing.exchanges }
  private var pairs: [Matcher.Pair?] { pairing.pairs }

  /// Matches; `tolerance` is the time, in nanoseconds, by which a row may be off after the clocks' offset.
  init(_ log: AppLog, _ wire: [WireMessage], tolerance: Int64) {
    matches = Array(repeating: nil, count: log.entries.count)
    entries = Array(repeating: nil, count: wire.count)
    let exchanges = WireExchange.all(wire)
    let sizes = MessageSizes(wire)
    pairing = Matcher(log.entries, wire, exchanges, sizes)
    let chains = RequestChains(exchanges, wire)
    var gain = PairGain(
      log: log.entries, wire: wire, exchanges: exchanges, clock: pairing.clock, tolerance: tolerance, chains: chains,
      twins: LogExchange.twins(among: pairing.rows, log.entries), sizes: sizes)
    // The second time it is known how the app counts.
    for _ in 0..<2 {
      pairing.assign(gain)
      learn(&gain, log)
    }
    pairing.takeRevalidated(gain)
    pairing.takeNear(gain)
    pairing.takeShifted(gain)
    left = pairing.findStrays(gain)
    settle(chains, gain)
  }

  // MARK: What the pairs teach

  /// How the app counts, and when it notes its times, by the pairs that are sure.
  private func learn(_ gain: inout PairGain, _ source: AppLog) {
    var requests: [(entry: LogEntry, message: WireMessage)] = []
    var responses: [(entry: LogEntry, message: WireMessage)] = []
    var requestTimes: [(noted: Int64, exchange: WireExchange)] = []
    var responseTimes: [(noted: Int64, exchange: WireExchange)] = []
    for (index, pair) in pairs.enumerated() {
      guard let pair, !pair.isOpen, gain.chain(rows[index], pair.exchange).isEmpty else { continue }
      let exchange = exchanges[pair.exchange]
      if let row = rows[index].request, let message = exchange.request {
        requests.append((log[row], wire[message]))
        if let time = log[row].time, let clock { requestTimes.append((clock.captureTime(time), exchange)) }
      }
      if let row = rows[index].response, let message = exchange.response {
        let isSame = log[row].status == 0 || log[row].status == wire[message].row.status
        if isSame, wire[message].isPaired { responses.append((log[row], wire[message])) }
        if let time = log[row].time, let clock { responseTimes.append((clock.captureTime(time), exchange)) }
      }
    }
    gain.sizes.requestReadings = LogReadings(requests, log: source, kind: .request)
    gain.sizes.responseReadings = LogReadings(responses, log: source, kind: .response)
    gain.requestDelay = NotedDelay(requestTimes, wire)
    gain.responseDelay = NotedDelay(responseTimes, wire)
    gain.waitSpread = waitSpread(gain)
  }

  /// By how much the time from a request to its response is off in most pairs, in nanoseconds.
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
      guard let pair else { continue }
      let exchange = exchanges[pair.exchange]
      let hops = gain.chain(rows[index], pair.exchange).filter { $0.response.map { entries[$0] == nil } ?? true }
      if let row = rows[index].request, let message = exchange.request {
        set(
          row, message, pair, hops: hops.compactMap(\.request), isChain: !hops.isEmpty,
          shift(row, exchange, gain.requestDelay, gain))
      }
      if let row = rows[index].response, let message = hops.last?.response ?? exchange.response {
        // The row is the answer of the last hop; those before it, and interim ones, may be counted in it, too.
        let all = [exchange] + hops
        let before = all.dropLast().compactMap(\.response) + all.flatMap(\.interims)
        set(row, message, pair, hops: before, isChain: !hops.isEmpty, shift(row, exchange, gain.responseDelay, gain))
      }
      for (row, message) in zip(rows[index].interims, exchange.interims) { set(row, message, pair, hops: [], nil) }
      if let row = rows[index].response, matches[row] != nil {
        let contents = contents(of: pair.exchange, earlier, chains)
        matches[row]?.contents = contents
      }
    }
  }

  /// The latest response with content of each target before each 304 of it.
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

  /// How far a row's time is off, where that is a second or more and far beyond the others'.
  private func shift(_ row: Int, _ exchange: WireExchange, _ delay: NotedDelay, _ gain: PairGain) -> Int64? {
    guard let time = log[row].time, let clock else { return nil }
    let noted = clock.captureTime(time)
    let rest = delay.rest(noted, exchange, wire)
    let away = exchange.distance(to: noted)
    guard rest.magnitude >= 1_000_000_000, away.magnitude >= 1_000_000_000,
      rest.magnitude / 20 >= delay.spread.magnitude
    else { return nil }
    return rest
  }
}
