/// Serves the page of a run that goes on, to browsers that have its token, and tells them of newer ones.
///
/// For synchronous code, as `MetricsServer` is, and with the same order: open the port, give up privileges, start. `publish` only swaps the
/// data: a slow viewer holds up nothing, and has the newest page when it has taken the one before.
public final class PageServer: Sendable {
  /// What the server puts up with from its clients.
  public struct Limits: Sendable {
    /// Connections that may be open at the same time. For another one, the one gives way that has been slow for longest.
    public var connections = 32
    /// Viewers that are told of newer pages at the same time; those beyond get 503.
    public var viewers = 8
    /// How long a connection waits for a whole request, and for its client to take octets, before it is closed.
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
  ///   - address: Where it serves.
  ///   - document: What stands before the data in the page, and what behind it.
  ///   - allowsOthers: Whether other machines may ask for it, by any address of this one; else only this machine, by its loopback address.
  ///   - limits: What clients may do.
  public init(
    _ address: MetricsAddress, document: (head: [UInt8], tail: [UInt8]), allowsOthers: Bool = false,
    limits: Limits = Limits()
  ) {
    port = ServedPort(address, for: "the page")
    content = PageContent(document: document, viewerLimit: limits.viewers)
    self.allowsOthers = allowsOthers
    self.limits = limits
  }

  /// Whether anybody looks at the page: else nobody needs a newer one.
  public var isWatched: Bool { content.viewerCount > 0 }

  /// Replaces the data that is served.
  ///
  /// - Parameters:
  ///   - data: The data, one line of JSON.
  ///   - version: Its number, which grows.
  ///   - isLast: Whether there will be no other: viewers are let go when they have it.
  public func publish(_ data: [UInt8], version: Int, isLast: Bool = false) {
    content.publish(.init(octets: data, version: version, isLast: isLast))
    if isWatched { port.call() }
  }

  /// Opens the port, on the calling thread alone: clients wait until `start`. Returns the address, with the port that the system
  /// chose where 0 was asked for. Throws when the port cannot be opened.
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
