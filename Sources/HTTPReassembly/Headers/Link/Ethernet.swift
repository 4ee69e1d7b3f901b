// Ethernet II and IEEE 802.3 §3.

extension Dissection {
  /// Octets of destination, source and type.
  private static let ethernetHeaderLength = 14

  /// An Ethernet header; `switchTagLength` octets of a switch's tag follow the addresses.
  mutating func ethernet(_ octets: RawSpan, switchTagLength: Int = 0) -> Layer {
    if carrier == .link, depth == 0, startsWithIP(octets) {
      notes.insert(.linkHeaderMissing)
      return .ip
    }
    let headerLength = Self.ethernetHeaderLength + switchTagLength
    guard isCaptured(headerLength) else { return .malformed(.linkHeaderMalformed) }
    let type = octets.bigEndian16(offset + headerLength - 2)
    if carrier == .link && depth == 0 {
      if type == EtherType.ipv4, isPhoneHeader(octets) {
        // pcapd writes 0800 for either version.
        consumeSynthetic(headerLength)
        return .ip
      }
    } else {
      // Padding inside a tunnel belongs to the inner frame.
      trimsToLink = false
    }
    consume(headerLength)
    return lengthOrType(type)
  }

  /// §3.2.6: a value up to 1,500 is the length of the data; a value from 0x0600 is a type.
  mutating func lengthOrType(_ type: UInt16) -> Layer {
    if type >= 0x0600 { return .etherType(type) }
    guard type <= 1500 else { return .payload }
    if Int(type) < room { trim(to: offset + Int(type)) }
    return .llc
  }

  /// Whether an iPhone's pcapd invented the header: `BE EF` six times, then 0800.
  @inline(__always)
  private func isPhoneHeader(_ octets: RawSpan) -> Bool {
    octets.bigEndian64(offset) == 0xbeef_beef_beef_beef && octets.bigEndian32(offset + 8) == 0xbeef_beef
  }

  /// A Broadcom switch tag before the Ethernet header.
  mutating func broadcomTagPrepended() -> Layer {
    guard isCaptured(4) else { return .malformed(.linkHeaderMalformed) }
    consume(4)
    return .ethernet
  }
}

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

/// EtherType values (IANA IEEE 802 Numbers).
enum EtherType {
  static let ipv4: UInt16 = 0x0800
  static let ipv6: UInt16 = 0x86dd
  static let arp: UInt16 = 0x0806
  /// IEEE 802.1Q customer VLAN tag.
  static let vlan: UInt16 = 0x8100
  /// IEEE 802.1ad service VLAN tag.
  static let serviceVLAN: UInt16 = 0x88a8
  /// Double tagging from before IEEE 802.1ad.
  static let doubleVLAN: UInt16 = 0x9100
  /// Cisco's VN-Tag, of virtual interfaces behind one port.
  static let vnTag: UInt16 = 0x8926
  /// IEEE 802.1BR tag of port extenders.
  static let eTag: UInt16 = 0x893f
  /// Cisco MetaData, with the group of a source.
  static let ciscoMetaData: UInt16 = 0x8909
  /// High-availability Seamless Redundancy (IEC 62439-3).
  static let hsr: UInt16 = 0x892f
  /// IEEE 802.1AE (MACsec).
  static let macsec: UInt16 = 0x88e5
  /// IEEE 802.1ah provider backbone bridges, service instances.
  static let backbone: UInt16 = 0x88e7
  /// Network service header (RFC 8300).
  static let nsh: UInt16 = 0x894f
  static let mplsUnicast: UInt16 = 0x8847
  static let mplsMulticast: UInt16 = 0x8848
  static let pppoeSession: UInt16 = 0x8864
  /// Transparent Ethernet bridging, in tunnels.
  static let ethernet: UInt16 = 0x6558
  /// PPP, in GRE (RFC 2637 §4.1).
  static let ppp: UInt16 = 0x880b
}

extension Dissection {
  /// The layer that an EtherType announces.
  @inline(__always)
  mutating func etherType(_ type: UInt16, _ octets: RawSpan) -> Layer {
    name = .etherType(type)
    switch type {
    case EtherType.ipv4: return .ipv4
    case EtherType.ipv6: return .ipv6
    // The tag control information, then the type of the payload.
    case EtherType.vlan, EtherType.serviceVLAN, EtherType.doubleVLAN: return tag(octets, length: 2)
    case EtherType.mplsUnicast, EtherType.mplsMulticast: return .mpls
    case EtherType.pppoeSession: return .pppoe
    // These occur only in tunnels.
    case EtherType.ethernet where isOpening: return .ethernet
    case EtherType.ppp where isOpening: return .ppp
    default: return rareEtherType(type, octets)
    }
  }
}

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
