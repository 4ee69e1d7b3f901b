/// Serves the page of metrics over HTTP, for Prometheus to fetch.
///
/// For synchronous code: the server runs on a thread of its own, and `publish` only swaps the page, so that a slow client
/// holds up nothing. Start it after privileges are given up: on Linux, threads that run already keep theirs. The port can be
/// opened before, so that they may go with all that sockets are made and bound with.
public final class MetricsServer: Sendable {
  /// What the server puts up with from its clients.
  public struct Limits: Sendable {
    /// Connections that may be open at the same time. For another one, the one gives way that has been slow for longest.
    public var connections = 32
    /// How long a connection waits for a whole request, and for its client to take octets, before it is closed. Longer than
    /// Prometheus's usual interval of 15 s, so that its connection lives from one scrape to the next.
    public var patience = Duration.seconds(30)

    /// The defaults.
    public init() {}
  }

  private let port: ServedPort
  private let limits: Limits
  private let page = MetricsPage()

  /// Prepares a server; `start` opens the port.
  public init(_ address: MetricsAddress, limits: Limits = Limits()) {
    port = ServedPort(address, for: "metrics")
    self.limits = limits
  }

  /// Replaces the page that is served.
  public func publish(_ exposition: [UInt8]) { page.publish(exposition) }

  /// Opens the port, on the calling thread alone: clients wait until `start`. Returns the address, with the port that the system
  /// chose where 0 was asked for. Throws when the port cannot be opened.
  @discardableResult
  public func open() throws(MetricsError) -> MetricsAddress { try port.open() }

  /// Begins to serve, and opens the port unless it is open. Returns the address, with the port that the system chose where 0
  /// was asked for. Throws when the port cannot be opened.
  @discardableResult
  public func start() throws(MetricsError) -> MetricsAddress {
    try port.start(ConnectionLimits(connections: limits.connections, patience: limits.patience)) { _ in page }
  }

  /// Closes the port and all connections. Does nothing when the server is not running.
  public func stop() { port.stop() }
}
