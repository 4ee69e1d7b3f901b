// ARCNET as BSD and Linux capture it (LINKTYPE_ARCNET_BSD, LINKTYPE_ARCNET_LINUX), with the packets of RFC 1051
// and RFC 1201.

extension Dissection {
  /// An ARCNET header: source, destination, and protocol. Linux puts two octets of the card's buffer offset before the protocol.
  ///
  /// RFC 1201 adds a split flag and a sequence number behind the protocol. RFC 1051 does not.
  mutating func arcnet(_ octets: RawSpan, isLinux: Bool) -> Layer {
    let protocolOffset = isLinux ? 4 : 2
    guard isCaptured(protocolOffset + 1) else { return .malformed(.linkHeaderMalformed) }
    let number = octets.octet(offset + protocolOffset)
    switch number {
    case 0xf0:  // RFC 1051 §2: IP.
      consume(protocolOffset + 1)
      return .ipv4
    case 0xd4, 0xc4:  // RFC 1201 §2: IP, and the number assigned to IPv6.
      guard isCaptured(protocolOffset + 4) else { return .malformed(.linkHeaderMalformed) }
      guard octets.octet(offset + protocolOffset + 1) == 0 else {
        notes.insert(.linkFragmented)
        return .payload
      }
      consume(protocolOffset + 4)
      return number == 0xc4 ? .ipv6 : .ipv4
    default:
      return .payload
    }
  }
}
