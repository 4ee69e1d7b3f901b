// Packets in tunnels that a network card has yet to segment (GSO_PARTIAL of Linux).
//
// The system has written the headers of one segment already. So the outer lengths are those of one segment, and the inner
// one may be, while the frame has the octets of all segments.

extension Dissection {
  /// The longest frame that needs no jumbo frames, with tags.
  private static var usualFrameLength: Int { 1600 }
  /// More octets than any card or tap adds as padding or trailer.
  private static var longestTrailer: Int { 64 }
  /// Octets of a frame check sequence.
  private static var checkLength: Int { 4 }

  /// Notes that the frame goes on where its outermost IP packet ends, before `trim` makes the rest class `link`.
  @inline(__always)
  mutating func noteFrameRest(from packetEnd: Int) { frameRest = (packetEnd, end - packetEnd) }

  /// Whether the frame is too long for padding or a trailer behind its outermost IP packet, in which this tunnel ends.
  private var hasSegmentsBehind: Bool {
    frameRest.count > Self.longestTrailer && wireLength > Self.usualFrameLength && end == frameRest.start
  }

  /// Whether a packet in a tunnel ends where the frame ends, far behind the tunnel's own packet.
  func isSuperSegment(endingAt packetEnd: Int) -> Bool {
    carrier != .link && isOpening && hasSegmentsBehind
      && packetEnd...packetEnd + Self.checkLength ~= frameRest.start + frameRest.count
  }

  /// Gives the rest of the frame to the packet in the tunnel.
  mutating func takeFrameRest() {
    notes.insert(.tunnelLengthOfSegment)
    end += frameRest.count
    link -= frameRest.count
    frameRest = (0, 0)
  }

  /// Gives the rest of the frame to a TCP segment in a tunnel if the inner length, too, is one segment's.
  @inline(__always)
  mutating func takeSegmentsBehind(_ octets: RawSpan) {
    guard frameRest.count > 0, !paddingIsLink, hasSegmentsBehind, room > tcpHeaderLength(octets) else { return }
    takeFrameRest()
  }
}
