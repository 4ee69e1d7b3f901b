/// The header that starts at `Dissection.offset`, or the end of the decoding.
enum Layer {
  // Link layer
  case linkType(UInt32)
  case ethernet
  case etherType(UInt16)
  case llc
  case ppp
  case pppoe
  case mpls
  case ieee80211

  // Internet layer
  /// IPv4 or IPv6, by the version field.
  case ip
  case ipv4
  case ipv6
  /// The protocol that the protocol field or a next header field names.
  case ipProtocol(UInt8)

  // Tunnels over IP and UDP
  case gre
  case vxlan
  case vxlanGPE
  case geneve
  case gtpu
  case teredo
  case nsh
  case tzsp
  case capwap
  case l2tp
  case lisp

  // Where decoding ends
  /// A TCP header that can be decoded.
  case tcp
  /// A fragment of an IP datagram; `Dissection.fragment` says which.
  case fragment
  /// Octets that are not decoded further: payload of the innermost IP header, or a packet without one.
  case payload
  /// A header that cannot be decoded, and the reason.
  case malformed(Anomaly)
}
