// Generic network virtualization encapsulation (RFC 8926 §3.4).

extension Dissection {
  /// A GENEVE header with options, when it looks like one.
  mutating func geneve(_ octets: RawSpan) -> Layer {
    // Version 0; the reserved octet is zero.
    guard isCaptured(8), octets.octet(offset) >> 6 == 0, octets.octet(offset + 7) == 0 else { return .payload }
    let length = 8 + Int(octets.octet(offset) & 0x3f) * 4
    let type = octets.bigEndian16(offset + 2)
    guard isCaptured(length), enterTunnel() else { return .payload }
    consume(length)
    return .etherType(type)
  }
}
