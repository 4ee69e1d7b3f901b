// MPLS label stacks (RFC 3032 §2.1) and Ethernet pseudowires (RFC 4448).

extension Dissection {
  /// A label stack, and a guess at the next layer. No label names it.
  mutating func mpls(_ octets: RawSpan) -> Layer {
    guard enterTunnel() else { return .payload }
    var isBottom = false
    while !isBottom {
      guard isCaptured(4) else { return .malformed(.tunnelHeaderMalformed) }
      isBottom = octets.octet(offset + 2) & 1 != 0
      consume(4)
    }
    guard isCaptured(1) else { return .payload }
    switch octets.octet(offset) >> 4 {
    case 4: return .ipv4
    case 6: return .ipv6
    default: break
    }
    // RFC 4448 §4.6: the control word of an Ethernet pseudowire starts with a zero nibble; it is optional.
    let hasControlWord = octets.octet(offset) >> 4 == 0 && looksLikeEthernet(at: offset + 4, octets)
    guard hasControlWord || looksLikeEthernet(at: offset, octets) else { return .payload }
    if hasControlWord { consume(4) }
    return .ethernet
  }

  /// Whether an Ethernet header at `start` would announce something that can hold IP.
  private func looksLikeEthernet(at start: Int, _ octets: RawSpan) -> Bool {
    guard start + 14 <= min(end, captured) else { return false }
    switch octets.bigEndian16(start + 12) {
    case EtherType.ipv4, EtherType.ipv6, EtherType.vlan, EtherType.serviceVLAN, EtherType.doubleVLAN,
      EtherType.mplsUnicast, EtherType.mplsMulticast, EtherType.pppoeSession:
      return true
    default: return false
    }
  }
}
