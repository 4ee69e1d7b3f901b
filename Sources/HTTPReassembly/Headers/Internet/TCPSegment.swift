import Packets

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

/// A decoded TCP segment. It has values and ranges, never octets.
///
/// `payloadOffset` points into the decoded span: the packet's own, or a reassembled datagram's.
package struct TCPSegment: Sendable, Equatable {
  package var source: Endpoint
  package var destination: Endpoint
  package var sequence: UInt32
  package var acknowledgment: UInt32
  package var flags: TCPFlags
  /// The window field as sent, not scaled.
  package var window: UInt16
  /// The shift of the window scale option (RFC 7323 §2); nil without a captured option.
  package var windowScale: UInt8?
  /// Octets of the IP headers of this segment and of all its fragments: class `network`.
  package var networkLength: Int
  /// Octets of the TCP header, including options: class `transport`.
  package var headerLength: Int
  /// The payload's start in the decoded span.
  package var payloadOffset: Int
  /// Payload octets on the wire, by the IP total length.
  package var payloadLength: Int
  /// Captured payload octets, at most `payloadLength`.
  package var capturedPayloadLength: Int
  /// Whether the TCP checksum was verified and is wrong. No receiver would take the segment.
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

  /// The range of the payload's captured octets in the decoded span.
  @inline(__always)
  var capturedPayload: Range<Int> { payloadOffset..<payloadOffset + capturedPayloadLength }

  /// The place of its header in the octets before its payload. Nil if they are not there: the header was cut, or the payload was kept alone.
  func header(in octets: RawSpan) -> Range<Int>? {
    let start = payloadOffset - headerLength
    guard start >= 0, payloadOffset <= octets.byteCount, octets.bigEndian16(start) == source.port,
      octets.bigEndian32(start + 4) == sequence, Int(octets.octet(start + 12) >> 4) * 4 == headerLength
    else { return nil }
    return start..<payloadOffset
  }
}
