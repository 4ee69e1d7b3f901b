// BSD loopback (LINKTYPE_NULL, LINKTYPE_LOOP): the address family instead of a link header.

extension Dissection {
  /// A 4-octet address family.
  ///
  /// `LINKTYPE_NULL` has the byte order of the capturing machine, which may differ from the file's. `LINKTYPE_LOOP` has
  /// network order, but not every writer knew.
  mutating func loopback(_ octets: RawSpan) -> Layer {
    guard isCaptured(4) else { return .malformed(.linkHeaderMalformed) }
    let written = octets.bigEndian32(offset)
    let family = written > 0xffff ? written.byteSwapped : written
    switch family {
    case 2:
      consumeSynthetic(4)
      return .ipv4
    // AF_INET6 of Linux, of NetBSD and OpenBSD, of FreeBSD, and of macOS.
    case 10, 24, 28, 30:
      consumeSynthetic(4)
      return .ipv6
    default:
      return .payload
    }
  }
}

// IP over InfiniBand (RFC 4391 §6).

extension Dissection {
  /// An encapsulation header: EtherType and two reserved octets. A global routing header of 40 octets may come first.
  mutating func ipOverInfiniBand(_ octets: RawSpan) -> Layer {
    let start = hasEncapsulationHeader(octets, at: 0) ? 0 : 40
    guard isCaptured(start + 4) else { return .malformed(.linkHeaderMalformed) }
    let type = octets.bigEndian16(offset + start)
    consume(start + 4)
    return .etherType(type)
  }

  private func hasEncapsulationHeader(_ octets: RawSpan, at start: Int) -> Bool {
    guard isCaptured(start + 4), octets.bigEndian16(offset + start + 2) == 0 else { return false }
    switch octets.bigEndian16(offset + start) {
    case EtherType.ipv4, EtherType.ipv6, EtherType.arp: return true
    default: return false
    }
  }
}

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
