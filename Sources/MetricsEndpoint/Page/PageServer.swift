/// Serves the page of a live run to browsers that have its token, and sends them updates.
///
/// It is for synchronous code, as `MetricsServer` is. The order is the same: open the port, give up privileges, start. `publish` only swaps
/// the data, so a slow viewer holds up nothing. It gets the newest page after it has taken the one before.
public final class PageServer: Sendable {
  /// Limits for clients.
  public struct Limits: Sendable {
    /// Connections that may be open at the same time. Beyond, the one that has been slow for longest gives way.
    public var connections = 32
    /// Viewers that may wait for updates at the same time; those beyond get 503.
    public var viewers = 8
    /// The time that a client has to send a whole request, or to take octets, before its connection is closed.
    public var patience = Duration.seconds(30)

    /// The defaults.
    public init() {}
  }

  private let port: ServedPort
  private let limits: Limits
  private let content: PageContent
  private let allowsOthers: Bool
  private let token = PageGate.newToken()

  /// Prepares a server; `start` opens the port.
  ///
  /// - Parameters:
  ///   - address: The address of the server.
  ///   - document: The document before the data, and after it.
  ///   - allowsOthers: Whether other machines may ask for it, by any address of this one. Else only this machine may, by its loopback address.
  ///   - limits: Limits for clients.
  public init(
    _ address: MetricsAddress, document: (head: [UInt8], tail: [UInt8]), allowsOthers: Bool = false,
    limits: Limits = Limits()
  ) {
    port = ServedPort(address, for: "the page")
    content = PageContent(document: document, viewerLimit: limits.viewers)
    self.allowsOthers = allowsOthers
    self.limits = limits
  }

  /// Whether the page has viewers: else no update is needed.
  public var isWatched: Bool { content.viewerCount > 0 }

  /// Replaces the data that is served.
  ///
  /// - Parameters:
  ///   - data: The data, one line of JSON.
  ///   - version: Its number, which grows.
  ///   - isLast: Whether it is the last data: responses to viewers end with it.
  public func publish(_ data: [UInt8], version: Int, isLast: Bool = false) {
    content.publish(.init(octets: data, version: version, isLast: isLast))
    if isWatched { port.call() }
  }

  /// Opens the port without a thread: clients wait until `start`. Returns the address; the system chooses the port for 0.
  /// Throws when the port cannot be opened.
  @discardableResult
  public func open() throws(MetricsError) -> MetricsAddress { try port.open() }

  /// Begins to serve, and opens the port unless it is open. Returns the page's address with its token. Throws when the port cannot be opened.
  @discardableResult
  public func start() throws(MetricsError) -> String {
    let limits = ConnectionLimits(connections: limits.connections, patience: limits.patience)
    let actual = try port.start(limits) { actual in
      let gate = PageGate(token: Array(token.utf8), port: Int(actual.port), allowsOthers: allowsOthers)
      return PageService(gate: gate, content: content)
    }
    return "http://\(actual)/\(token)/"
  }

  /// Closes the port and all connections. Does nothing when the server is not running.
  public func stop() { port.stop() }
}
