/// The relation between a log's clock and the capture's.
public struct ClockFit: Sendable, Equatable {
  /// The log's clock minus the capture's at `origin`, in nanoseconds; 0 where the clocks agree.
  public var offset: Int64 = 0
  /// Nanoseconds that the log's clock gains in a second of the capture; 0 unless the log shows a drift.
  public var drift = 0.0
  /// The log's time at which `offset` holds, in nanoseconds since the Unix epoch.
  public var origin: Int64 = 0

  /// A time of the log on the capture's clock, in nanoseconds since the Unix epoch.
  public func captureTime(_ time: Int64) -> Int64 {
    let elapsed = Double(time.saturatingSubtract(origin))
    return time.saturatingSubtract(offset).saturatingSubtract(Int64((elapsed / 1e9 * drift).rounded()))
  }

  /// One row's vote: its time, and the nanoseconds from each exchange that agrees in all but time.
  struct Vote {
    var time: Int64
    var distances: [Int64]
  }

  /// Nanoseconds within which votes agree: an app notes its time before or after the octets are on the wire.
  static let window: Int64 = 2_000_000_000
  /// Nanoseconds by which an app may be late or early while its clock counts as right.
  static let step: Int64 = 250_000_000
  /// The shortest span of a log, in nanoseconds, in which a drift is looked for.
  static let driftSpan: Int64 = 600_000_000_000

  /// Whether two distances in nanoseconds between the log's time and the capture's may be those of one clock.
  static func isOne(_ distance: Int64, _ other: Int64) -> Bool {
    distance.saturatingSubtract(other).magnitude <= window.magnitude / 2
  }

  /// The clock on which most rows agree; nil without a vote. Each row has one vote, which its exchanges share.
  init?(_ votes: [Vote]) {
    guard let best = Self.densest(votes) else { return nil }
    origin = votes.map(\.time).min() ?? 0
    let agreeing = Self.agreeing(votes, ClockFit(offset: best, origin: origin))
    // Zero is the likeliest offset, so it stays when it fits about as well.
    let isInStep = Self.agreeing(votes, ClockFit(offset: 0, origin: origin), within: Self.step)
    if isInStep.count * 10 >= agreeing.count * 9 {
      offset = 0
    } else {
      offset = best
    }
    fitDrift(votes)
  }

  /// The distance on which most votes agree; nil without a vote. Each vote is shared among its distances.
  static func densest(_ votes: [Vote]) -> Int64? {
    var shares: [(distance: Int64, weight: Double)] = []
    for vote in votes {
      for distance in vote.distances { shares.append((distance, 1 / Double(vote.distances.count))) }
    }
    guard !shares.isEmpty else { return nil }
    shares.sort { $0.distance < $1.distance }
    var range = shares[...]
    for width in [window, window / 8, window / 64, window / 512] { range = densest(range, width) }
    return range[range.startIndex + range.count / 2].distance
  }

  private init(offset: Int64, drift: Double = 0, origin: Int64) {
    self.offset = offset
    self.drift = drift
    self.origin = origin
  }

  /// The votes for a clock: each row's nearest exchange, if it is near enough.
  static func agreeing(
    _ votes: [Vote], _ clock: ClockFit, within reach: Int64 = window / 2
  ) -> [(time: Int64, distance: Int64)] {
    votes.compactMap { vote in
      let shift = vote.time.saturatingSubtract(clock.captureTime(vote.time))
      let nearest = vote.distances.min {
        $0.saturatingSubtract(shift).magnitude < $1.saturatingSubtract(shift).magnitude
      }
      guard let nearest, nearest.saturatingSubtract(shift).magnitude <= reach.magnitude else { return nil }
      return (vote.time, nearest)
    }
  }

  /// Fits a line through the votes where one offset does not hold for the whole log. It starts from the rows that agree with the
  /// offset, and goes on with those that agree with the line.
  private mutating func fitDrift(_ votes: [Vote]) {
    let times = votes.map(\.time)
    guard let first = times.min(), let last = times.max(), last.saturatingSubtract(first) >= Self.driftSpan else {
      return
    }
    let flat = Self.agreeing(votes, self)
    var line = self
    for _ in 0..<8 {
      let points = Self.agreeing(votes, line).sorted { $0.time < $1.time }
      guard points.count >= 20, let next = Self.line(points, origin) else { return }
      line = next
    }
    let points = Self.agreeing(votes, line)
    let change = abs(line.drift) * Double(last.saturatingSubtract(first)) / 1e9
    // Without a drift the line would not fit better than the offset.
    let isBetter =
      points.count * 10 >= flat.count * 11
      || Self.spread(points, line) * 2 < Self.spread(flat, self) && points.count >= flat.count
    if change > 100_000_000, isBetter { self = line }
  }

  /// The line through the medians of the first and the last third, through the median of all.
  private static func line(_ points: [(time: Int64, distance: Int64)], _ origin: Int64) -> ClockFit? {
    let third = points.count / 3
    let (early, late) = (points.prefix(third), points.suffix(third))
    func median(_ values: [Int64]) -> Int64 { values.sorted()[values.count / 2] }
    let elapsed = Double(median(late.map(\.time)).saturatingSubtract(median(early.map(\.time))))
    guard elapsed > 0 else { return nil }
    let rise = Double(median(late.map(\.distance)).saturatingSubtract(median(early.map(\.distance))))
    let drift = rise / elapsed * 1e9
    // No clock gains a hundredth.
    guard abs(drift) < 1e7 else { return nil }
    let rests = points.map {
      $0.distance.saturatingSubtract(Int64((Double($0.time.saturatingSubtract(origin)) / 1e9 * drift).rounded()))
    }
    return ClockFit(offset: median(rests), drift: drift, origin: origin)
  }

  /// The median distance of the points from a clock, in nanoseconds.
  private static func spread(_ points: [(time: Int64, distance: Int64)], _ clock: ClockFit) -> UInt64 {
    let rests = points.map {
      $0.distance.saturatingSubtract($0.time.saturatingSubtract(clock.captureTime($0.time))).magnitude
    }.sorted()
    return rests.isEmpty ? .max : rests[rests.count / 2]
  }

  /// The part of `sorted`, no wider than `width`, with the most weight; among equals the one closest to 0.
  private static func densest(
    _ sorted: ArraySlice<(distance: Int64, weight: Double)>, _ width: Int64
  ) -> ArraySlice<(distance: Int64, weight: Double)> {
    var best = sorted.prefix(0)
    var most = -1.0
    var weight = 0.0
    var end = sorted.startIndex
    for start in sorted.indices {
      while end < sorted.endIndex, sorted[end].distance.saturatingSubtract(sorted[start].distance) <= width {
        weight += sorted[end].weight
        end += 1
      }
      let part = sorted[start..<end]
      if weight > most + 1e-9 || weight > most - 1e-9 && middle(part) < middle(best) {
        most = max(most, weight)
        best = part
      }
      weight -= sorted[start].weight
    }
    return best
  }

  /// The distance of the middle from 0.
  private static func middle(_ part: ArraySlice<(distance: Int64, weight: Double)>) -> UInt64 {
    part.isEmpty ? .max : part[part.startIndex + part.count / 2].distance.magnitude
  }
}
