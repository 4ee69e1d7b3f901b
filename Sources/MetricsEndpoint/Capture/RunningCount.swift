import CoreMetrics

/// A counter that follows a total.
struct RunningCount {
  private let counter: Counter
  private var highest = 0

  init(_ family: CaptureFamily, _ labels: [(String, String)] = [], in registry: PrometheusRegistry) {
    counter = Counter(label: family.rawValue, dimensions: labels, factory: registry)
  }

  /// Takes the current total.
  ///
  /// A counter that goes back looks to Prometheus like a restart, and all of it would be counted again. So if a total shrinks,
  /// the counter waits until the total has caught up. A total shrinks when the analysis moves octets to another class, or an
  /// open message to another API.
  mutating func follow(_ total: Int) {
    guard total > highest else { return }
    counter.increment(by: total - highest)
    highest = total
  }
}
