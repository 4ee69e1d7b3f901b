// Files that say Ethernet and hold IP packets without a link header, as some systems write for a phone's or a tunnel's interface.

extension Dissection {
  /// Whether an IP packet starts where an Ethernet header is due, and its length fits.
  ///
  /// No card has an address that starts with 45: it would be a group's. Addresses that start with 60 do occur, so that an
  /// IPv6 header must be right in more fields.
  @inline(__always)
  func startsWithIP(_ octets: RawSpan) -> Bool {
    guard isCaptured(20) else { return false }
    let first = octets.octet(offset)
    if first == 0x45 { return startsWithIPv4(octets) }
    return first >> 4 == 6 && isCaptured(40) && startsWithIPv6(octets)
  }

  @inline(never)
  private func startsWithIPv4(_ octets: RawSpan) -> Bool {
    // An ordinary frame, whatever its addresses are.
    if octets.bigEndian16(offset + 12) == EtherType.ipv4, octets.octet(offset + 14) == 0x45,
      Int(octets.bigEndian16(offset + 16)) == room - 14
    {
      return false
    }
    let totalLength = Int(octets.bigEndian16(offset + 2))
    if totalLength == room { return true }
    guard 20...max(20, room) ~= totalLength else { return false }
    var checksum = InternetChecksum()
    checksum.add(octets, offset..<offset + 20)
    return checksum.isCorrect
  }

  private func startsWithIPv6(_ octets: RawSpan) -> Bool {
    guard Int(octets.bigEndian16(offset + 4)) == room - 40 else { return false }
    switch octets.octet(offset + 6) {
    case IPProtocol.tcp, IPProtocol.udp, IPProtocol.icmpv6, IPProtocol.fragment, IPProtocol.hopByHopOptions: break
    default: return false
    }
    return isPlausible(octets.octet(offset + 8)) && isPlausible(octets.octet(offset + 24)) && !leadsToEthernet(octets)
  }

  /// Whether an IPv6 address may start so: global unicast, private, link-local or multicast (RFC 4291 §2.4), or ::1.
  private func isPlausible(_ octet: UInt8) -> Bool {
    octet >> 5 == 1 || octet >> 1 == 0x7e || octet >= 0xfe || octet == 0
  }

  /// Whether the octets make sense as an Ethernet header, too.
  private func leadsToEthernet(_ octets: RawSpan) -> Bool {
    switch octets.bigEndian16(offset + 12) {
    case EtherType.ipv4: octets.octet(offset + 14) >> 4 == 4
    case EtherType.ipv6: octets.octet(offset + 14) >> 4 == 6
    case EtherType.vlan, EtherType.serviceVLAN, EtherType.mplsUnicast, EtherType.pppoeSession: true
    default: false
    }
  }
}
