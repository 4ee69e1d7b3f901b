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
