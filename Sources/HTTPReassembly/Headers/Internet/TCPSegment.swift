/// The control bits of a TCP header (RFC 9293 §3.1).
package struct TCPFlags: OptionSet, Sendable {
  package var rawValue: UInt8
  @inline(__always)
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let fin = TCPFlags(rawValue: 0x01)
  package static let syn = TCPFlags(rawValue: 0x02)
  package static let rst = TCPFlags(rawValue: 0x04)
  package static let ack = TCPFlags(rawValue: 0x10)
}

/// A decoded TCP segment: values and ranges, never octets.
///
/// `payloadOffset` points into the span that was decoded: the packet's own, or a reassembled datagram's.
package struct TCPSegment: Sendable, Equatable {
  package var source: Endpoint
  package var destination: Endpoint
  package var sequence: UInt32
  package var acknowledgment: UInt32
  package var flags: TCPFlags
  /// The window field as sent, not scaled.
  package var window: UInt16
  /// The shift of the window scale option (RFC 7323 §2), nil when the segment has none or it was not captured.
  package var windowScale: UInt8?
  /// Octets of this segment's IP headers (of every fragment it came in): class `network`.
  package var networkLength: Int
  /// Octets of the TCP header with options: class `transport`.
  package var headerLength: Int
  /// Where the payload starts in the decoded span.
  package var payloadOffset: Int
  /// Payload octets on the wire, by the IP total length.
  package var payloadLength: Int
  /// Payload octets that were captured, at most `payloadLength`.
  package var capturedPayloadLength: Int
  /// The TCP checksum was verified and is wrong: no receiver would take the segment.
  package var hasBadChecksum: Bool

  package init(
    source: Endpoint, destination: Endpoint, sequence: UInt32, acknowledgment: UInt32, flags: TCPFlags,
    window: UInt16, windowScale: UInt8? = nil, networkLength: Int, headerLength: Int, payloadOffset: Int,
    payloadLength: Int, capturedPayloadLength: Int, hasBadChecksum: Bool = false
  ) {
    self.source = source
    self.destination = destination
    self.sequence = sequence
    self.acknowledgment = acknowledgment
    self.flags = flags
    self.window = window
    self.windowScale = windowScale
    self.networkLength = networkLength
    self.headerLength = headerLength
    self.payloadOffset = payloadOffset
    self.payloadLength = payloadLength
    self.capturedPayloadLength = capturedPayloadLength
    self.hasBadChecksum = hasBadChecksum
  }

  /// Where the captured octets of the payload are in the decoded span.
  @inline(__always)
  var capturedPayload: Range<Int> { payloadOffset..<payloadOffset + capturedPayloadLength }
}
