/// Values of the IPv4 protocol field and of IPv6 next header fields (IANA Assigned Internet Protocol Numbers).
enum IPProtocol {
  static let hopByHopOptions: UInt8 = 0
  static let ipv4: UInt8 = 4
  static let tcp: UInt8 = 6
  static let udp: UInt8 = 17
  static let ipv6: UInt8 = 41
  static let routing: UInt8 = 43
  static let fragment: UInt8 = 44
  static let gre: UInt8 = 47
  static let authentication: UInt8 = 51
  static let icmp: UInt8 = 1
  static let icmpv6: UInt8 = 58
  static let destinationOptions: UInt8 = 60
  static let etherIP: UInt8 = 97
  static let mobility: UInt8 = 135
  static let mpls: UInt8 = 137
  static let hostIdentity: UInt8 = 139
  static let shim6: UInt8 = 140
}

extension Dissection {
  /// IPv4 or IPv6, by the version field. No other field names the version.
  mutating func ip(_ octets: RawSpan) -> Layer {
    guard room > 0 else { return .malformed(.ipHeaderMalformed) }
    guard isCaptured(1) else { return .malformed(.ipHeaderNotCaptured) }
    switch octets.octet(offset) >> 4 {
    case 4: return .ipv4
    case 6: return .ipv6
    // This is another packet if no IP header was found before, and another payload in a tunnel.
    default: return .payload
    }
  }

  /// The payload of the innermost IP header.
  @inline(__always)
  mutating func ipProtocol(_ number: UInt8, _ octets: RawSpan) -> Layer {
    if lengthIsUnknown { settleUnknownLength(number) }
    switch number {
    case IPProtocol.tcp:
      if let fault = tcpHeaderFault(octets) { return .malformed(fault) }
      return .tcp
    case IPProtocol.udp: return udp(octets)
    default: return otherProtocol(number, octets)
    }
  }

  private mutating func otherProtocol(_ number: UInt8, _ octets: RawSpan) -> Layer {
    name = .ipProtocol(number)
    switch number {
    case IPProtocol.ipv4: return enterTunnel() ? .ipv4 : .payload
    case IPProtocol.ipv6: return enterTunnel() ? .ipv6 : .payload
    case IPProtocol.gre: return .gre
    case IPProtocol.mpls: return .mpls
    case IPProtocol.etherIP: return etherIP(octets)
    case IPProtocol.authentication: return extensionHeader(number, octets)
    case IPProtocol.hopByHopOptions, IPProtocol.routing, IPProtocol.destinationOptions, IPProtocol.mobility,
      IPProtocol.hostIdentity, IPProtocol.shim6:
      return isIPv6 ? extensionHeader(number, octets) : .payload
    case IPProtocol.fragment:
      return isIPv6 ? fragmentHeader(octets) : .payload
    // ICMP, ESP, SCTP, no next header (59), and all unknown protocols.
    default: return .payload
    }
  }

  /// RFC 3378: two octets of version, then an Ethernet frame.
  private mutating func etherIP(_ octets: RawSpan) -> Layer {
    guard isCaptured(2), octets.octet(offset) >> 4 == 3, enterTunnel() else { return .payload }
    consume(2)
    return .ethernet
  }
}
