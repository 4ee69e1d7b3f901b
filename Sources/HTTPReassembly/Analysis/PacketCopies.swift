import Packets

/// Recognizes packets that were captured more than once: by captures at several points of one path, or on several interfaces.
///
/// A TCP segment is told by its addresses and ports, its sequence and acknowledgment numbers, flags, window and length, and the
/// identification of its IPv4 header (RFC 791 §3.1); a UDP datagram by addresses, ports, length and the first octets of its payload; any
/// other packet by all of its captured octets but for what every router changes.
///
/// A packet is a copy where another point has had the same one already, as often as this one: a network may deliver a packet twice,
/// and where there is no identification (IPv6) a sender may send the same segment twice. Both are no copies.
///
/// What came longer ago than a second or two is forgotten, and so is what came before the last 65,536 packets.
package struct PacketCopies: ~Copyable {
  /// What was found to be a copy so far.
  package private(set) var found = Ledger.Copies()

  private var decoder: PacketDecoder
  // What is decoded here is charged where it is analysed.
  private var ledger = Ledger()
  private var anomalies = AnomalyLog()
  private var recent = Memory()
  private var before = Memory()

  /// Packets of some time, by what tells them.
  private struct Memory {
    /// When the first one came, in nanoseconds; nil while there is none.
    var start: Int64?
    /// How many of each kind were counted.
    var counted: [UInt64: UInt32] = [:]
    /// How many of each kind there were at each point.
    var seen: [UInt64: UInt32] = [:]
  }

  /// For how long packets are remembered at least, in nanoseconds.
  private static var span: Int64 { 1_000_000_000 }
  /// Entries of one memory: two for most packets, one for a copy. Each takes some 30 octets or twice that, and there are two memories.
  package static var limit: Int { 131_072 }
  /// Octets of a datagram's payload that are looked at: as many as the usual short snap length leaves.
  private static var payloadLimit: Int { 32 }

  /// Starts with no packets.
  package init(configuration: Configuration) { decoder = PacketDecoder(configuration: configuration) }

  /// Whether a packet is a copy of one before; it is counted then.
  ///
  /// - Parameters:
  ///   - packet: The packet's facts.
  ///   - octets: Its captured octets.
  ///   - capture: The number of its capture, from 0.
  /// - Returns: Whether it is to be left out.
  package mutating func isCopy(_ packet: Packet, _ octets: RawSpan, of capture: Int) -> Bool {
    let mark = mark(of: packet, octets)
    forget(until: packet.timestamp)
    var hasher = Hasher()
    hasher.combine(mark)
    hasher.combine(capture)
    hasher.combine(packet.origin.interface)
    let point = UInt64(bitPattern: Int64(hasher.finalize()))
    recent.seen[point, default: 0] += 1
    let seen = (recent.seen[point] ?? 0) + (before.seen[point] ?? 0)
    if seen > (recent.counted[mark] ?? 0) + (before.counted[mark] ?? 0) {
      recent.counted[mark, default: 0] += 1
      return false
    }
    found.packets += 1
    found.octets += max(0, packet.originalLength)
    return true
  }

  /// Forgets what is too long ago.
  private mutating func forget(until now: Int64) {
    guard let start = recent.start else {
      recent.start = now
      return
    }
    let (age, overflows) = now.subtractingReportingOverflow(start)
    guard overflows || age > Self.span || recent.counted.count + recent.seen.count > Self.limit else { return }
    before = recent
    recent = Memory(start: now)
  }

  /// What tells a packet from others.
  private mutating func mark(of packet: Packet, _ octets: RawSpan) -> UInt64 {
    var hasher = Hasher()
    let decoded = decoder.dissect(packet, octets, ledger: &ledger, anomalies: &anomalies)
    switch decoded {
    case .tcp(let segment) where !decoder.isFragment:
      hasher.combine(segment.source)
      hasher.combine(segment.destination)
      hasher.combine(segment.sequence)
      hasher.combine(segment.acknowledgment)
      hasher.combine(segment.flags.rawValue)
      hasher.combine(segment.window)
      hasher.combine(segment.payloadLength)
      hasher.combine(octets.identification(before: segment.payloadOffset - segment.headerLength, of: 6))
    case .udp(let datagram) where !decoder.isFragment:
      hasher.combine(datagram.source)
      hasher.combine(datagram.destination)
      hasher.combine(datagram.payloadLength)
      hasher.combine(octets.identification(before: datagram.payloadOffset - UDPDatagram.headerLength, of: 17))
      let payload = datagram.payload(in: octets)
      for offset in payload.prefix(Self.payloadLimit) { hasher.combine(octets.octet(offset)) }
    default: Self.combineWhole(packet, octets, &hasher)
    }
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// A packet of which all captured octets count, but for Ethernet's addresses, and in an IP header behind them what every router
  /// changes: the hop limit (time to live), and the checksum over it.
  private static func combineWhole(_ packet: Packet, _ octets: RawSpan, _ hasher: inout Hasher) {
    hasher.combine(packet.originalLength)
    var start = 0
    if packet.linkType == .ethernet, octets.byteCount >= 14 {
      start = 12
      switch octets.bigEndian16(12) {
      case EtherType.ipv4 where octets.byteCount >= 26:
        octets.extracting(12..<22).hash(into: &hasher)
        hasher.combine(octets.octet(23))
        start = 26
      case EtherType.ipv6 where octets.byteCount >= 22:
        octets.extracting(12..<21).hash(into: &hasher)
        start = 22
      default: break
      }
    }
    octets.extracting(start..<octets.byteCount).hash(into: &hasher)
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
