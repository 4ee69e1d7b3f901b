// Second attempts for rows and exchanges that the assignment left, because their figures, times or hosts do not fit.

extension Matcher {
  /// Findings about rows and messages without a match.
  struct Strays {
    /// The reasons why rows have no match.
    var rows: [Int: Matching.Stray] = [:]
    /// Messages whose row names another host.
    var misplaced: [Int: String] = [:]
    /// Whether rows name wrong hosts.
    var hasOtherHosts = false
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
      guard !open.isEmpty else { continue }
      var silent = group.exchanges.filter { takenBy[$0].request.map(isSilent) ?? false }
      for row in open where pairs[row] == nil {
        // A row that repeats another is a message of its own where one is free that has its figures.
        let isDoubled = isDoubled(row)
        let near = group.exchanges.filter {
          isOpen($0, for: row) && gain.isNear(rows[row], $0) && (!isDoubled || isExact(row, $0, gain))
        }
        if near.isEmpty, !isDoubled, let found = ofSilent(for: row, silent, gain) {
          pairs[found.silent] = nil
          // The row's figures fit no message.
          pairs[row] = Pair(exchange: found.exchange, isAmbiguous: true, isOpen: true)
          take(row, found.exchange)
        }
        guard let nearest = near.min(by: { gain.lateness(rows[row], $0) < gain.lateness(rows[row], $1) }) else {
          continue
        }
        var pair = Pair(exchange: nearest)
        // The row's figures fit no message: another row may have taken its own.
        let others = group.exchanges.filter { $0 != nearest && gain.isNear(rows[row], $0) }
        pair.isAmbiguous =
          isDoubled || !others.isEmpty
          || open.contains { $0 != row && pairs[$0] == nil && gain.isNear(rows[$0], nearest) }
        pair.isOpen = others.contains { figures(of: $0, for: row) != figures(of: nearest, for: row) }
        pairs[row] = pair
        take(row, nearest)
        if isSilent(row) { silent.append(nearest) }
      }
    }
  }

  /// The exchange of a row that has only figures of 0, and no better time, for a row with figures. The other one is likelier an answer
  /// from a cache, or the begin of the exchange.
  private func ofSilent(for row: Int, _ candidates: [Int], _ gain: PairGain) -> (silent: Int, exchange: Int)? {
    guard !isSilent(row) else { return nil }
    func late(_ row: Int, _ exchange: Int) -> UInt64 { gain.lateness(rows[row], exchange) }
    return candidates.compactMap { exchange in
      guard let silent = takenBy[exchange].request, silent == takenBy[exchange].response,
        pairs[silent]?.exchange == exchange, isSilent(silent), gain.isNear(rows[row], exchange),
        late(row, exchange) <= late(silent, exchange)
      else { return nil }
      return (silent, exchange)
    }.min { late(row, $0.exchange) < late(row, $1.exchange) }
  }

  /// Whether a row has figures, and all of them are 0.
  private func isSilent(_ row: Int) -> Bool {
    rows[row].rows.allSatisfy { log[$0].isZero } && rows[row].rows.contains { log[$0].hasFigureBesideBody }
  }

  /// The exchanges without a row, by host and path.
  private func openExchanges(_ isWanted: (WireExchange) -> Bool = { _ in true }) -> [MatchKey: [Int]] {
    var open: [MatchKey: [Int]] = [:]
    for (index, exchange) in exchanges.enumerated() where isFree(index) && isWanted(exchange) {
      open[exchange.key, default: []].append(index)
    }
    return open
  }

  /// Whether the rows have a figure, and all their figures are as the app would have them for the exchange.
  func isExact(_ index: Int, _ exchange: Int, _ gain: PairGain) -> Bool {
    agree(rows[index], exchanges[exchange]) && hasFigures(of: exchange, index, gain)
  }

  /// The same where other facts may contradict.
  func hasFigures(of exchange: Int, _ index: Int, _ gain: PairGain) -> Bool {
    let (row, other) = (rows[index], exchanges[exchange])
    var hasFigure = false
    for (entry, message) in [(row.request, other.request), (row.response, other.response)] {
      guard let entry else { continue }
      guard let message else { return false }
      guard log[entry].hasFigure else { continue }
      guard gain.sizes.mayBe(log[entry], message) else { return false }
      if !log[entry].isZero { hasFigure = true }
    }
    return hasFigure
  }

  /// Whether nothing but times and figures tells rows of the log from an exchange on the wire.
  func agree(_ row: LogExchange, _ other: WireExchange) -> Bool {
    if !row.method.isEmpty, !other.method.isEmpty, row.method != other.method { return false }
    if let query = row.query, let text = other.query, query != text { return false }
    return WireExchange.agree(row.status, other.status)
  }

  /// Whether two exchanges of the log say the same at nearly the same time.
  private func repeats(_ index: Int, _ other: Int) -> Bool {
    rows[index].rows.count == rows[other].rows.count
      && zip(rows[index].rows, rows[other].rows).allSatisfy { log[$0].saysTheSame(as: log[$1]) }
  }

  /// Whether each of the rows repeats another row with a message, at the same time.
  func isDoubled(_ index: Int) -> Bool { rows[index].rows.allSatisfy { original(of: $0) != nil } }

  /// The exchange on the wire of the row that a row of the log repeats at the same time, at most `longest` nanoseconds away: of several
  /// rows, of the nearest in time.
  func original(of row: Int, within longest: UInt64 = .max) -> Int? {
    repeated(by: row).flatMap { log[row].distance(to: log[$0]) <= longest ? pairs[unit[$0]]?.exchange : nil }
  }

  /// That row.
  private func repeated(by row: Int) -> Int? {
    repetitions.original(of: row, log) { unit[$0] != unit[row] && pairs[unit[$0]] != nil }
  }

  /// The time from a row to its repetition where a second part of the app logs all rows once more; nil where none does. Other
  /// rows that say the same at other times are requests of their own, as one that failed before its retry.
  private func echo(_ doubled: [Int]) -> UInt64? {
    let times = doubled.flatMap { rows[$0].rows }.compactMap { row in
      repeated(by: row).map { log[row].distance(to: log[$0]) }
    }
    .filter { $0 > 0 }.sorted()
    guard times.count >= Self.leastEchoes else { return nil }
    let middle = times[times.count / 2]
    let near = times.count { $0 >= middle - middle / 2 && $0 <= middle + middle / 2 }
    return middle <= Self.longestEcho && near * 10 >= times.count * 9 ? middle : nil
  }

  /// The fewest repetitions that show a second logger, and the longest time that it takes, in nanoseconds.
  private static let leastEchoes = 5
  static let longestEcho: UInt64 = 250_000_000
  /// Nanoseconds within which no app makes two requests of one kind, and logs both.
  private static let shortEcho: UInt64 = 1_000_000

  /// Says that a row may have a message with other figures.
  mutating func open(_ row: Int) {
    pairs[row]?.isAmbiguous = true
    pairs[row]?.isOpen = true
  }

  /// Calls pairs ambiguous whose exchange may as well belong to a row that is left without one.
  ///
  /// It is asked last: a row that only one step leaves alone may have a message of its own. Rows with a reason to have none say
  /// nothing, except that they name another host: the error may be in another row.
  mutating func doubtContested(_ strays: Strays, _ gain: PairGain) {
    let longest = exchanges.map { $0.end.saturatingSubtract($0.start) }.max() ?? 0
    for group in groups.exact + groups.loose {
      for row in group.rows
      where pairs[row] == nil && !rows[row].isOffWire
        && rows[row].rows.allSatisfy({ strays.rows[$0]?.isOtherHost ?? true })
      {
        let isOtherHost = rows[row].rows.contains { strays.rows[$0] != nil }
        let around = near(row, group.exchanges, longest, gain)
        // An owner that is open already has nothing to lose.
        let owned = around.filter { !owners(of: $0, for: row).isEmpty }
        guard !owned.isEmpty else { continue }
        // Figures that fit no message are wrong, whichever message the row has.
        let isWrong = !isOtherHost && around.allSatisfy { fit($0, row, gain) == .none }
        for exchange in owned {
          guard let worth = gain(rows[row], exchange) else { continue }
          // A row with an error may lose its message to one that was noted late, and has its figures by chance.
          let isMisfit = isWrong || fit(exchange, row, gain) == .none
          let doubt = isMisfit ? PairGain.doubtOfMisfit : PairGain.doubt
          for owner in owners(of: exchange, for: row) {
            let isNearer = isWrong && gain.lateness(rows[row], exchange) < gain.lateness(rows[owner], exchange)
            guard let own = gain(rows[owner], exchange), isNearer || worth > own - doubt else { continue }
            // The other row would have the same figures for it.
            if !isOtherHost, repeats(row, owner) { pairs[owner]?.isAmbiguous = true } else { open(owner) }
          }
        }
      }
    }
  }

  /// The rows that have an exchange's messages of those that a row is about, and are not open.
  private func owners(of exchange: Int, for row: Int) -> [Int] {
    let owners = [
      rows[row].request.flatMap { _ in takenBy[exchange].request },
      rows[row].response.flatMap { _ in takenBy[exchange].response },
    ]
    return owners.compactMap { $0 }.filter { owner in
      guard let pair = pairs[owner], pair.exchange == exchange else { return false }
      return !(pair.isOpen && pair.isAmbiguous)
    }
  }

  /// Calls rows without an answer, or without a query, ambiguous where they and a row that was paired before them may have each
  /// other's exchanges.
  mutating func doubtLater(_ gain: PairGain) {
    let longest = exchanges.map { $0.end.saturatingSubtract($0.start) }.max() ?? 0
    for group in groups.loose {
      for row in group.rows where !rows[row].isAnswered || rows[row].query == nil {
        guard let own = pairs[row]?.exchange, exchanges[own].response != nil, let worth = gain(rows[row], own) else {
          continue
        }
        for exchange in near(row, group.exchanges, longest, gain) where exchange != own {
          guard let owner = takenBy[exchange].request, pairs[owner]?.exchange == exchange,
            rows[owner].isAnswered && !rows[row].isAnswered || rows[owner].query != nil && rows[row].query == nil,
            let before = gain(rows[owner], exchange), let exchanged = gain(rows[row], exchange),
            let others = gain(rows[owner], own), worth + before - exchanged - others < PairGain.doubt
          else { continue }
          for (row, own, other) in [(row, own, exchange), (owner, exchange, own)] {
            pairs[row]?.isAmbiguous = true
            if figures(of: own, for: row) != figures(of: other, for: row) { open(row) }
          }
        }
      }
    }
  }

  /// Calls rows ambiguous that say the same to the letter: each may have the message of any other.
  ///
  /// They are open where one of them is, and where their messages differ in figures, unless all of these are figures that the app
  /// would have.
  mutating func doubtCopies(_ gain: PairGain) {
    guard !gain.twins.isEmpty else { return }
    var copies: [[LogEntry.Said]: [Int]] = [:]
    for index in rows.indices where pairs[index] != nil {
      let said = rows[index].rows.compactMap { log[$0].said }
      // Equal rows without a time are ordinary.
      if said.count == rows[index].rows.count { copies[said, default: []].append(index) }
    }
    doubtNamesakes(gain)
    for group in copies.values where group.count > 1 {
      let own = group.compactMap { row in pairs[row].map { (row: row, exchange: $0.exchange, isOpen: $0.isOpen) } }
      let octets = own.map { figures(of: $0.exchange, for: $0.row) }
      let differs = octets.contains { $0 != octets[0] } && own.contains { fit($0.exchange, $0.row, gain) == .none }
      for (row, exchange, _) in own {
        pairs[row]?.isAmbiguous = true
        if gain.lateness(rows[row], exchange) > ClockFit.step.magnitude { pairs[row]?.isRepeat = true }
        if differs || own.contains(where: \.isOpen) { open(row) }
      }
    }
  }

  /// Opens rows of one key whose times are those of each other's messages: they may have each other's figures. A row may also have
  /// another message's figures by an error, while its own message, at its time, has no row.
  mutating func doubtExchanged(_ gain: PairGain) {
    guard clock != nil else { return }
    func isOff(_ row: Int, _ exchange: Int, by spreads: UInt64) -> Bool {
      let delay = rows[row].request == nil ? gain.responseDelay : gain.requestDelay
      return gain.lateness(rows[row], exchange) > spreads * delay.spread.magnitude
    }
    var off: [MatchKey: [(row: Int, exchange: Int)]] = [:]
    for (row, pair) in pairs.enumerated() {
      guard let pair, rows[row].time != nil, isOff(row, pair.exchange, by: 4) else { continue }
      off[rows[row].key, default: []].append((row, pair.exchange))
    }
    let longest = exchanges.map { $0.end.saturatingSubtract($0.start) }.max() ?? 0
    for group in groups.exact + groups.loose {
      for row in group.rows where rows[row].time != nil {
        guard let own = pairs[row]?.exchange, isOff(row, own, by: 10) else { continue }
        let isOther = near(row, group.exchanges, longest, gain).contains { other in
          isOpen(other, for: row) && gain.isNear(rows[row], other) && !isOff(row, other, by: 2)
            && figures(of: other, for: row) != figures(of: own, for: row)
        }
        if isOther { open(row) }
      }
    }
    for group in off.values {
      for (place, one) in group.enumerated() {
        for other in group[(place + 1)...].prefix(Self.contestLimit)
        where !isOff(one.row, other.exchange, by: 2) && !isOff(other.row, one.exchange, by: 2)
          && figures(of: one.exchange, for: one.row) != figures(of: other.exchange, for: one.row)
        {
          open(one.row)
          open(other.row)
        }
      }
    }
  }

  /// Opens rows that differ from another one of the same time in figures alone, if their message is far from that time, and the other
  /// one's is not: they may be that row again, with an error.
  private mutating func doubtNamesakes(_ gain: PairGain) {
    var namesakes: [[LogEntry.Said]: [Int]] = [:]
    for index in rows.indices where pairs[index] != nil {
      var said = rows[index].rows.compactMap { log[$0].said }
      guard said.count == rows[index].rows.count else { continue }
      for place in said.indices { said[place].figures = [] }
      namesakes[said, default: []].append(index)
    }
    for group in namesakes.values where group.count > 1 {
      let late = group.map { row in pairs[row].map { gain.lateness(rows[row], $0.exchange) } ?? 0 }
      let delay = rows[group[0]].request == nil ? gain.responseDelay : gain.requestDelay
      let limit = 10 * max(late.min() ?? 0, delay.spread.magnitude)
      let nearest = zip(group, late).min { $0.1 < $1.1 }?.0
      for (row, late) in zip(group, late) where late > limit {
        guard let nearest, said(row) != said(nearest) else { continue }
        open(row)
      }
    }
  }

  private func said(_ row: Int) -> [LogEntry.Said] { rows[row].rows.compactMap { log[$0].said } }

  /// The exchanges of a group around a row's time.
  func near(_ row: Int, _ candidates: [Int], _ longest: Int64, _ gain: PairGain) -> ArraySlice<Int> {
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

  /// The exchange at another host that a row is about by its path, time and figures: of several, the nearest in time.
  private func elsewhere(_ index: Int, _ candidates: [Int], _ gain: PairGain) -> Int? {
    candidates.filter { exchange in
      guard exchanges[exchange].key.host != rows[index].key.host, isOpen(exchange, for: index),
        isExact(index, exchange, gain),
        fit(exchange, index, gain) != .none || areWire(index, exchange, gain.sizes)
      else { return false }
      guard let time = rows[index].time, let clock else { return true }
      return exchanges[exchange].distance(to: clock.captureTime(time)).magnitude <= gain.tolerance.magnitude
    }.min { gain.lateness(rows[index], $0) < gain.lateness(rows[index], $1) }
  }

  /// The numbers of rows that say the same but for their times: those with a message, and those without one.
  private func copies() -> [LogEntry.Said: (paired: Int, alone: Int)] {
    var copies: [LogEntry.Said: (paired: Int, alone: Int)] = [:]
    for index in rows.indices {
      for row in rows[index].rows {
        guard let said = log[row].saidAtAnyTime else { continue }
        let isPaired = pairs[index] != nil
        copies[said, default: (0, 0)].paired += isPaired ? 1 : 0
        copies[said, default: (0, 0)].alone += isPaired ? 0 : 1
      }
    }
    return copies
  }

  /// Whether rows are there a few times. More often, they are about something else, as sums of a host.
  private func isFew(_ rows: [Int], _ copies: [LogEntry.Said: (paired: Int, alone: Int)]) -> Bool {
    rows.allSatisfy { row in
      guard let known = log[row].saidAtAnyTime.flatMap({ copies[$0] }) else { return true }
      return known.alone <= Self.mostCopies * known.paired
    }
  }

  /// The largest number of times that a row is there beside the first.
  private static let mostCopies = 3

  /// The number of rows that name another host, and do not repeat a row, where more of them may.
  private static let manyElsewhere = 5

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
    let copies = copies()
    func place(_ index: Int, at found: Int) {
      take(index, found)
      for row in rows[index].rows { strays.rows[row] = .otherHost(exchanges[found].key.host) }
      let messages = [
        rows[index].request.flatMap { _ in exchanges[found].request },
        rows[index].response.flatMap { _ in exchanges[found].response },
      ]
      for message in messages.compactMap({ $0 }) { strays.misplaced[message] = rows[index].host }
    }
    var doubled: [Int] = []
    var others = 0
    for index in rows.indices where pairs[index] == nil && !rows[index].isOffWire {
      if isDoubled(index) {
        doubled.append(index)
      } else if let found = elsewhere(index, byPath[rows[index].key.path] ?? [], gain) {
        place(index, at: found)
        others += 1
      }
    }
    let echo = echo(doubled)
    // In a log of whole seconds equal rows are ordinary.
    let isFine = rows.count { $0.time.map { $0 % 1_000_000_000 != 0 } ?? false } * 10 > rows.count
    // So many rows are not requests of their own that the capture lacks.
    let isLoggedTwice = doubled.count * 4 >= pairs.count { $0 != nil }
    var again: [Int: Int] = [:]
    for index in doubled {
      let found = elsewhere(index, byPath[rows[index].key.path] ?? [], gain)
      // A row with another one's time to the letter is that row again.
      if let found, !gain.twins.contains(rows[index].first) {
        let late = gain.lateness(rows[index], found)
        // Where many rows name other hosts, a free message of another host is likelier than a repetition.
        if others >= Self.manyElsewhere || late <= gain.orderSlack.magnitude
          || rows[index].rows.compactMap({ original(of: $0) }).allSatisfy({ late < gain.lateness(rows[index], $0) })
        {
          place(index, at: found)
          continue
        }
      }
      let isAgain = rows[index].rows.allSatisfy { row in
        guard let original = repeated(by: row) else { return false }
        let distance = log[row].distance(to: log[original])
        // A try that failed may be sent again at once, and has no answer.
        let isAtOnce = distance == 0 || distance < Self.shortEcho && rows[index].isAnswered
        return isLoggedTwice || isAtOnce && isFine || echo.map { distance <= 2 * $0 } ?? false
      }
      guard isAgain, isFew(rows[index].rows, copies) else { continue }
      for row in rows[index].rows { strays.rows[row] = .doubled }
      let originals = Set(rows[index].rows.compactMap { repeated(by: $0).map { unit[$0] } })
      for original in originals { again[original, default: 0] += 1 }
    }
    // Where a second logger has each row again, a third row may be another message's, with an error.
    if echo != nil || isLoggedTwice {
      let usual = again.values.sorted()
      for (row, count) in again where count > usual[usual.count / 2] { open(row) }
    }
    strays.hasOtherHosts = others > 0
    return strays
  }
}
