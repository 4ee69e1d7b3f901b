/// The position of a fragment, as its header gives it: the IP header, or the header of a tunnel with fragments of its own (CAPWAP).
///
/// Offsets and lengths count octets of the datagram's payload (the fragmentable part, RFC 8200 §4.5).
struct Fragment: Equatable {
  /// The identification field: 16 bits of IPv4, 32 bits of IPv6.
  var identification: UInt32 = 0
  /// The fragment's offset in the datagram.
  var offset = 0
  /// Whether more fragments follow it.
  var hasMore = false
  /// The protocol of the datagram's payload.
  var protocolNumber: UInt8 = 0
  /// The frame that fragments of CAPWAP make; nil for fragments of IP.
  var frame: WirelessFrame?

  /// Whether the fragment is a whole datagram.
  var isAtomic: Bool { offset == 0 && !hasMore }

  /// The class of the fragment's octets if they never become part of a datagram.
  var octetClass: OctetClass { protocolNumber == IPProtocol.udp ? .udp : .otherIP }
}

/// A datagram that has all its fragments.
struct ReassembledDatagram {
  var source: IPAddress
  var destination: IPAddress
  var isIPv6: Bool
  /// The protocol of the fragment at offset 0.
  var protocolNumber: UInt8
  /// The frame that the datagram is; nil for the payload of an IP packet.
  var frame: WirelessFrame?
  /// Octets of the payload on the wire.
  var length: Int
  /// The payload's captured octets up to the first gap: at most `length` octets.
  var octets: [UInt8]
  /// Octets of the fragments' IP headers.
  var networkLength: Int
  /// Octets of other headers before the fragments.
  var tunnelLength: Int
}
