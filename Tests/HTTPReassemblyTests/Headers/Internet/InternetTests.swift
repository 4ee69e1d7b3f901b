import HTTPReassembly
import Testing

/// IPv4, IPv6, TCP and UDP headers, and the lengths they give.
@Suite struct InternetTests {
  @Test func optionsAreHeaders() {
    let segment = Wire.tcp(Wire.payload(5), flags: 0x02, options: [2, 4, 5, 0xb4, 1, 3, 3, 7])
    let packet = Wire.ipv4(6, segment, options: [0x94, 4, 0, 0])
    let decoded = expectDecoding(packet, .raw, classes: [.network: 24, .transport: 28], tcpPayload: 5)
    guard case .tcp(let segment) = decoded else { return }
    #expect(segment.windowScale == 7)
    #expect(segment.flags == .syn)
    #expect(segment.networkLength == 24)
  }

  @Test func windowScaleOption() {
    func scale(_ options: [UInt8], flags: UInt8 = 0x12) -> UInt8? {
      var balance = Balance()
      guard case .tcp(let segment) = balance.decode(Wire.ipv4(6, Wire.tcp(flags: flags, options: options)), .raw)
      else { return nil }
      return segment.windowScale
    }
    #expect(scale([3, 3, 14, 0]) == 14)
    #expect(scale([3, 3, 99, 0]) == 14)  // RFC 7323 §2.3
    #expect(scale([1, 1, 1, 3, 3, 2, 0, 0]) == 2)
    #expect(scale([0, 3, 3, 2]) == nil)  // Behind the end of the list.
    #expect(scale([3, 3, 2, 0], flags: 0x10) == nil)  // Only a SYN's counts.
    #expect(scale([2, 0, 3, 3, 2, 0, 0, 0]) == nil)  // A length of 0 would never end.
    #expect(scale([2, 60, 3, 3]) == nil)
    #expect(scale([1, 1, 1, 3]) == nil)
  }

  @Test func lengthBeyondTheFrame() {
    let packet = Wire.ipv4(6, Wire.tcp(Wire.payload(10)), totalLength: 900)
    expectDecoding(
      packet, .raw, classes: [.network: 20, .transport: 20], tcpPayload: 10, anomalies: [.ipLengthBeyondFrame])
    expectDecoding(
      Wire.ipv6(6, Wire.tcp(Wire.payload(10)), payloadLength: 900), .raw, classes: [.network: 40, .transport: 20],
      tcpPayload: 10, anomalies: [.ipLengthBeyondFrame])
  }

  @Test func lengthZeroOfOffloadedSegments() {
    let packet = Wire.ipv4(6, Wire.tcp(Wire.payload(3000)), totalLength: 0)
    expectDecoding(
      Wire.ethernet(0x0800, packet) ++ Wire.zeros(4), frameCheckSequenceLength: 4,
      classes: [.link: 18, .network: 20, .transport: 20], tcpPayload: 3000, anomalies: [.ipTotalLengthZero])
    expectDecoding(
      Wire.ipv6(6, Wire.tcp(Wire.payload(3000)), payloadLength: 0), .raw, classes: [.network: 40, .transport: 20],
      tcpPayload: 3000, anomalies: [.ipTotalLengthZero])
    // Where no TCP follows, the length is what it says.
    expectDecoding(
      Wire.ethernet(0x86dd, Wire.ipv6(59, Wire.zeros(6), payloadLength: 0)), classes: [.link: 20, .network: 40])
  }

  @Test func jumbogram() {
    // RFC 2675: the option's length counts from the end of the IPv6 header.
    let payload = Wire.payload(70000)
    func packet(_ length: Int) -> [UInt8] {
      let options = [6, 0, 0xc2, 4] ++ Wire.be32(length)
      return Wire.ipv6(0, options ++ Wire.tcp(payload), payloadLength: 0)
    }
    expectDecoding(packet(8 + 20 + 70000), .raw, classes: [.network: 48, .transport: 20], tcpPayload: 70000)
    expectDecoding(
      packet(8 + 20 + 69990), .raw, classes: [.link: 10, .network: 48, .transport: 20], tcpPayload: 69990)
    expectDecoding(
      packet(8 + 20 + 90000), .raw, classes: [.network: 48, .transport: 20], tcpPayload: 70000,
      anomalies: [.ipLengthBeyondFrame])
  }

  @Test func ipv6ExtensionHeaders() {
    // Hop-by-hop, destination options, routing (spent), AH, an atomic fragment, mobility would end it.
    let chain =
      [60, 0] ++ Wire.zeros(6) ++ [43, 1] ++ Wire.zeros(14) ++ [51, 2, 0, 0] ++ Wire.zeros(20) ++ [44, 4]
      ++ Wire.zeros(22)
      ++ Wire.fragment6(6, Wire.tcp(Wire.payload(4)), offset: 0, hasMore: false)
    expectDecoding(
      Wire.ipv6(0, chain), .raw, classes: [.network: 40 + 8 + 16 + 24 + 24 + 8, .transport: 20], tcpPayload: 4)
    expectDecoding(Wire.ipv6(135, [59, 1] ++ Wire.zeros(14)), .raw, classes: [.network: 56])
    expectDecoding(Wire.ipv6(50, Wire.zeros(40)), .raw, classes: [.network: 40, .otherIP: 40])
  }

  @Test func ipv6ExtensionChainIsBounded() {
    let options: [UInt8] = [60, 0, 0, 0, 0, 0, 0, 0]
    let chain = Array(repeating: options, count: 9).flatMap { $0 }
    expectDecoding(
      Wire.ipv6(60, chain), .raw, classes: [.network: 40 + 64, .malformed: 8], anomalies: [.ipv6ExtensionChainTooLong])
    expectDecoding(
      Wire.ipv6(60, [6, 9, 0, 0, 0, 0, 0, 0]), .raw, classes: [.network: 40, .malformed: 8],
      anomalies: [.ipHeaderMalformed])
  }

  @Test func routingHeaderNamesTheDestination() {
    let final: [UInt8] = [0x20, 1, 0xd, 0xb8] ++ Wire.zeros(11) ++ [9]
    func destination(_ header: [UInt8]) -> String? {
      var balance = Balance()
      guard case .tcp(let segment) = balance.decode(Wire.ipv6(43, header ++ Wire.tcp()), .raw) else { return nil }
      return segment.destination.address.description
    }
    #expect(destination([6, 4, 0, 1] ++ Wire.zeros(4) ++ Wire.address6A ++ final) == "2001:db8::9")
    #expect(destination([6, 4, 4, 1] ++ Wire.zeros(4) ++ final ++ Wire.address6A) == "2001:db8::9")
    #expect(destination([6, 4, 0, 0] ++ Wire.zeros(4) ++ Wire.address6A ++ final) == "2001:db8::2")
  }

  @Test func headersThatCannotBeDecoded() {
    var packet = Wire.packet4
    packet[0] = 0x44
    expectDecoding(packet, .raw, classes: [.malformed: 50], anomalies: [.ipHeaderMalformed])
    expectDecoding(
      Wire.ethernet(0x0800, packet), classes: [.link: 14, .malformed: 50], anomalies: [.ipHeaderMalformed])
    expectDecoding(
      Wire.ipv4(6, Wire.tcp(), totalLength: 19), .raw, classes: [.malformed: 40], anomalies: [.ipHeaderMalformed])
    expectDecoding(
      Wire.ipv4(6, Wire.tcp(dataOffset: 4)), .raw, classes: [.network: 20, .malformed: 20],
      anomalies: [.tcpHeaderMalformed])
    expectDecoding(
      Wire.ipv4(6, Wire.tcp(dataOffset: 6)), .raw, classes: [.network: 20, .malformed: 20],
      anomalies: [.tcpHeaderMalformed])
    expectDecoding(
      Wire.ipv4(6, Wire.zeros(19)), .raw, classes: [.network: 20, .malformed: 19], anomalies: [.tcpHeaderMalformed])
    // Padding behind the IP packet is still known to be padding.
    expectDecoding(
      Wire.ethernet(0x0800, Wire.ipv4(6, Wire.tcp(dataOffset: 4)) ++ Wire.zeros(6)),
      classes: [.link: 20, .network: 20, .malformed: 20], anomalies: [.tcpHeaderMalformed])
  }

  @Test func otherProtocols() {
    expectDecoding(Wire.ipv4(1, Wire.zeros(30)), .raw, classes: [.network: 20, .otherIP: 30])
    expectDecoding(Wire.ipv4(50, Wire.zeros(30)), .raw, classes: [.network: 20, .otherIP: 30])
    expectDecoding(Wire.ipv6(58, Wire.zeros(30)), .raw, classes: [.network: 40, .otherIP: 30])
    expectDecoding(Wire.ipv4(0, Wire.zeros(30)), .raw, classes: [.network: 20, .otherIP: 30])
  }

  @Test func udpDatagram() {
    let decoded = expectDecoding(
      Wire.ethernet(0x0800, Wire.ipv4(17, Wire.udp(Wire.payload(12), from: 53, to: 6081) ++ Wire.zeros(3))),
      classes: [.link: 14, .network: 20, .udp: 23])
    guard case .udp(let datagram) = decoded else {
      Issue.record("not a datagram")
      return
    }
    #expect(datagram.source.description == "10.0.0.1:53")
    #expect(datagram.destination.description == "10.0.0.2:6081")
    #expect(datagram.payloadOffset == 42)
    #expect(datagram.payloadLength == 12)
    #expect(datagram.capturedPayloadLength == 12)
    // Lengths that lie: what there is counts.
    expectDecoding(
      Wire.ipv4(17, Wire.udp(Wire.payload(12), to: 9, length: 4)), .raw, classes: [.network: 20, .udp: 20])
    expectDecoding(
      Wire.ipv4(17, Wire.udp(Wire.payload(12), to: 9, length: 999)), .raw, classes: [.network: 20, .udp: 20])
    expectDecoding(Wire.ipv4(17, [1, 2, 3]), .raw, classes: [.network: 20, .udp: 3])
  }

  @Test func snapLength() {
    let frame = Wire.ethernet(0x0800, Wire.ipv4(6, Wire.tcp(Wire.payload(100), options: Wire.zeros(12))))
    func cut(_ count: Int) -> [UInt8] { Array(frame[..<count]) }
    let decoded = expectDecoding(
      cut(96), originalLength: frame.count, classes: [.link: 14, .network: 20, .transport: 32], tcpPayload: 100)
    guard case .tcp(let segment) = decoded else { return }
    #expect(segment.capturedPayloadLength == 30)
    // Options cut off: the header's length is known nevertheless.
    let short = expectDecoding(
      cut(54), originalLength: frame.count, classes: [.link: 14, .network: 20, .transport: 32], tcpPayload: 100)
    guard case .tcp(let segment) = short else { return }
    #expect(segment.capturedPayloadLength == 0)
    #expect(segment.payloadOffset == 54)
    expectDecoding(
      cut(53), originalLength: frame.count, classes: [.link: 14, .network: 20, .malformed: 132],
      anomalies: [.tcpHeaderNotCaptured])
    expectDecoding(
      cut(33), originalLength: frame.count, classes: [.link: 14, .malformed: 152], anomalies: [.ipHeaderNotCaptured])
    expectDecoding(
      cut(13), originalLength: frame.count, classes: [.malformed: 166], anomalies: [.linkHeaderMalformed])
    // Padding that was not captured is padding.
    expectDecoding(
      frame, originalLength: frame.count + 7, classes: [.link: 21, .network: 20, .transport: 32], tcpPayload: 100)
    // UDP without its header is UDP nevertheless.
    expectDecoding(
      Array(Wire.ipv4(17, Wire.udp(Wire.payload(12), to: 53))[..<24]), .raw, originalLength: 40,
      classes: [.network: 20, .udp: 20])
  }

  @Test func moreCapturedThanThereWas() {
    // A capture that contradicts itself: the original length counts.
    expectDecoding(
      Wire.packet4 ++ Wire.zeros(9), .raw, originalLength: 45, classes: [.network: 20, .transport: 20], tcpPayload: 5,
      anomalies: [.ipLengthBeyondFrame])
    expectDecoding(Wire.packet4, .raw, originalLength: -5, classes: [:], anomalies: [.ipHeaderMalformed])
  }

  @Test func checksums() {
    var configuration = Configuration()
    configuration.verifiesChecksums = true
    func isBad(_ packet: [UInt8], originalLength: Int? = nil) -> Bool? {
      var balance = Balance(configuration: configuration)
      guard case .tcp(let segment) = balance.decode(packet, .raw, originalLength: originalLength) else { return nil }
      return segment.hasBadChecksum
    }
    for count in [10, 11] {
      var segment = Wire.tcp(Wire.payload(count))
      let pseudo4: [UInt8] = [10, 0, 0, 1, 10, 0, 0, 2, 0, 6] ++ Wire.be16(segment.count)
      segment.replaceSubrange(16..<18, with: Wire.be16(Wire.checksum(pseudo4 ++ segment)))
      let packet4 = Wire.ipv4(6, segment)
      #expect(isBad(packet4) == false)
      #expect(isBad(packet4, originalLength: 70) == false)
      var damaged = packet4
      damaged[packet4.count - 1] ^= 1
      #expect(isBad(damaged) == true)
      #expect(isBad(Array(damaged.dropLast()), originalLength: damaged.count) == false)
      damaged = packet4
      damaged[8] ^= 1  // Time to live: only the header's checksum covers it.
      #expect(isBad(damaged) == true)

      var segment6 = Wire.tcp(Wire.payload(count))
      let pseudo6 = Wire.address6A ++ Wire.address6B ++ Wire.be32(segment6.count) ++ Wire.be32(6)
      segment6.replaceSubrange(16..<18, with: Wire.be16(Wire.checksum(pseudo6 ++ segment6)))
      #expect(isBad(Wire.ipv6(6, segment6)) == false)
      segment6[20] ^= 0x40
      #expect(isBad(Wire.ipv6(6, segment6)) == true)
    }
    #expect(isBad(Wire.packet4) == true)
  }
}
