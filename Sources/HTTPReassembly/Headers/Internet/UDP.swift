// The User Datagram Protocol (RFC 768), and the ports that suggest a tunnel.

/// A decoded UDP datagram. It has values and ranges, never octets. The headers before it have been charged to the ledger.
package struct UDPDatagram: Sendable, Equatable {
  package var source: Endpoint
  package var destination: Endpoint
  /// The payload's start in the decoded span: the packet's own, or a reassembled datagram's.
  package var payloadOffset: Int
  /// Payload octets on the wire, by the UDP length.
  package var payloadLength: Int
  /// Captured payload octets, at most `payloadLength`.
  package var capturedPayloadLength: Int
  /// Octets of the IP headers of this datagram and of all its fragments: class `network`.
  package var networkLength: Int

  /// Octets of the header. They are part of class `udp`, unless the datagram turns out to be QUIC.
  package static var headerLength: Int { 8 }

  /// Octets of the header and the payload. They have no class yet.
  package var length: Int { Self.headerLength + payloadLength }

  /// The range of the payload's captured octets in the decoded span.
  func payload(in octets: RawSpan) -> Range<Int> {
    payloadOffset..<payloadOffset + min(capturedPayloadLength, max(octets.byteCount - payloadOffset, 0))
  }
}

extension Dissection {
  /// A UDP header. Its payload is class `udp`, unless it is a tunnel with an IP header.
  mutating func udp(_ octets: RawSpan) -> Layer {
    carrier = .udp
    udpRange = 0..<0
    guard isCaptured(8) else { return .payload }
    // A jumbogram has length 0 (RFC 2675 §4). A length beyond the IP packet's end is wrong.
    let length = Int(octets.bigEndian16(offset + 4))
    if length >= 8, length < room { trim(to: offset + length) }
    udpRange = offset..<end
    let sourcePort = octets.bigEndian16(offset)
    let destinationPort = octets.bigEndian16(offset + 2)
    name = .udpPort(destinationPort)
    consume(8)
    let layer = Self.layer(fromPort: sourcePort, to: destinationPort)
    guard case .payload = layer, sourcePort != 53, sourcePort != 5353, looksLikeTeredo(octets) else { return layer }
    return .teredo
  }

  /// The tunnel that the ports of a datagram suggest; `payload` without one.
  static func layer(fromPort sourcePort: UInt16, to destinationPort: UInt16) -> Layer {
    // A client's arbitrary port may equal a tunnel's port. The other end's well-known port then shows that it is no tunnel.
    if sourcePort == 53 || sourcePort == 5353 { return .payload }
    switch destinationPort {
    case 1701: return .l2tp
    case 2152: return .gtpu
    case 3544: return .teredo
    case 4341: return .lisp
    case 4754: return .gre
    case 4789, 8472: return .vxlan  // 8472: the default of Linux, older than the assignment.
    case 4790: return .vxlanGPE
    case capwapPort: return .capwap
    case 6081: return .geneve
    case 6635: return .mpls  // RFC 7510.
    case 37008: return .tzsp
    default: break
    }
    switch sourcePort {
    case 1701: return .l2tp
    case 2152: return .gtpu
    case 3544: return .teredo
    case capwapPort: return .capwap
    default: return .payload
    }
  }

  /// The datagram at `udpRange`; nil when its header was not captured.
  ///
  /// `fragmentNetwork` counts octets of IP headers that were charged before.
  func udpDatagram(_ octets: RawSpan, fragmentNetwork: Int) -> UDPDatagram? {
    guard !udpRange.isEmpty else { return nil }
    let start = udpRange.lowerBound
    return UDPDatagram(
      source: Endpoint(address: source, port: octets.bigEndian16(start)),
      destination: Endpoint(address: destination, port: octets.bigEndian16(start + 2)),
      payloadOffset: start + 8, payloadLength: udpRange.count - 8,
      capturedPayloadLength: min(udpRange.upperBound, captured) - (start + 8),
      networkLength: fragmentNetwork + network)
  }
}
