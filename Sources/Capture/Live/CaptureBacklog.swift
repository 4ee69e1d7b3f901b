/// The delay of the analysis of a live capture, now and at its largest.
public struct CaptureBacklog: Equatable, Sendable {
  /// The time since the current packets came from the interface; zero if no packet waits.
  public var delay = Duration.zero
  /// The longest wait of packets so far, including those that wait now.
  public var longestDelay = Duration.zero
  /// Packets that wait on disk now.
  public var spilledPackets = 0
  /// Octets of these on disk, with 16 to 23 more for each packet.
  public var spilledOctets = 0
  /// The largest number of packets that waited on disk at a time.
  public var mostSpilledPackets = 0
  /// The largest number of octets that were on disk at a time.
  public var mostSpilledOctets = 0

  /// No packet waits or has waited.
  public init() {}
}
