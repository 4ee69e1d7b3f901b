import Synchronization

/// Octets of memory that one thread takes, and others leave room for.
package final class SharedAmount: Sendable {
  private let octets = Atomic<Int>(0)
  private let shares: Int

  /// So many threads leave room for it together.
  init(shares: Int) { self.shares = max(shares, 1) }

  /// So much is taken now.
  func set(_ taken: Int) { octets.store(taken, ordering: .relaxed) }

  /// What each of the others leaves room for.
  var share: Int { octets.load(ordering: .relaxed) / shares }
}
