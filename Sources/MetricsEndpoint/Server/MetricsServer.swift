import NIOCore
import NIOHTTP1
import NIOPosix
import Shared
import SystemPackage

/// Serves the page of metrics over HTTP, for Prometheus to fetch.
///
/// For synchronous code: the server runs on a thread of its own, and `publish` only swaps the page, so that a slow client
/// holds up nothing. Start it after privileges are given up: on Linux, threads that run already keep theirs.
public final class MetricsServer: Sendable {
  /// What the server puts up with from its clients.
  public struct Limits: Sendable {
    /// Connections that may be open at the same time; those beyond are closed.
    public var connections = 32
    /// How long a connection waits for its client to send or to take octets before it is closed. Longer than
    /// Prometheus's usual interval of 15 s, so that its connection lives from one scrape to the next.
    public var patience = Duration.seconds(30)

    /// The defaults.
    public init() {}
  }

  private let address: MetricsAddress
  private let limits: Limits
  private let page = MetricsPage()
  /// The thread that serves, while there is one.
  private let thread = Locked<MultiThreadedEventLoopGroup?>(nil)

  /// Prepares a server; `start` opens the port.
  public init(_ address: MetricsAddress, limits: Limits = Limits()) {
    self.address = address
    self.limits = limits
  }

  /// Replaces the page that is served.
  public func publish(_ exposition: [UInt8]) { page.octets = ByteBuffer(bytes: exposition) }

  /// Opens the port and begins to serve. Returns the address, with the port that the system chose where 0 was asked for.
  /// Throws when the port cannot be opened.
  @discardableResult
  public func start() throws(MetricsError) -> MetricsAddress {
    stop()
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      let channel = try bootstrap(group).bind(to: address.socketAddress).wait()
      thread.withLock { $0 = group }
      return address.with(port: channel.localAddress?.port)
    } catch {
      try? group.syncShutdownGracefully()
      throw MetricsError("cannot serve metrics on \(address): \(Self.reason(error))")
    }
  }

  /// Closes the port and all connections. Does nothing when the server is not running.
  public func stop() {
    let group = thread.withLock { $0.take() }
    try? group?.syncShutdownGracefully()
  }

  private func bootstrap(_ group: MultiThreadedEventLoopGroup) -> ServerBootstrap {
    let places = ConnectionPlaces(limit: limits.connections)
    // When the process is out of file descriptors, NIO waits a second before it accepts again.
    return ServerBootstrap(group: group)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { [page, limits] channel in
        channel.eventLoop.makeCompletedFuture {
          try places.take(for: channel)
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(IdleStateHandler(allTimeout: TimeAmount(limits.patience)))
          try pipeline.configureHTTPServerPipeline()
          try pipeline.addHandler(MetricsHandler(page))
        }
      }
  }

  /// The system's words for what it refused.
  private static func reason(_ error: any Error) -> String {
    guard let error = error as? IOError else { return "\(error)" }
    return Errno(rawValue: error.errnoCode).description
  }
}
