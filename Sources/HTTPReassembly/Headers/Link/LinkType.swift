// Dispatch on the link-layer header type (tcpdump.org/linktypes.html).

extension LinkType {
  /// ARCNET as BSD systems write it.
  static let arcnetBSD = LinkType(rawValue: 7)
  /// ARCNET as Linux writes it.
  static let arcnetLinux = LinkType(rawValue: 129)
  /// IEEE 802.11 behind a header of Prism drivers.
  static let prism = LinkType(rawValue: 119)
  /// IEEE 802.11 behind a header of AVS.
  static let avs = LinkType(rawValue: 163)
  /// PPP as pppd records it, with a direction in the place of the address.
  static let pppd = LinkType(rawValue: 166)
  /// PPP behind an octet of direction.
  static let pppWithDirection = LinkType(rawValue: 204)
  /// IP over InfiniBand.
  static let ipOverInfiniBand = LinkType(rawValue: 242)
  /// Ethernet with a Broadcom switch tag behind the addresses.
  static let broadcomTag = LinkType(rawValue: 281)
  /// Ethernet behind a Broadcom switch tag.
  static let broadcomTagPrepended = LinkType(rawValue: 282)
}

extension Dissection {
  /// The first layer of a packet of a link type.
  ///
  /// Types inside other headers may be `DLT_` numbers. They differ from `LINKTYPE_` numbers only for raw IP, and all of
  /// these are known here.
  mutating func linkType(_ number: UInt32, _ octets: RawSpan) -> Layer {
    name = .linkType(number)
    switch LinkType(rawValue: number) {
    case .ethernet: return .ethernet
    case .raw, .rawBSD, .rawOpenBSD: return .ip
    case .ipv4: return .ipv4
    case .ipv6: return .ipv6
    case .null, .loop: return loopback(octets)
    case .linuxSLL: return linuxSLL(octets)
    case .linuxSLL2: return linuxSLL2(octets)
    case .radiotap: return radiotap(octets)
    case .ieee80211: return .ieee80211
    case .prism: return prism(octets)
    case .avs: return avs(octets)
    case .ppp: return .ppp
    case .pppd, .pppWithDirection: return pppWithDirection(octets)
    case .pppHDLC: return pppHDLC(octets)
    case .pppoe: return .pppoe
    case .ciscoHDLC: return ciscoHDLC(octets)
    case .ppi: return ppi(octets)
    case .nflog: return nflog(octets)
    case .ipOverInfiniBand: return ipOverInfiniBand(octets)
    case .pktap, .applePKTAP: return pktap(octets)
    case .arcnetBSD: return arcnet(octets, isLinux: false)
    case .arcnetLinux: return arcnet(octets, isLinux: true)
    case .broadcomTag: return ethernet(octets, switchTagLength: 4)
    case .broadcomTagPrepended: return broadcomTagPrepended()
    default:
      notes.insert(.unsupportedLinkType)
      return .payload
    }
  }
}
