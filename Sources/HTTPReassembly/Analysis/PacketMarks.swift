import Packets

/// Tells packets by what stays the same wherever on its way a packet is captured.
///
/// A TCP segment is told by its addresses and ports, its sequence and acknowledgment numbers, flags, window and length, and the
/// identification of its IPv4 header (RFC 791 §3.1); a UDP datagram by addresses, ports, length, that identification and the first octets of its
/// payload; any other packet by all of its captured octets but for what every router changes.
struct PacketMarks: ~Copyable {
  private var decoder: PacketDecoder
  // What is decoded here is charged where it is analysed.
  private var ledger = Ledger()
  private var anomalies = AnomalyLog()

  /// What tells one packet from others.
  struct PacketMark {
    /// A number that the same packet always has, and another one in one case of 2⁶⁴.
    var value: UInt64
    /// The same for a packet that no other traffic has, even where programs make up both; nil where that cannot be told, as of a segment
    /// without payload, or of a datagram to several hosts.
    var unique: UInt64?
  }

  /// Octets of a datagram's payload that are looked at: as many as the usual short snap length leaves.
  private static var payloadLimit: Int { 32 }
  /// Octets of a segment's payload that tell it from one of other traffic with the same numbers: a snap length of 96 leaves them in IPv4,
  /// and a TLS hello has random ones among them.
  private static var segmentLimit: Int { 16 }

  init(configuration: Configuration) { decoder = PacketDecoder(configuration: configuration) }

  /// The mark of a packet with its captured octets.
  mutating func mark(of packet: Packet, _ octets: RawSpan) -> PacketMark {
    let decoded = decoder.dissect(packet, octets, ledger: &ledger, anomalies: &anomalies)
    switch decoded {
    case .tcp(let segment) where !decoder.isFragment:
      let numbers = UInt64(segment.sequence) << 32 | UInt64(segment.acknowledgment)
      let facts = UInt64(segment.flags.rawValue) << 32 | UInt64(segment.window) << 16
      let identification = octets.identification(before: segment.payloadOffset - segment.headerLength, of: 6)
      var value = Self.mark(segment.source, segment.destination)
      value = OctetMark.mix(value, numbers)
      value = OctetMark.mix(value, facts | UInt64(identification))
      value = OctetMark.mix(value, UInt64(segment.payloadLength))
      let start = segment.capturedPayload.prefix(Self.segmentLimit)
      guard start.count == Self.segmentLimit else { return PacketMark(value: value) }
      return PacketMark(value: value, unique: OctetMark.mix(value, OctetMark.of(octets.extracting(start))))
    case .udp(let datagram) where !decoder.isFragment:
      let identification = octets.identification(before: datagram.payloadOffset - UDPDatagram.headerLength, of: 17)
      let payload = datagram.payload(in: octets)
      let start = payload.prefix(Self.payloadLimit)
      var value = Self.mark(datagram.source, datagram.destination)
      value = OctetMark.mix(value, UInt64(datagram.payloadLength) << 16 | UInt64(identification))
      value = OctetMark.mix(value, OctetMark.of(octets.extracting(start)))
      let isUnique = start.count == Self.payloadLimit && !datagram.destination.address.isForMany
      return PacketMark(value: value, unique: isUnique ? value : nil)
    default: return PacketMark(value: Self.markOfWhole(packet, octets))
    }
  }

  private static func mark(_ source: Endpoint, _ destination: Endpoint) -> UInt64 {
    let ports = UInt64(source.port) << 16 | UInt64(destination.port)
    let addresses = OctetMark.mix(
      OctetMark.mix(source.address.high, source.address.low),
      OctetMark.mix(destination.address.high, destination.address.low &+ 1))
    return OctetMark.mix(addresses, ports)
  }

  /// Of all captured octets, but for Ethernet's addresses, and in an IP header behind them what every router changes: the hop limit (time to
  /// live), and the checksum over it.
  private static func markOfWhole(_ packet: Packet, _ octets: RawSpan) -> UInt64 {
    var value = UInt64(bitPattern: Int64(packet.originalLength))
    var start = 0
    if packet.linkType == .ethernet, octets.byteCount >= 14 {
      start = 12
      switch octets.bigEndian16(12) {
      case EtherType.ipv4 where octets.byteCount >= 26:
        value = OctetMark.mix(value, OctetMark.of(octets.extracting(12..<22)))
        value = OctetMark.mix(value, UInt64(octets.octet(23)))
        start = 26
      case EtherType.ipv6 where octets.byteCount >= 22:
        value = OctetMark.mix(value, OctetMark.of(octets.extracting(12..<21)))
        start = 22
      default: break
      }
    }
    return OctetMark.mix(value, OctetMark.of(octets.extracting(start..<octets.byteCount)))
  }
}

extension RawSpan {
  /// The identification of the IPv4 header without options that ends at an offset and carries a protocol; 0 where there is none.
  fileprivate func identification(before offset: Int, of protocolNumber: UInt8) -> UInt16 {
    let start = offset - 20
    guard start >= 0, offset <= byteCount, octet(start) == 0x45, octet(start + 9) == protocolNumber else { return 0 }
    return bigEndian16(start + 4)
  }
}

extension IPAddress {
  /// Whether it may be of several hosts: a multicast address (RFC 5771, RFC 4291 §2.7), or one that ends as broadcast addresses do.
  fileprivate var isForMany: Bool {
    isIPv4 ? low >> 28 & 0xf == 0xe || low & 0xff == 0xff : high >> 56 == 0xff
  }
}
