// Second attempts for rows and exchanges that the assignment left, because their figures, times or hosts do not fit.

extension Matcher {
  /// Findings about rows and messages without a match.
  struct Strays {
    /// The reasons why rows have no match.
    var rows: [Int: Matching.Stray] = [:]
    /// Messages whose row names another host.
    var misplaced: [Int: String] = [:]
  }

  /// Pairs rows from a cache with a 304 on the wire: the server confirmed the cached response.
  mutating func takeRevalidated(_ gain: PairGain) {
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

  /// Pairs rows whose figures fit no exchange. With the right time and one key, a row belongs to the nearest exchange, however
  /// wrong its figures are.
  mutating func takeNear(_ gain: PairGain) {
    for group in groups.exact + groups.loose {
      let open = group.rows.filter { pairs[$0] == nil && !rows[$0].isOffWire }
      for row in open where pairs[row] == nil {
        // A row that repeats another is a message of its own where one is free that has its figures.
        let isDoubled = isDoubled(row, gain)
        let near = group.exchanges.filter {
          isOpen($0, for: row) && gain.isNear(rows[row], $0) && (!isDoubled || isExact(row, $0, gain))
        }
        guard let nearest = near.min(by: { gain.lateness(rows[row], $0) < gain.lateness(rows[row], $1) }) else {
          continue
        }
        var pair = Pair(exchange: nearest)
        // The row's figures fit no message: another row may have taken its own.
        let others = group.exchanges.filter { $0 != nearest && gain.isNear(rows[row], $0) }
        pair.isAmbiguous =
          !others.isEmpty || open.contains { $0 != row && pairs[$0] == nil && gain.isNear(rows[$0], nearest) }
        pair.isOpen = others.contains { figures(of: $0, for: row) != figures(of: nearest, for: row) }
        pairs[row] = pair
        take(row, nearest)
      }
    }
  }

  /// The exchanges without a row, by host and path.
  private func openExchanges(_ isWanted: (WireExchange) -> Bool = { _ in true }) -> [MatchKey: [Int]] {
    var open: [MatchKey: [Int]] = [:]
    for (index, exchange) in exchanges.enumerated() where isFree(index) && isWanted(exchange) {
      open[exchange.key, default: []].append(index)
    }
    return open
  }

  /// Pairs rows whose time is far off. Both sides need the same key and exactly the figures that the app would have.
  mutating func takeShifted(_ gain: PairGain) {
    let open = openHalves()
    for index in rows.indices where pairs[index] == nil && !rows[index].isOffWire {
      guard !isDoubled(index, gain) else { continue }
      let candidates = (open[rows[index].key] ?? []).filter { isOpen($0, for: index) && isExact(index, $0, gain) }
      guard let first = candidates.first else { continue }
      // Among equal figures the choice does not matter; among different ones it does.
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

  /// Whether the rows have a figure, and all their figures are as the app would have them for the exchange.
  private func isExact(_ index: Int, _ exchange: Int, _ gain: PairGain) -> Bool {
    let row = rows[index]
    let other = exchanges[exchange]
    if !row.method.isEmpty, !other.method.isEmpty, row.method != other.method { return false }
    if let query = row.query, let text = other.query, query != text { return false }
    if !WireExchange.agree(row.status, other.status) { return false }
    var hasFigure = false
    for (entry, message) in [(row.request, other.request), (row.response, other.response)] {
      guard let entry else { continue }
      guard let message else { return false }
      guard log[entry].hasFigure else { continue }
      guard gain.sizes.mayBe(log[entry], message) else { return false }
      if [log[entry].length, log[entry].lineLength, log[entry].headerLength, log[entry].bodyLength]
        .contains(where: { ($0 ?? 0) != 0 })
      {
        hasFigure = true
      }
    }
    return hasFigure
  }

  /// Whether each of the rows repeats another row with a message, at the same time.
  private func isDoubled(_ index: Int, _ gain: PairGain) -> Bool {
    let own = rows[index].rows
    return own.allSatisfy { row in
      let near = (row - 64..<row + 65).clamped(to: log.indices)
      return near.contains { other in
        !own.contains(other) && pairs[unit[other]] != nil && log[row].saysTheSame(as: log[other])
      }
    }
  }

  /// Finds the reasons why rows and messages stay without each other.
  mutating func findStrays(_ gain: PairGain) -> Strays {
    var strays = Strays()
    var byPath: [String: [Int]] = [:]
    for (index, exchange) in exchanges.enumerated()
    where takenBy[index].request == nil || takenBy[index].response == nil {
      byPath[exchange.key.path, default: []].append(index)
    }
    for index in rows.indices where pairs[index] == nil && rows[index].isNeverSent {
      for row in rows[index].rows { strays.rows[row] = .neverSent }
    }
    for index in rows.indices where pairs[index] == nil && !rows[index].isOffWire {
      if isDoubled(index, gain) {
        for row in rows[index].rows { strays.rows[row] = .doubled }
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
      for row in rows[index].rows { strays.rows[row] = .otherHost(exchanges[found].key.host) }
      let messages = [
        rows[index].request.flatMap { _ in exchanges[found].request },
        rows[index].response.flatMap { _ in exchanges[found].response },
      ]
      for message in messages.compactMap({ $0 }) { strays.misplaced[message] = rows[index].host }
    }
    return strays
  }
}
