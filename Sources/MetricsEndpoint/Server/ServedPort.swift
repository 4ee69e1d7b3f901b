import NIOCore
import NIOPosix
import Shared
import SystemPackage

/// A port that is opened first and served later, by a thread of its own: sockets can be made and bound only while a process may, and threads
/// are to be started when it has given its rights up.
final class ServedPort: Sendable {
  private let address: MetricsAddress
  /// What is served, for the line that says why it cannot be.
  private let purpose: String
  /// The port while it is open and not served yet.
  private let socket = Locked<ListeningSocket?>(nil)
  /// The thread that serves, while there is one.
  private let thread = Locked<MultiThreadedEventLoopGroup?>(nil)

  /// Nothing is open yet. `purpose` is what is served, as in "cannot serve metrics".
  init(_ address: MetricsAddress, for purpose: String) {
    self.address = address
    self.purpose = purpose
  }

  deinit { close(socket.withLock { $0.take() }) }

  /// Opens the port, on the calling thread alone: clients wait until `start`. Returns the address, with the port that the system
  /// chose where 0 was asked for. Throws when the port cannot be opened.
  func open() throws(MetricsError) -> MetricsAddress {
    stop()
    do throws(Errno) {
      let opened = try ListeningSocket(address.socketAddress)
      socket.withLock { $0 = opened }
      return address.with(port: opened.port)
    } catch {
      throw MetricsError("cannot serve \(purpose) on \(address): \(error)")
    }
  }

  /// Begins to serve, and opens the port unless it is open. `prepare` gets the address and what is needed to prepare each connection. Returns
  /// the address. Throws when the port cannot be opened.
  func start(
    _ prepare: (MetricsAddress) -> @Sendable (any Channel) throws -> Void
  ) throws(MetricsError) -> MetricsAddress {
    if socket.withLock({ $0 == nil }) { _ = try open() }
    guard let opened = socket.withLock({ $0.take() }) else { return address }
    let actual = address.with(port: opened.port)
    let initialize = prepare(actual)
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      // When the process is out of file descriptors, NIO waits a second before it accepts again.
      let bootstrap = ServerBootstrap(group: group).childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try initialize(channel) }
      }
      // The channel closes the descriptor from here on.
      _ = try bootstrap.withBoundSocket(opened.descriptor).wait()
      thread.withLock { $0 = group }
      return actual
    } catch {
      try? group.syncShutdownGracefully()
      throw MetricsError("cannot serve \(purpose) on \(address): \(Self.reason(error))")
    }
  }

  /// Closes the port and all connections. Does nothing when nothing is open.
  func stop() {
    close(socket.withLock { $0.take() })
    let group = thread.withLock { $0.take() }
    try? group?.syncShutdownGracefully()
  }

  private func close(_ opened: ListeningSocket?) {
    if let opened { try? FileDescriptor(rawValue: opened.descriptor).close() }
  }

  /// The system's words for what it refused.
  private static func reason(_ error: any Error) -> String {
    guard let error = error as? IOError else { return "\(error)" }
    return Errno(rawValue: error.errnoCode).description
  }
}
