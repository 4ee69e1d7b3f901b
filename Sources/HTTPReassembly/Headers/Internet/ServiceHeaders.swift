// The network service header (RFC 8300 §2).

extension Dissection {
  /// A base header, a service path header and contexts, which name the next protocol.
  mutating func nsh(_ octets: RawSpan) -> Layer {
    guard isCaptured(8) else { return .malformed(.tunnelHeaderMalformed) }
    let base = octets.bigEndian16(offset)
    // The length counts units of 4 octets.
    let length = Int(base & 0x3f) * 4
    let next = octets.octet(offset + 3)
    // Version 0. The O bit marks packets about the path itself.
    guard base & 0xe000 == 0 else { return .payload }
    guard length >= 8, isCaptured(length) else { return .malformed(.tunnelHeaderMalformed) }
    guard enterTunnel() else { return .payload }
    consume(length)
    return nextProtocol(next)
  }
}

// The locator/identifier separation protocol's data plane (RFC 9300 §5.3, RFC 9305 §3).

extension Dissection {
  /// A LISP header, then an IP packet, or the protocol that the header names.
  mutating func lisp(_ octets: RawSpan) -> Layer {
    guard isCaptured(9) else { return .payload }
    let flags = octets.octet(offset)
    let next = octets.octet(offset + 3)
    // A key number says that the payload is encrypted (RFC 8061 §4).
    guard flags & 0x03 == 0, enterTunnel() else { return .payload }
    consume(8)
    return flags & 0x04 == 0 ? .ip : nextProtocol(next)
  }
}

// The layer two tunneling protocol, version 2 (RFC 2661 §3.1).

extension Dissection {
  /// A header of a data message, if it looks like one, then a PPP frame.
  mutating func l2tp(_ octets: RawSpan) -> Layer {
    guard isCaptured(6) else { return .payload }
    let flags = octets.bigEndian16(offset)
    // T is clear, reserved bits are clear, and the version is 2.
    guard flags & 0xb4ff == 0x0002 else { return .payload }
    let hasLength = flags & 0x4000 != 0
    let messageEnd = hasLength ? offset + Int(octets.bigEndian16(offset + 2)) : end
    // Identifiers of tunnel and session, then sequence numbers, then an offset.
    var length = hasLength ? 8 : 6
    if flags & 0x0800 != 0 { length += 4 }
    if flags & 0x0200 != 0 {
      guard isCaptured(length + 2) else { return .payload }
      length += 2 + Int(octets.bigEndian16(offset + length))
    }
    guard isCaptured(length), messageEnd <= end, offset + length <= messageEnd, enterTunnel() else { return .payload }
    if messageEnd < end { trim(to: messageEnd) }
    consume(length)
    return .ppp
  }
}
