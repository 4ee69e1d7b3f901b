// IEEE 802.1Q VLAN tags, customer and service.

extension Dissection {
  /// The rest of a VLAN tag: tag control information, then the type of what follows.
  mutating func vlan(_ octets: RawSpan) -> Layer {
    guard isCaptured(4) else { return .malformed(.linkHeaderMalformed) }
    let type = octets.bigEndian16(offset + 2)
    consume(4)
    if type >= 0x0600 { return .etherType(type) }
    guard type <= 1500 else { return .payload }
    if Int(type) < room { trim(to: offset + Int(type)) }
    return .llc
  }
}
