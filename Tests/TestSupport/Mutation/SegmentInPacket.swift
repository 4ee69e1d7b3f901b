import HTTPReassembly

/// A captured packet with a TCP segment in it, to be cut up: link-layer header, one IP header, TCP header, payload.
struct SegmentInPacket {
  private let packet: TestPacket
  private let ip: Int
  private let tcp: Int
  private let payload: Int
  /// Octets of the payload.
  let payloadLength: Int

  /// Nil unless the packet was captured whole, has a TCP segment that is not a SYN, behind one IP header without
  /// options, and a link layer that does not say how long it is.
  init?(_ packet: TestPacket) {
    guard packet.octets.count == packet.originalLength, packet.frameCheckSequenceLength == 0 else { return nil }
    var decoder = PacketDecoder(configuration: Configuration())
    var ledger = Ledger()
    var anomalies = AnomalyLog()
    let decoded = packet.octets.withOctets {
      decoder.decode(packet.facts, $0, ledger: &ledger, anomalies: &anomalies)
    }
    guard case .tcp(let segment) = decoded, anomalies.all.isEmpty, ledger[.encapsulation] == 0, ledger.synthetic == 0,
      !segment.flags.contains(.syn), segment.networkLength == (segment.source.address.isIPv4 ? 20 : 40)
    else { return nil }
    tcp = segment.payloadOffset - segment.headerLength
    ip = tcp - segment.networkLength
    payload = segment.payloadOffset
    payloadLength = segment.payloadLength
    self.packet = packet
    guard hasPlainLink, isIPv4 || packet.octets[ip + 6] == 6, !isIPv4 || packet.octets[ip + 6] & 0x3f == 0 else {
      return nil
    }
  }

  /// Octets behind the IP header.
  var datagramLength: Int { payload + payloadLength - tcp }

  private var isIPv4: Bool { packet.octets[ip] >> 4 == 4 }

  private var hasPlainLink: Bool {
    switch packet.linkType {
    case .raw, .ipv4, .ipv6: ip == 0
    case .null, .loop: ip == 4
    case .linuxSLL: ip == 16
    case .linuxSLL2: ip == 20
    case .ethernet: ip == 14 || ip == 18
    default: false
    }
  }

  /// The segment with the part of its payload in `range`; FIN and PSH go with the last octet. `changing` is the place of
  /// an octet in the payload that becomes another.
  func part(_ range: Range<Int>, changing place: Int? = nil) -> TestPacket {
    var octets =
      Array(packet.octets[..<payload]) + packet.octets[payload + range.lowerBound..<payload + range.upperBound]
    octets.add(UInt32(range.lowerBound), at: tcp + 4)
    if range.upperBound < payloadLength { octets[tcp + 13] &= ~0x09 }
    if let place { octets[payload + place - range.lowerBound] ^= 0x15 }
    setLength(&octets)
    octets.set16(0, at: tcp + 16)
    let addresses = isIPv4 ? ip + 12..<ip + 20 : ip + 8..<ip + 40
    let pseudo =
      Array(octets[addresses]) + [0, 6, UInt8((octets.count - tcp) >> 8), UInt8((octets.count - tcp) & 0xff)]
    octets.set16((pseudo + octets[tcp...]).onesComplementSum, at: tcp + 16)
    return copy(octets)
  }

  /// The part of the datagram in `range`, whose start is a multiple of 8, as a fragment.
  func fragment(_ range: Range<Int>, _ identification: UInt32) -> TestPacket {
    let hasMore = range.upperBound < datagramLength
    var octets = Array(packet.octets[..<tcp])
    let content = packet.octets[tcp + range.lowerBound..<tcp + range.upperBound]
    if isIPv4 {
      octets.set16(Int(identification & 0xffff), at: ip + 4)
      octets.set16(range.lowerBound >> 3 | (hasMore ? 0x2000 : 0), at: ip + 6)
    } else {
      let next = octets[ip + 6]
      octets[ip + 6] = 44
      octets += [next, 0, 0, 0, 0, 0, 0, 0]
      octets.set16(range.lowerBound | (hasMore ? 1 : 0), at: tcp + 2)
      octets.set16(Int(identification >> 16), at: tcp + 4)
      octets.set16(Int(identification & 0xffff), at: tcp + 6)
    }
    octets += content
    setLength(&octets)
    return copy(octets)
  }

  private func setLength(_ octets: inout [UInt8]) {
    guard isIPv4 else { return octets.set16(octets.count - ip - 40, at: ip + 4) }
    octets.set16(octets.count - ip, at: ip + 2)
    octets.set16(0, at: ip + 10)
    octets.set16(Array(octets[ip..<ip + 20]).onesComplementSum, at: ip + 10)
  }

  private func copy(_ octets: [UInt8]) -> TestPacket {
    var copy = packet
    copy.octets = octets
    copy.originalLength = octets.count
    return copy
  }
}

extension [UInt8] {
  fileprivate mutating func set16(_ value: Int, at offset: Int) {
    self[offset] = UInt8(value >> 8 & 0xff)
    self[offset + 1] = UInt8(value & 0xff)
  }

  fileprivate mutating func add(_ value: UInt32, at offset: Int) {
    let sum = self[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } &+ value
    set16(Int(sum >> 16), at: offset)
    set16(Int(sum & 0xffff), at: offset + 2)
  }

  /// The Internet checksum (RFC 1071).
  fileprivate var onesComplementSum: Int {
    var sum = 0
    for (index, octet) in enumerated() { sum += Int(octet) << (index.isMultiple(of: 2) ? 8 : 0) }
    while sum >> 16 != 0 { sum = sum >> 16 + sum & 0xffff }
    return ~sum & 0xffff
  }
}
