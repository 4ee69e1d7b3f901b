/// A link-layer header type: the `LINKTYPE_` number of the tcpdump registry.
public struct LinkType: RawRepresentable, Hashable, Sendable {
  /// The registry's number.
  public var rawValue: UInt32

  /// Wraps a registry number, known or not.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// BSD loopback: a 4-octet protocol family in the byte order of the capturing machine.
  public static let null = LinkType(rawValue: 0)
  /// Ethernet II and IEEE 802.3.
  public static let ethernet = LinkType(rawValue: 1)
  /// PPP, with or without HDLC-like framing.
  public static let ppp = LinkType(rawValue: 9)
  /// Raw IP on some BSD systems (`DLT_RAW` in their files).
  public static let rawBSD = LinkType(rawValue: 12)
  /// Raw IP in OpenBSD's files.
  public static let rawOpenBSD = LinkType(rawValue: 14)
  /// PPP in HDLC-like framing, address and control octets present.
  public static let pppHDLC = LinkType(rawValue: 50)
  /// PPPoE session frames without Ethernet.
  public static let pppoe = LinkType(rawValue: 51)
  /// Raw IP, with the version in its first nibble.
  public static let raw = LinkType(rawValue: 101)
  /// Cisco PPP with HDLC framing.
  public static let ciscoHDLC = LinkType(rawValue: 104)
  /// IEEE 802.11 without a radio header.
  public static let ieee80211 = LinkType(rawValue: 105)
  /// OpenBSD loopback: a 4-octet protocol family in network byte order.
  public static let loop = LinkType(rawValue: 108)
  /// Linux cooked capture, version 1.
  public static let linuxSLL = LinkType(rawValue: 113)
  /// IEEE 802.11 behind a radiotap header.
  public static let radiotap = LinkType(rawValue: 127)
  /// PKTAP in files of Apple systems (`DLT_USER2`).
  public static let applePKTAP = LinkType(rawValue: 149)
  /// Per-packet information header.
  public static let ppi = LinkType(rawValue: 192)
  /// Raw IPv4.
  public static let ipv4 = LinkType(rawValue: 228)
  /// Raw IPv6.
  public static let ipv6 = LinkType(rawValue: 229)
  /// Linux netfilter log messages.
  public static let nflog = LinkType(rawValue: 239)
  /// Apple's packet tap pseudo-header.
  public static let pktap = LinkType(rawValue: 258)
  /// Linux cooked capture, version 2.
  public static let linuxSLL2 = LinkType(rawValue: 276)
}
