// Rows whose times are far from all messages that they may be: the clock was set, or the row was noted late.

extension Matcher {
  /// A row without a message, and the free exchanges that have exactly its figures.
  private typealias Lone = (row: Int, exchanges: [Int])

  /// Nanoseconds by which the log's clock was further ahead than in most of the log, by the exchange of the log that was noted then.
  ///
  /// Rows without a message vote, each by its distances from the free messages with its figures. On a clock that was set, rows
  /// before or after a row agree. Where such rows are most rows of a part of the log, all rows of the part are as far off.
  func otherClocks(_ gain: PairGain) -> [Int: Int64] {
    guard clock != nil else { return [:] }
    let votes = loneRows(gain).compactMap { lone -> (row: Int, vote: ClockFit.Vote)? in
      guard let time = rows[lone.row].time, lone.exchanges.count <= ClockFit.candidateLimit else { return nil }
      // A row at the right time may have an answer that is not.
      let distances = lone.exchanges.map { gain.rest(rows[lone.row], $0) }.filter { !ClockFit.isOne($0, 0) }
      return distances.isEmpty ? nil : (lone.row, .init(time: time, distances: distances))
    }
    var open = votes
    var shifts: [Int: Int64] = [:]
    for _ in 0..<Self.clockLimit {
      guard open.count >= Self.clockRows, let shift = ClockFit.densest(open.map(\.vote)) else { break }
      func agrees(_ vote: ClockFit.Vote) -> Bool { vote.distances.contains { ClockFit.isOne($0, shift) } }
      let own = Self.agreed(votes.map { shifts[$0.row] == nil && agrees($0.vote) }).map { votes[$0].row }
      guard let first = own.first, let last = own.last else { break }
      open.removeAll { agrees($0.vote) }
      // A clock that stands is none: the time may never have been set.
      guard Set(own.map { rows[$0].time }).count > 1 else { continue }
      for row in own { shifts[row] = shift }
      if (first...last).count(where: { pairs[$0] != nil }) * 2 <= own.count {
        for row in first...last { shifts[row] = shifts[row] ?? shift }
      }
    }
    return shifts
  }

  /// The places where two in three of the places before, after or around agree, too.
  private static func agreed(_ agrees: [Bool]) -> [Int] {
    var sums = [0]
    for one in agrees { sums.append(sums[sums.count - 1] + (one ? 1 : 0)) }
    func isMost(_ low: Int, _ high: Int) -> Bool {
      let (low, high) = (max(low, 0), min(high, agrees.count))
      return high - low >= clockRows && (sums[high] - sums[low]) * 3 >= (high - low) * 2
    }
    return agrees.indices.filter { place in
      agrees[place]
        && (isMost(place - clockRows, place + clockRows + 1) || isMost(place - clockRows + 1, place + 1)
          || isMost(place, place + clockRows))
    }
  }

  /// The fewest rows that tell a clock, and the largest number of clocks.
  private static let clockRows = 5
  private static let clockLimit = 16

  /// The log with the times of exchanges put back by nanoseconds.
  func log(without shifts: [Int: Int64]) -> [LogEntry] {
    var log = log
    for (index, shift) in shifts {
      // A request that alone was noted late has an answer before it.
      let first = rows[index].time.map { $0.saturatingSubtract(ClockFit.window) } ?? .min
      for row in rows[index].rows where log[row].time ?? .max >= first {
        log[row].time = log[row].time?.saturatingSubtract(shift)
        log[row].endTime = log[row].endTime?.saturatingSubtract(shift)
      }
    }
    return log
  }

  /// Pairs rows whose time is far off. Both sides need the same key and exactly the figures that the app would have.
  ///
  /// Rows with one such exchange go first, and rows that repeat another one last: they may be just that.
  mutating func takeShifted(_ gain: PairGain) {
    let lone = loneRows(gain).map { (row: $0.row, exchanges: $0.exchanges, isRepeat: isDoubled($0.row)) }
    guard !lone.isEmpty else { return }
    var byKey: [MatchKey: [Int]] = [:]
    for (index, exchange) in exchanges.enumerated() { byKey[exchange.key, default: []].append(index) }
    let (repeats, others) = (lone.filter(\.isRepeat), lone.filter { !$0.isRepeat })
    for lone in others.filter({ $0.exchanges.count == 1 }) + others.filter({ $0.exchanges.count > 1 }) + repeats {
      let row = lone.row
      let open = lone.exchanges.filter { isOpen($0, for: row) }
      guard let first = open.min(by: { gain.lateness(rows[row], $0) < gain.lateness(rows[row], $1) }) else { continue }
      let own = figures(of: first, for: row)
      // Among equal figures the choice does not matter; among different ones it does.
      guard open.allSatisfy({ figures(of: $0, for: row) == own }) else { continue }
      // The row's own message may have gone to another row.
      let isAlone = (byKey[rows[row].key] ?? []).prefix(Self.rivalLimit).allSatisfy {
        $0 == first || !agree(rows[row], exchanges[$0]) || figures(of: $0, for: row) != own
      }
      pairs[row] = Pair(exchange: first, isAmbiguous: !isAlone || lone.isRepeat, isRepeat: lone.isRepeat)
      take(row, first)
    }
  }

  /// The rows without a message that have the figures of a free one.
  private func loneRows(_ gain: PairGain) -> [Lone] {
    var open: [MatchKey: [Int]] = [:]
    for (index, exchange) in exchanges.enumerated()
    where takenBy[index].request == nil || takenBy[index].response == nil {
      open[exchange.key, default: []].append(index)
    }
    let byFigures = open.mapValues { FigureIndex($0, self, gain.sizes) }
    return rows.indices.compactMap { row in
      guard pairs[row] == nil, !rows[row].isOffWire, let candidates = byFigures[rows[row].key] else { return nil }
      let found = candidates.exchanges(for: row, self).filter { isOpen($0, for: row) && isExact(row, $0, gain) }
      return found.isEmpty ? nil : (row, found)
    }
  }

  /// The largest number of exchanges of a key that are examined for figures that another one has.
  private static let rivalLimit = 1_024
}
