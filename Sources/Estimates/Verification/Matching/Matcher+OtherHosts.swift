// Rows that may be about messages at another host than they name.

extension Matcher {
  /// Calls pairs ambiguous whose row may as well be about an exchange at another host, with the same path.
  ///
  /// In a log whose rows name wrong hosts, it is one without a row. In any log it is one with the row's figures and time, where the row is
  /// far from its own one: two rows may have each other's host. Then their times say nothing.
  mutating func doubtHosts(_ strays: Strays, _ gain: PairGain) {
    let late = rows.indices.filter { row in pairs[row].map { isLate(row, $0.exchange, gain) } ?? false }
    guard clock != nil, strays.hasOtherHosts || !late.isEmpty else { return }
    let longest = exchanges.map { $0.end.saturatingSubtract($0.start) }.max() ?? 0
    let byPath = Dictionary(grouping: exchanges.indices) { exchanges[$0].key.path }
    func others(_ row: Int, than own: Int) -> [Int] {
      near(row, byPath[rows[row].key.path] ?? [], longest, gain)
        .filter { exchanges[$0].key.host != exchanges[own].key.host }
    }
    for row in late {
      guard let own = pairs[row]?.exchange else { continue }
      let limit = gain.lateness(rows[row], own) / 20
      let isElsewhere = others(row, than: own).contains { other in
        let owners = [
          rows[row].request.flatMap { _ in takenBy[other].request },
          rows[row].response.flatMap { _ in takenBy[other].response },
        ]
        return gain.lateness(rows[row], other) <= limit && isExact(row, other, gain)
          && owners.allSatisfy { $0.map { isLate($0, other, gain) } ?? true }
      }
      if isElsewhere {
        open(row)
        pairs[row]?.isRepeat = true
      }
    }
    for row in rows.indices where strays.hasOtherHosts {
      guard let own = pairs[row]?.exchange, let worth = gain(rows[row], own) else { continue }
      let isMisfit = fit(own, row, gain) == .none
      let least = worth - (isMisfit ? PairGain.doubtOfMisfit : PairGain.doubt)
      for other in others(row, than: own) where isOpen(other, for: row) {
        guard let found = gain(rows[row], other), found > least else { continue }
        pairs[row]?.isAmbiguous = true
        let differs = figures(of: other, for: row) != figures(of: own, for: row)
        if differs, isMisfit || fit(other, row, gain) == .none { open(row) }
      }
    }
  }

  /// Whether a row's time is a second or more from an exchange, and far more than others are.
  private func isLate(_ row: Int, _ exchange: Int, _ gain: PairGain) -> Bool {
    let delay = rows[row].request == nil ? gain.responseDelay : gain.requestDelay
    let late = gain.lateness(rows[row], exchange)
    return late >= 1_000_000_000 && late / 20 >= delay.spread.magnitude
  }
}
