import HTTPReassembly
import Testing

/// Tunnels of routers, access points and providers.
@Suite struct FieldTunnelTests {
  private static let frame = Wire.ethernet(0x0800, Wire.packet4)
  private static let snap: [UInt8] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0]

  /// Expects that `outer`, raw IPv4 with `Wire.packet4` or `packet6` in it, is opened. `trailing` octets follow the packet.
  private func expectOpened(
    _ outer: [UInt8], network: Int = 20, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expectDecoding(
      outer, .raw, classes: [.encapsulation: outer.count - network - 30, .network: network, .transport: 20],
      tcpPayload: 10, sourceLocation: sourceLocation)
  }

  private func udp(_ payload: [UInt8], from source: Int = 40000, to port: Int) -> [UInt8] {
    Wire.ipv4(17, Wire.udp(payload, from: source, to: port))
  }

  @Test func tzsp() {
    expectOpened(udp([1, 0, 0, 1, 1] ++ Self.frame, to: 37008))
    // To be sent; padding, and fields with lengths.
    expectOpened(udp([1, 1, 0, 1, 0, 10, 1, 0x80, 0, 13, 0, 1] ++ Self.frame, to: 37008))
    expectOpened(udp([1, 0, 0, 18, 1, 8, 1] ++ Wire.zeros(22) ++ Self.snap ++ Wire.packet4, to: 37008))
    expectOpened(udp([1, 0, 0, 4, 1, 0xff, 3, 0, 0x21] ++ Wire.packet4, to: 37008))
    expectOpened(udp([1, 0, 0, 7, 1] ++ Wire.packet6, to: 37008), network: 40)
    for header in radioHeaders {
      expectOpened(udp([1, 0, 0, 119, 1] ++ header ++ Self.wireless, to: 37008))
      if header[0] == 0x80 { expectOpened(udp([1, 0, 0, 127, 1] ++ header ++ Self.wireless, to: 37008)) }
    }
  }

  private static let wireless = [8, 1] ++ Wire.zeros(22) ++ snap ++ Wire.packet4

  /// Headers of Prism in both byte orders, and of AVS in both versions.
  private let radioHeaders: [[UInt8]] = [
    [0x44, 0, 0, 0, 144, 0, 0, 0] ++ Wire.zeros(136), [0, 0, 0, 0x41, 0, 0, 0, 144] ++ Wire.zeros(136),
    [0x80, 0x21, 0x10, 1, 0, 0, 0, 64] ++ Wire.zeros(56), [0x80, 0x21, 0x10, 2, 0, 0, 0, 80] ++ Wire.zeros(72),
  ]

  @Test func radioHeadersInFiles() {
    for header in radioHeaders {
      for number: UInt32 in header[0] == 0x80 ? [119, 163] : [119] {
        expectDecoding(
          header ++ Self.wireless, LinkType(rawValue: number),
          classes: [.link: header.count + 32, .network: 20, .transport: 20], synthetic: header.count,
          tcpPayload: 10)
        let cut = Array(header.dropLast())
        expectDecoding(
          cut, LinkType(rawValue: number), classes: [.malformed: cut.count], anomalies: [.linkHeaderMalformed])
      }
    }
  }

  @Test func capwap() {
    expectOpened(udp([0, 0x10, 2, 0, 0, 0, 0, 0] ++ Self.frame, to: 5247))
    expectOpened(udp([0, 0x10, 2, 0, 0, 0, 0, 0] ++ Self.frame, from: 5247, to: 40000))
    // Radio identifier and wireless information.
    expectOpened(udp([0, 0x20, 2, 0x30] ++ Wire.zeros(12) ++ Self.frame, to: 5247))
    let wireless = Wire.zeros(22) ++ Self.snap ++ Wire.packet4
    expectOpened(udp([0, 0x10, 3, 0, 0, 0, 0, 0, 8, 1] ++ wireless, to: 5247))
    // The octets of the frame control have changed places.
    expectOpened(udp([0, 0x10, 3, 0, 0, 0, 0, 0, 1, 8] ++ wireless, to: 5247))
  }

  /// Fragments of a frame, in CAPWAP headers with `binding`: pieces of `unit` octets.
  private func fragments(
    _ frame: [UInt8], unit: Int, binding: UInt8 = 2, number: UInt8 = 7, from source: Int = 40000
  ) -> [[UInt8]] {
    stride(from: 0, to: frame.count, by: unit).map { start in
      let end = min(start + unit, frame.count)
      let flags: UInt8 = end == frame.count ? 0xc0 : 0x80
      return udp(
        [0, 0x10, binding, flags, 0, number] ++ Wire.be16(start) ++ Array(frame[start..<end]), from: source, to: 5247)
    }
  }

  @Test func fragmentsOfCAPWAP() {
    let native = [8, 1] ++ Wire.zeros(22) ++ Self.snap ++ Wire.packet4
    let swapped = [1, 8] ++ Wire.zeros(22) ++ Self.snap ++ Wire.packet4
    for (frame, binding) in [(Self.frame, 2), (native, 3), (swapped, 3)] as [([UInt8], UInt8)] {
      for unit in [8, 32, 80] {
        let pieces = fragments(frame, unit: unit, binding: binding)
        for order in [Array(pieces.indices), pieces.indices.reversed()] {
          var balance = Balance()
          for index in order.dropLast() { #expect(balance.decode(pieces[index], .raw) == .nothing) }
          guard case .reassembledTCP(let segment) = balance.decode(pieces[order[order.count - 1]], .raw) else {
            Issue.record("no segment in \(pieces.count) pieces")
            continue
          }
          #expect(segment.payloadLength == 10 && segment.networkLength == 20)
          balance.finish()
          #expect(balance.isBalanced && balance.anomalies.all.isEmpty)
          let headers = pieces.count * 36 + frame.count - 50
          #expect(balance.classes == [.encapsulation: headers, .network: 20, .transport: 20])
        }
      }
    }
  }

  @Test func fragmentsOfCAPWAPStayApart() {
    // Two senders and two identifiers, in turn.
    let all = [(7, 40000), (8, 40000), (7, 40001)].map {
      fragments(Self.frame, unit: 40, number: UInt8($0.0), from: $0.1)
    }
    var balance = Balance()
    var segments = 0
    for index in 0..<2 {
      for pieces in all {
        if case .reassembledTCP = balance.decode(pieces[index], .raw) { segments += 1 }
      }
    }
    balance.finish()
    #expect(segments == 3 && balance.isBalanced && balance.anomalies.all.isEmpty)
  }

  /// Without an IP header inside, all is UDP, whether pieces are missing or not.
  @Test func fragmentsOfOtherFramesStayUDP() {
    let pieces = fragments(Self.frame, unit: 24)
    let management = fragments([0x80, 0] ++ Wire.zeros(60), unit: 24, binding: 3)
    for (some, anomaly) in [(Array(pieces.dropFirst()), Anomaly.fragmentIncomplete), (management, nil)] {
      var balance = Balance()
      for piece in some { #expect(balance.decode(piece, .raw) == .nothing) }
      balance.finish()
      #expect(balance.isBalanced)
      #expect(balance.anomalies.all.map(\.anomaly) == (anomaly.map { [$0] } ?? []))
      let network = 20 * some.count
      #expect(balance.classes == [.network: network, .udp: some.map(\.count).reduce(0, +) - network])
    }
  }

  @Test func ethernetOverIP() {
    let length = Wire.be16(Self.frame.count)
    expectOpened(Wire.ipv4(47, [0x20, 1, 0x64, 0] ++ length ++ [7, 0] ++ Self.frame))
    expectOpened(Wire.ipv4(47, [0x20, 1, 0x64, 0] ++ length ++ [7, 0] ++ Self.frame ++ Wire.zeros(5)))
    // A keep-alive.
    expectDecoding(
      Wire.ipv4(47, [0x20, 1, 0x64, 0, 0, 0, 7, 0]), .raw, classes: [.network: 20, .otherIP: 8])
    expectDecoding(
      Wire.ipv4(47, [0x20, 1, 0x64, 0, 0, 0]), .raw, classes: [.network: 20, .malformed: 6],
      anomalies: [.tunnelHeaderMalformed])
  }

  @Test func l2tp() {
    let ppp: [UInt8] = [0xff, 3, 0, 0x21] ++ Wire.packet4
    expectOpened(udp([0, 2, 0, 1, 0, 2] ++ ppp, to: 1701))
    expectOpened(udp([0, 2, 0, 1, 0, 2] ++ ppp, from: 1701, to: 40000))
    expectOpened(udp([0, 2, 0, 1, 0, 2, 0x21] ++ Wire.packet4, to: 1701))
    // Length, sequence numbers and an offset; octets behind the length.
    let all = [0x4a, 2] ++ Wire.be16(16 + ppp.count) ++ Wire.zeros(8) ++ Wire.be16(2) ++ Wire.zeros(2)
    expectOpened(udp(all ++ ppp, to: 1701))
    expectOpened(udp(all ++ ppp ++ Wire.zeros(3), to: 1701))
    // Priority.
    expectOpened(udp([1, 2, 0, 1, 0, 2] ++ ppp, to: 1701))
  }

  @Test func serviceHeadersAndLISP() {
    let base: [UInt8] = Wire.be16(0x0fc2) ++ [2]
    expectOpened(Wire.ipv4(47, [0, 0, 0x89, 0x4f] ++ base ++ [3] ++ Wire.zeros(4) ++ Self.frame))
    expectOpened(udp([0x0c, 0, 0, 4, 0, 0, 7, 0] ++ base ++ [1] ++ Wire.zeros(4) ++ Wire.packet4, to: 4790))
    expectOpened(udp([0x80, 0, 0, 1, 0, 0, 0, 0] ++ Wire.packet4, to: 4341))
    expectOpened(udp([0xc8, 0, 0, 1, 0, 0, 0, 1] ++ Wire.packet6, to: 4341), network: 40)
    expectOpened(udp([4, 0, 0, 3, 0, 0, 0, 0] ++ Self.frame, to: 4341))
  }

  @Test func whatLooksOtherwiseStaysUDP() {
    let ppp: [UInt8] = [0xff, 3, 0, 0x23] ++ Wire.zeros(40)
    let payloads: [(port: Int, payload: [UInt8])] = [
      // A keep-alive, an unknown kind of frame, and fields without an end.
      (37008, [1, 4, 0, 0]), (37008, [2, 0, 0, 1, 1] ++ Wire.zeros(40)), (37008, [1, 0, 0, 99, 1] ++ Wire.zeros(40)),
      (37008, [1, 0, 0, 1, 10, 200] ++ Wire.zeros(40)), (37008, [1, 0, 0, 1, 0, 0]),
      // A keep-alive, and another binding.
      (5247, [0, 0x10, 2, 8] ++ Wire.zeros(20)), (5247, [0, 0x10, 5, 0] ++ Wire.zeros(40)),
      (5247, [0, 0x08, 2, 0] ++ Wire.zeros(40)), (5247, [0x10, 0x10, 2, 0] ++ Wire.zeros(40)), (5247, []),
      // Control messages, another version, and PPP of something else.
      (1701, [0xc8, 2] ++ Wire.be16(20) ++ Wire.zeros(16)), (1701, [0, 3, 0, 0] ++ Wire.zeros(40)),
      (1701, [0, 2, 0, 1, 0, 2] ++ ppp), (1701, [0x42, 2, 0, 200] ++ Wire.zeros(40)),
      (1701, [2, 2, 0, 1, 0, 2, 1, 0] ++ Wire.zeros(40)),
      // Encrypted.
      (4341, [1, 0, 0, 1, 0, 0, 0, 0, 0x45] ++ Wire.zeros(40)), (4341, [0x80, 0, 0, 1, 0, 0, 0, 0]),
      (4341, [0x80, 0, 0, 1, 0, 0, 0, 0, 0x77] ++ Wire.zeros(40)),
    ]
    for (port, payload) in payloads {
      expectDecoding(udp(payload, to: port), .raw, classes: [.network: 20, .udp: 8 + payload.count])
    }
    expectDecoding(
      udp([1, 0, 0, 0, 23, 0xfe, 0xfd] ++ Wire.zeros(40), to: 5247), .raw, classes: [.network: 20, .udp: 55],
      anomalies: [.linkPayloadEncrypted])
  }

  @Test func packetsThatAreNotOpenedAreNamed() {
    func name(_ octets: [UInt8], _ linkType: LinkType = .ethernet) -> [String] {
      var balance = Balance()
      balance.decode(octets, linkType)
      balance.finish()
      #expect(balance.isBalanced)
      return balance.anomalies.all.map {
        $0.anomaly.rawValue + " " + String(decoding: $0.count.example, as: UTF8.self)
      }
    }
    #expect(name(Wire.ethernet(0x1234, Wire.zeros(9) ++ Self.frame)) == ["packet_not_opened EtherType 0x1234"])
    #expect(
      name(Wire.ethernet(0x1234, Wire.zeros(9) ++ Wire.ethernet(0x86dd, Wire.packet6)))
        == ["packet_not_opened EtherType 0x1234"])
    #expect(name(udp(Wire.zeros(40) ++ Wire.packet4, to: 5555), .raw) == ["packet_not_opened UDP port 5555"])
    #expect(name(Wire.ipv4(115, Wire.zeros(4) ++ Self.frame), .raw) == ["packet_not_opened IP protocol 115"])
    #expect(
      name(udp([0, 0, 0x12, 0x34, 0, 0, 1, 0] ++ Self.frame, to: 6081), .raw) == ["packet_not_opened EtherType 0x1234"])
    #expect(name(Wire.zeros(3) ++ Wire.packet4, LinkType(rawValue: 147)) == ["unsupported_link_type link type 147"])
    // Errors quote packets; a wrong checksum is no header; nothing is looked for in QUIC and DNS.
    var bad = Wire.packet4
    bad[10] ^= 1
    #expect(name(Wire.ipv4(1, [3, 1, 0, 0, 0, 0, 0, 0] ++ Wire.packet4), .raw) == [])
    #expect(name(udp(Wire.zeros(9) ++ bad, to: 5555), .raw) == [])
    #expect(name(udp(Wire.zeros(9) ++ Wire.packet4, to: 443), .raw) == [])
    #expect(name(udp(Wire.zeros(70) ++ Wire.packet4, to: 5555), .raw) == [])
  }
}

/// Packets in tunnels that a network card has yet to segment: outer lengths are those of one segment.
@Suite struct SegmentedTunnelTests {
  /// A GENEVE frame with `payload` octets of TCP behind headers for `outer` and `inner` of them.
  private func frame(payload: Int, outer: Int, inner: Int, trailer: Int = 0) -> [UInt8] {
    let tcp = Wire.tcp(Wire.payload(payload))
    let packet = Wire.ipv4(6, tcp, totalLength: 40 + inner)
    let geneve: [UInt8] = [0, 0, 0x65, 0x58, 0, 0, 1, 0] ++ Wire.ethernet(0x0800, packet)
    let udp = Wire.udp(geneve, to: 6081, length: 8 + 8 + 14 + 40 + outer)
    return Wire.ethernet(0x0800, Wire.ipv4(17, udp, totalLength: 20 + 70 + outer)) ++ Wire.zeros(trailer)
  }

  private func expectWhole(
    _ octets: [UInt8], payload: Int, trailer: OctetClass? = nil, originalLength: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var classes: [OctetClass: Int] = [.link: 14, .encapsulation: 20 + 8 + 8 + 14, .network: 20, .transport: 20]
    if let trailer { classes[trailer, default: 0] += 4 }
    expectDecoding(
      octets, originalLength: originalLength, classes: classes, tcpPayload: payload,
      anomalies: [.tunnelLengthOfSegment], sourceLocation: sourceLocation)
  }

  @Test func innerLengthIsTheWhole() {
    expectWhole(frame(payload: 20_000, outer: 1_400, inner: 20_000), payload: 20_000)
    expectWhole(
      frame(payload: 20_000, outer: 1_400, inner: 20_000, trailer: 4), payload: 20_000, trailer: .encapsulation)
  }

  @Test func innerLengthIsOneSegments() {
    expectWhole(frame(payload: 20_000, outer: 1_400, inner: 1_400), payload: 20_000)
    expectWhole(
      Array(frame(payload: 20_000, outer: 1_400, inner: 1_400)[..<200]), payload: 20_000, originalLength: 20_104)
  }

  @Test func trailersStayLink() {
    // A trailer as taps add them; a frame that is not long; and lengths that do not agree.
    for (octets, link) in [
      (frame(payload: 1_600, outer: 1_560, inner: 1_560), 14 + 40),
      (frame(payload: 1_200, outer: 1_000, inner: 1_000), 214),
    ] {
      let payload = octets.count - link - 90
      expectDecoding(
        octets, classes: [.link: link, .encapsulation: 50, .network: 20, .transport: 20], tcpPayload: payload)
    }
    expectDecoding(
      frame(payload: 20_000, outer: 1_400, inner: 1_300),
      classes: [.link: 14 + 18_600, .encapsulation: 150, .network: 20, .transport: 20], tcpPayload: 1_300)
    expectDecoding(
      frame(payload: 20_000, outer: 1_400, inner: 19_000), classes: [.link: 18_614, .network: 20, .udp: 1_470])
    // Without a tunnel there is no other length to go by.
    let plain = Wire.ethernet(0x0800, Wire.ipv4(6, Wire.tcp(Wire.payload(5_000)), totalLength: 1_040))
    expectDecoding(plain, classes: [.link: 4_014, .network: 20, .transport: 20], tcpPayload: 1_000)
  }
}
