/// Serves the page of metrics over HTTP, for Prometheus to fetch.
///
/// It is for synchronous code. The server runs on a thread of its own, and `publish` only swaps the page, so a slow client
/// holds up nothing. Start it after privileges are given up: on Linux, threads that run already keep theirs. Open the port
/// before, if the process gives up the right to make and bind sockets.
public final class MetricsServer: Sendable {
  /// Limits for clients.
  public struct Limits: Sendable {
    /// Connections that may be open at the same time. Beyond, the one that has been slow for longest gives way.
    public var connections = 32
    /// The time that a client has to send a whole request, or to take octets, before its connection is closed. It is longer than
    /// Prometheus's usual interval of 15 s, so that a connection lives from one scrape to the next.
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

  /// Opens the port without a thread: clients wait until `start`. Returns the address; the system chooses the port for 0.
  /// Throws when the port cannot be opened.
  @discardableResult
  public func open() throws(MetricsError) -> MetricsAddress { try port.open() }

  /// Begins to serve, and opens the port unless it is open. Returns the address; the system chooses the port for 0.
  /// Throws when the port cannot be opened.
  @discardableResult
  public func start() throws(MetricsError) -> MetricsAddress {
    try port.start(ConnectionLimits(connections: limits.connections, patience: limits.patience)) { _ in page }
  }

  /// Closes the port and all connections. Does nothing when the server is not running.
  public func stop() { port.stop() }
}
