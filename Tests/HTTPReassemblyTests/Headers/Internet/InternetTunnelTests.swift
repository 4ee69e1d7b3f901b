import HTTPReassembly
import Testing

/// Tunnels: opened, or left as what carries them.
@Suite struct InternetTunnelTests {
  /// Expects that `outer`, raw IPv4 whose payload ends with `Wire.packet4`, is opened.
  private func expectOpened(
    _ outer: [UInt8], network: Int = 20, trailing: Int = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expectDecoding(
      Wire.ethernet(0x0800, outer) ++ Wire.zeros(2),
      classes: [.link: 16, .encapsulation: outer.count - network - 30, .network: network, .transport: 20],
      tcpPayload: 10, sourceLocation: sourceLocation)
  }

  @Test func ipInIP() {
    expectOpened(Wire.ipv4(4, Wire.packet4))
    expectOpened(Wire.ipv4(41, Wire.packet6), network: 40)
    expectDecoding(
      Wire.ipv6(4, Wire.packet4), .raw, classes: [.encapsulation: 40, .network: 20, .transport: 20], tcpPayload: 10)
    // Padding inside the tunnel is not the frame's.
    expectOpened(Wire.ipv4(4, Wire.packet4 ++ Wire.zeros(3)))
    expectDecoding(
      Wire.ipv4(4, [0x41] ++ Wire.zeros(30)), .raw, classes: [.encapsulation: 20, .malformed: 31],
      anomalies: [.ipHeaderMalformed])
  }

  @Test func gre() {
    expectOpened(Wire.ipv4(47, [0, 0, 8, 0] ++ Wire.packet4))
    expectOpened(Wire.ipv4(47, [0, 0, 0x86, 0xdd] ++ Wire.packet6), network: 40)
    expectOpened(Wire.ipv4(47, [0xb0, 0, 8, 0] ++ Wire.zeros(12) ++ Wire.packet4))
    expectOpened(Wire.ipv4(47, [0x20, 0, 0x65, 0x58] ++ Wire.zeros(4) ++ Wire.ethernet(0x0800, Wire.packet4)))
    expectOpened(Wire.ipv4(47, [0, 0, 0x88, 0x47] ++ [0, 1, 1, 64] ++ Wire.packet4))
    // ERSPAN II and III.
    let frame = Wire.ethernet(0x8100, Wire.be16(1) ++ Wire.be16(0x0800) ++ Wire.packet4)
    expectOpened(Wire.ipv4(47, [0x10, 0, 0x88, 0xbe] ++ Wire.zeros(4) ++ Wire.zeros(8) ++ frame))
    expectOpened(Wire.ipv4(47, [0x10, 0, 0x22, 0xeb] ++ Wire.zeros(4) ++ Wire.zeros(12) ++ frame))
    // PPTP, with and without acknowledgment; one that only acknowledges.
    expectOpened(Wire.ipv4(47, [0x30, 0x01, 0x88, 0x0b] ++ Wire.zeros(8) ++ [0xff, 3, 0, 0x21] ++ Wire.packet4))
    expectOpened(Wire.ipv4(47, [0x30, 0x81, 0x88, 0x0b] ++ Wire.zeros(12) ++ [0x21] ++ Wire.packet4))
    expectDecoding(
      Wire.ipv4(47, [0x20, 0x81, 0x88, 0x0b] ++ Wire.zeros(8)), .raw, classes: [.network: 20, .otherIP: 12])
    // Something else inside: not opened.
    expectDecoding(
      Wire.ipv4(47, [0, 0, 0x65, 0x58] ++ Wire.ethernet(0x0806, Wire.zeros(28))), .raw,
      classes: [.network: 20, .otherIP: 46])
    expectDecoding(
      Wire.ipv4(47, [0xb0, 0, 8, 0]), .raw, classes: [.network: 20, .malformed: 4], anomalies: [.tunnelHeaderMalformed])
  }

  @Test func mplsAndEtherIPOverIP() {
    expectOpened(Wire.ipv4(137, [0, 1, 1, 64] ++ Wire.packet4))
    expectOpened(Wire.ipv4(97, [0x30, 0] ++ Wire.ethernet(0x0800, Wire.packet4)))
  }

  @Test func tunnelsOverUDP() {
    let frame = Wire.ethernet(0x0800, Wire.packet4)
    for port in [4789, 8472] {
      expectOpened(Wire.ipv4(17, Wire.udp([8, 0, 0, 0, 0, 0, 9, 0] ++ frame, to: port)))
    }
    // Reserved bits are ignored on receipt (RFC 7348 §5).
    expectOpened(Wire.ipv4(17, Wire.udp([0xff, 1, 2, 3, 0, 0, 9, 7] ++ frame, to: 4789)))
    expectOpened(Wire.ipv4(17, Wire.udp([0x08, 0, 0, 0, 0, 0, 9, 0] ++ frame, to: 4790)))
    expectOpened(Wire.ipv4(17, Wire.udp([0x0c, 0, 0, 3, 0, 0, 9, 0] ++ frame, to: 4790)))
    expectOpened(Wire.ipv4(17, Wire.udp([0x0c, 0, 0, 1, 0, 0, 9, 0] ++ Wire.packet4, to: 4790)))
    expectOpened(Wire.ipv4(17, Wire.udp([0x0c, 0, 0, 2, 0, 0, 9, 0] ++ Wire.packet6, to: 4790)), network: 40)
    expectOpened(Wire.ipv4(17, Wire.udp([0x0e, 0, 0, 5, 0, 0, 9, 0] ++ [0, 1, 1, 64] ++ Wire.packet4, to: 4790)))
    expectOpened(Wire.ipv4(17, Wire.udp([0, 1, 0, 64, 0, 2, 1, 64] ++ Wire.packet4, to: 6635)))
    expectOpened(Wire.ipv4(17, Wire.udp([0, 0, 0x65, 0x58, 0, 0, 1, 0] ++ frame, to: 6081)))
    expectOpened(Wire.ipv4(17, Wire.udp([2, 0, 8, 0, 0, 0, 1, 0] ++ Wire.zeros(8) ++ Wire.packet4, to: 6081)))
    expectOpened(Wire.ipv4(17, Wire.udp([0, 0, 8, 0] ++ Wire.packet4, to: 4754)))
    expectOpened(Wire.ipv4(17, Wire.udp([0x30, 0xff] ++ Wire.be16(50) ++ Wire.be32(5) ++ Wire.packet4, to: 2152)))
    expectOpened(
      Wire.ipv4(17, Wire.udp([0x30, 0xff] ++ Wire.be16(50) ++ Wire.be32(5) ++ Wire.packet4, from: 2152, to: 9)))
    // Sequence number, and a PDU session container.
    expectOpened(
      Wire.ipv4(
        17,
        Wire.udp(
          [0x36, 0xff] ++ Wire.be16(58) ++ Wire.be32(5) ++ [0, 1, 0, 0x85, 1, 0, 9, 0] ++ Wire.packet4, to: 2152)))
  }

  @Test func teredo() {
    let server = Wire.udp([0, 1, 0, 0] ++ Wire.zeros(9) ++ [0, 0] ++ Wire.zeros(6) ++ Wire.packet6, to: 3544)
    expectOpened(Wire.ipv4(17, server), network: 40)
    expectOpened(Wire.ipv4(17, Wire.udp(Wire.packet6, from: 3544, to: 9)), network: 40)
    // Between clients and relays no port says it, but the address does.
    let teredoAddress: [UInt8] = [0x20, 1, 0, 0] ++ Wire.zeros(11) ++ [1]
    let packet = Wire.ipv6(6, Wire.tcp(Wire.payload(10)), source: teredoAddress)
    expectOpened(Wire.ipv4(17, Wire.udp(packet, from: 1234, to: 5678)), network: 40)
    expectDecoding(
      Wire.ipv4(17, Wire.udp(Wire.packet6, from: 1234, to: 5678)), .raw, classes: [.network: 20, .udp: 78])
  }

  @Test func implausibleUDPTunnelsStayUDP() {
    let frame = Wire.ethernet(0x0800, Wire.packet4)
    var badInner = Wire.packet4
    badInner[0] = 0x4f
    let payloads: [(Int, [UInt8])] = [
      (4789, [0, 0, 0, 0, 0, 0, 9, 0] ++ frame),
      (4790, [0x18, 0, 0, 3, 0, 0, 9, 0] ++ frame),
      (4790, [0x0d, 0, 0, 3, 0, 0, 9, 0] ++ frame),
      (4790, [0x0c, 0, 0, 4, 0, 0, 9, 0] ++ frame),
      (6635, [0, 1, 0, 64]),
      (6635, [0, 1, 1, 64] ++ Wire.zeros(40)),
      (4789, [8, 0, 0, 0, 0, 0, 9, 0] ++ Wire.ethernet(0x0806, Wire.zeros(28))),
      (4789, [8, 0, 0, 0, 0, 0, 9, 0] ++ Wire.ethernet(0x0800, badInner)),
      (4789, [8, 0, 0, 0, 0, 0, 9, 0] ++ frame.dropLast()),
      (4789, []),
      (6081, [0x40, 0, 0x65, 0x58, 0, 0, 1, 0] ++ frame),
      (2152, [0x30, 0xff] ++ Wire.be16(51) ++ Wire.be32(5) ++ Wire.packet4),
      (2152, [0x30, 0x01] ++ Wire.be16(50) ++ Wire.be32(5) ++ Wire.packet4),
      (2152, [0x34, 0xff] ++ Wire.be16(58) ++ Wire.be32(5) ++ [0, 1, 0, 0x85, 0, 0, 9, 0] ++ Wire.packet4),
      (3544, Wire.packet4),
      (4754, [0x10]),
      (4754, [0xb0, 0, 8, 0]),
    ]
    for (port, payload) in payloads {
      // Where a packet is to be seen in it all the same, the anomaly says so.
      let holdsPacket = payload.count > 50 && payload.suffix(50) == Wire.packet4[...]
      let decoded = expectDecoding(
        Wire.ipv4(17, Wire.udp(payload, to: port)), .raw, classes: [.network: 20, .udp: 8 + payload.count],
        anomalies: holdsPacket || payload == Wire.packet4 ? [.packetNotOpened] : [])
      guard case .udp(let datagram) = decoded else {
        Issue.record("no datagram to port \(port)")
        continue
      }
      #expect(datagram.payloadLength == payload.count)
    }
  }

  @Test func depthIsLimited() {
    var packet = Wire.packet4
    for _ in 0..<8 { packet = Wire.ipv4(4, packet) }
    expectDecoding(
      packet, .raw, classes: [.encapsulation: 160, .network: 20, .transport: 20], tcpPayload: 10)
    expectDecoding(
      Wire.ipv4(4, packet), .raw, classes: [.encapsulation: 160, .network: 20, .otherIP: 50],
      anomalies: [.tunnelTooDeep])
    var configuration = Configuration()
    configuration.tunnelDepthLimit = 0
    expectDecoding(
      Wire.ethernet(0x8847, [0, 1, 1, 64] ++ Wire.packet4), configuration: configuration, classes: [.nonIP: 68],
      anomalies: [.tunnelTooDeep])
  }

  @Test func nestedTunnelOpensAsFarAsItGoes() {
    // GRE holds Ethernet, IP and VXLAN with an ARP packet: the outer tunnel is open, the inner is not.
    let vxlan = Wire.udp([8, 0, 0, 0, 0, 0, 9, 0] ++ Wire.ethernet(0x0806, Wire.zeros(28)), to: 4789)
    let packet = Wire.ipv4(47, [0, 0, 0x65, 0x58] ++ Wire.ethernet(0x0800, Wire.ipv4(17, vxlan)))
    expectDecoding(packet, .raw, classes: [.encapsulation: 20 + 4 + 14, .network: 20, .udp: 58])
  }
}
