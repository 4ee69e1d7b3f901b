// The User Datagram Protocol (RFC 768), and the ports that suggest a tunnel.

/// A decoded UDP datagram: values and ranges, never octets. All of it has been charged to the ledger.
package struct UDPDatagram: Sendable, Equatable {
  package var source: Endpoint
  package var destination: Endpoint
  /// Where the payload starts in the decoded span: the packet's own, or a reassembled datagram's.
  package var payloadOffset: Int
  /// Payload octets on the wire, by the UDP length.
  package var payloadLength: Int
  /// Payload octets that were captured, at most `payloadLength`.
  package var capturedPayloadLength: Int
  /// Octets of its IP headers (of every fragment it came in): class `network`.
  package var networkLength: Int

  /// Octets of the header, a part of class `udp` until the datagram turns out to be one of QUIC.
  package static var headerLength: Int { 8 }

  /// Where what was captured of the payload is in the decoded span.
  func payload(in octets: RawSpan) -> Range<Int> {
    payloadOffset..<payloadOffset + min(capturedPayloadLength, max(octets.byteCount - payloadOffset, 0))
  }
}

extension Dissection {
  /// A UDP header. What it carries is class `udp`, unless it is a tunnel in which an IP header is found.
  mutating func udp(_ octets: RawSpan) -> Layer {
    carrier = .udp
    udpRange = 0..<0
    guard isCaptured(8) else { return .payload }
    // Length 0 is that of a jumbogram (RFC 2675 §4); a length beyond the IP packet's is a lie.
    let length = Int(octets.bigEndian16(offset + 4))
    if length >= 8, length < room { trim(to: offset + length) }
    udpRange = offset..<end
    let sourcePort = octets.bigEndian16(offset)
    let destinationPort = octets.bigEndian16(offset + 2)
    consume(8)
    // A tunnel's port can be the arbitrary port of a client: not when the other one is a well-known service's.
    if sourcePort == 53 || sourcePort == 5353 { return .payload }
    switch destinationPort {
    case 2152: return .gtpu
    case 3544: return .teredo
    case 4754: return .gre
    case 4789, 8472: return .vxlan  // 8472: Linux' default, from before the assignment.
    case 4790: return .vxlanGPE
    case 6081: return .geneve
    case 6635: return .mpls  // RFC 7510.
    default: break
    }
    switch sourcePort {
    case 2152: return .gtpu
    case 3544: return .teredo
    default: return looksLikeTeredo(octets) ? .teredo : .payload
    }
  }

  /// The datagram at `udpRange`, nil when its header was not captured.
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
