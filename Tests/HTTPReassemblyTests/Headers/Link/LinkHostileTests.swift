import HTTPReassembly
import TestSupport
import Testing

/// Whatever the octets are, decoding does not trap, and the ledger balances.
@Suite struct LinkHostileTests {
  /// One packet of every kind that is decoded.
  static let samples: [(linkType: LinkType, octets: [UInt8])] = {
    let packet4 = Wire.ipv4(6, Wire.tcp(Wire.payload(40), flags: 2, options: [1, 3, 3, 7, 2, 4, 5, 0xb4]))
    let packet6 = Wire.ipv6(6, Wire.tcp(Wire.payload(40)))
    let frame = Wire.ethernet(0x0800, packet4)
    let snap: [UInt8] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0]
    let extensions: [UInt8] =
      [43, 0, 0xc2, 4, 0, 0, 0, 100] ++ [51, 2, 0, 1] ++ Wire.zeros(20) ++ [44, 4] ++ Wire.zeros(22)
    func ip(_ number: UInt8, _ payload: [UInt8]) -> (LinkType, [UInt8]) {
      (.ethernet, Wire.ethernet(0x0800, Wire.ipv4(number, payload)))
    }
    func udp(_ payload: [UInt8], _ port: Int) -> (LinkType, [UInt8]) { ip(17, Wire.udp(payload, to: port)) }
    var pktap = Wire.le32(108) ++ Wire.le32(1) ++ Wire.le32(12) ++ Wire.zeros(32) ++ Wire.le32(4) ++ Wire.zeros(60)
    pktap = pktap ++ Wire.le32(2) ++ packet4
    let pktap2: [UInt8] = [40, 0, 0, 0, 0, 0] ++ Wire.le16(1) ++ Wire.zeros(28) ++ Wire.le32(0x8_0000)
    let phone: [UInt8] = (0..<6).flatMap { _ -> [UInt8] in [0xbe, 0xef] }
    return [
      (.ethernet, frame ++ Wire.zeros(8)),
      (.ethernet, Wire.ethernet(0x0800, packet4) ++ Wire.be32(0x0107_2021) ++ Wire.zeros(28)),
      (.ethernet, phone ++ [8, 0] ++ packet6),
      (.ethernet, Wire.ethernet(98, snap ++ packet4)),
      (
        .ethernet,
        Wire.ethernet(0x88a8, Wire.be16(1) ++ Wire.be16(0x8100) ++ Wire.be16(2) ++ Wire.be16(0x86dd) ++ packet6)
      ),
      (.ethernet, Wire.ethernet(0x8864, [0x11, 0, 0, 1] ++ Wire.be16(90) ++ [0, 0x21] ++ packet4)),
      (.ethernet, Wire.ethernet(0x8847, [0, 1, 0, 64, 0, 2, 1, 64] ++ packet4)),
      (.ethernet, Wire.ethernet(0x8847, [0, 2, 1, 64, 0, 0, 0, 0] ++ frame)),
      (
        .ethernet,
        Wire.ethernet(0x86dd, Wire.ipv6(0, extensions ++ Wire.fragment6(6, Wire.tcp(), offset: 0, hasMore: false)))
      ),
      (
        .ethernet,
        Wire.ethernet(
          0x86dd, Wire.ipv6(0, [6, 0, 0xc2, 4] ++ Wire.be32(48) ++ Wire.tcp(Wire.zeros(20)), payloadLength: 0))
      ),
      (
        .ethernet,
        Wire.ethernet(0x86dd, Wire.ipv6(44, Wire.fragment6(6, Wire.tcp(Wire.zeros(44)), offset: 64, hasMore: true)))
      ),
      (.raw, Wire.ipv4(6, Wire.tcp(Wire.zeros(44)), fragmentOffset: 64, hasMore: true)),
      (.raw, Wire.ipv4(17, Wire.udp(Wire.zeros(24), to: 53), hasMore: true)),
      (.raw, packet6),
      (.null, Wire.le32(2) ++ packet4),
      (.loop, Wire.be32(24) ++ packet6),
      (.linuxSLL, Wire.zeros(14) ++ Wire.be16(0x0800) ++ packet4),
      (.linuxSLL2, Wire.be16(0x86dd) ++ Wire.zeros(18) ++ packet6),
      (.ppp, [0xff, 3, 0, 0x21] ++ packet4),
      (.pppHDLC, [0x0f, 0, 8, 0] ++ packet4),
      (.ciscoHDLC, [0x0f, 0, 0x88, 0x47, 0, 1, 1, 64] ++ packet6),
      (
        .radiotap,
        [0, 0, 17, 0, 3, 0, 0, 0] ++ Wire.zeros(8) ++ [0x30, 0x88, 0x83] ++ Wire.zeros(34) ++ snap ++ packet4
          ++ Wire.zeros(4)
      ),
      (.ieee80211, [0x88, 1] ++ Wire.zeros(22) ++ [0x80, 0] ++ Wire.zeros(12) ++ Wire.be16(96) ++ snap ++ packet4),
      (
        .ppi,
        [0, 0] ++ Wire.le16(32) ++ Wire.le32(105) ++ Wire.le16(2) ++ Wire.le16(20) ++ Wire.zeros(20) ++ [8, 1]
          ++ Wire.zeros(22) ++ snap ++ packet4
      ),
      (
        .nflog,
        [2, 0, 0, 1] ++ Wire.le16(5) ++ Wire.le16(10) ++ Wire.zeros(4) ++ Wire.le16(92) ++ Wire.le16(9) ++ packet4
      ),
      (.pktap, pktap),
      (.applePKTAP, pktap2 ++ frame),
      (LinkType(rawValue: 129), [1, 2, 0, 0, 0xd4, 0, 0, 1] ++ packet4),
      ip(4, packet4), ip(41, packet6), ip(1, Wire.zeros(30)), ip(97, [0x30, 0] ++ frame),
      ip(51, [6, 2, 0, 1] ++ Wire.zeros(12) ++ Wire.tcp(Wire.zeros(9))),
      ip(47, [0xb0, 0, 0x65, 0x58] ++ Wire.zeros(12) ++ frame),
      ip(47, [0x30, 0x81, 0x88, 0x0b] ++ Wire.zeros(12) ++ [0x21] ++ packet4),
      ip(47, [0x10, 0, 0x22, 0xeb] ++ Wire.zeros(16) ++ frame),
      udp([8, 0, 0, 0, 0, 0, 9, 0] ++ frame, 4789),
      udp([2, 0, 0x65, 0x58, 0, 0, 9, 0] ++ Wire.zeros(8) ++ frame, 6081),
      udp([0, 0, 8, 0] ++ packet4, 4754),
      udp([0x36, 0xff] ++ Wire.be16(96) ++ Wire.be32(5) ++ [0, 1, 0, 0x85, 1, 0, 9, 0] ++ packet4, 2152),
      udp([0, 1, 0, 0] ++ Wire.zeros(9) ++ [0, 0] ++ Wire.zeros(6) ++ packet6, 3544),
      (.ethernet, packet4), (.ethernet, packet6),
      (.ethernet, Wire.ethernet(0x8926, Wire.zeros(4) ++ Wire.be16(0x8100) ++ [0, 5] ++ Wire.be16(0x0800) ++ packet4)),
      (.ethernet, Wire.ethernet(0x893f, Wire.zeros(6) ++ Wire.be16(0x0800) ++ packet4)),
      (.ethernet, Wire.ethernet(0x8909, [1, 1, 0, 1, 0, 5] ++ Wire.be16(0x86dd) ++ packet6)),
      (.ethernet, Wire.ethernet(0x892f, Wire.be32(0x1020_0007) ++ Wire.be16(0x0800) ++ packet4)),
      (
        .ethernet, Wire.ethernet(0x88e5, [0x20, 0] ++ Wire.zeros(12) ++ Wire.be16(0x0800) ++ packet4 ++ Wire.zeros(16))
      ),
      (
        .ethernet,
        Wire.ethernet(0x88e5, [0, 46] ++ Wire.be32(1) ++ Wire.be16(0x0800) ++ Wire.packet4 ++ Wire.zeros(16))
      ),
      (.ethernet, Wire.ethernet(0x88e7, Wire.be32(7) ++ frame)),
      (.ethernet, Wire.ethernet(0x894f, Wire.be16(0x0fc6) ++ [1, 1] ++ Wire.zeros(20) ++ packet4)),
      ip(47, [0, 0, 0x89, 0x4f] ++ Wire.be16(0x0fc2) ++ [2, 3] ++ Wire.zeros(4) ++ frame),
      ip(47, [0x20, 1, 0x64, 0] ++ Wire.be16(frame.count) ++ [7, 0] ++ frame),
      udp([0x0c, 0, 0, 4, 0, 0, 7, 0] ++ Wire.be16(0x0fc2) ++ [2, 1] ++ Wire.zeros(4) ++ packet4, 4790),
      udp([1, 0, 0, 1, 10, 1, 0x80, 0, 1] ++ frame, 37008),
      udp([1, 0, 0, 18, 1, 8, 1] ++ Wire.zeros(22) ++ snap ++ packet4, 37008),
      udp([0, 0x10, 2, 0, 0, 0, 0, 0] ++ frame, 5247),
      udp([0, 0x10, 3, 0, 0, 0, 0, 0, 1, 8] ++ Wire.zeros(22) ++ snap ++ packet4, 5247),
      udp([0, 2, 0, 1, 0, 2, 0xff, 3, 0, 0x21] ++ packet4, 1701),
      udp(
        [0x4a, 2] ++ Wire.be16(20 + packet4.count) ++ Wire.zeros(8) ++ Wire.be16(2) ++ Wire.zeros(2) ++ [
          0xff, 3, 0, 0x21,
        ]
          ++ packet4, 1701),
      udp([0x80, 0, 0, 1, 0, 0, 0, 0] ++ packet6, 4341), udp([4, 0, 0, 3, 0, 0, 0, 0] ++ frame, 4341),
      (LinkType(rawValue: 242), [8, 0, 0, 0] ++ packet4),
      (LinkType(rawValue: 242), Wire.zeros(40) ++ [0x86, 0xdd, 0, 0] ++ packet6),
      (LinkType(rawValue: 204), [1, 0xff, 3, 0, 0x21] ++ packet4), (LinkType(rawValue: 166), [0, 3, 0x21] ++ packet4),
      (
        .ieee80211,
        [0x88, 1] ++ Wire.zeros(22) ++ [0x80, 0] ++ Wire.zeros(12) ++ Wire.be16(8 + packet4.count) ++ snap ++ packet4
          ++ Wire.zeros(-(14 + 8 + packet4.count) & 3) ++ Wire.zeros(12) ++ Wire.be16(8 + packet4.count) ++ snap
          ++ packet4
      ),
      // A GENEVE packet that the card has yet to segment.
      (
        .ethernet,
        Wire.ethernet(
          0x0800,
          Wire.ipv4(
            17,
            Wire.udp(
              [0, 0, 0x08, 0, 0, 0, 1, 0] ++ Wire.ipv4(6, Wire.tcp(Wire.payload(900))), to: 6081)))
          ++ Wire.payload(1000)
      ),
    ]
  }()

  @Test func everySampleIsOpened() {
    // Else the tests below would test little.
    let closed = Self.samples.indices.filter {
      var balance = Balance()
      balance.decode(Self.samples[$0].octets, Self.samples[$0].linkType)
      return balance.ledger[.malformed] + balance.ledger[.nonIP] > 0 || !balance.isBalanced
    }
    #expect(closed == [])
  }

  @Test func everySnapLengthBalances() {
    for (linkType, octets) in Self.samples {
      for count in 0...octets.count {
        var balance = Balance()
        balance.decode(Array(octets[..<count]), linkType, originalLength: octets.count)
        balance.decode(Array(octets[..<count]), linkType)
        balance.finish()
        #expect(balance.isBalanced, "link type \(linkType.rawValue), \(count) of \(octets.count) octets")
      }
    }
  }

  @Test(arguments: [false, true])
  func mutationsBalance(verifiesChecksums: Bool) {
    var random = SeededRandom(seed: 2026)
    var configuration = Configuration()
    configuration.verifiesChecksums = verifiesChecksums
    configuration.tunnelDepthLimit = 3
    configuration.fragmentOctetLimit = 10_000
    var balance = Balance(configuration: configuration)
    let interesting: [UInt8] = [0, 1, 4, 6, 8, 17, 41, 43, 44, 47, 51, 60, 0x45, 0x60, 0x7f, 0x80, 0xff]
    for round in 0..<RandomCases.count(100_000) {
      var (linkType, octets) = Self.samples.randomElement(using: &random) ?? (.raw, [])
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        guard !octets.isEmpty else { break }
        let position = Int.random(in: 0..<octets.count, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: octets[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: octets[position] = UInt8.random(in: 0...255, using: &random)
        case 2: octets[position] = interesting.randomElement(using: &random) ?? 0
        case 3: octets.removeSubrange(position..<min(octets.count, position + 4))
        case 4: octets.insert(contentsOf: Wire.payload(4), at: position)
        default:
          // One packet in another.
          octets.replaceSubrange(position..., with: Self.samples.randomElement(using: &random)?.octets ?? [])
        }
      }
      let original = Int.random(in: 0...9, using: &random) == 0 ? Int.random(in: 0...200, using: &random) : octets.count
      if Int.random(in: 0...4, using: &random) == 0 {
        octets = Array(octets.prefix(Int.random(in: 0...octets.count, using: &random)))
      }
      if Int.random(in: 0...20, using: &random) == 0 {
        linkType = Self.samples.randomElement(using: &random)?.0 ?? .raw
      }
      balance.decode(
        octets, linkType, originalLength: original, at: Int64(round) * 1_000_000,
        frameCheckSequenceLength: Int.random(in: 0...3, using: &random) == 0 ? 4 : 0)
      guard balance.isBalanced else {
        Issue.record("round \(round): \(octets)")
        return
      }
    }
    balance.finish()
    #expect(balance.isBalanced)
    #expect(balance.tcpPayload > 0)
  }

  @Test func randomOctetsBalance() {
    var random = SeededRandom(seed: 7)
    var balance = Balance()
    let linkTypes = Set(Self.samples.map(\.linkType)).sorted { $0.rawValue < $1.rawValue }
    for _ in 0..<RandomCases.count(50_000) {
      let octets = (0..<Int.random(in: 0...120, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      balance.decode(octets, linkTypes.randomElement(using: &random) ?? .raw)
    }
    balance.finish()
    #expect(balance.isBalanced)
  }
}
