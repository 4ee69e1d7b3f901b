// Virtual extensible local area networks (RFC 7348 §5).

extension Dissection {
  /// A VXLAN header, when it looks like one.
  mutating func vxlan(_ octets: RawSpan) -> Layer {
    // The I flag must be set, reserved bits are zero; the group policy extension uses 0x80 and the reserved 16 bits.
    guard isCaptured(8), octets.octet(offset) & 0x7f == 0x08, octets.octet(offset + 7) == 0, enterTunnel() else {
      return .payload
    }
    consume(8)
    return .ethernet
  }
}
