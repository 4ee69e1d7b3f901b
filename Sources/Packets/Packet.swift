/// A captured packet's own facts; its octets are lent beside it as a `RawSpan` for the time of one call.
///
/// The span's length is the captured length, which is at most `originalLength`.
public struct Packet: Sendable, Equatable {
  /// Capture time in nanoseconds since the Unix epoch, as the capture recorded it.
  public var timestamp: Int64
  /// Length on the wire in octets, as the capture recorded it.
  public var originalLength: Int
  /// What the first octet of the packet is the start of.
  public var linkType: LinkType
  /// The interface and the process that it was captured from or for, as far as the capture says.
  public var origin = PacketOrigin()
  /// Octets of frame check sequence at the end of the packet, as the capture declared it; usually 0.
  public var frameCheckSequenceLength: Int
  /// Where its octets can be read again; nil when they cannot.
  public var captureOffset: CaptureOffset?

  /// Makes a packet's facts.
  @inlinable
  public init(timestamp: Int64, originalLength: Int, linkType: LinkType, frameCheckSequenceLength: Int = 0) {
    self.timestamp = timestamp
    self.originalLength = originalLength
    self.linkType = linkType
    self.frameCheckSequenceLength = frameCheckSequenceLength
  }
}
