import HTTPReassembly

/// Pairs the exchanges of a log with the exchanges on the wire.
///
/// Among exchanges with one key it chooses the likeliest assignment as a whole, by time, sizes and status.
struct Matcher {
  /// The exchange on the wire of an exchange of the log.
  struct Pair {
    var exchange: Int
    /// Whether another exchange is as likely.
    var isAmbiguous = false
    /// Whether an exchange that is as likely has other figures.
    var isOpen = false
    /// Whether the row may repeat the row of another exchange, so that its time says nothing of this one.
    var isRepeat = false
  }

  /// The exchanges of the log that own the request and the response of an exchange on the wire.
  struct Taken {
    var request: Int?
    var response: Int?
  }

  let log: [LogEntry]
  let wire: [WireMessage]
  /// The exchanges of the log.
  let rows: [LogExchange]
  /// The exchanges on the wire.
  let exchanges: [WireExchange]
  /// The exchanges of both sides that may be the same.
  let groups: KeyedGroups
  /// The clocks' relation; nil when the log has no times or shares no key with the wire.
  let clock: ClockFit?
  /// The exchange of the log for each entry, as an index.
  let unit: [Int]
  /// The rows that say the same.
  let repetitions: RowRepetitions
  /// The pair of each exchange of the log; nil when there is none.
  var pairs: [Pair?]
  /// The owners of each exchange on the wire.
  var takenBy: [Taken]

  /// The largest number of cells in one assignment: pairs that are examined among the rows of one key.
  static let cellLimit = 2_000_000

  /// A matcher without pairs.
  ///
  /// `clock` is found from the log unless it is known. Times of rows within `slack` nanoseconds do not tell an order.
  init(
    _ log: [LogEntry], _ wire: [WireMessage], _ exchanges: [WireExchange], _ sizes: MessageSizes,
    clock: ClockFit? = nil, slack: Int64 = 0
  ) {
    self.log = log
    self.wire = wire
    self.exchanges = exchanges
    rows = LogExchange.all(log, exchanges, slack: slack)
    var unit = Array(repeating: 0, count: log.count)
    for (index, exchange) in rows.enumerated() {
      for row in exchange.rows { unit[row] = index }
    }
    self.unit = unit
    repetitions = RowRepetitions(log)
    let usesMethod = !rows.isEmpty && rows.allSatisfy { !$0.method.isEmpty }
    groups = KeyedGroups(rows, exchanges, usesMethod: usesMethod)
    self.clock = clock ?? ClockFit.voted(groups, rows, exchanges, log, sizes)
    pairs = Array(repeating: nil, count: rows.count)
    takenBy = Array(repeating: Taken(), count: exchanges.count)
  }

  /// The share of rows whose figures may be those of an exchange at their time. It is nil without a clock, and where few rows have
  /// few such exchanges: among many, one fits by chance.
  func sizesShare(_ sizes: MessageSizes) -> Double? {
    guard let clock else { return nil }
    var (telling, fitting) = (0, 0)
    for (isExact, group) in groups.all {
      for row in group.rows where telling < Self.shareRows && (isExact || rows[row].query == nil) {
        guard let time = rows[row].time, !rows[row].isOffWire else { continue }
        let noted = clock.captureTime(time)
        let middle = group.exchanges.partitioningIndex { exchanges[$0].start > noted }
        let around = (middle - Self.shareReach..<middle + Self.shareReach).clamped(to: group.exchanges.indices)
        let distances = around.map { exchanges[group.exchanges[$0]].distance(to: noted).magnitude }
        guard let least = distances.min(), least <= ClockFit.window.magnitude else { continue }
        let near = zip(around, distances).filter { $0.1 <= least + ClockFit.step.magnitude / 5 }
          .map { group.exchanges[$0.0] }
        guard near.count < Self.shareReach, near.contains(where: { ClockFit.agree(rows[row], exchanges[$0]) }) else {
          continue
        }
        telling += 1
        if near.contains(where: { ClockFit.fit(rows[row], exchanges[$0], log, sizes) }) { fitting += 1 }
      }
    }
    return telling < Self.leastShareRows ? nil : Double(fitting) / Double(telling)
  }

  /// The largest number of rows that are looked at for the share, the fewest that tell it, and the exchanges on each side in time.
  private static let shareRows = 500
  private static let leastShareRows = 5
  private static let shareReach = 5

  /// Pairs all exchanges anew by `gain`.
  mutating func assign(_ gain: PairGain) {
    pairs = Array(repeating: nil, count: rows.count)
    takenBy = Array(repeating: Taken(), count: exchanges.count)
    for group in groups.exact { solve(group, gain) }
    for group in groups.loose { solve(group, gain) }
  }

  /// Pairs rows of request and response first, then rows of one message.
  private mutating func solve(_ group: KeyedGroups.Group, _ gain: PairGain) {
    let open = group.rows.filter { pairs[$0] == nil && !rows[$0].isOffWire }
    // A first try that got no answer may be nearer in time than its retry.
    let answered = open.filter { rows[$0].isJoined && rows[$0].isAnswered }
    solve(
      answered,
      group.exchanges.filter {
        takenBy[$0].request == nil && takenBy[$0].response == nil && exchanges[$0].response != nil
      }, gain)
    let joined = open.filter { rows[$0].isJoined || rows[$0].request != nil && rows[$0].response != nil }
    let requests = open.filter { !rows[$0].isJoined && rows[$0].response == nil && rows[$0].request != nil }
    let responses = open.filter { !rows[$0].isJoined && rows[$0].request == nil }
    // An answered row that repeats another one is not its first try.
    solve(
      joined.filter { pairs[$0] == nil && !(rows[$0].isJoined && rows[$0].isAnswered && isDoubled($0)) },
      group.exchanges.filter { takenBy[$0].request == nil && takenBy[$0].response == nil }, gain)
    solve(requests, group.exchanges.filter { takenBy[$0].request == nil && exchanges[$0].request != nil }, gain)
    solve(responses, group.exchanges.filter { takenBy[$0].response == nil && exchanges[$0].response != nil }, gain)
  }

  private mutating func solve(_ all: [Int], _ free: [Int], _ gain: PairGain) {
    var (members, candidates) = (all, free)
    if max(members.count, candidates.count) > FreeAssignment.sizeLimit {
      // Too many for an assignment in any order: rows in no order would get each other's exchanges.
      takeOnlyExact(members, candidates, gain)
      members.removeAll { pairs[$0] != nil }
      if let row = members.first { candidates.removeAll { !isOpen($0, for: row) } }
    }
    guard !members.isEmpty, !candidates.isEmpty else { return }
    let ordered = inOrder(members)
    let ranges = ranges(ordered, candidates, gain)
    let assignment = OrderedAssignment(ranges: ranges) { row, column in
      gain(rows[ordered[row]], candidates[column])
    }
    let logged = ordered.map { rows[$0].span(within: gain.orderSlack) }
    let sent = candidates.map { exchanges[$0].span }
    var choice = CrossingRepair(assignment, ranges: ranges) { pair, columns in
      guard let row = logged[pair.0], let other = logged[pair.1] else { return true }
      return row.overlaps(other) || sent[columns.0].overlaps(sent[columns.1])
    }
    var free = FreeAssignment(assignment, ranges: ranges, preference: CrossingRepair.leastGain / 2)
    if let found = free, !choice.take(found) { free = nil }
    if free == nil { choice.improve() }
    for (row, column) in choice.columns.enumerated() {
      guard let column else { continue }
      var pair = Pair(exchange: candidates[column])
      (pair.isAmbiguous, pair.isOpen) = doubt(
        row, column, choice, assignment, free, ranges[row], candidates, for: ordered[row], gain)
      pairs[ordered[row]] = pair
      take(ordered[row], pair.exchange)
    }
  }

  mutating func take(_ row: Int, _ exchange: Int) {
    if rows[row].request != nil || rows[row].isJoined { takenBy[exchange].request = row }
    if rows[row].response != nil || rows[row].isJoined { takenBy[exchange].response = row }
  }

  /// The members by time; a row without one stays after the row before it in the log.
  private func inOrder(_ members: [Int]) -> [Int] {
    var time = Int64.min
    let timed = members.map { row in
      if let own = rows[row].time { time = own }
      return (row: row, time: time)
    }
    return timed.sorted { ($0.time, $0.row) < ($1.time, $1.row) }.map(\.row)
  }

  /// The possible candidates of each row, by time; fewer where there are too many for an exact assignment.
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

  /// Whether another choice is as good, and whether it would give the row other figures. Where the app's way to count gives the
  /// row's figures for both, either explains them.
  private func doubt(
    _ row: Int, _ column: Int, _ choice: CrossingRepair, _ assignment: OrderedAssignment, _ free: FreeAssignment?,
    _ range: Range<Int>, _ candidates: [Int], for member: Int, _ gain: PairGain
  ) -> (isAmbiguous: Bool, isOpen: Bool) {
    let own = figures(of: candidates[column], for: member)
    let ownFit = fit(candidates[column], member, gain)
    let limit = ownFit == .none ? PairGain.doubtOfMisfit : PairGain.doubt
    func isOpen(_ other: Int) -> Bool {
      guard figures(of: candidates[other], for: member) != own else { return false }
      let otherFit = fit(candidates[other], member, gain)
      return ownFit == .none || otherFit == .none || otherFit > ownFit
    }
    // Another message is likelier, and has a row of its own: this one may be that row again, with an error, or both have errors.
    // Where the log has rows twice, it need not be likelier.
    let worth =
      assignment.gain(row, column) + (gain.twins.isEmpty ? CrossingRepair.leastGain : -PairGain.doubtOfMisfit)
    if ownFit < .reading, range.contains(where: { $0 != column && assignment.gain(row, $0) > worth && isOpen($0) }) {
      return (true, true)
    }
    var isAmbiguous = false
    for other in range where other != column {
      guard choice.loss(row, to: other) < limit || assignment.loss(row, at: other) + choice.gained < limit else {
        continue
      }
      isAmbiguous = true
      if isOpen(other) { return (true, true) }
    }
    // Two rows that leave their columns of the ordered assignment lose the preference for them, which is no loss here.
    guard let free, range.contains(where: { $0 != column && isOpen($0) }) else { return (isAmbiguous, false) }
    let others = free.choices(of: row, below: limit + CrossingRepair.leastGain)
    return (isAmbiguous || !others.isEmpty, others.contains(where: isOpen))
  }

  /// The octets that a log's row would be compared with, for each message that it is about.
  func figures(of exchange: Int, for row: Int) -> [MessageOctets?] {
    let request = rows[row].request == nil ? nil : exchanges[exchange].request
    let response = rows[row].response == nil ? nil : exchanges[exchange].response
    return [request, response].map { $0.map { wire[$0].visibleOctets } }
  }

  /// How well the row's figures are those that the app would have for an exchange.
  func fit(_ exchange: Int, _ row: Int, _ gain: PairGain) -> MessageSizes.Fit {
    [(rows[row].request, exchanges[exchange].request), (rows[row].response, exchanges[exchange].response)]
      .map { entry, message in
        guard let entry else { return .reading }
        return message.map { gain.sizes.fit(log[entry], $0) } ?? .none
      }.min() ?? .none
  }

  /// Whether an exchange on the wire has no row at all.
  func isFree(_ exchange: Int) -> Bool { takenBy[exchange].request == nil && takenBy[exchange].response == nil }

  /// Whether no other row owns the messages that a row is about, in an exchange on the wire.
  func isOpen(_ exchange: Int, for row: Int) -> Bool {
    (rows[row].request == nil && !rows[row].isJoined || takenBy[exchange].request == nil)
      && (rows[row].response == nil && !rows[row].isJoined || takenBy[exchange].response == nil)
  }
}
