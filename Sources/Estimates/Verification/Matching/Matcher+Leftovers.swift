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
  ///
  /// A row that has one such exchange tells how far the clock was set. Its neighbours in the log are as far off.
  mutating func takeShifted(_ gain: PairGain) {
    let open = openHalves()
    func candidates(_ index: Int) -> [Int] {
      (open[rows[index].key] ?? []).filter { isOpen($0, for: index) && isExact(index, $0, gain) }
    }
    let lone = rows.indices.filter { pairs[$0] == nil && !rows[$0].isOffWire }
    var shifts: [(row: Int, shift: Int64)] = []
    var others: [Int] = []
    for index in lone {
      let found = candidates(index)
      guard let first = found.first else { continue }
      guard found.count == 1, !isDoubled(index, gain) else {
        others.append(index)
        continue
      }
      if let shift = shift(index, first) { shifts.append((index, shift)) }
      pairs[index] = Pair(exchange: first)
      take(index, first)
    }
    // A row that is off by another time than those around it may have taken a message of theirs.
    for (index, shift) in shifts {
      guard let common = Self.common(shifts, at: index) else { continue }
      if shift.saturatingSubtract(common).magnitude > ClockFit.window.magnitude / 2 { pairs[index]?.isAmbiguous = true }
    }
    for index in others {
      let found = candidates(index)
      var near = found
      if let common = Self.common(shifts, at: index) {
        let distances = found.compactMap { exchange in
          shift(index, exchange).map { (exchange: exchange, distance: $0.saturatingSubtract(common).magnitude) }
        }
        near = distances.filter { $0.distance <= ClockFit.window.magnitude / 2 }.sorted { $0.distance < $1.distance }
          .map(\.exchange)
      } else if isDoubled(index, gain) {
        continue
      }
      // Among equal figures the choice does not matter; among different ones it does.
      guard let first = near.first, near.allSatisfy({ figures(of: $0, for: index) == figures(of: first, for: index) })
      else { continue }
      pairs[index] = Pair(exchange: first, isAmbiguous: near.count > 1)
      take(index, first)
    }
  }

  /// Nanoseconds from an exchange's first octet to the time of a row; nil without a time.
  private func shift(_ row: Int, _ exchange: Int) -> Int64? {
    guard let time = rows[row].time, let clock else { return nil }
    return clock.captureTime(time).saturatingSubtract(exchanges[exchange].start)
  }

  /// The time by which the rows around one are off; nil where they do not agree.
  private static func common(_ shifts: [(row: Int, shift: Int64)], at row: Int) -> Int64? {
    let middle = shifts.partitioningIndex { $0.row > row }
    let near = shifts[max(middle - shiftReach, 0)..<min(middle + shiftReach, shifts.count)].map(\.shift).sorted()
    guard near.count >= shiftReach else { return nil }
    let common = near[near.count / 2]
    let agreeing = near.count { $0.saturatingSubtract(common).magnitude <= ClockFit.window.magnitude / 2 }
    return agreeing * 3 >= near.count * 2 ? common : nil
  }

  /// The number of rows before a row, and after it, whose times tell how far it is off.
  private static let shiftReach = 5

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

  /// Calls pairs ambiguous whose exchange may as well belong to a row that is left without one.
  ///
  /// It is asked last: a row that only one step leaves alone may have a message of its own. Rows with a reason to have none say
  /// nothing.
  mutating func doubtContested(_ strays: Strays, _ gain: PairGain) {
    let longest = exchanges.map { $0.end.saturatingSubtract($0.start) }.max() ?? 0
    for group in groups.exact + groups.loose {
      for row in group.rows
      where pairs[row] == nil && !rows[row].isOffWire && rows[row].rows.allSatisfy({ strays.rows[$0] == nil }) {
        for exchange in near(row, group.exchanges, longest, gain) {
          guard let worth = gain(rows[row], exchange) else { continue }
          let owners = [
            rows[row].request.flatMap { _ in takenBy[exchange].request },
            rows[row].response.flatMap { _ in takenBy[exchange].response },
          ]
          for owner in owners.compactMap({ $0 }) where pairs[owner]?.exchange == exchange {
            guard let own = gain(rows[owner], exchange), worth > own - PairGain.doubt else { continue }
            pairs[owner]?.isAmbiguous = true
            pairs[owner]?.isOpen = true
          }
        }
      }
    }
  }

  /// Calls all rows open that say the same to the letter, where one of them is open: either may be it.
  mutating func doubtCopies(_ gain: PairGain) {
    guard !gain.twins.isEmpty else { return }
    var copies: [[LogEntry.Said]: [Int]] = [:]
    for index in rows.indices where pairs[index] != nil {
      let said = rows[index].rows.compactMap { log[$0].said }
      // Equal rows without a time are ordinary.
      if said.count == rows[index].rows.count { copies[said, default: []].append(index) }
    }
    for group in copies.values where group.count > 1 && group.contains(where: { pairs[$0]?.isOpen == true }) {
      for index in group {
        pairs[index]?.isAmbiguous = true
        pairs[index]?.isOpen = true
      }
    }
  }

  /// The exchanges of a group around a row's time.
  private func near(_ row: Int, _ candidates: [Int], _ longest: Int64, _ gain: PairGain) -> ArraySlice<Int> {
    guard let time = rows[row].time, let clock else { return candidates.prefix(Self.contestLimit) }
    let noted = clock.captureTime(time)
    let early = noted.saturatingSubtract(gain.tolerance).saturatingSubtract(longest)
    let low = candidates.partitioningIndex { exchanges[$0].start >= early }
    let middle = candidates.partitioningIndex { exchanges[$0].start > noted }
    let high = candidates.partitioningIndex { exchanges[$0].start.saturatingSubtract(gain.tolerance) > noted }
    let half = Self.contestLimit / 2
    return candidates[max(low, middle - half)..<max(low, min(high, middle + half))]
  }

  /// The largest number of exchanges that a row without one is compared with.
  private static let contestLimit = 64

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
