/// The counters of one set of API labels.
struct APISeries {
  /// The sum of the APIs with these labels in the snapshot at hand.
  var figures = APIFigures()
  private var counts: [RunningCount]

  init(labels: [(String, String)], in registry: PrometheusRegistry) {
    counts = APIFigures.series.map { RunningCount($0.family, labels + $0.labels, in: registry) }
  }

  /// Hands the figures to the counters, and begins the next snapshot's.
  mutating func publish() {
    for index in counts.indices { counts[index].follow(figures.values[index]) }
    figures = APIFigures()
  }
}
