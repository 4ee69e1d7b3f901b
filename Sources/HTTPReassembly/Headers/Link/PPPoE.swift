// PPP over Ethernet, session stage (RFC 2516 §4 and §6).

extension Dissection {
  /// A PPPoE header of the session stage.
  mutating func pppoe(_ octets: RawSpan) -> Layer {
    guard isCaptured(6) else { return .malformed(.linkHeaderMalformed) }
    // Version and type 1; every code but 0 is of the discovery stage.
    guard octets.octet(offset) == 0x11 else { return .malformed(.tunnelHeaderMalformed) }
    guard octets.octet(offset + 1) == 0 else { return .payload }
    let length = Int(octets.bigEndian16(offset + 4))
    guard enterTunnel() else { return .payload }
    // What lies behind the announced length pads the Ethernet frame. A length beyond it is IP's to complain of.
    if length < room - 6 { trim(to: offset + 6 + length) }
    trimsToLink = false
    consume(6)
    return .ppp
  }
}
