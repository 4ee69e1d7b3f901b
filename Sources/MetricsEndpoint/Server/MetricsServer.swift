import NIOCore
import NIOHTTP1
import NIOPosix
import Shared
import SystemPackage

/// Serves the page of metrics over HTTP, for Prometheus to fetch.
///
/// For synchronous code: the server runs on a thread of its own, and `publish` only swaps the page, so that a slow client
/// holds up nothing. Start it after privileges are given up: on Linux, threads that run already keep theirs. The port can be
/// opened before, so that they may go with all that sockets are made and bound with.
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
  /// The port while it is open and not served yet.
  private let socket = Locked<ListeningSocket?>(nil)
  /// The thread that serves, while there is one.
  private let thread = Locked<MultiThreadedEventLoopGroup?>(nil)

  /// Prepares a server; `start` opens the port.
  public init(_ address: MetricsAddress, limits: Limits = Limits()) {
    self.address = address
    self.limits = limits
  }

  /// Replaces the page that is served.
  public func publish(_ exposition: [UInt8]) { page.octets = ByteBuffer(bytes: exposition) }

  deinit { close(socket.withLock { $0.take() }) }

  /// Opens the port, on the calling thread alone: clients wait until `start`. Returns the address, with the port that the system
  /// chose where 0 was asked for. Throws when the port cannot be opened.
  @discardableResult
  public func open() throws(MetricsError) -> MetricsAddress {
    stop()
    do throws(Errno) {
      let opened = try ListeningSocket(address.socketAddress)
      socket.withLock { $0 = opened }
      return address.with(port: opened.port)
    } catch {
      throw MetricsError("cannot serve metrics on \(address): \(error)")
    }
  }

  /// Begins to serve, and opens the port unless it is open. Returns the address, with the port that the system chose where 0
  /// was asked for. Throws when the port cannot be opened.
  @discardableResult
  public func start() throws(MetricsError) -> MetricsAddress {
    if socket.withLock({ $0 == nil }) { try open() }
    guard let opened = socket.withLock({ $0.take() }) else { return address }
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      // The channel closes the descriptor from here on.
      _ = try bootstrap(group).withBoundSocket(opened.descriptor).wait()
      thread.withLock { $0 = group }
      return address.with(port: opened.port)
    } catch {
      try? group.syncShutdownGracefully()
      throw MetricsError("cannot serve metrics on \(address): \(Self.reason(error))")
    }
  }

  /// Closes the port and all connections. Does nothing when the server is not running.
  public func stop() {
    close(socket.withLock { $0.take() })
    let group = thread.withLock { $0.take() }
    try? group?.syncShutdownGracefully()
  }

  private func close(_ opened: ListeningSocket?) {
    if let opened { try? FileDescriptor(rawValue: opened.descriptor).close() }
  }

  private func bootstrap(_ group: MultiThreadedEventLoopGroup) -> ServerBootstrap {
    let places = ConnectionPlaces(limit: limits.connections)
    // When the process is out of file descriptors, NIO waits a second before it accepts again.
    return ServerBootstrap(group: group)
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
