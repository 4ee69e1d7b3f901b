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

  /// Octets of a datagram's payload that are looked at: as many as the usual short snap length leaves.
  private static var payloadLimit: Int { 32 }

  init(configuration: Configuration) { decoder = PacketDecoder(configuration: configuration) }

  /// Whether the packet with the last mark is a TCP segment or a UDP datagram.
  private(set) var isOfTransport = false

  /// The mark of a packet with its captured octets: the same packet always has it, and another one in one case of 2⁶⁴.
  mutating func mark(of packet: Packet, _ octets: RawSpan) -> UInt64 {
    let decoded = decoder.dissect(packet, octets, ledger: &ledger, anomalies: &anomalies)
    isOfTransport = true
    switch decoded {
    case .tcp(let segment) where !decoder.isFragment:
      let numbers = UInt64(segment.sequence) << 32 | UInt64(segment.acknowledgment)
      let facts = UInt64(segment.flags.rawValue) << 32 | UInt64(segment.window) << 16
      let identification = octets.identification(before: segment.payloadOffset - segment.headerLength, of: 6)
      var value = Self.mark(segment.source, segment.destination)
      value = OctetMark.mix(value, numbers)
      value = OctetMark.mix(value, facts | UInt64(identification))
      return OctetMark.mix(value, UInt64(segment.payloadLength))
    case .udp(let datagram) where !decoder.isFragment:
      let identification = octets.identification(before: datagram.payloadOffset - UDPDatagram.headerLength, of: 17)
      let payload = datagram.payload(in: octets)
      let start = payload.prefix(Self.payloadLimit)
      var value = Self.mark(datagram.source, datagram.destination)
      value = OctetMark.mix(value, UInt64(datagram.payloadLength) << 16 | UInt64(identification))
      return OctetMark.mix(value, OctetMark.of(octets.extracting(start)))
    default:
      isOfTransport = false
      return Self.markOfWhole(packet, octets)
    }
  }

  private static func mark(_ source: Endpoint, _ destination: Endpoint) -> UInt64 {
    let ports = UInt64(source.port) << 16 | UInt64(destination.port)
    let addresses = OctetMark.mix(
      OctetMark.mix(source.address.high, source.address.low),
      OctetMark.mix(destination.address.high, destination.address.low &+ 1))
    return OctetMark.mix(addresses, ports)
  }

  /// Of all captured octets, but for those that differ from place to place: addresses and interfaces of the link layer, and in an IP header
  /// behind them the hop limit (time to live) and the checksum over it.
  private static func markOfWhole(_ packet: Packet, _ octets: RawSpan) -> UInt64 {
    let link: (type: Int, length: Int)? =
      switch packet.linkType {
      case .ethernet: (12, 14)
      case .linuxSLL: (14, 16)
      case .linuxSLL2: (0, 20)
      default: nil
      }
    var value = UInt64(bitPattern: Int64(packet.originalLength))
    guard let link, octets.byteCount >= link.length else { return OctetMark.mix(value, OctetMark.of(octets)) }
    let type = octets.bigEndian16(link.type)
    var start = link.length
    value = OctetMark.mix(value, UInt64(type))
    switch type {
    case EtherType.ipv4 where octets.byteCount >= start + 12:
      value = OctetMark.mix(value, OctetMark.of(octets.extracting(start..<start + 8)))
      value = OctetMark.mix(value, UInt64(octets.octet(start + 9)))
      start += 12
    case EtherType.ipv6 where octets.byteCount >= start + 8:
      value = OctetMark.mix(value, OctetMark.of(octets.extracting(start..<start + 7)))
      start += 8
    default: break
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
