import HTTPReassembly
import Testing

/// Link layers, one packet each, with the exact class of every octet.
@Suite struct LinkTests {
  @Test func ethernetII() {
    let decoded = expectDecoding(
      Wire.ethernet(0x0800, Wire.packet4), classes: [.link: 14, .network: 20, .transport: 20], tcpPayload: 10)
    guard case .tcp(let segment) = decoded else { return }
    #expect(segment.source.description == "10.0.0.1:40000")
    #expect(segment.destination.description == "10.0.0.2:80")
    #expect(segment.sequence == 1000)
    #expect(segment.acknowledgment == 2000)
    #expect(segment.window == 512)
    #expect(segment.windowScale == nil)
    #expect(segment.networkLength == 20)
    #expect(segment.headerLength == 20)
    #expect(segment.payloadOffset == 54)
    #expect(segment.capturedPayloadLength == 10)
    #expect(!segment.hasBadChecksum)
  }

  @Test func ethernetPaddingAndFrameCheckSequenceAreLink() {
    let frame = Wire.ethernet(0x0800, Wire.ipv4(6, Wire.tcp()) ++ Wire.zeros(6))
    expectDecoding(frame, classes: [.link: 20, .network: 20, .transport: 20], tcpPayload: 0)
    expectDecoding(
      frame ++ Wire.zeros(4), frameCheckSequenceLength: 4, classes: [.link: 24, .network: 20, .transport: 20],
      tcpPayload: 0)
  }

  @Test func ieee8023WithSNAP() {
    let snap: [UInt8] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0]
    let frame = Wire.ethernet(8 + 50, snap ++ Wire.packet4 ++ Wire.zeros(2))
    expectDecoding(frame, classes: [.link: 24, .network: 20, .transport: 20], tcpPayload: 10)
    // Spanning tree: LLC, but no IP.
    expectDecoding(Wire.ethernet(38, [0x42, 0x42, 3] ++ Wire.zeros(43)), classes: [.nonIP: 60])
    // RFC 948.
    expectDecoding(
      Wire.ethernet(53, [6, 6, 3] ++ Wire.packet4), classes: [.link: 17, .network: 20, .transport: 20], tcpPayload: 10)
  }

  @Test func otherEtherTypesAreNotIP() {
    expectDecoding(Wire.ethernet(0x0806, Wire.zeros(46)), classes: [.nonIP: 60])
    expectDecoding(Wire.ethernet(0x88cc, Wire.zeros(100)), classes: [.nonIP: 114])
    expectDecoding(Wire.ethernet(0x0806, Wire.zeros(50)), frameCheckSequenceLength: 4, classes: [.nonIP: 64])
    expectDecoding(Wire.ethernet(1501, Wire.zeros(46)), classes: [.nonIP: 60])
  }

  @Test func frameTooShortForItsHeader() {
    expectDecoding(Wire.zeros(13), classes: [.malformed: 13], anomalies: [.linkHeaderMalformed])
    expectDecoding([], classes: [:], anomalies: [.linkHeaderMalformed])
    expectDecoding(
      Wire.ethernet(0x8100, [0, 1, 8]), classes: [.link: 14, .malformed: 3], anomalies: [.linkHeaderMalformed])
  }

  @Test func vlanTags() {
    let inner = Wire.be16(5) ++ Wire.be16(0x0800) ++ Wire.packet4
    let classes: [OctetClass: Int] = [.link: 18, .network: 20, .transport: 20]
    for type in [0x8100, 0x88a8, 0x9100] {
      expectDecoding(Wire.ethernet(type, inner), classes: classes, tcpPayload: 10)
    }
    let double = Wire.be16(7) ++ Wire.be16(0x8100) ++ inner
    expectDecoding(
      Wire.ethernet(0x88a8, double), classes: [.link: 22, .network: 20, .transport: 20], tcpPayload: 10)
  }

  @Test func phoneHeaderIsSynthetic() {
    let header: [UInt8] = (0..<6).flatMap { _ -> [UInt8] in [0xbe, 0xef] } ++ [8, 0]
    expectDecoding(
      header ++ Wire.packet6, classes: [.link: 14, .network: 40, .transport: 20], synthetic: 14, tcpPayload: 10)
    expectDecoding(
      header ++ Wire.packet4, classes: [.link: 14, .network: 20, .transport: 20], synthetic: 14, tcpPayload: 10)
  }

  @Test func pcapdroidTrailerIsSynthetic() {
    let trailer = Wire.be32(0x0107_2021) ++ Wire.be32(10123) ++ Wire.zeros(24)
    let frame = Wire.ethernet(0x0800, Wire.packet4) ++ trailer
    let classes: [OctetClass: Int] = [.link: 46, .network: 20, .transport: 20]
    expectDecoding(frame, classes: classes, synthetic: 46, tcpPayload: 10)
    expectDecoding(frame, frameCheckSequenceLength: 4, classes: classes, synthetic: 46, tcpPayload: 10)
    expectDecoding(
      Wire.ethernet(0x86dd, Wire.packet6) ++ trailer, classes: [.link: 46, .network: 40, .transport: 20], synthetic: 46,
      tcpPayload: 10)
    // Some other 32 octets.
    expectDecoding(
      Wire.ethernet(0x0800, Wire.packet4) ++ Wire.zeros(32), classes: classes, tcpPayload: 10)
  }

  @Test(arguments: [101, 12, 14, 228] as [UInt32])
  func rawIPv4(_ number: UInt32) {
    expectDecoding(
      Wire.packet4, LinkType(rawValue: number), classes: [.network: 20, .transport: 20], tcpPayload: 10)
  }

  @Test(arguments: [101, 12, 14, 229] as [UInt32])
  func rawIPv6(_ number: UInt32) {
    expectDecoding(
      Wire.packet6, LinkType(rawValue: number), classes: [.network: 40, .transport: 20], tcpPayload: 10)
  }

  @Test func rawWithoutIP() {
    expectDecoding([0x10, 0, 0], .raw, classes: [.nonIP: 3])
    expectDecoding([], .raw, classes: [:], anomalies: [.ipHeaderMalformed])
    expectDecoding([], .raw, originalLength: 60, classes: [.malformed: 60], anomalies: [.ipHeaderNotCaptured])
  }

  @Test func loopbackFamilies() {
    let classes4: [OctetClass: Int] = [.link: 4, .network: 20, .transport: 20]
    let classes6: [OctetClass: Int] = [.link: 4, .network: 40, .transport: 20]
    for linkType in [LinkType.null, .loop] {
      for family in [Wire.le32(2), Wire.be32(2)] {
        expectDecoding(family ++ Wire.packet4, linkType, classes: classes4, synthetic: 4, tcpPayload: 10)
      }
      for family in [10, 24, 28, 30] {
        expectDecoding(Wire.le32(family) ++ Wire.packet6, linkType, classes: classes6, synthetic: 4, tcpPayload: 10)
        expectDecoding(Wire.be32(family) ++ Wire.packet6, linkType, classes: classes6, synthetic: 4, tcpPayload: 10)
      }
      expectDecoding(
        Wire.be32(7) ++ Wire.packet4, linkType, classes: [.nonIP: 54], anomalies: [.packetNotOpened])
    }
  }

  @Test func linuxCooked() {
    let header1 = Wire.be16(0) ++ Wire.be16(1) ++ Wire.be16(6) ++ Wire.zeros(8)
    expectDecoding(
      header1 ++ Wire.be16(0x0800) ++ Wire.packet4, .linuxSLL, classes: [.link: 16, .network: 20, .transport: 20],
      synthetic: 16, tcpPayload: 10)
    // A tag that was on the wire.
    expectDecoding(
      header1 ++ Wire.be16(0x8100) ++ Wire.be16(1) ++ Wire.be16(0x86dd) ++ Wire.packet6, .linuxSLL,
      classes: [.link: 20, .network: 40, .transport: 20], synthetic: 16, tcpPayload: 10)
    expectDecoding(header1 ++ Wire.be16(0x0806) ++ Wire.zeros(28), .linuxSLL, classes: [.nonIP: 44])
    let header2 = Wire.zeros(18)
    expectDecoding(
      Wire.be16(0x86dd) ++ header2 ++ Wire.packet6, .linuxSLL2, classes: [.link: 20, .network: 40, .transport: 20],
      synthetic: 20, tcpPayload: 10)
  }

  @Test func pppFraming() {
    expectDecoding(
      [0x00, 0x21] ++ Wire.packet4, .ppp, classes: [.link: 2, .network: 20, .transport: 20], tcpPayload: 10)
    expectDecoding(
      [0xff, 0x03, 0x00, 0x57] ++ Wire.packet6, .ppp, classes: [.link: 4, .network: 40, .transport: 20], tcpPayload: 10)
    // A compressed protocol field.
    expectDecoding([0x21] ++ Wire.packet4, .ppp, classes: [.link: 1, .network: 20, .transport: 20], tcpPayload: 10)
    expectDecoding(
      [0xff, 0x03, 0x00, 0x21] ++ Wire.packet4, .pppHDLC, classes: [.link: 4, .network: 20, .transport: 20],
      tcpPayload: 10)
    expectDecoding(
      [0x0f, 0x00, 0x08, 0x00] ++ Wire.packet4, .pppHDLC, classes: [.link: 4, .network: 20, .transport: 20],
      tcpPayload: 10)
    expectDecoding(
      [0x0f, 0x00, 0x86, 0xdd] ++ Wire.packet6, .ciscoHDLC, classes: [.link: 4, .network: 40, .transport: 20],
      tcpPayload: 10)
    expectDecoding([0xc0, 0x21, 1, 1, 0, 4], .ppp, classes: [.nonIP: 6])
  }

  @Test func pppoeIsATunnel() {
    let session: [UInt8] = [0x11, 0, 0, 1] ++ Wire.be16(52) ++ [0x00, 0x21] ++ Wire.packet4
    let classes: [OctetClass: Int] = [.link: 14, .encapsulation: 8, .network: 20, .transport: 20]
    expectDecoding(Wire.ethernet(0x8864, session), classes: classes, tcpPayload: 10)
    // Behind the announced length the frame is padded.
    let padded = Wire.ethernet(0x8864, session ++ Wire.zeros(5))
    expectDecoding(padded, classes: classes.merging([.link: 19]) { $1 }, tcpPayload: 10)
    expectDecoding(session, .pppoe, classes: classes.filter { $0.key != .link }, tcpPayload: 10)
    // Link control, and the discovery stage.
    expectDecoding(
      Wire.ethernet(0x8864, [0x11, 0, 0, 1, 0, 6, 0xc0, 0x21, 1, 1, 0, 4]), classes: [.nonIP: 26])
    expectDecoding(Wire.ethernet(0x8863, [0x11, 9] ++ Wire.zeros(20)), classes: [.nonIP: 36])
    expectDecoding(
      Wire.ethernet(0x8864, [0x22, 0] ++ Wire.zeros(20)), classes: [.link: 14, .malformed: 22],
      anomalies: [.tunnelHeaderMalformed])
  }

  @Test func mplsGuessesWhatFollows() {
    let labels: [UInt8] = [0, 1, 0, 64, 0, 2, 1, 64]
    let classes: [OctetClass: Int] = [.link: 14, .encapsulation: 8, .network: 20, .transport: 20]
    expectDecoding(Wire.ethernet(0x8847, labels ++ Wire.packet4), classes: classes, tcpPayload: 10)
    expectDecoding(
      Wire.ethernet(0x8848, labels ++ Wire.packet6),
      classes: [.link: 14, .encapsulation: 8, .network: 40, .transport: 20], tcpPayload: 10)
    // Labels have no length: padding is the frame's.
    expectDecoding(
      Wire.ethernet(0x8847, labels ++ Wire.packet4 ++ Wire.zeros(4)), classes: classes.merging([.link: 18]) { $1 },
      tcpPayload: 10)
    // An Ethernet pseudowire, with and without control word; its padding is inside the tunnel.
    let frame = Wire.ethernet(0x0800, Wire.packet4 ++ Wire.zeros(3))
    expectDecoding(
      Wire.ethernet(0x8847, labels ++ Wire.zeros(4) ++ frame), classes: classes.merging([.encapsulation: 29]) { $1 },
      tcpPayload: 10)
    expectDecoding(
      Wire.ethernet(0x8847, labels ++ frame), classes: classes.merging([.encapsulation: 25]) { $1 }, tcpPayload: 10)
    expectDecoding(Wire.ethernet(0x8847, labels ++ [0x10, 1, 2, 3]), classes: [.nonIP: 26])
    expectDecoding(
      Wire.ethernet(0x8847, Wire.zeros(8)), classes: [.link: 14, .encapsulation: 8],
      anomalies: [.tunnelHeaderMalformed])
  }

  @Test func radiotapDataFrames() {
    // Timestamp and flags present; 0x10: check sequence at the end.
    let radiotap: [UInt8] = [0, 0, 17, 0, 3, 0, 0, 0] ++ Wire.zeros(8) ++ [0x10]
    let snap: [UInt8] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0]
    let data = [0x08, 0x01] ++ Wire.zeros(22) ++ snap ++ Wire.packet4
    expectDecoding(
      radiotap ++ data ++ Wire.zeros(4), .radiotap, classes: [.link: 17 + 32 + 4, .network: 20, .transport: 20],
      synthetic: 17, tcpPayload: 10)
    // QoS data with HT control between access points, padded to 32 bits.
    let padded: [UInt8] = [0, 0, 9, 0, 2, 0, 0, 0, 0x20]
    let qos = [0x88, 0x83] ++ Wire.zeros(28) ++ Wire.zeros(6) ++ snap ++ Wire.packet4
    expectDecoding(
      padded ++ qos, .radiotap, classes: [.link: 9 + 36 + 8, .network: 20, .transport: 20], synthetic: 9, tcpPayload: 10
    )
    let qos26 = [0x88, 0x01] ++ Wire.zeros(22) ++ Wire.zeros(4) ++ snap ++ Wire.packet4
    expectDecoding(
      padded ++ qos26, .radiotap, classes: [.link: 9 + 28 + 8, .network: 20, .transport: 20], synthetic: 9,
      tcpPayload: 10)
    // A wrong check sequence: no receiver takes the frame.
    var bad = radiotap
    bad[16] = 0x50
    expectDecoding(
      bad ++ data ++ Wire.zeros(4), .radiotap, classes: [.nonIP: 17 + 82 + 4], anomalies: [.linkChecksumBad])
    expectDecoding(
      [0, 0, 200, 0] ++ Wire.zeros(20), .radiotap, classes: [.malformed: 24], anomalies: [.linkHeaderMalformed])
  }

  @Test func ieee80211Frames() {
    let snap: [UInt8] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0]
    expectDecoding([0x80, 0] ++ Wire.zeros(50), .ieee80211, classes: [.nonIP: 52])  // Beacon.
    expectDecoding([0x48, 0] ++ Wire.zeros(22), .ieee80211, classes: [.nonIP: 24])  // Null data.
    expectDecoding(
      [0x08, 0x41] ++ Wire.zeros(80), .ieee80211, classes: [.nonIP: 82], anomalies: [.linkPayloadEncrypted])
    expectDecoding(
      [0x08, 0x05] ++ Wire.zeros(80), .ieee80211, classes: [.nonIP: 82], anomalies: [.linkFragmented])
    // An A-MSDU of one subframe; AggregateTests has more.
    let subframe = Wire.zeros(12) ++ Wire.be16(58) ++ snap ++ Wire.packet4
    let header = [0x88, 0x01] ++ Wire.zeros(22) ++ [0x80, 0]
    expectDecoding(
      header ++ subframe, .ieee80211, classes: [.link: 26 + 14 + 8, .network: 20, .transport: 20], tcpPayload: 10)
  }

  @Test func ppiLeadsToAnotherLinkType() {
    let header: [UInt8] = [0, 0] ++ Wire.le16(8) ++ Wire.le32(1)
    expectDecoding(
      header ++ Wire.ethernet(0x0800, Wire.packet4), .ppi, classes: [.link: 22, .network: 20, .transport: 20],
      synthetic: 8, tcpPayload: 10)
    // The common 802.11 field says that the check sequence is there.
    let field = Wire.le16(2) ++ Wire.le16(20) ++ Wire.zeros(8) ++ Wire.le16(1) ++ Wire.zeros(10)
    let header80211: [UInt8] = [0, 0] ++ Wire.le16(32) ++ Wire.le32(105) ++ field
    let data: [UInt8] =
      [0x08, 0x01] ++ Wire.zeros(22) ++ [0xaa, 0xaa, 3, 0, 0, 0, 8, 0] ++ Wire.packet4 ++ Wire.zeros(4)
    expectDecoding(
      header80211 ++ data, .ppi, classes: [.link: 32 + 32 + 4, .network: 20, .transport: 20], synthetic: 32,
      tcpPayload: 10)
  }

  @Test func nflogAttributes() {
    let prefix = Wire.le16(5) ++ Wire.le16(10) ++ [0, 0, 0, 0]
    let payload = Wire.le16(54) ++ Wire.le16(9) ++ Wire.packet4
    expectDecoding(
      [2, 0, 0, 1] ++ prefix ++ payload, .nflog, classes: [.link: 16, .network: 20, .transport: 20], synthetic: 16,
      tcpPayload: 10)
    let big = Wire.be16(74) ++ Wire.be16(9) ++ Wire.packet6 ++ Wire.zeros(2)
    expectDecoding(
      [10, 0, 0, 1] ++ big, .nflog, classes: [.link: 10, .network: 40, .transport: 20], synthetic: 10, tcpPayload: 10)
    expectDecoding([2, 0, 0, 1, 2, 0, 9, 0], .nflog, classes: [.malformed: 8], anomalies: [.linkHeaderMalformed])
  }

  @Test(arguments: [LinkType.pktap, .applePKTAP])
  func pktapVersions(_ linkType: LinkType) {
    func version1(_ length: Int, next: Int = 1, type: Int, prefix: Int = 0) -> [UInt8] {
      Wire.le32(length) ++ Wire.le32(next) ++ Wire.le32(type) ++ Wire.zeros(32) ++ Wire.le32(prefix)
        ++ Wire.zeros(length - 48)
    }
    for length in [108, 156] {
      expectDecoding(
        version1(length, type: 1, prefix: 14) ++ Wire.ethernet(0x0800, Wire.packet4), linkType,
        classes: [.link: length + 14, .network: 20, .transport: 20], synthetic: length, tcpPayload: 10)
    }
    expectDecoding(
      version1(108, type: 12) ++ Wire.packet6, linkType, classes: [.link: 108, .network: 40, .transport: 20],
      synthetic: 108, tcpPayload: 10)
    expectDecoding(
      version1(108, type: 12, prefix: 4) ++ Wire.be32(2) ++ Wire.packet4, linkType,
      classes: [.link: 112, .network: 20, .transport: 20], synthetic: 108, tcpPayload: 10)
    expectDecoding(
      version1(108, type: 0) ++ Wire.le32(30) ++ Wire.packet6, linkType,
      classes: [.link: 112, .network: 40, .transport: 20], synthetic: 112, tcpPayload: 10)
    expectDecoding(version1(108, next: 2, type: 1) ++ Wire.zeros(4), linkType, classes: [.nonIP: 112])
    let bigEndian =
      Wire.be32(108) ++ Wire.be32(1) ++ Wire.be32(1) ++ Wire.zeros(96) ++ Wire.ethernet(0x0800, Wire.packet4)
    expectDecoding(
      bigEndian, linkType, classes: [.link: 122, .network: 20, .transport: 20], synthetic: 108, tcpPayload: 10)
    let version2 =
      [52, 0, 0, 40, 0, 0] ++ Wire.le16(1) ++ Wire.le16(14) ++ Wire.zeros(26) ++ Wire.le32(0x8_0002) ++ Wire.zeros(12)
    expectDecoding(
      version2 ++ Wire.ethernet(0x86dd, Wire.packet6), linkType, classes: [.link: 66, .network: 40, .transport: 20],
      synthetic: 52, tcpPayload: 10)
    expectDecoding(Wire.zeros(60), linkType, classes: [.malformed: 60], anomalies: [.linkHeaderMalformed])
    // A pseudo-header in a pseudo-header.
    expectDecoding(
      version1(108, type: 258) ++ version1(108, type: 101) ++ Wire.packet4, linkType,
      classes: [.link: 216, .network: 20, .transport: 20], synthetic: 216, tcpPayload: 10)
  }

  @Test func rarerLinkTypes() {
    let tag = Wire.zeros(4)
    let addresses = Wire.zeros(12)
    expectDecoding(
      addresses ++ tag ++ [8, 0] ++ Wire.packet4, LinkType(rawValue: 281),
      classes: [.link: 18, .network: 20, .transport: 20], tcpPayload: 10)
    expectDecoding(
      tag ++ addresses ++ [8, 0] ++ Wire.packet4, LinkType(rawValue: 282),
      classes: [.link: 18, .network: 20, .transport: 20], tcpPayload: 10)
    expectDecoding(
      [1, 2, 0xf0] ++ Wire.packet4, LinkType(rawValue: 7), classes: [.link: 3, .network: 20, .transport: 20],
      tcpPayload: 10)
    expectDecoding(
      [1, 2, 0, 0, 0xd4, 0, 0, 1] ++ Wire.packet4, LinkType(rawValue: 129),
      classes: [.link: 8, .network: 20, .transport: 20], tcpPayload: 10)
    expectDecoding(
      Wire.zeros(20), LinkType(rawValue: 999), classes: [.nonIP: 20], anomalies: [.unsupportedLinkType])
    var balance = Balance()
    balance.decode(Wire.zeros(20), LinkType(rawValue: 999))
    #expect(balance.anomalies.all.map { String(decoding: $0.count.example, as: UTF8.self) } == ["link type 999"])
  }
}
