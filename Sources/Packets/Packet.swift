/// Facts about a captured packet. Its octets are lent with it as a `RawSpan` for one call.
///
/// The length of the span is the captured length, which is at most `originalLength`.
public struct Packet: Sendable, Equatable {
  /// Capture time in nanoseconds since the Unix epoch, as the capture recorded it.
  public var timestamp: Int64
  /// Length on the wire in octets, as the capture recorded it.
  public var originalLength: Int
  /// The type of the packet's first header.
  public var linkType: LinkType
  /// The interface and the process of the packet, as far as the capture names them.
  public var origin = PacketOrigin()
  /// Octets of the frame check sequence at the packet's end, as the capture declares; usually 0.
  public var frameCheckSequenceLength: Int
  /// The place where its octets can be read again; nil if they cannot.
  public var captureOffset: CaptureOffset?

  /// Creates a packet's facts.
  @inlinable
  public init(timestamp: Int64, originalLength: Int, linkType: LinkType, frameCheckSequenceLength: Int = 0) {
    self.timestamp = timestamp
    self.originalLength = originalLength
    self.linkType = linkType
    self.frameCheckSequenceLength = frameCheckSequenceLength
  }
}
