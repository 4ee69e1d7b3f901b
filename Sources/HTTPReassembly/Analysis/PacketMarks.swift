import Packets

/// Identifies packets by parts that are the same at any point of capture.
///
/// A TCP segment is identified by addresses and ports, sequence and acknowledgment numbers, flags, window and length. The identification of
/// its IPv4 header (RFC 791 §3.1) is added. A UDP datagram has its addresses, ports and length, the same identification, and the first
/// octets of its payload. Any other packet has all its captured octets, except those that every router changes.
struct PacketMarks: ~Copyable {
  private var decoder: PacketDecoder
  // The analysis charges the octets; these results are dropped.
  private var ledger = Ledger()
  private var anomalies = AnomalyLog()

  /// Octets of a datagram's payload that are used: as many as the usual short snap length leaves.
  private static var payloadLimit: Int { 32 }

  init(configuration: Configuration) { decoder = PacketDecoder(configuration: configuration) }

  /// Whether the packet with the last mark is a TCP segment or a UDP datagram.
  private(set) var isOfTransport = false

  /// The mark of a packet with its captured octets. Equal packets have equal marks; others differ, except in one case of 2⁶⁴.
  mutating func mark(of packet: Packet, _ octets: RawSpan) -> UInt64 {
    let decoded = decoder.dissect(packet, octets, ledger: &ledger, anomalies: &anomalies)
    isOfTransport = true
    switch decoded {
    case .tcp(let segment) where !decoder.isFragment && !decoder.hasLaterFrames:
      let numbers = UInt64(segment.sequence) << 32 | UInt64(segment.acknowledgment)
      let facts = UInt64(segment.flags.rawValue) << 32 | UInt64(segment.window) << 16
      let identification = octets.identification(before: segment.payloadOffset - segment.headerLength, of: 6)
      var value = Self.mark(segment.source, segment.destination)
      value = OctetMark.mix(value, numbers)
      value = OctetMark.mix(value, facts | UInt64(identification))
      return OctetMark.mix(value, UInt64(segment.payloadLength))
    case .udp(let datagram) where !decoder.isFragment && !decoder.hasLaterFrames:
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
  /// The identification of an IPv4 header without options that ends at `offset` and carries this protocol; 0 if there is none.
  fileprivate func identification(before offset: Int, of protocolNumber: UInt8) -> UInt16 {
    let start = offset - 20
    guard start >= 0, offset <= byteCount, octet(start) == 0x45, octet(start + 9) == protocolNumber else { return 0 }
    return bigEndian16(start + 4)
  }
}
