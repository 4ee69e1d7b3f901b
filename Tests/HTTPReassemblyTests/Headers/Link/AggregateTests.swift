import HTTPReassembly
import Testing

/// Aggregates of IEEE 802.11 (§9.3.2.2): several packets in one.
@Suite struct AggregateTests {
  private static let header: [UInt8] = [0x88, 0x01] ++ Wire.zeros(22) ++ [0x80, 0]
  private static let snap: [UInt8] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0]

  /// A subframe, padded to 32 bits unless it is the last.
  private static func subframe(_ payload: [UInt8], isLast: Bool = false) -> [UInt8] {
    let octets = Wire.zeros(12) ++ Wire.be16(payload.count) ++ payload
    return isLast ? octets : octets ++ Wire.zeros(-octets.count & 3)
  }

  @Test func eachSubframeIsAPacket() throws {
    let first = Self.snap ++ Wire.ipv4(6, Wire.tcp(Wire.payload(11), sequence: 1))
    let second = Self.snap ++ Wire.ipv4(6, Wire.tcp(Wire.payload(7), sequence: 12))
    let third = Self.snap ++ Wire.ipv4(6, Wire.tcp(Wire.payload(5), sequence: 19))
    let octets = Self.header ++ Self.subframe(first) ++ Self.subframe(second) ++ Self.subframe(third, isLast: true)
    var balance = Balance()
    let decoded = [balance.decode(octets, .ieee80211)] + balance.laterFrames
    #expect(balance.isBalanced)
    let segments = decoded.compactMap { if case .tcp(let segment) = $0 { segment } else { nil } }
    #expect(segments.map(\.sequence) == [1, 12, 19])
    #expect(segments.map(\.payloadLength) == [11, 7, 5])
    for segment in segments {
      let range = segment.payloadOffset..<segment.payloadOffset + segment.capturedPayloadLength
      #expect(Array(octets[range]) == Wire.payload(range.count))
    }
    #expect(balance.classes == [.link: octets.count - 120 - 23, .network: 60, .transport: 60])
    #expect(balance.ledger.packets == 1)
    #expect(balance.anomalies.all.isEmpty)
  }

  @Test func subframesAreToldApart() {
    // ARP, then UDP, then a header that cannot be, behind radiotap and before a check sequence.
    let arp: [UInt8] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 6] ++ Wire.zeros(28)
    let udp = Self.snap ++ Wire.ipv4(17, Wire.udp(Wire.payload(9), to: 53))
    let bad = Self.snap ++ [0x41] ++ Wire.zeros(30)
    let radiotap: [UInt8] = [0, 0, 9, 0, 2, 0, 0, 0, 0x10]
    let subframes = Self.subframe(arp) ++ Self.subframe(udp) ++ Self.subframe(bad, isLast: true)
    var balance = Balance()
    balance.decode(radiotap ++ Self.header ++ subframes ++ Wire.zeros(4), .radiotap)
    #expect(balance.isBalanced)
    let first = 9 + 26 + Self.subframe(arp).count + 4
    #expect(
      balance.classes
        == [.nonIP: first, .link: 14 + 8 + (-(14 + udp.count) & 3) + 14 + 8, .network: 20, .udp: 17, .malformed: 31])
    #expect(balance.anomalies.all.map(\.anomaly) == [.ipHeaderMalformed])
  }

  @Test func aggregatesInTunnelsBalance() {
    let inner = Self.snap ++ Wire.packet4
    let frame = Self.header ++ Self.subframe(inner) ++ Self.subframe(inner, isLast: true)
    let packet = Wire.ipv4(17, Wire.udp([1, 0, 0, 18, 1] ++ frame, to: 37008))
    var balance = Balance()
    balance.decode(packet, .raw)
    #expect(balance.isBalanced)
    #expect(balance.laterFrames.count == 1)
    #expect(balance.classes == [.encapsulation: packet.count - 100, .network: 40, .transport: 40])
    #expect(balance.tcpPayload == 20)
    // In a datagram of fragments, the aggregate stays closed: its octets are no packet's.
    var fragmented = Balance()
    let payload = Array(packet[20...])
    fragmented.decode(Wire.ipv4(17, Array(payload[..<64]), hasMore: true), .raw)
    fragmented.decode(Wire.ipv4(17, Array(payload[64...]), fragmentOffset: 64), .raw)
    fragmented.finish()
    #expect(fragmented.isBalanced)
    #expect(fragmented.classes == [.encapsulation: 40, .udp: payload.count])
    #expect(fragmented.anomalies.all.map(\.anomaly) == [.linkFragmented])
  }

  @Test func aggregateOfNothingEnds() {
    // Subframes without content, as many as fit.
    var balance = Balance()
    balance.decode(Self.header ++ Wire.zeros(16 * 4_000), .ieee80211)
    #expect(balance.isBalanced)
    #expect(balance.laterFrames.count == 3_999)
  }
}
