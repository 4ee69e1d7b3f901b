import FlyingSocks
import Synchronization

/// A socket pool that lets only so many connections wait, and none for longer than it should.
///
/// FlyingFox has no limit of either kind for connections that neither send nor take anything. Connections
/// that never wait are served at once and need no bound.
struct BoundedSocketPool<Base: AsyncSocketPool>: AsyncSocketPool {
  private final class Waiters: Sendable {
    let count = Atomic<Int>(0)
  }

  private let base: Base
  private let connectionLimit: Int
  private let patience: Duration
  private let waiters = Waiters()

  init(_ base: Base, connectionLimit: Int, patience: Duration) {
    self.base = base
    self.connectionLimit = connectionLimit
    self.patience = patience
  }

  func prepare() async throws { try await base.prepare() }
  func run() async throws { try await base.run() }

  func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
    // Only the listening socket has no peer (or one that was just reset, which does not wait): it waits for ever.
    guard (try? socket.remotePeer()) != nil else { return try await base.suspendSocket(socket, untilReadyFor: events) }
    let others = waiters.count.wrappingAdd(1, ordering: .relaxed).oldValue
    defer { waiters.count.wrappingSubtract(1, ordering: .relaxed) }
    guard others < connectionLimit else { throw SocketError.disconnected }
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await base.suspendSocket(socket, untilReadyFor: events) }
      group.addTask {
        try await Task.sleep(for: patience)
        throw SocketError.timeout(message: "the connection was idle")
      }
      try await group.next()
    }
  }
}
