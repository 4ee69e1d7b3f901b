// IEEE 802.2 logical link control, and the subnetwork access protocol of IEEE 802 (RFC 1042).

extension Dissection {
  /// An LLC header, with SNAP when its service access points say so.
  mutating func llc(_ octets: RawSpan) -> Layer {
    guard isCaptured(3) else { return .malformed(.linkHeaderMalformed) }
    let accessPoints = octets.bigEndian16(offset)
    guard octets.octet(offset + 2) == 0x03 else { return .payload }  // Not unnumbered information.
    // RFC 948: SAP 6 is IP.
    if accessPoints == 0x0606 {
      consume(3)
      return .ipv4
    }
    guard accessPoints == 0xaaaa else { return .payload }
    guard isCaptured(8) else { return .malformed(.linkHeaderMalformed) }
    // Organization codes of RFC 1042 and of IEEE 802.1H bridge tunnels: an EtherType follows.
    let organization = octets.bigEndian32(offset + 2) & 0xff_ffff
    guard organization == 0x00_0000 || organization == 0x00_00f8 else { return .payload }
    let type = octets.bigEndian16(offset + 6)
    consume(8)
    return .etherType(type)
  }
}
