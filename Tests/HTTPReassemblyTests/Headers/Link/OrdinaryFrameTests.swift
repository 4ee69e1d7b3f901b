import TestSupport
import Testing

@testable import HTTPReassembly

/// What is decoded in one step is what is decoded header after header.
@Suite struct OrdinaryFrameTests {
  private static let frame = Wire.ethernet(0x0800, Wire.packet4)

  /// What a decoder makes of a frame: all that it says, and where the octets went.
  private struct Outcome: Equatable {
    var decoded: DecodedPacket
    var ledger = Ledger()
    var anomalies = AnomalyLog()
  }

  private func decode(_ frame: [UInt8], _ wireLength: Int, header: Bool, _ configuration: Configuration) -> Outcome {
    var outcome = Outcome(decoded: .nothing)
    var decoder = PacketDecoder(configuration: configuration)
    let packet = Packet(timestamp: 0, originalLength: wireLength, linkType: .ethernet)
    outcome.decoded = frame.withOctets { octets in
      guard header else {
        return decoder.decode(packet, octets, ledger: &outcome.ledger, anomalies: &outcome.anomalies)
      }
      return decoder.dissect(packet, octets, ledger: &outcome.ledger, anomalies: &outcome.anomalies)
    }
    return outcome
  }

  private func isOrdinary(_ frame: [UInt8], _ wireLength: Int) -> Bool {
    frame.withOctets { OrdinaryFrame($0, wireLength: wireLength, captured: min($0.byteCount, wireLength)) != nil }
  }

  @Test func mostFramesAreOrdinary() {
    #expect(isOrdinary(Self.frame, Self.frame.count))
    #expect(isOrdinary(Array(Self.frame.dropLast(10)), Self.frame.count))
    #expect(isOrdinary(Wire.ethernet(0x0800, Wire.ipv4(6, Wire.tcp(options: Wire.zeros(12)))), 66))
    // Of the octets, more may be there than the packet had.
    #expect(isOrdinary(Self.frame + [1, 2, 3], Self.frame.count))
  }

  /// Padding, SYN (for its options), options of IPv4, fragments, other protocols, a phone's header.
  @Test func othersAreNot() {
    let tcp = Wire.tcp(Wire.payload(10))
    let others = [
      Self.frame + Wire.zeros(6), Wire.ethernet(0x0800, Wire.ipv4(6, Wire.tcp(flags: 2))),
      Wire.ethernet(0x0800, Wire.ipv4(6, tcp, options: Wire.zeros(4))),
      Wire.ethernet(0x0800, Wire.ipv4(6, tcp, hasMore: true)),
      Wire.ethernet(0x0800, Wire.ipv4(6, tcp, fragmentOffset: 8)), Wire.ethernet(0x0800, Wire.ipv4(17, tcp)),
      Wire.ethernet(0x86dd, Wire.packet6), Wire.ethernet(0x0800, Wire.ipv4(6, Wire.tcp(dataOffset: 4))),
      Wire.ethernet(0x0800, Wire.ipv4(6, Wire.tcp(dataOffset: 15))),
      [0xbe, 0xef, 0xbe, 0xef, 0xbe, 0xef, 0xbe, 0xef, 0xbe, 0xef, 0xbe, 0xef] + Self.frame.dropFirst(12),
    ]
    for frame in others { #expect(!isOrdinary(frame, frame.count)) }
    #expect(!isOrdinary(Array(Self.frame.prefix(53)), Self.frame.count))
  }

  @Test func bothWaysSayTheSame() {
    var random = SeededRandom(seed: 7)
    var ordinary = 0
    let rounds = RandomCases.count(200_000)
    for round in 0..<rounds {
      let options = Wire.zeros(4 * random.number(0..<4))
      var frame = Wire.ethernet(
        0x0800, Wire.ipv4(6, Wire.tcp(Wire.payload(random.number(0..<40)), flags: 0x10, options: options)))
      // Up to three octets of the headers are changed, by a bit or altogether.
      for _ in 0..<random.number(0..<4) {
        let place = random.number(0..<min(frame.count, 54))
        frame[place] =
          random.chance(0.5) ? frame[place] ^ 1 << UInt8(random.number(0..<8)) : .random(in: 0...255, using: &random)
      }
      let wireLength = random.chance(0.2) ? frame.count + random.number(-20..<20) : frame.count
      if random.chance(0.2) { frame = Array(frame.prefix(random.number(0..<frame.count + 1))) }
      var configuration = Configuration()
      configuration.verifiesChecksums = round % 8 == 0
      let whole = decode(frame, max(wireLength, 0), header: false, configuration)
      #expect(whole == decode(frame, max(wireLength, 0), header: true, configuration), "round \(round): \(frame)")
      if isOrdinary(frame, wireLength) { ordinary += 1 }
    }
    // Neither nearly all nor nearly none.
    #expect((rounds / 4..<rounds * 3 / 4).contains(ordinary), "\(ordinary)")
  }

  // MARK: Datagrams

  private func datagram(_ frame: [UInt8], _ wireLength: Int) -> UDPDatagram? {
    frame.withOctets {
      OrdinaryDatagram($0, wireLength: wireLength, captured: min($0.byteCount, wireLength))?.datagram
    }
  }

  /// Ports of tunnels, Teredo on any ports, padding, a UDP length that is not the packet's.
  @Test func tunnelsAreNoOrdinaryDatagrams() {
    func frame(_ source: Int, _ destination: Int, _ payload: [UInt8]) -> [UInt8] {
      Wire.ethernet(0x0800, Wire.ipv4(17, Wire.udp(payload, from: source, to: destination)))
    }
    let plain = frame(4433, 50_000, Wire.payload(100))
    #expect(datagram(plain, plain.count)?.payloadLength == 100)
    #expect(datagram(Array(plain.prefix(50)), plain.count)?.capturedPayloadLength == 8)
    for port in [1701, 2152, 3544, 4341, 4754, 4789, 4790, 5247, 6081, 6635, 8472, 37008] {
      let tunnel = frame(50_000, port, Wire.payload(100))
      #expect(datagram(tunnel, tunnel.count) == nil, "\(port)")
    }
    let teredo = frame(50_000, 50_001, Wire.packet6)
    #expect(datagram(teredo, teredo.count) == nil)
    #expect(datagram(plain + Wire.zeros(4), plain.count + 4) == nil)
    #expect(datagram(Array(plain.prefix(41)), plain.count) == nil)
  }

  @Test func bothWaysSayTheSameOfDatagrams() {
    var random = SeededRandom(seed: 8)
    var ordinary = 0
    let rounds = RandomCases.count(100_000)
    for round in 0..<rounds {
      let payload = random.chance(0.1) ? Wire.packet6 : Wire.payload(random.number(0..<60))
      var frame = Wire.ethernet(0x0800, Wire.ipv4(17, Wire.udp(payload, from: 4433, to: 50_000)))
      for _ in 0..<random.number(0..<4) {
        let place = random.number(0..<min(frame.count, 50))
        frame[place] =
          random.chance(0.5) ? frame[place] ^ 1 << UInt8(random.number(0..<8)) : .random(in: 0...255, using: &random)
      }
      let wireLength = max(random.chance(0.2) ? frame.count + random.number(-20..<20) : frame.count, 0)
      if random.chance(0.2) { frame = Array(frame.prefix(random.number(0..<frame.count + 1))) }
      guard let datagram = datagram(frame, wireLength) else { continue }
      ordinary += 1
      var outcome = Outcome(decoded: .udp(datagram))
      let packet = Packet(timestamp: 0, originalLength: wireLength, linkType: .ethernet)
      frame.withOctets {
        PacketDecoder(configuration: Configuration()).chargeDatagram(packet, $0, ledger: &outcome.ledger)
      }
      let whole = decode(frame, wireLength, header: true, Configuration())
      #expect(whole.decoded == outcome.decoded && whole.ledger == outcome.ledger, "round \(round): \(frame)")
    }
    #expect((rounds / 8..<rounds * 3 / 4).contains(ordinary), "\(ordinary)")
  }
}
