// The Point-to-Point Protocol (RFC 1661) and its HDLC-like framing (RFC 1662).

extension Dissection {
  /// A PPP header: address and control unless they are compressed away, then the protocol field.
  mutating func ppp(_ octets: RawSpan) -> Layer {
    // RFC 1662 §3.1: all-stations address, unnumbered information.
    if isCaptured(2), octets.bigEndian16(offset) == 0xff03 { consume(2) }
    guard isCaptured(1) else { return .malformed(.linkHeaderMalformed) }
    // RFC 1661 §6.5: the protocol field may be one octet. Only its last octet is odd.
    var type = UInt16(octets.octet(offset))
    if type & 1 == 0 {
      guard isCaptured(2) else { return .malformed(.linkHeaderMalformed) }
      type = octets.bigEndian16(offset)
      consume(2)
    } else {
      consume(1)
    }
    switch type {
    case 0x0021: return .ipv4
    case 0x0057: return .ipv6
    case 0x0281, 0x0283: return .mpls
    default: return .payload
    }
  }

  /// PPP behind an octet of direction: 0 is received, anything else is sent.
  ///
  /// pppd writes the direction in the place of the address, so that the control octet stands alone.
  mutating func pppWithDirection(_ octets: RawSpan) -> Layer {
    guard isCaptured(2) else { return .malformed(.linkHeaderMalformed) }
    consumeSynthetic(1)
    if octets.octet(offset) == 0x03 { consume(1) }
    return .ppp
  }

  /// A serial line's frame: PPP or Cisco's framing. The first octet tells them apart.
  mutating func pppHDLC(_ octets: RawSpan) -> Layer {
    guard isCaptured(1) else { return .malformed(.linkHeaderMalformed) }
    switch octets.octet(offset) {
    case 0x0f, 0x8f: return ciscoHDLC(octets)
    default: return .ppp
    }
  }
}

// PPP over Ethernet, session stage (RFC 2516 §4 and §6).

extension Dissection {
  /// A PPPoE header of the session stage.
  mutating func pppoe(_ octets: RawSpan) -> Layer {
    guard isCaptured(6) else { return .malformed(.linkHeaderMalformed) }
    // Version and type 1; every code but 0 belongs to the discovery stage.
    guard octets.octet(offset) == 0x11 else { return .malformed(.tunnelHeaderMalformed) }
    guard octets.octet(offset + 1) == 0 else { return .payload }
    let length = Int(octets.bigEndian16(offset + 4))
    guard enterTunnel() else { return .payload }
    // Octets behind the announced length pad the Ethernet frame. IP notes a length beyond the frame.
    if length < room - 6 { trim(to: offset + 6 + length) }
    trimsToLink = false
    consume(6)
    return .ppp
  }
}

// Cisco's HDLC framing (RFC 1547 §4.3.1 describes it).

extension Dissection {
  /// Cisco's header: address, control, EtherType.
  mutating func ciscoHDLC(_ octets: RawSpan) -> Layer {
    guard isCaptured(4) else { return .malformed(.linkHeaderMalformed) }
    let type = octets.bigEndian16(offset + 2)
    consume(4)
    return .etherType(type)
  }
}
