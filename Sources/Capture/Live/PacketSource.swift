import Packets
import Synchronization

/// The source of a capture thread's packets: an interface, or in tests anything.
///
/// It is called a few times a second, never once per packet.
package protocol PacketSource: AnyObject, Sendable {
  /// The name of the source in errors.
  var name: String { get }
  /// The protocol at the first octet of its packets.
  var linkType: LinkType { get }
  /// The largest number of octets of a packet.
  var snapshotLength: Int { get }
  /// The longest time for which it may keep a packet while it has nothing else to hand over.
  var delay: Duration { get }
  /// Waits for packets and appends the available ones to the feed. Returns when there are no more for the moment, and soon after
  /// `interrupt`. Called on the capture thread.
  func takePackets(into feed: PacketFeed) throws(CaptureError)
  /// Appends the remaining packets from before this call. Called on the capture thread, last of all.
  func takeRest(into feed: PacketFeed) throws(CaptureError)
  /// Makes the thread return from `takePackets` soon, even if it has not called it yet. Called on any thread.
  func interrupt()
  /// The operating system's counts so far. Called on any thread.
  func statistics() -> CaptureStatistics
}

/// Ends a live capture, from any thread and any number of times.
public struct CaptureStop: Sendable {
  private let request: Request
  private let sources: [any PacketSource]

  /// The request to stop, once for all threads.
  private final class Request: Sendable {
    let isMade = Atomic<Bool>(false)
  }

  init(_ sources: [any PacketSource]) {
    request = Request()
    self.sources = sources
  }

  /// Makes the capture threads take the packets captured up to now, and end. The reader gets them all, and then the end.
  ///
  /// Returns at once; the end takes up to a few tenths of a second. Not for use in a signal handler.
  public func callAsFunction() {
    guard !request.isMade.exchange(true, ordering: .acquiringAndReleasing) else { return }
    for source in sources { source.interrupt() }
  }

  /// Whether it was called.
  public var isRequested: Bool { request.isMade.load(ordering: .acquiring) }
}
