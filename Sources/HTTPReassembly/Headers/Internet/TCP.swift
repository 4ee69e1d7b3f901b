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

// The TCP header (RFC 9293 §3.1).

extension Dissection {
  /// The reason why the TCP header at `offset` cannot be decoded; nil when it can.
  ///
  /// Twenty octets must have been captured. Options may be cut off.
  @inline(__always)
  func tcpHeaderFault(_ octets: RawSpan) -> Anomaly? {
    guard room >= 20 else { return .tcpHeaderMalformed }
    guard isCaptured(20) else { return .tcpHeaderNotCaptured }
    let headerLength = tcpHeaderLength(octets)
    return headerLength >= 20 && headerLength <= room ? nil : .tcpHeaderMalformed
  }

  /// Octets of the TCP header at `offset`, including options.
  @inline(__always)
  func tcpHeaderLength(_ octets: RawSpan) -> Int { Int(octets.octet(offset + 12) >> 4) * 4 }

  /// The segment at `offset`. Its header has no fault.
  ///
  /// `fragmentNetwork` counts octets of IP headers that were charged before.
  @inline(__always)
  func tcpSegment(_ octets: RawSpan, fragmentNetwork: Int) -> TCPSegment {
    let headerLength = tcpHeaderLength(octets)
    let flags = TCPFlags(rawValue: octets.octet(offset + 13))
    let payload = offset + headerLength
    let capturedEnd = min(end, captured)
    return TCPSegment(
      source: Endpoint(address: source, port: octets.bigEndian16(offset)),
      destination: Endpoint(address: destination, port: octets.bigEndian16(offset + 2)),
      sequence: octets.bigEndian32(offset + 4), acknowledgment: octets.bigEndian32(offset + 8), flags: flags,
      window: octets.bigEndian16(offset + 14),
      windowScale: flags.contains(.syn) ? Self.tcpWindowScale(octets, header: offset..<min(payload, capturedEnd)) : nil,
      networkLength: fragmentNetwork + network, headerLength: headerLength, payloadOffset: min(payload, capturedEnd),
      payloadLength: end - payload,
      capturedPayloadLength: max(0, capturedEnd - payload), hasBadChecksum: hasBadChecksum)
  }

  /// The shift of the window scale option (RFC 7323 §2.2); nil without the option in the header captured at `header`.
  private static func tcpWindowScale(_ octets: RawSpan, header: Range<Int>) -> UInt8? {
    let headerEnd = header.upperBound
    var position = header.lowerBound + 20
    while position < headerEnd {
      switch octets.octet(position) {
      case 0: return nil  // End of option list.
      case 1: position += 1  // No-operation.
      case let kind:
        guard position + 2 <= headerEnd else { return nil }
        let length = Int(octets.octet(position + 1))
        guard length >= 2, position + length <= headerEnd else { return nil }
        // RFC 7323 §2.3: a shift above 14 counts as 14.
        if kind == 3, length == 3 { return min(octets.octet(position + 2), 14) }
        position += length
      }
    }
    return nil
  }

  /// Whether the segment at `offset` has a wrong checksum. The result is false for a segment that was not captured whole.
  func tcpChecksumIsBad(_ octets: RawSpan) -> Bool {
    guard isCaptured(room) else { return false }
    var checksum = InternetChecksum()
    checksum.add(source)
    checksum.add(destination)
    checksum.add(UInt32(truncatingIfNeeded: room))
    checksum.add(UInt32(IPProtocol.tcp))
    checksum.add(octets, offset..<end)
    return !checksum.isCorrect
  }
}
