import Synchronization

/// Ends a live capture, from any thread and any number of times.
public struct CaptureStop: Sendable {
  private let request: Request
  private let sources: [any PacketSource]

  /// Whether it was asked for, once for all threads.
  private final class Request: Sendable {
    let isMade = Atomic<Bool>(false)
  }

  init(_ sources: [any PacketSource]) {
    request = Request()
    self.sources = sources
  }

  /// Makes the capture threads take what was captured up to now, and end. The reader gets it all, and then the end.
  ///
  /// Returns at once; that takes up to a few tenths of a second. Not for use in a signal handler.
  public func callAsFunction() {
    guard !request.isMade.exchange(true, ordering: .acquiringAndReleasing) else { return }
    for source in sources { source.interrupt() }
  }

  /// Whether it was called.
  public var isRequested: Bool { request.isMade.load(ordering: .acquiring) }
}
