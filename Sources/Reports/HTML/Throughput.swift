/// Octets over time, in at most `PageLimits.intervals` intervals whose width doubles when the capture gets longer.
///
/// The octets of a message are spread evenly over the time from its first to its last packet: the sum of all intervals is
/// the sum of all messages.
struct Throughput {
  /// The width of an interval in nanoseconds.
  private(set) var width: Int64 = 1_000_000
  private var up: [Int64: Int] = [:]
  private var down: [Int64: Int] = [:]
  private var first = Int64.max
  private var last = Int64.min

  /// Adds octets that passed from one time to another, both in nanoseconds.
  mutating func add(_ octets: Int, isUp: Bool, from start: Int64, to end: Int64) {
    let end = max(start, end)
    widen(toTake: start, end)
    let (from, to) = (interval(start), interval(end))
    (first, last) = (min(first, from), max(last, to))
    var given = 0
    for interval in from...to {
      let share =
        interval == to ? 1 : Double((interval + 1) * width - start) / Double(end - start)
      let due = Int((Double(octets) * share).rounded()) - given
      given += due
      if due == 0 { continue }
      if isUp { up[interval, default: 0] += due } else { down[interval, default: 0] += due }
    }
  }

  /// When the first interval begins, in nanoseconds since the Unix epoch, and the octets of each; nil without any.
  var intervals: (start: Int64, up: [Int], down: [Int])? {
    guard first <= last else { return nil }
    return (first * width, (first...last).map { up[$0] ?? 0 }, (first...last).map { down[$0] ?? 0 })
  }

  private func interval(_ time: Int64) -> Int64 { Self.floor(time, width) }

  private static func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }

  private mutating func widen(toTake start: Int64, _ end: Int64) {
    while max(last, interval(end)) - min(first, interval(start)) >= Int64(PageLimits.intervals) {
      width *= 2
      up = Self.halved(up)
      down = Self.halved(down)
      guard first <= last else { continue }
      (first, last) = (Self.floor(first, 2), Self.floor(last, 2))
    }
  }

  private static func halved(_ octets: [Int64: Int]) -> [Int64: Int] {
    var result: [Int64: Int] = [:]
    for (interval, count) in octets { result[floor(interval, 2), default: 0] += count }
    return result
  }
}
