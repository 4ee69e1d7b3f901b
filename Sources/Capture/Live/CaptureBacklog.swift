/// How far the analysis of a live capture is behind, and was.
public struct CaptureBacklog: Equatable, Sendable {
  /// How long ago the packets that are looked at now came from the interface; zero if nothing waits.
  public var delay = Duration.zero
  /// The longest that packets have waited to be looked at, those included that wait now.
  public var longestDelay = Duration.zero
  /// Packets that wait on disk now.
  public var spilledPackets = 0
  /// Octets that these have there, with 16 to 23 more for each packet.
  public var spilledOctets = 0
  /// Most packets that waited on disk at a time.
  public var mostSpilledPackets = 0
  /// Most octets that were on disk at a time.
  public var mostSpilledOctets = 0

  /// Nothing waits, or ever did.
  public init() {}
}
