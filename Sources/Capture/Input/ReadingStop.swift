import Synchronization

/// Ends the reading of captures, from any thread and any number of times.
public final class ReadingStop: Sendable {
  private let request = Atomic<Bool>(false)

  /// Makes one that has not been asked for.
  public init() {}

  /// Lets readers see the end of their captures where they are, within a few tenths of a second. They hand over the
  /// packets that they have already, and what they have half of is no damage.
  public func callAsFunction() { request.store(true, ordering: .releasing) }

  /// Whether it was called.
  public var isRequested: Bool { request.load(ordering: .acquiring) }
}
