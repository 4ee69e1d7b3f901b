// Teredo: IPv6 over UDP through network address translators (RFC 4380 §5.1.1).

extension Dissection {
  /// Optional authentication and origin indications, then an IPv6 packet.
  mutating func teredo(_ octets: RawSpan) -> Layer {
    var length = 0
    if isCaptured(4), octets.bigEndian16(offset) == 0x0001 {
      // Client identifier and authentication value of given lengths, nonce (8) and confirmation (1).
      length += 13 + Int(octets.octet(offset + 2)) + Int(octets.octet(offset + 3))
    }
    if isCaptured(length + 8), octets.bigEndian16(offset + length) == 0x0000 { length += 8 }
    guard isCaptured(length + 40), octets.octet(offset + length) >> 4 == 6, enterTunnel() else { return .payload }
    consume(length)
    return .ipv6
  }

  /// Whether the octets at `offset` are a whole IPv6 packet from or to a Teredo address (RFC 4380 §2.6: 2001:0::/32).
  ///
  /// Only servers have the well-known port: clients and relays talk between ports of their own.
  @inline(__always)
  func looksLikeTeredo(_ octets: RawSpan) -> Bool {
    guard isCaptured(40), octets.octet(offset) >> 4 == 6,
      Int(octets.bigEndian16(offset + 4)) == room - 40
    else { return false }
    return octets.bigEndian32(offset + 8) == 0x2001_0000 || octets.bigEndian32(offset + 24) == 0x2001_0000
  }
}
