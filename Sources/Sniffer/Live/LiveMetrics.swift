import Capture
import HTTPReassembly
import MetricsEndpoint

/// The Prometheus endpoint of a live run.
final class LiveMetrics {
  private let server: MetricsServer
  /// The address that it serves, with the port that the system chose if none was given.
  private let actual: MetricsAddress
  private var metrics: CaptureMetrics

  /// Opens the port for `start`: sockets can only be created and bound before the run is confined.
  ///
  /// - Parameters:
  ///   - text: The address.
  ///   - seriesLimit: The number of APIs, and of hosts, with series of their own; nil for the default.
  ///   - options: The options of the run.
  /// - Throws: When the address is invalid or taken.
  init(address text: String, seriesLimit: Int?, options: CommonOptions) throws(MetricsError) {
    let address = try MetricsAddress(text)
    let redaction = options.redaction
    metrics = CaptureMetrics(
      version: SnifferCommand.version, seriesLimit: seriesLimit ?? CaptureMetrics.defaultSeriesLimit,
      grouping: options.configuration.grouping
    ) { host, path in
      guard let redaction else { return (host, path) }
      return (redaction.host(host), redaction.path(path))
    }
    server = MetricsServer(address)
    actual = try server.open()
  }

  /// Starts to serve, on a thread of its own.
  func start(_ options: CommonOptions) throws(MetricsError) {
    try server.start()
    if !options.quiet { ErrorOutput.write("metrics on http://\(actual)/metrics") }
    if !actual.isLoopback {
      options.logger.warning("anyone who reaches \(actual) can read which hosts and paths are in use")
    }
  }

  /// Updates the figures.
  func update(_ snapshot: LiveSnapshot) {
    let statistics = snapshot.statistics.total
    var health = CaptureHealth()
    health.droppedByKernel = Int(clamping: statistics.droppedByKernel)
    health.droppedByInterface = Int(clamping: statistics.droppedByInterface)
    health.droppedByQueue = Int(clamping: statistics.droppedByQueue &+ statistics.unanalysed)
    health.connections = snapshot.connections
    health.delay = Double(snapshot.behind) / 1e9
    server.publish(metrics.update(snapshot.totals, health: health))
  }

  /// Stops serving.
  func end() { server.stop() }
}
