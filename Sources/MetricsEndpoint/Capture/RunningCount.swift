import CoreMetrics

/// A counter that follows a total.
struct RunningCount {
  private let counter: Counter
  private var highest = 0

  init(_ family: CaptureFamily, _ labels: [(String, String)] = [], in registry: PrometheusRegistry) {
    counter = Counter(label: family.rawValue, dimensions: labels, factory: registry)
  }

  /// Takes the total as it is now.
  ///
  /// A counter that goes back looks to Prometheus like a restart, and all of it would be counted again. So where a total
  /// shrinks (the analysis puts octets into another class when it learns better, and an open message may
  /// turn out to belong to another API), the counter waits until the total has caught up.
  mutating func follow(_ total: Int) {
    guard total > highest else { return }
    counter.increment(by: total - highest)
    highest = total
  }
}
