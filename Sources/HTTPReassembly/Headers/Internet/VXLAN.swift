// Virtual extensible local area networks (RFC 7348 §5), and their generic protocol extension (draft-ietf-nvo3-vxlan-gpe §3).

extension Dissection {
  /// A VXLAN header, when it looks like one.
  mutating func vxlan(_ octets: RawSpan) -> Layer {
    // The I flag is set; all else but the identifier is reserved, or an extension's, and ignored on receipt.
    guard isCaptured(8), octets.octet(offset) & 0x08 != 0, enterTunnel() else { return .payload }
    consume(8)
    return .ethernet
  }

  /// A VXLAN-GPE header, when it looks like one.
  mutating func vxlanGPE(_ octets: RawSpan) -> Layer {
    guard isCaptured(8) else { return .payload }
    let flags = octets.octet(offset)
    let next = octets.octet(offset + 3)
    // Version 0, the I flag, and not the O flag of packets about the tunnel itself.
    guard flags & 0x39 == 0x08, enterTunnel() else { return .payload }
    consume(8)
    // Without the P flag it is a VXLAN header.
    guard flags & 0x04 != 0 else { return .ethernet }
    switch next {
    case 1: return .ipv4
    case 2: return .ipv6
    case 3: return .ethernet
    case 5: return .mpls
    default: return .payload
    }
  }
}
