import CoreMetrics
import Shared

/// A swift-metrics backend that keeps every metric in memory and renders all of them in the Prometheus text exposition
/// format 0.0.4.
///
/// Counters and timers, recorders and meters may be used from any thread. The number of series is bounded. A series beyond
/// the bound does nothing, as does one under a name of another kind. Both are counted in `refusedCount`.
public final class PrometheusRegistry: MetricsFactory {
  /// The kind of a metric in its TYPE line.
  private enum Kind: String {
    case counter, gauge, summary
  }

  /// All series of one name.
  private struct MetricFamily {
    var kind: Kind
    private(set) var series: [any Series] = []
    /// Positions by labels.
    private var positions: [String: Int] = [:]

    init(kind: Kind) { self.kind = kind }

    func series(labels: String) -> (any Series)? { positions[labels].map { series[$0] } }

    mutating func add(_ new: any Series, labels: String) {
      positions[labels] = series.count
      series.append(new)
    }

    /// Removes a series. Returns whether it was there.
    mutating func remove(_ gone: any Series) -> Bool {
      guard let position = series.firstIndex(where: { $0 === gone }) else { return false }
      series.remove(at: position)
      positions = positions.filter { $0.value != position }.mapValues { $0 > position ? $0 - 1 : $0 }
      return true
    }
  }

  private struct State {
    var families: [String: MetricFamily] = [:]
    var help: [String: String] = [:]
    /// Names in the order of their creation, which is the order of the page.
    var names: [String] = []
    var seriesCount = 0
    var refusedCount = 0
  }

  private let seriesLimit: Int
  private let state = Locked(State())

  /// Makes an empty registry that keeps up to `seriesLimit` series.
  public init(seriesLimit: Int = 10_000) { self.seriesLimit = seriesLimit }

  /// The number of requests for a series that were refused.
  public var refusedCount: Int { state.withLock { $0.refusedCount } }

  /// Gives a metric its HELP line, which swift-metrics has no place for.
  public func describe(_ label: String, as help: String) {
    state.withLock { $0.help[ExpositionText.metricName(label)] = help }
  }

  /// The page: all metrics as they are now.
  public func exposition() -> [UInt8] {
    state.withLock { state in
      var page: [UInt8] = []
      page.reserveCapacity(state.seriesCount * 96)
      for name in state.names {
        guard let family = state.families[name], !family.series.isEmpty else { continue }
        if let help = state.help[name] { page += "# HELP \(name) \(ExpositionText.help(help))\n".utf8 }
        page += "# TYPE \(name) \(family.kind.rawValue)\n".utf8
        for series in family.series { series.append(to: &page) }
      }
      return page
    }
  }

  /// Makes a counter, or finds the one of this name and these labels.
  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    series(label, dimensions, .counter, CounterSeries.init) ?? NOOPMetricsHandler.instance
  }

  /// Makes or finds a gauge, or, when it is to aggregate, a summary.
  public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    if aggregate {
      return series(label, dimensions, .summary, SummarySeries.init) ?? NOOPMetricsHandler.instance
    }
    return series(label, dimensions, .gauge, GaugeSeries.init) ?? NOOPMetricsHandler.instance
  }

  /// Makes or finds a gauge.
  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    series(label, dimensions, .gauge, GaugeSeries.init) ?? NOOPMetricsHandler.instance
  }

  /// Makes or finds a summary in seconds.
  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    series(label, dimensions, .summary, SummarySeries.init) ?? NOOPMetricsHandler.instance
  }

  /// Forgets a counter.
  public func destroyCounter(_ handler: any CounterHandler) { forget(handler) }
  /// Forgets a gauge or a summary.
  public func destroyRecorder(_ handler: any RecorderHandler) { forget(handler) }
  /// Forgets a gauge.
  public func destroyMeter(_ handler: any MeterHandler) { forget(handler) }
  /// Forgets a summary.
  public func destroyTimer(_ handler: any TimerHandler) { forget(handler) }

  private func series<Made: Series>(
    _ label: String, _ dimensions: [(String, String)], _ kind: Kind, _ make: (String, String) -> Made
  ) -> Made? {
    let name = ExpositionText.metricName(label)
    let labels = ExpositionText.labels(dimensions)
    return state.withLock { state in
      if let found = state.families[name]?.series(labels: labels) as? Made { return found }
      if state.families[name]?.kind ?? kind != kind || state.seriesCount >= seriesLimit {
        state.refusedCount += 1
        return nil
      }
      let made = make(name, labels)
      if state.families[name] == nil { state.names.append(name) }
      // Changed in place: a copy taken out and put back would copy its series each time.
      state.families[name, default: MetricFamily(kind: kind)].add(made, labels: labels)
      state.seriesCount += 1
      return made
    }
  }

  private func forget(_ handler: AnyObject) {
    guard let gone = handler as? any Series else { return }
    state.withLock { state in
      for name in state.names where state.families[name]?.remove(gone) == true {
        state.seriesCount -= 1
        return
      }
    }
  }
}
