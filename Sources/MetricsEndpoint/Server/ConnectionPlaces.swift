import NIOCore
import Synchronization

/// Places for connections, of which there are only so many.
final class ConnectionPlaces: Sendable {
  /// All places are taken.
  struct Taken: Error {}

  private let limit: Int
  private let count = Atomic<Int>(0)

  init(limit: Int) { self.limit = limit }

  /// Gives the connection a place until it is closed. Throws when there is none.
  func take(for channel: any Channel) throws(Taken) {
    guard count.wrappingAdd(1, ordering: .relaxed).oldValue < limit else {
      count.wrappingSubtract(1, ordering: .relaxed)
      throw Taken()
    }
    channel.closeFuture.whenComplete { [self] _ in count.wrappingSubtract(1, ordering: .relaxed) }
  }
}
