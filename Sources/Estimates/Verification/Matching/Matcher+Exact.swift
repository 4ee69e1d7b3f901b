// Rows whose figures are exactly those of a message that the assignment left.

extension Matcher {
  /// Pairs rows with the free exchanges of their host and path that have exactly their figures.
  ///
  /// The assignment passes over some: a key may have too many of them, and a log may have another query than was sent. Such a row
  /// is ambiguous, and so is one with several exchanges. One that repeats another row may be just that.
  mutating func takeExact(_ gain: PairGain) {
    guard clock != nil else { return }
    for group in groups.loose {
      let open = group.rows.filter {
        pairs[$0] == nil && !rows[$0].isOffWire && rows[$0].time != nil && !isDoubled($0)
      }
      guard !open.isEmpty else { continue }
      let free = group.exchanges.filter { takenBy[$0].request == nil || takenBy[$0].response == nil }
      let index = FigureIndex(free, self, gain.sizes)
      let found = open.map { row in
        (row: row, exchanges: index.exchanges(for: row, self).filter { isExactInTime(row, $0, gain) })
      }
      var wanted: [Int: Int] = [:]
      for exchange in found.flatMap(\.exchanges) { wanted[exchange, default: 0] += 1 }
      for (row, exchanges) in found {
        let free = exchanges.filter { isOpen($0, for: row) }
        guard let best = free.min(by: { gain.lateness(rows[row], $0) < gain.lateness(rows[row], $1) }) else { continue }
        let isSure = exchanges.count == 1 && wanted[best] == 1 && agree(rows[row], self.exchanges[best])
        pairs[row] = Pair(exchange: best, isAmbiguous: !isSure)
        take(row, best)
      }
    }
  }

  /// Pairs rows with the exchange that alone has exactly their figures, at their time, where no other row has them.
  mutating func takeOnlyExact(_ members: [Int], _ candidates: [Int], _ gain: PairGain) {
    guard gain.sizes.isLearned(.request) || gain.sizes.isLearned(.response) else { return }
    let index = FigureIndex(candidates, self, gain.sizes)
    let found = members.compactMap { row -> (row: Int, exchange: Int)? in
      let own = index.exchanges(for: row, self).filter {
        agree(rows[row], exchanges[$0]) && isExactInTime(row, $0, gain)
      }
      return own.count == 1 ? (row, own[0]) : nil
    }
    for (row, exchange) in Self.unrivalled(found) {
      pairs[row] = Pair(exchange: exchange)
      take(row, exchange)
    }
  }

  /// The pairs whose exchange no other one has.
  private static func unrivalled(_ pairs: [(row: Int, exchange: Int)]) -> [(row: Int, exchange: Int)] {
    var wanted: [Int: Int] = [:]
    for pair in pairs { wanted[pair.exchange, default: 0] += 1 }
    return pairs.filter { wanted[$0.exchange] == 1 }
  }

  /// Whether a row has exactly the figures of an exchange, by the app's known way to count, and a time of it. With another query it
  /// needs nearly the right one.
  private func isExactInTime(_ row: Int, _ exchange: Int, _ gain: PairGain) -> Bool {
    let (own, other) = (rows[row], exchanges[exchange])
    guard isOpen(exchange, for: row), let time = own.time, let clock,
      other.distance(to: clock.captureTime(time)).magnitude <= gain.tolerance.magnitude,
      WireExchange.agree(own.status, other.status), gain.isPossibleBesideQuery(own, other),
      agree(own, other) || gain.isInTime(own, exchange)
    else { return false }
    return fit(exchange, row, gain) != .none && hasFigures(of: exchange, row, gain)
  }

  /// The rows that have the wire's own figures of one exchange alone, at their time, and no other row has them.
  func wirePairs(_ gain: PairGain) -> [(row: Int, exchange: Int)] {
    groups.loose.flatMap { group in
      let index = FigureIndex(group.exchanges, self, [.request, .response], columns: gain.sizes.wireColumns)
      let found = group.rows.filter { !rows[$0].isOffWire }.compactMap { row -> (row: Int, exchange: Int)? in
        let own = index.exchanges(for: row, self).filter { areWire(row, $0, gain.sizes) && isInReach($0, row, gain) }
        return own.count == 1 ? (row, own[0]) : nil
      }
      return Self.unrivalled(found)
    }
  }

  /// Whether all figures of a row are the wire's own for an exchange, and not all 0.
  func areWire(_ row: Int, _ exchange: Int, _ sizes: MessageSizes) -> Bool {
    Self.areWire(rows[row], exchanges[exchange], log, sizes)
  }

  static func areWire(_ row: LogExchange, _ exchange: WireExchange, _ log: [LogEntry], _ sizes: MessageSizes) -> Bool {
    let pairs = [(row.request, exchange.request), (row.response, exchange.response)].compactMap { entry, message in
      entry.flatMap { log[$0].hasFigure ? (entry: log[$0], message: message) : nil }
    }
    return pairs.contains { !$0.entry.isZero }
      && pairs.allSatisfy { pair in pair.message.map { sizes.areWire(pair.entry, $0) } ?? false }
  }

  /// Whether known facts allow a row's time and exchange.
  private func isInReach(_ exchange: Int, _ row: Int, _ gain: PairGain) -> Bool {
    let (own, other) = (rows[row], exchanges[exchange])
    guard gain.isPossibleBesideQuery(own, other), agree(own, other) else { return false }
    guard let time = own.time, let clock else { return true }
    return other.distance(to: clock.captureTime(time)).magnitude <= gain.tolerance.magnitude
  }
}
