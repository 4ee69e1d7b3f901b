// Virtual extensible local area networks (RFC 7348 §5), and their generic protocol extension (draft-ietf-nvo3-vxlan-gpe §3).

extension Dissection {
  /// A VXLAN header, if it looks like one.
  mutating func vxlan(_ octets: RawSpan) -> Layer {
    // The I flag is set. All other bits except the identifier are reserved or belong to extensions, and are ignored on receipt.
    guard isCaptured(8), octets.octet(offset) & 0x08 != 0, enterTunnel() else { return .payload }
    consume(8)
    return .ethernet
  }

  /// A VXLAN-GPE header, if it looks like one.
  mutating func vxlanGPE(_ octets: RawSpan) -> Layer {
    guard isCaptured(8) else { return .payload }
    let flags = octets.octet(offset)
    let next = octets.octet(offset + 3)
    // Version 0, the I flag set, and the O flag clear. Packets about the tunnel itself have the O flag.
    guard flags & 0x39 == 0x08, enterTunnel() else { return .payload }
    consume(8)
    // Without the P flag it is a VXLAN header.
    guard flags & 0x04 != 0 else { return .ethernet }
    return nextProtocol(next)
  }

  /// The layer that a next protocol names (RFC 8300 §2.2, RFC 9305 §3.1, and VXLAN-GPE).
  func nextProtocol(_ number: UInt8) -> Layer {
    switch number {
    case 1: .ipv4
    case 2: .ipv6
    case 3: .ethernet
    case 4: .nsh
    case 5: .mpls
    default: .payload
    }
  }
}

// Generic network virtualization encapsulation (RFC 8926 §3.4).

extension Dissection {
  /// A GENEVE header with options, if it looks like one.
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

// The GPRS tunnelling protocol's user plane (3GPP TS 29.281 §5).

extension Dissection {
  /// A GTPv1-U header of a message that carries a packet (G-PDU), if it looks like one.
  mutating func gtpu(_ octets: RawSpan) -> Layer {
    // Version 1, protocol type GTP; message type 255.
    guard isCaptured(8), octets.octet(offset) & 0xf0 == 0x30, octets.octet(offset + 1) == 0xff else { return .payload }
    let flags = octets.octet(offset)
    // The length counts from behind the mandatory 8 octets.
    let messageEnd = offset + 8 + Int(octets.bigEndian16(offset + 2))
    var length = 8
    if flags & 0x7 != 0 {
      guard isCaptured(12) else { return .payload }
      length = 12
      var next = flags & 0x4 != 0 ? octets.octet(offset + 11) : 0
      // §5.2.1: an extension header gives its length in units of 4 octets, and ends with the type of the next one.
      while next != 0 {
        guard isCaptured(length + 1) else { return .payload }
        let extensionLength = Int(octets.octet(offset + length)) * 4
        guard extensionLength > 0, isCaptured(length + extensionLength) else { return .payload }
        length += extensionLength
        next = octets.octet(offset + length - 1)
      }
    }
    guard messageEnd <= end, offset + length <= messageEnd, enterTunnel() else { return .payload }
    if messageEnd < end { trim(to: messageEnd) }
    consume(length)
    return .ip
  }
}

// Teredo: IPv6 over UDP through network address translators (RFC 4380 §5.1.1).

extension Dissection {
  /// Optional authentication and origin indications, then an IPv6 packet.
  mutating func teredo(_ octets: RawSpan) -> Layer {
    var length = 0
    if isCaptured(4), octets.bigEndian16(offset) == 0x0001 {
      // Client identifier and authentication value with given lengths, nonce (8), and confirmation (1).
      length += 13 + Int(octets.octet(offset + 2)) + Int(octets.octet(offset + 3))
    }
    if isCaptured(length + 8), octets.bigEndian16(offset + length) == 0x0000 { length += 8 }
    guard isCaptured(length + 40), octets.octet(offset + length) >> 4 == 6, enterTunnel() else { return .payload }
    consume(length)
    return .ipv6
  }

  /// Whether the octets at `offset` are a whole IPv6 packet from or to a Teredo address (RFC 4380 §2.6: 2001:0::/32).
  ///
  /// Only servers have the well-known port. Clients and relays talk between ports of their own.
  @inline(__always)
  func looksLikeTeredo(_ octets: RawSpan) -> Bool {
    guard isCaptured(40), octets.octet(offset) >> 4 == 6,
      Int(octets.bigEndian16(offset + 4)) == room - 40
    else { return false }
    return octets.bigEndian32(offset + 8) == 0x2001_0000 || octets.bigEndian32(offset + 24) == 0x2001_0000
  }
}
