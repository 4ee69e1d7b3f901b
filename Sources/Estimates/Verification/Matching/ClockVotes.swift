import HTTPReassembly

extension ClockFit {
  /// The largest number of exchanges with one key that vote on the clock one by one.
  static let candidateLimit = 64
  /// The fewest rows with the wire's own figures that tell the clock.
  private static let leastExact = 5

  /// The clock, by the votes of rows with an exchange that agrees in all but time.
  static func voted(
    _ groups: KeyedGroups, _ rows: [LogExchange], _ exchanges: [WireExchange], _ log: [LogEntry], _ sizes: MessageSizes
  ) -> ClockFit? {
    var votes: [ClockFit.Vote] = []
    // Those of them by rows that have the wire's own figures.
    var exact: [ClockFit.Vote] = []
    // The same by rows whose figures fit no exchange.
    var unsized: [ClockFit.Vote] = []
    var others: [ClockFit.Vote] = []
    for (isExact, group) in groups.all {
      let candidates = group.exchanges
      for (position, row) in group.rows.enumerated() {
        guard let time = rows[row].time, !rows[row].isOffWire, isExact || rows[row].query == nil else { continue }
        if candidates.count > candidateLimit {
          // A key with many exchanges says little: the n-th row is likely the n-th message.
          guard position < candidates.count else { continue }
          others.append(
            .init(time: time, distances: [distance(rows[row], exchanges[candidates[position]], time, sizes)]))
          continue
        }
        let possible = candidates.filter { agree(rows[row], exchanges[$0]) }
        let agreeing = possible.filter { fit(rows[row], exchanges[$0], log, sizes) }
        guard !possible.isEmpty else { continue }
        func vote(_ exchanges: [Int], _ wire: [WireExchange]) -> ClockFit.Vote {
          .init(time: time, distances: exchanges.map { distance(rows[row], wire[$0], time, sizes) })
        }
        if agreeing.isEmpty {
          unsized.append(vote(possible, exchanges))
        } else {
          votes.append(vote(agreeing, exchanges))
        }
        let own = possible.filter { Matcher.areWire(rows[row], exchanges[$0], log, sizes) }
        if !own.isEmpty { exact.append(vote(own, exchanges)) }
      }
    }
    // Where the figures of most rows fit nothing, those of the others fit by chance.
    if unsized.count > votes.count { votes += unsized }
    let clock = ClockFit(votes.isEmpty ? others : votes)
    // Rows with the wire's own figures that agree on another clock are no coincidence, however many other rows there are.
    guard let shift = densest(exact),
      case let agreed = exact.count(where: { $0.distances.contains { isOne($0, shift) } }),
      agreed >= leastExact, agreed * 10 >= exact.count * 9,
      clock.map({ agreeing(exact, $0, within: step).count * 2 < exact.count }) ?? true
    else { return clock }
    return ClockFit(exact)
  }

  /// Nanoseconds from the exchange to a row's time. 0 while the exchange is under way, else counted from the row's message.
  private static func distance(
    _ rows: LogExchange, _ exchange: WireExchange, _ time: Int64, _ sizes: MessageSizes
  ) -> Int64 {
    let whole = exchange.distance(to: time)
    guard whole != 0, let message = rows.request == nil ? exchange.response : exchange.request else { return whole }
    let row = sizes.row(message)
    if time < row.firstTime { return time.saturatingSubtract(row.firstTime) }
    return time.saturatingSubtract(row.lastTime)
  }

  static func agree(_ rows: LogExchange, _ exchange: WireExchange) -> Bool {
    if !rows.method.isEmpty, !exchange.method.isEmpty, rows.method != exchange.method { return false }
    return WireExchange.agree(rows.status, exchange.status)
      && (rows.request == nil || exchange.request != nil) && (rows.response == nil || exchange.response != nil)
  }

  static func fit(
    _ rows: LogExchange, _ exchange: WireExchange, _ log: [LogEntry], _ sizes: MessageSizes
  ) -> Bool {
    for (row, message) in [(rows.request, exchange.request), (rows.response, exchange.response)] {
      guard let row else { continue }
      guard let message else { return false }
      if sizes.looseRest(log[row], message) > 0 { return false }
    }
    return true
  }
}
