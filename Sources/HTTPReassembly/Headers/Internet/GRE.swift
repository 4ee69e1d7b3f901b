// Generic routing encapsulation (RFC 2784, RFC 2890), the PPTP variant (RFC 2637 §4.1), GRE in UDP (RFC 8086), and EoIP.

extension Dissection {
  /// A GRE header of version 0 or 1.
  mutating func gre(_ octets: RawSpan) -> Layer {
    guard isCaptured(4) else { return .malformed(.tunnelHeaderMalformed) }
    let flags = octets.bigEndian16(offset)
    let type = octets.bigEndian16(offset + 2)
    let hasSequence = flags & 0x1000 != 0
    if type == 0x6400, flags == 0x2001 { return ethernetOverIP(octets) }
    var length = 4
    if flags & 0x7 == 0 {
      // RFC 2784 removed routing and strict source routes (RFC 1701) from GRE.
      guard flags & 0x4000 == 0 else { return .payload }
      if flags & 0x8000 != 0 { length += 4 }  // Checksum and reserved.
      if flags & 0x2000 != 0 { length += 4 }  // Key.
      if hasSequence { length += 4 }
    } else {
      // Version 1: the key holds a payload length and a call. A packet without a sequence number only acknowledges.
      guard flags & 0x7 == 1, flags & 0x2000 != 0, type == EtherType.ppp, hasSequence else { return .payload }
      length += 8
      if flags & 0x0080 != 0 { length += 4 }  // Acknowledgment number.
    }
    guard isCaptured(length) else { return .malformed(.tunnelHeaderMalformed) }
    guard enterTunnel() else { return .payload }
    consume(length)
    switch type {
    // ERSPAN mirrors Ethernet frames. Type II (with sequence numbers) has 8 octets before the frame, type III 12 or 20.
    case 0x88be: return hasSequence ? erspan(octets, length: 8) : .ethernet
    case 0x22eb: return erspan(octets, length: isCaptured(12) && octets.octet(offset + 11) & 1 != 0 ? 20 : 12)
    default: return .etherType(type)
    }
  }

  /// MikroTik's Ethernet over IP: the key holds the frame's length and the tunnel's number. A keep-alive has length 0.
  private mutating func ethernetOverIP(_ octets: RawSpan) -> Layer {
    guard isCaptured(8) else { return .malformed(.tunnelHeaderMalformed) }
    let length = Int(octets.bigEndian16(offset + 4))
    guard length > 0, enterTunnel() else { return .payload }
    consume(8)
    if length < room { trim(to: offset + length) }
    return .ethernet
  }

  private mutating func erspan(_ octets: RawSpan, length: Int) -> Layer {
    guard isCaptured(length) else { return .malformed(.tunnelHeaderMalformed) }
    consume(length)
    return .ethernet
  }
}
