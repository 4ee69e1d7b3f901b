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
