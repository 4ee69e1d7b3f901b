/// EtherType values (IANA IEEE 802 Numbers).
enum EtherType {
  static let ipv4: UInt16 = 0x0800
  static let ipv6: UInt16 = 0x86dd
  /// IEEE 802.1Q customer VLAN tag.
  static let vlan: UInt16 = 0x8100
  /// IEEE 802.1ad service VLAN tag.
  static let serviceVLAN: UInt16 = 0x88a8
  /// Double tagging from before IEEE 802.1ad.
  static let doubleVLAN: UInt16 = 0x9100
  static let mplsUnicast: UInt16 = 0x8847
  static let mplsMulticast: UInt16 = 0x8848
  static let pppoeSession: UInt16 = 0x8864
  /// Transparent Ethernet bridging, in tunnels.
  static let ethernet: UInt16 = 0x6558
  /// PPP, in GRE (RFC 2637 §4.1).
  static let ppp: UInt16 = 0x880b
}

extension Dissection {
  /// What an EtherType says follows.
  @inline(__always)
  mutating func etherType(_ type: UInt16, _ octets: RawSpan) -> Layer {
    switch type {
    case EtherType.ipv4: .ipv4
    case EtherType.ipv6: .ipv6
    case EtherType.vlan, EtherType.serviceVLAN, EtherType.doubleVLAN: vlan(octets)
    case EtherType.mplsUnicast, EtherType.mplsMulticast: .mpls
    case EtherType.pppoeSession: .pppoe
    // Only tunnels hold these.
    case EtherType.ethernet where isOpening: .ethernet
    case EtherType.ppp where isOpening: .ppp
    default: .payload
    }
  }
}
