import Packets
import Synchronization

/// What a capture thread takes packets from: an interface, or in tests anything.
///
/// It is called a few times a second, never once per packet.
package protocol PacketSource: AnyObject, Sendable {
  /// What errors call it.
  var name: String { get }
  /// What the first octet of its packets is the start of.
  var linkType: LinkType { get }
  /// Octets of a packet at most.
  var snapshotLength: Int { get }
  /// For how long it may have a packet before it hands the packet over, while it has nothing else to hand over.
  var delay: Duration { get }
  /// Waits for packets and appends those that are there to the feed. Returns when there are no more for the moment,
  /// and soon after `interrupt`. Called on the capture thread.
  func takePackets(into feed: PacketFeed) throws(CaptureError)
  /// Appends what came before this call and was not taken yet. Called on the capture thread, last of all.
  func takeRest(into feed: PacketFeed) throws(CaptureError)
  /// Makes the thread return from `takePackets` soon, also if it is only about to call it. Called on any thread.
  func interrupt()
  /// What the operating system has counted so far. Called on any thread.
  func statistics() -> CaptureStatistics
}

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
