/// What an IP header says of the fragment it starts. Offsets and lengths are octets of the datagram's payload
/// (the fragmentable part, RFC 8200 §4.5).
struct Fragment: Equatable {
  /// The identification field: 16 bits of IPv4, 32 bits of IPv6.
  var identification: UInt32 = 0
  /// Where the fragment lies in the datagram.
  var offset = 0
  /// Whether more fragments follow it.
  var hasMore = false
  /// The protocol of the datagram's payload.
  var protocolNumber: UInt8 = 0

  /// Whether it is a datagram of its own.
  var isAtomic: Bool { offset == 0 && !hasMore }

  /// The class of its octets when they never become part of a datagram.
  var octetClass: OctetClass { protocolNumber == IPProtocol.udp ? .udp : .otherIP }
}

/// A datagram whose fragments have all come.
struct ReassembledDatagram {
  var source: IPAddress
  var destination: IPAddress
  var isIPv6: Bool
  /// The protocol of the fragment at offset 0.
  var protocolNumber: UInt8
  /// Octets of the payload on the wire.
  var length: Int
  /// The payload as far as it was captured without a gap: at most `length` octets.
  var octets: [UInt8]
  /// Octets of the IP headers of the fragments.
  var networkLength: Int
}
