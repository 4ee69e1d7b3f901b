/// Octets of one direction in one interval. Times are in nanoseconds since the Unix epoch.
public struct TimelineInterval: Sendable, Equatable {
  /// The interval's first nanosecond.
  public var start: Int64
  /// The first nanosecond after the interval.
  public var end: Int64
  /// The direction of the octets.
  public var direction: OctetDirection
  /// The number of packets.
  public var packets: Int
  /// Octets by class, in the order of `OctetClass`.
  public var octets: [Int]

  /// Octets of one class.
  public subscript(_ octetClass: OctetClass) -> Int { octets[octetClass.rawValue] }

  /// The sum of all classes.
  public var total: Int { octets.reduce(0, +) }
}

/// Octets by class and direction over time. All intervals add up to the ledger.
///
/// An octet counts in the interval of the packet that made its class known, nearly always the packet that brought it. Octets that wait for
/// others count when the wait ends.
///
/// The length of a capture is unknown until its end, and times may be anything. So octets are counted in short intervals, which exist only
/// if they have octets. If there are too many, intervals become longer.
struct Timeline {
  private let isWanted: Bool
  /// Whether the user chose the length of the intervals.
  private let isChosen: Bool
  private var limit: Int
  /// The length of an interval in nanoseconds.
  private var unit: Int64
  /// The marks between steps, by time. An interval in which a mark is has a place for each step.
  private var marks: [TimeMark]
  /// The index of each interval in `cells`.
  private var places: [Place: Int] = [:]
  /// For each interval and direction: the octets by class, and the packets.
  private var cells: [Int] = []
  private var current: (key: Place, place: Int)?
  /// The times of the current interval; empty before the first packet.
  private var currentTimes = Int64.max..<Int64.max
  /// Packets of each direction since then, which are not in `cells` yet.
  private var packets: InlineArray<3, Int> = .init(repeating: 0)
  /// The ledger when the current interval started or was last updated.
  private var known = Ledger()
  /// The ledger's early charges when the current packet came.
  private var atPacket = Ledger.Early()

  /// The part of an interval that is in one step.
  private struct Place: Hashable, Comparable {
    /// The number of the interval from the epoch.
    var number: Int64
    /// The number of marks that are not after it.
    var step: Int

    static func < (a: Place, b: Place) -> Bool { (a.number, a.step) < (b.number, b.step) }
  }

  /// Cells of one direction of an interval: its classes and its packets.
  private static var directionWidth: Int { OctetClass.count + 1 }
  private static var width: Int { directionWidth * OctetDirection.allCases.count }

  init(configuration: Configuration) {
    isWanted = configuration.tables.contains(.timeline)
    isChosen = configuration.timelineInterval != nil
    marks = configuration.marks.inOrder
    // A mark adds a place at most, which no longer interval takes away.
    limit =
      max(isChosen ? configuration.timelineLimit : min(configuration.timelineLimit, Self.usualLimit), 1) + marks.count
    unit = max(configuration.timelineInterval ?? configuration.timelineUnit, 1000)
  }

  /// The most intervals if the user chose no length. It is several times the number of rows, but small, because each change of interval
  /// reads the whole ledger.
  private static var usualLimit: Int { 500 }

  /// Octets of memory that the timeline takes.
  var memory: Int { cells.capacity * 8 + places.capacity * 40 }

  // MARK: Packets

  /// Whether a packet at `time` is in the current interval.
  @inline(__always)
  func isCurrent(_ time: Int64) -> Bool { currentTimes.contains(time) }

  /// Starts a packet of the current interval, before any of it is charged.
  @inline(__always)
  mutating func start(_ early: Ledger.Early) { atPacket = early }

  /// Ends a packet of this direction, after all of it is charged. Moves there the octets that were charged before the direction was known.
  @inline(__always)
  mutating func end(_ direction: OctetDirection, _ ledger: inout Ledger) {
    packets[direction.rawValue] += 1
    guard direction != .unknown else { return }
    let (now, before) = (ledger.early, atPacket)
    ledger.move(now.link &- before.link, of: .link, to: direction)
    ledger.move(now.network &- before.network, of: .network, to: direction)
    ledger.move(now.transport &- before.transport, of: .transport, to: direction)
    guard now.hasRareOctets(since: before) else { return }
    ledger.move(now.encapsulation &- before.encapsulation, of: .encapsulation, to: direction)
    ledger.move(now.quic &- before.quic, of: .quic, to: direction)
    ledger.move(now.retransmitted &- before.retransmitted, of: .retransmitted, to: direction)
  }

  @inline(__always)
  private func number(of time: Int64) -> Int64 { Self.floor(time, unit) }

  private static func floor(_ time: Int64, _ unit: Int64) -> Int64 {
    let quotient = time / unit
    return time % unit < 0 ? quotient - 1 : quotient
  }

  /// Makes the interval of `time` the current one.
  @inline(never)
  mutating func change(to time: Int64, _ ledger: borrowing Ledger, _ anomalies: inout AnomalyLog) {
    count(ledger)
    var key = Place(number: number(of: time), step: step(of: time))
    if places[key] == nil {
      while places.count >= limit, unit < Self.longest {
        if isChosen { anomalies.note(.timelineCoarsened) }
        fold(by: isChosen ? 2 : 10)
        key.number = number(of: time)
        if places[key] != nil { break }
      }
    }
    if let place = places[key] {
      current = (key, place)
    } else {
      places[key] = cells.count
      current = (key, cells.count)
      cells.append(contentsOf: repeatElement(0, count: Self.width))
    }
    let start = key.number.multipliedSaturated(by: unit)
    let end = start.addingSaturated(unit)
    currentTimes =
      max(
        start, key.step > 0 ? marks[key.step - 1].time : start)..<min(
        end, key.step < marks.count ? marks[key.step].time : end)
  }

  /// Adds a mark while packets come. `latest` is the time of the latest packet; nil before the first one.
  ///
  /// Packets may have come since its time, which were counted in the step before it. So its step begins after them.
  mutating func add(_ mark: TimeMark, after latest: Int64?) {
    guard isWanted, marks.count < TimeMark.limit else { return }
    var mark = mark
    if let latest { mark.time = max(mark.time, latest.addingSaturated(1)) }
    marks.insert(mark, at: step(of: mark.time))
    limit += 1
    if currentTimes.contains(mark.time) { currentTimes = currentTimes.lowerBound..<mark.time }
  }

  /// The number of marks at or before a time.
  private func step(of time: Int64) -> Int {
    var (low, high) = (0, marks.count)
    while low < high {
      let middle = (low + high) / 2
      if marks[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The longest interval, in nanoseconds: 31 years. Longer ones have no use.
  private static var longest: Int64 { 1_000_000_000_000_000_000 }

  /// Adds the ledger's counts since the last time to the current interval.
  private mutating func count(_ ledger: borrowing Ledger) {
    if let place = current?.place { Self.add(ledger, since: known, packets, to: &cells, at: place) }
    known = copy ledger
    packets = .init(repeating: 0)
  }

  private static func add(
    _ ledger: borrowing Ledger, since known: borrowing Ledger, _ packets: InlineArray<3, Int>, to cells: inout [Int],
    at place: Int
  ) {
    for direction in OctetDirection.allCases {
      cells[place + direction.rawValue * directionWidth + OctetClass.count] += packets[direction.rawValue]
      for octetClass in OctetClass.allCases {
        let count = ledger[octetClass, direction] - known[octetClass, direction]
        if count != 0 { cells[place + direction.rawValue * directionWidth + octetClass.rawValue] += count }
      }
    }
  }

  /// Makes intervals longer.
  private mutating func fold(by factor: Int64) {
    let old = (places, cells)
    places.removeAll(keepingCapacity: true)
    cells.removeAll(keepingCapacity: true)
    for (key, place) in old.0 {
      let key = Place(number: Self.floor(key.number, factor), step: key.step)
      guard let into = places[key] else {
        places[key] = cells.count
        cells.append(contentsOf: old.1[place..<place + Self.width])
        continue
      }
      for index in 0..<Self.width { cells[into + index] += old.1[place + index] }
    }
    unit *= factor
  }

  // MARK: Parts

  /// The counts of an analysis of other packets.
  struct Part {
    /// The length of an interval in nanoseconds.
    var unit: Int64 = 0
    /// The number of each interval from the epoch, its step, and its cells.
    var intervals: [(number: Int64, step: Int, cells: [Int])] = []
  }

  /// The counts so far. `ledger` is the current state.
  func part(_ ledger: Ledger) -> Part {
    var whole = self
    whole.count(ledger)
    return Part(
      unit: unit,
      intervals: whole.places.sorted { $0.key < $1.key }.map {
        ($0.key.number, $0.key.step, Array(whole.cells[$0.value..<$0.value + Self.width]))
      })
  }

  /// Whether the intervals of a part fit into these. They do if both had the same configuration, since this timeline knows all times of the
  /// part.
  func fits(_ part: Part) -> Bool {
    !isWanted
      || part.unit > 0 && unit % part.unit == 0
        && part.intervals.allSatisfy { 0...marks.count ~= $0.step }
  }

  /// Whether intervals have steps.
  var hasSteps: Bool { !marks.isEmpty }

  /// Adds a part that fits. This timeline must know the times of all its packets. Since the last packet, exactly `other` was added to the
  /// ledger.
  mutating func add(_ part: Part, _ other: borrowing Ledger) {
    guard isWanted else { return }
    known.add(other)
    let factor = unit / part.unit
    for (number, step, counted) in part.intervals where counted.count == Self.width {
      let key = Place(number: Self.floor(number, factor), step: step)
      let place = places[key] ?? cells.count
      if place == cells.count {
        places[key] = place
        cells.append(contentsOf: repeatElement(0, count: Self.width))
      }
      for index in 0..<Self.width { cells[place + index] += counted[index] }
    }
  }

  // MARK: Rows

  /// The intervals with octets or packets, in order, each with its directions in order. `ledger` is the current state.
  func rows(_ ledger: Ledger) -> [TimelineInterval] {
    guard isWanted, let current, let first = places.keys.min()?.number, let last = places.keys.max()?.number else {
      return []
    }
    var cells = cells
    Self.add(ledger, since: known, packets, to: &cells, at: current.place)
    let length = isChosen ? unit : length(of: last &- first)
    let factor = length / unit
    var rows: [TimelineInterval] = []
    for (key, place) in places.sorted(by: { $0.key < $1.key }) {
      let start = Self.floor(key.number, factor).multipliedSaturated(by: length)
      if rows.last?.start != start {
        for direction in OctetDirection.allCases {
          rows.append(
            TimelineInterval(
              start: start, end: start.addingSaturated(length), direction: direction, packets: 0,
              octets: Array(repeating: 0, count: OctetClass.count)))
        }
      }
      for direction in OctetDirection.allCases {
        let row = rows.count - OctetDirection.allCases.count + direction.rawValue
        let from = place + direction.rawValue * Self.directionWidth
        for index in 0..<OctetClass.count { rows[row].octets[index] += cells[from + index] }
        rows[row].packets += cells[from + OctetClass.count]
      }
    }
    return rows.filter { row in row.packets != 0 || row.octets.contains { $0 != 0 } }
  }

  /// The steps between marks, in order. The part before the first mark is there if it has something. `ledger` is the current state, `span`
  /// the times of the earliest and the latest packet.
  func steps(_ ledger: Ledger, _ span: ClosedRange<Int64>?) -> [StepTotals] {
    guard isWanted, let firstMark = marks.first, let lastMark = marks.last else { return [] }
    var cells = cells
    if let current { Self.add(ledger, since: known, packets, to: &cells, at: current.place) }
    let first = min(span?.lowerBound ?? firstMark.time, firstMark.time)
    let last = max(span?.upperBound ?? lastMark.time, lastMark.time)
    var steps = [StepTotals(number: 0, label: [], start: first, end: firstMark.time)]
    for (index, mark) in marks.enumerated() {
      let end = index + 1 < marks.count ? marks[index + 1].time : last
      steps.append(StepTotals(number: index + 1, label: mark.label, start: mark.time, end: end))
    }
    for (key, place) in places {
      for direction in OctetDirection.allCases {
        let from = place + direction.rawValue * Self.directionWidth
        for index in 0..<OctetClass.count {
          steps[key.step].octets[direction.rawValue][index] += cells[from + index]
        }
        steps[key.step].packets += cells[from + OctetClass.count]
      }
    }
    if steps[0].packets == 0, steps[0].octets.allSatisfy({ $0.allSatisfy { $0 == 0 } }) { steps.removeFirst() }
    return steps
  }

  /// The length of rows' intervals if the user chose none, for at most about a hundred rows. It is 1, 2 or 5 times a power of ten. The
  /// counted intervals fit into it, since their length is a power of ten.
  private func length(of intervals: Int64) -> Int64 {
    let least = max((intervals + 99) / 100, 1)
    var step: Int64 = 1
    while true {
      for factor: Int64 in [1, 2, 5] where step * factor >= least {
        return (step * factor).multipliedSaturated(by: unit)
      }
      step *= 10
    }
  }
}

extension [TimeMark] {
  /// The marks by time; those of one time stay in their order.
  fileprivate var inOrder: [TimeMark] {
    enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
  }
}

extension Int64 {
  /// The product; the largest or smallest value on overflow.
  fileprivate func multipliedSaturated(by other: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? (self < 0) == (other < 0) ? .max : .min : product
  }
}
