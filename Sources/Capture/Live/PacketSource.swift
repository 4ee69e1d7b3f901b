import Packets

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
