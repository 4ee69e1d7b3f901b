import HTTPReassembly
import Testing

/// Tags between Ethernet's header and its payload, and link layers that are rare.
@Suite struct LinkTagTests {
  /// Expects that a tag of `length` octets is class `link`.
  private func expectTag(
    _ type: Int, _ tag: [UInt8], trailer: Int = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expectDecoding(
      Wire.ethernet(type, tag ++ [8, 0] ++ Wire.packet4 ++ Wire.zeros(trailer)),
      classes: [.link: 16 + tag.count + trailer, .network: 20, .transport: 20], tcpPayload: 10,
      sourceLocation: sourceLocation)
  }

  @Test func tags() {
    expectTag(0x8926, [0, 0, 0, 0x14])
    // The octets of a report: a VN-Tag before a VLAN tag.
    expectTag(0x8926, [0, 0, 0, 0x14, 0x81, 0, 0, 0x65])
    expectTag(0x893f, Wire.zeros(6))
    expectTag(0x8909, [1, 1, 0, 1, 0, 5])
    expectTag(0x8909, [1, 2, 0, 1, 0, 5, 0, 1, 0, 6])
    expectTag(0x892f, [0x10, 0x38, 0, 7])
    expectDecoding(
      Wire.ethernet(0x8926, [0, 0, 0]), classes: [.link: 14, .malformed: 3], anomalies: [.linkHeaderMalformed])
    // Something else behind the tag.
    expectDecoding(Wire.ethernet(0x892f, [0, 0, 0, 0, 8, 6] ++ Wire.zeros(28)), classes: [.nonIP: 48])
  }

  @Test func parallelRedundancyIsATrailer() {
    // IEC 62439-3 §4.1.8: sequence number, network and size, 88FB.
    expectDecoding(
      Wire.ethernet(0x0800, Wire.packet4 ++ [0, 7, 0xa0, 0x38, 0x88, 0xfb]),
      classes: [.link: 20, .network: 20, .transport: 20], tcpPayload: 10)
  }

  @Test func macsec() {
    expectTag(0x88e5, [0, 0, 0, 0, 0, 1], trailer: 16)
    expectTag(0x88e5, [0x20, 0, 0, 0, 0, 1] ++ Wire.zeros(8), trailer: 16)
    // A short length: EtherType and packet.
    let short = Wire.ethernet(0x88e5, [0, 42, 0, 0, 0, 1, 8, 0] ++ Wire.ipv4(6, Wire.tcp()) ++ Wire.zeros(18))
    expectDecoding(short, classes: [.link: 14 + 8 + 18, .network: 20, .transport: 20], tcpPayload: 0)
    // The check value is no part of a packet without a length of its own.
    let unsegmented = Wire.ipv4(6, Wire.tcp(Wire.payload(10)), totalLength: 0)
    expectDecoding(
      Wire.ethernet(0x88e5, [0, 0, 0, 0, 0, 1, 8, 0] ++ unsegmented ++ Wire.zeros(16)),
      classes: [.link: 14 + 8 + 16, .network: 20, .transport: 20], tcpPayload: 10, anomalies: [.ipTotalLengthZero])
    for control: UInt8 in [0x0c, 0x08, 0x04] {
      expectDecoding(
        Wire.ethernet(0x88e5, [control, 0, 0, 0, 0, 1] ++ Wire.payload(60)), classes: [.nonIP: 80],
        anomalies: [.linkPayloadEncrypted])
    }
  }

  @Test func backboneAndServiceHeaders() {
    let frame = Wire.ethernet(0x0800, Wire.packet4)
    expectDecoding(
      Wire.ethernet(0x88a8, [0, 5, 0x88, 0xe7] ++ Wire.be32(7) ++ frame),
      classes: [.link: 18, .encapsulation: 18, .network: 20, .transport: 20], tcpPayload: 10)
    let contexts = Wire.zeros(16)
    expectDecoding(
      Wire.ethernet(0x894f, Wire.be16(0x0fc6) ++ [1, 1] ++ Wire.be32(0x100ff) ++ contexts ++ Wire.packet4),
      classes: [.link: 14, .encapsulation: 24, .network: 20, .transport: 20], tcpPayload: 10)
    // A service header in a service header, with a frame.
    let base = Wire.be16(0x0fc2)
    expectDecoding(
      Wire.ethernet(0x894f, base ++ [2, 4] ++ Wire.zeros(4) ++ base ++ [2, 3] ++ Wire.zeros(4) ++ frame),
      classes: [.link: 14, .encapsulation: 30, .network: 20, .transport: 20], tcpPayload: 10)
    // About the path itself; too short.
    expectDecoding(
      Wire.ethernet(0x894f, Wire.be16(0x2fc2) ++ [2, 1] ++ Wire.zeros(44)), classes: [.nonIP: 62])
    expectDecoding(
      Wire.ethernet(0x894f, Wire.be16(0x0fc1) ++ [2, 1] ++ Wire.zeros(4)), classes: [.link: 14, .malformed: 8],
      anomalies: [.tunnelHeaderMalformed])
  }

  @Test func ipOverInfiniBand() {
    let linkType = LinkType(rawValue: 242)
    expectDecoding(
      [8, 0, 0, 0] ++ Wire.packet4, linkType, classes: [.link: 4, .network: 20, .transport: 20], tcpPayload: 10)
    expectDecoding(
      Wire.zeros(40) ++ [0x86, 0xdd, 0, 0] ++ Wire.packet6, linkType,
      classes: [.link: 44, .network: 40, .transport: 20], tcpPayload: 10)
    expectDecoding([8, 6, 0, 0] ++ Wire.zeros(56), linkType, classes: [.nonIP: 60])
    expectDecoding([8, 0, 0], linkType, classes: [.malformed: 3], anomalies: [.linkHeaderMalformed])
  }

  @Test(arguments: [LinkType(rawValue: 166), LinkType(rawValue: 204)])
  func pppWithDirection(_ linkType: LinkType) {
    for (header, isSent) in [([0xff, 3, 0, 0x21], 1), ([0, 0x21], 0), ([3, 0, 0x21], 1), ([0x21], 0)]
      as [([UInt8], UInt8)]
    {
      expectDecoding(
        [isSent] ++ header ++ Wire.packet4, linkType,
        classes: [.link: 1 + header.count, .network: 20, .transport: 20], synthetic: 1, tcpPayload: 10)
    }
    expectDecoding([1], linkType, classes: [.malformed: 1], anomalies: [.linkHeaderMalformed])
  }

  @Test func rawIPInAFileOfEthernet() {
    expectDecoding(
      Wire.packet4, classes: [.network: 20, .transport: 20], tcpPayload: 10, anomalies: [.linkHeaderMissing])
    expectDecoding(
      Wire.packet6, classes: [.network: 40, .transport: 20], tcpPayload: 10, anomalies: [.linkHeaderMissing])
    // Padding behind a header with the right checksum.
    expectDecoding(
      Wire.packet4 ++ Wire.zeros(3), classes: [.link: 3, .network: 20, .transport: 20], tcpPayload: 10,
      anomalies: [.linkHeaderMissing])
    // Cut off by the snap length.
    expectDecoding(
      Array(Wire.packet4[..<44]), originalLength: 50, classes: [.network: 20, .transport: 20], tcpPayload: 10,
      anomalies: [.linkHeaderMissing])
  }

  @Test func addressesThatLookLikeAnIPHeaderAreEthernet() {
    // 60:03:08 is a maker's. The last two octets are the frame's length less 40.
    let packet = Wire.ipv4(6, Wire.tcp(Wire.payload(10)))
    let frame: [UInt8] = [0x60, 3, 8, 9] ++ Wire.be16(14 + packet.count - 40) ++ [0, 1, 2, 3, 4, 5, 8, 0] ++ packet
    expectDecoding(frame, classes: [.link: 14, .network: 20, .transport: 20], tcpPayload: 10)
    let lengths: [UInt8] = [0x45, 0] ++ Wire.be16(14 + packet.count) ++ [0, 1, 0, 1, 2, 3, 4, 5, 8, 0] ++ packet
    expectDecoding(lengths, classes: [.link: 14, .network: 20, .transport: 20], tcpPayload: 10)
    // A length that does not fit.
    let other: [UInt8] = [0x45, 0, 0, 40, 0, 1, 0, 1, 2, 3, 4, 5, 8, 6] ++ Wire.zeros(28)
    expectDecoding(other, classes: [.nonIP: 42])
  }
}
