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
  private(set) var strays: [Int: Stray] = [:]
  /// Messages without a row whose row names another host.
  private(set) var misplaced: [Int: String] = [:]
  /// How the clocks run; nil when the log has no times or shares no key with the wire.
  let clock: ClockFit?

  private let log: [LogEntry]
  private let wire: [WireMessage]
  private let rows: [LogExchange]
  private let exchanges: [WireExchange]
  /// The exchange of the log that each entry belongs to, as an index.
  private let unit: [Int]
  private let usesMethod: Bool
  private var pairs: [Pair?]
  private var takenBy: [Taken]

  private struct Pair {
    var exchange: Int
    var isAmbiguous = false
    var isOpen = false
  }

  /// Which exchange of the log has the request of an exchange on the wire, and which its response.
  private struct Taken {
    var request: Int?
    var response: Int?
  }

  /// Cells of one assignment: pairs that are looked at among the rows of one key.
  private static let cellLimit = 2_000_000

  /// Matches; `tolerance` is the time, in nanoseconds, by which a row may be off after the clocks' offset.
  init(_ log: AppLog, _ wire: [WireMessage], tolerance: Int64) {
    self.log = log.entries
    let entries = log.entries
    self.wire = wire
    exchanges = WireExchange.all(wire)
    rows = LogExchange.all(entries, exchanges)
    var unit = Array(repeating: 0, count: entries.count)
    for (index, exchange) in rows.enumerated() {
      for row in exchange.rows { unit[row] = index }
    }
    self.unit = unit
    usesMethod = !rows.isEmpty && rows.allSatisfy { !$0.method.isEmpty }
    matches = Array(repeating: nil, count: entries.count)
    self.entries = Array(repeating: nil, count: wire.count)
    pairs = Array(repeating: nil, count: rows.count)
    takenBy = Array(repeating: Taken(), count: exchanges.count)
    let groups = KeyedGroups(rows, exchanges, usesMethod: usesMethod)
    let sizes = MessageSizes(wire)
    clock = Self.clock(groups, rows, exchanges, entries, sizes)
    let chains = RequestChains(exchanges, wire)
    let twins = Self.twins(rows, entries)
    var gain = PairGain(
      log: entries, wire: wire, exchanges: exchanges, clock: clock, tolerance: tolerance, chains: chains, twins: twins,
      sizes: sizes)
    assign(groups, gain)
    learn(&gain, log)
    pairs = Array(repeating: nil, count: rows.count)
    takenBy = Array(repeating: Taken(), count: exchanges.count)
    assign(groups, gain)
    learn(&gain, log)
    takeRevalidated(gain)
    takeNear(groups, gain)
    takeShifted(gain)
    findStrays(gain)
    settle(chains, gain)
  }

  /// Exchanges of the log whose rows say to the letter what earlier rows say, by their first rows.
  private static func twins(_ rows: [LogExchange], _ log: [LogEntry]) -> Set<Int> {
    var seen: Set<LogEntry.Said> = []
    var twins: Set<Int> = []
    for row in rows {
      let said = row.rows.compactMap { log[$0].said }
      guard !said.isEmpty else { continue }
      if said.count == row.rows.count, said.allSatisfy(seen.contains) { twins.insert(row.first) }
      seen.formUnion(said)
    }
    return twins
  }

  // MARK: Clock

  /// The clock, by the votes of rows whose exchange agrees in all but time.
  private static func clock(
    _ groups: KeyedGroups, _ rows: [LogExchange], _ exchanges: [WireExchange], _ log: [LogEntry], _ sizes: MessageSizes
  ) -> ClockFit? {
    var votes: [ClockFit.Vote] = []
    var others: [ClockFit.Vote] = []
    for (isExact, group) in groups.all {
      let candidates = group.exchanges
      for (position, row) in group.rows.enumerated() {
        guard let time = rows[row].time, !rows[row].isFromCache, isExact || rows[row].query == nil else { continue }
        if candidates.count > candidateLimit {
          // Such a key says little: the n-th row is likely the n-th message.
          guard position < candidates.count else { continue }
          others.append(
            .init(time: time, distances: [distance(rows[row], exchanges[candidates[position]], time, sizes)]))
          continue
        }
        let agreeing = candidates.filter { agree(rows[row], exchanges[$0], log, sizes) }
        guard !agreeing.isEmpty else { continue }
        votes.append(.init(time: time, distances: agreeing.map { distance(rows[row], exchanges[$0], time, sizes) }))
      }
    }
    return ClockFit(votes.isEmpty ? others : votes)
  }

  /// Nanoseconds from the exchange to a row's time: 0 while it is under way, else from the message that the row is about.
  private static func distance(
    _ rows: LogExchange, _ exchange: WireExchange, _ time: Int64, _ sizes: MessageSizes
  ) -> Int64 {
    let whole = exchange.distance(to: time)
    guard whole != 0, let message = rows.request == nil ? exchange.response : exchange.request else { return whole }
    let row = sizes.row(message)
    if time < row.firstTime { return time.saturatingSubtract(row.firstTime) }
    return time.saturatingSubtract(row.lastTime)
  }

  /// Exchanges of one key of which each is looked at for the clock.
  private static let candidateLimit = 64

  private static func agree(
    _ rows: LogExchange, _ exchange: WireExchange, _ log: [LogEntry], _ sizes: MessageSizes
  ) -> Bool {
    if !rows.method.isEmpty, !exchange.method.isEmpty, rows.method != exchange.method { return false }
    if rows.status > 0, exchange.status > 0, rows.status != exchange.status { return false }
    for (row, message) in [(rows.request, exchange.request), (rows.response, exchange.response)] {
      guard let row else { continue }
      guard let message else { return false }
      if sizes.looseRest(log[row], message) > 0 { return false }
    }
    return true
  }

  // MARK: Assignment

  private mutating func assign(_ groups: KeyedGroups, _ gain: PairGain) {
    for group in groups.exact { solve(group, gain) }
    for group in groups.loose { solve(group, gain) }
  }

  /// Rows that are pairs of messages first, then those that are one message.
  private mutating func solve(_ group: KeyedGroups.Group, _ gain: PairGain) {
    let open = group.rows.filter { pairs[$0] == nil && !rows[$0].isFromCache }
    let joined = open.filter { rows[$0].isJoined || rows[$0].request != nil && rows[$0].response != nil }
    let requests = open.filter { !rows[$0].isJoined && rows[$0].response == nil && rows[$0].request != nil }
    let responses = open.filter { !rows[$0].isJoined && rows[$0].request == nil }
    solve(joined, group.exchanges.filter { takenBy[$0].request == nil && takenBy[$0].response == nil }, gain)
    solve(requests, group.exchanges.filter { takenBy[$0].request == nil && exchanges[$0].request != nil }, gain)
    solve(responses, group.exchanges.filter { takenBy[$0].response == nil && exchanges[$0].response != nil }, gain)
  }

  private mutating func solve(_ members: [Int], _ candidates: [Int], _ gain: PairGain) {
    guard !members.isEmpty, !candidates.isEmpty else { return }
    let ordered = inOrder(members)
    let ranges = ranges(ordered, candidates, gain)
    let assignment = OrderedAssignment(ranges: ranges) { row, column in
      gain(rows[ordered[row]], candidates[column])
    }
    let (logged, sent) = (self.rows, self.exchanges)
    var choice = CrossingRepair(assignment, ranges: ranges) { pair, columns in
      logged[ordered[pair.0]].overlaps(logged[ordered[pair.1]])
        || sent[candidates[columns.0]].overlaps(sent[candidates[columns.1]])
    }
    choice.improve()
    for (row, column) in choice.columns.enumerated() {
      guard let column else { continue }
      var pair = Pair(exchange: candidates[column])
      (pair.isAmbiguous, pair.isOpen) = doubt(
        row, column, choice, assignment, ranges[row], candidates, for: ordered[row])
      pairs[ordered[row]] = pair
      take(ordered[row], pair.exchange)
    }
  }

  private mutating func take(_ row: Int, _ exchange: Int) {
    if rows[row].request != nil || rows[row].isJoined { takenBy[exchange].request = row }
    if rows[row].response != nil || rows[row].isJoined { takenBy[exchange].response = row }
  }

  /// By time; a row without one keeps its place after the row before it in the log.
  private func inOrder(_ members: [Int]) -> [Int] {
    var time = Int64.min
    let timed = members.map { row in
      if let own = rows[row].time { time = own }
      return (row: row, time: time)
    }
    return timed.sorted { ($0.time, $0.row) < ($1.time, $1.row) }.map(\.row)
  }

  /// The candidates that each row may be, by time; fewer where there are too many for an exact assignment.
  private func ranges(_ ordered: [Int], _ candidates: [Int], _ gain: PairGain) -> [Range<Int>] {
    let width = max(Self.cellLimit / max(ordered.count, 1), 16)
    let longest = candidates.map { exchanges[$0].end.saturatingSubtract(exchanges[$0].start) }.max() ?? 0
    let reach = gain.tolerance
    var ranges: [Range<Int>] = []
    var least = 0
    var most = 0
    for (position, row) in ordered.enumerated() {
      var range = 0..<candidates.count
      var middle = candidates.count * position / ordered.count
      if let time = rows[row].time, let clock {
        let noted = clock.captureTime(time)
        let early = noted.saturatingSubtract(reach).saturatingSubtract(longest)
        let low = candidates.partitioningIndex { exchanges[$0].start >= early }
        let high = candidates.partitioningIndex { exchanges[$0].start.saturatingSubtract(reach) > noted }
        range = low..<max(low, high)
        middle = candidates.partitioningIndex { exchanges[$0].start >= noted }
      }
      if range.count > width {
        let low = min(max(middle - width / 2, range.lowerBound), range.upperBound - width)
        range = low..<low + width
      }
      least = max(least, range.lowerBound)
      most = max(most, range.upperBound, least)
      ranges.append(least..<most)
    }
    return ranges
  }

  /// Whether another choice is as good, and whether it would give the row other figures.
  private func doubt(
    _ row: Int, _ column: Int, _ choice: CrossingRepair, _ assignment: OrderedAssignment, _ range: Range<Int>,
    _ candidates: [Int], for member: Int
  ) -> (isAmbiguous: Bool, isOpen: Bool) {
    let own = figures(of: candidates[column], for: member)
    var isAmbiguous = false
    for other in range where other != column {
      let isAsGood =
        choice.loss(row, to: other) < PairGain.doubt
        || assignment.loss(row, at: other) + choice.gained < PairGain.doubt
      guard isAsGood else { continue }
      isAmbiguous = true
      if figures(of: candidates[other], for: member) != own { return (true, true) }
    }
    return (isAmbiguous, false)
  }

  /// What a row of the log would be compared with: the octets of those messages that it is about.
  private func figures(of exchange: Int, for row: Int) -> [MessageOctets?] {
    let request = rows[row].request == nil ? nil : exchanges[exchange].request
    let response = rows[row].response == nil ? nil : exchanges[exchange].response
    return [request, response].map { $0.map { wire[$0].row.octets } }
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
        if isSame { responses.append((log[row], wire[message])) }
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

  // MARK: What is left

  /// Responses from a cache after the server said that they are still good: the row is from a cache, the wire has a 304.
  private mutating func takeRevalidated(_ gain: PairGain) {
    let open = openExchanges { $0.status == 304 }
    for index in rows.indices where rows[index].isFromCache && pairs[index] == nil {
      let best = (open[rows[index].key] ?? []).filter { isFree($0) }.compactMap { exchange in
        gain(rows[index], exchange).map { (exchange, $0) }
      }.max { $0.1 < $1.1 }
      guard let best, best.1 > 0 else { continue }
      pairs[index] = Pair(exchange: best.0)
      take(index, best.0)
    }
  }

  /// Rows whose figures fit nothing: at the right time and with one key they are the nearest exchange's, however wrong they are.
  private mutating func takeNear(_ groups: KeyedGroups, _ gain: PairGain) {
    for group in groups.exact + groups.loose {
      let open = group.rows.filter { pairs[$0] == nil && !rows[$0].isFromCache && !isDoubled($0, gain) }
      for row in open where pairs[row] == nil {
        let near = group.exchanges.filter { isOpen($0, for: row) && gain.isNear(rows[row], $0) }
        guard let nearest = near.min(by: { gain.lateness(rows[row], $0) < gain.lateness(rows[row], $1) }) else {
          continue
        }
        var pair = Pair(exchange: nearest)
        pair.isAmbiguous =
          near.count > 1 || open.contains { $0 != row && pairs[$0] == nil && gain.isNear(rows[$0], nearest) }
        pair.isOpen = near.contains { figures(of: $0, for: row) != figures(of: nearest, for: row) }
        pairs[row] = pair
        take(row, nearest)
      }
    }
  }

  private func isFree(_ exchange: Int) -> Bool { takenBy[exchange].request == nil && takenBy[exchange].response == nil }

  /// The exchanges that no row has, by host and path.
  private func openExchanges(_ isWanted: (WireExchange) -> Bool = { _ in true }) -> [MatchKey: [Int]] {
    var open: [MatchKey: [Int]] = [:]
    for (index, exchange) in exchanges.enumerated() where isFree(index) && isWanted(exchange) {
      open[exchange.key, default: []].append(index)
    }
    return open
  }

  /// Rows whose time is far off: what is left on both sides with one key and exactly the figures that the app would have.
  private mutating func takeShifted(_ gain: PairGain) {
    let open = openHalves()
    for index in rows.indices where pairs[index] == nil && !rows[index].isFromCache {
      guard !isDoubled(index, gain) else { continue }
      let candidates = (open[rows[index].key] ?? []).filter { isOpen($0, for: index) && isExact(index, $0, gain) }
      guard let first = candidates.first else { continue }
      // Of several with the same figures it does not matter which; of others it does.
      let others = candidates.filter { figures(of: $0, for: index) != figures(of: first, for: index) }
      guard others.isEmpty else { continue }
      pairs[index] = Pair(exchange: first)
      take(index, first)
    }
  }

  private func openHalves() -> [MatchKey: [Int]] {
    var open: [MatchKey: [Int]] = [:]
    for (index, exchange) in exchanges.enumerated()
    where takenBy[index].request == nil || takenBy[index].response == nil {
      open[exchange.key, default: []].append(index)
    }
    return open
  }

  private func isOpen(_ exchange: Int, for row: Int) -> Bool {
    (rows[row].request == nil && !rows[row].isJoined || takenBy[exchange].request == nil)
      && (rows[row].response == nil && !rows[row].isJoined || takenBy[exchange].response == nil)
  }

  /// Whether each figure of the rows is what the app would have of the exchange, and there is one.
  private func isExact(_ index: Int, _ exchange: Int, _ gain: PairGain) -> Bool {
    let row = rows[index]
    let other = exchanges[exchange]
    if !row.method.isEmpty, !other.method.isEmpty, row.method != other.method { return false }
    if let query = row.query, let text = other.query, query != text { return false }
    if row.status > 0, other.status > 0, row.status != other.status { return false }
    var hasFigure = false
    for (entry, message) in [(row.request, other.request), (row.response, other.response)] {
      guard let entry else { continue }
      guard let message else { return false }
      guard log[entry].hasFigure else { continue }
      guard gain.sizes.rest(log[entry], message) == 0 else { return false }
      if [log[entry].length, log[entry].lineLength, log[entry].headerLength, log[entry].bodyLength]
        .contains(where: { ($0 ?? 0) != 0 })
      {
        hasFigure = true
      }
    }
    return hasFigure
  }

  /// Whether for each of the rows there is another one that has its message and says the same, at the same time.
  private func isDoubled(_ index: Int, _ gain: PairGain) -> Bool {
    let own = rows[index].rows
    return own.allSatisfy { row in
      let near = (row - 64..<row + 65).clamped(to: log.indices)
      return near.contains { other in
        !own.contains(other) && pairs[unit[other]] != nil && log[row].saysTheSame(as: log[other])
      }
    }
  }

  private mutating func findStrays(_ gain: PairGain) {
    var byPath: [String: [Int]] = [:]
    for (index, exchange) in exchanges.enumerated()
    where takenBy[index].request == nil || takenBy[index].response == nil {
      byPath[exchange.key.path, default: []].append(index)
    }
    for index in rows.indices where pairs[index] == nil && !rows[index].isFromCache {
      if isDoubled(index, gain) {
        for row in rows[index].rows { strays[row] = .doubled }
        continue
      }
      let found = (byPath[rows[index].key.path] ?? []).first { exchange in
        guard exchanges[exchange].key.host != rows[index].key.host, isOpen(exchange, for: index),
          isExact(index, exchange, gain)
        else { return false }
        guard let time = rows[index].time, let clock else { return true }
        return exchanges[exchange].distance(to: clock.captureTime(time)).magnitude <= gain.tolerance.magnitude
      }
      guard let found else { continue }
      take(index, found)
      for row in rows[index].rows { strays[row] = .otherHost(exchanges[found].key.host) }
      let messages = [
        rows[index].request.flatMap { _ in exchanges[found].request },
        rows[index].response.flatMap { _ in exchanges[found].response },
      ]
      for message in messages.compactMap({ $0 }) { misplaced[message] = rows[index].host }
    }
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
    return chains.hops(after: index).compactMap(\.response)
  }

  private mutating func set(
    _ row: Int, _ message: Int, _ pair: Pair, hops: [Int], isChain: Bool = false, _ shift: Int64?
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

extension LogEntry {
  /// What a row says of its message, all but where it stands.
  struct Said: Hashable {
    var kind: MessageKind
    var host: String
    var path: String
    var query: String?
    var method: String
    var status: Int
    var figures: [Int?]
    var time: Int64
    var endTime: Int64?
  }

  /// What the row says; nil without a time, for then rows that are alike are ordinary.
  var said: Said? {
    time.map {
      Said(
        kind: kind, host: host, path: path, query: query, method: method, status: status,
        figures: [length, lineLength, headerLength, bodyLength, decodedLength, queryLength], time: $0,
        endTime: endTime)
    }
  }

  /// Whether two rows say the same at nearly the same time: closer than an app makes two requests in a row and logs them.
  fileprivate func saysTheSame(as other: LogEntry) -> Bool {
    guard var own = said, var others = other.said, hasFigure else { return false }
    guard own.time.saturatingSubtract(others.time).magnitude <= 1_000_000_000 else { return false }
    (own.time, others.time) = (0, 0)
    (own.endTime, others.endTime) = (nil, nil)
    return own == others
  }
}
