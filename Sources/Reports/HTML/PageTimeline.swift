import HTTPReassembly

/// Octets over time, by parts, in at most `PageLimits.intervals` intervals of one width.
///
/// The intervals are the timeline's, or several of them together; those without octets are included. Their sums are the ledger's.
struct PageTimeline {
  /// The parts of a chart: a name, and its classes of octets.
  static let parts: [(name: String, classes: [OctetClass])] = [
    ("body", [.body]), ("header", [.header]), ("start_line", [.startLine]),
    ("framing", [.framing, .trailer, .control]), ("tls", [.tls]), ("quic", [.quic]),
    ("overhead", [.link, .encapsulation, .network, .transport]), ("retransmitted", [.retransmitted]),
    ("tunnel", [.tunnel]),
    ("other", [.stray, .opaque, .outOfWindow, .udp, .otherIP, .nonIP, .malformed]),
  ]

  /// The first nanosecond of the first interval.
  let start: Int64
  /// Nanoseconds of an interval.
  let width: Int64
  /// For each of `OctetDirection` and each of the parts, the octets of each interval.
  private(set) var octets: [[[Int]]]

  /// Joins intervals; nil without any.
  init?(_ timeline: [TimelineInterval]) {
    guard let first = timeline.map(\.start).min(), let last = timeline.map(\.end).max(), first < last,
      let shortest = timeline.map({ $0.end.subtractingReportingOverflow($0.start).partialValue }).min(), shortest > 0
    else { return nil }
    // The two may be centuries apart, which exceeds the range of a time.
    let span = UInt64(bitPattern: last &- first)
    let units = max((span - 1) / UInt64(shortest) + 1, 1)
    let together = (units - 1) / UInt64(PageLimits.intervals) + 1
    let width = UInt64(shortest) * together
    let count = Int((span - 1) / width + 1)
    octets = Array(
      repeating: Array(repeating: Array(repeating: 0, count: count), count: Self.parts.count),
      count: OctetDirection.allCases.count)
    for interval in timeline {
      let place = Int(UInt64(bitPattern: interval.start &- first) / width)
      for (part, (_, classes)) in Self.parts.enumerated() {
        for octetClass in classes { octets[interval.direction.rawValue][part][place] += interval[octetClass] }
      }
    }
    start = first
    self.width = Int64(clamping: width)
  }
}
