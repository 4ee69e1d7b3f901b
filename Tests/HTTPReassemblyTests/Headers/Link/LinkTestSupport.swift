import HTTPReassembly
import Testing

infix operator ++ : AdditionPrecedence

/// Joins octets. With its one overload, long chains are type-checked at once, which those of `+` are not.
func ++ (a: [UInt8], b: [UInt8]) -> [UInt8] { a + b }

/// Headers built by hand, with the fields that tests vary.
enum Wire {
  static func be16(_ value: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
  }
  static func be32(_ value: Int) -> [UInt8] { be16(value >> 16) ++ be16(value) }
  static func le16(_ value: Int) -> [UInt8] { be16(value).reversed() }
  static func le32(_ value: Int) -> [UInt8] { be32(value).reversed() }
  static func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

  /// `count` octets that differ from one another.
  static func payload(_ count: Int, seed: Int = 7) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed) }
  }

  static func ethernet(_ type: Int, _ payload: [UInt8]) -> [UInt8] {
    [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2] ++ be16(type) ++ payload
  }

  static func ipv4(
    _ number: UInt8, _ payload: [UInt8], options: [UInt8] = [], totalLength: Int? = nil, identification: Int = 1,
    fragmentOffset: Int = 0, hasMore: Bool = false, source: [UInt8] = [10, 0, 0, 1],
    destination: [UInt8] = [10, 0, 0, 2]
  ) -> [UInt8] {
    var header: [UInt8] = [UInt8(0x45 + options.count / 4), 0]
    header += be16(totalLength ?? 20 + options.count + payload.count) ++ be16(identification)
    header += be16(fragmentOffset / 8 | (hasMore ? 0x2000 : 0)) ++ [64, number, 0, 0] ++ source ++ destination
      ++ options
    let sum = checksum(header)
    header[10] = UInt8(sum >> 8)
    header[11] = UInt8(sum & 0xff)
    return header ++ payload
  }

  static let address6A: [UInt8] = [0x20, 1, 0xd, 0xb8] ++ zeros(11) ++ [1]
  static let address6B: [UInt8] = [0x20, 1, 0xd, 0xb8] ++ zeros(11) ++ [2]

  static func ipv6(
    _ next: UInt8, _ payload: [UInt8], payloadLength: Int? = nil, source: [UInt8] = address6A,
    destination: [UInt8] = address6B
  ) -> [UInt8] {
    [0x60, 0, 0, 0] ++ be16(payloadLength ?? payload.count) ++ [next, 64] ++ source ++ destination ++ payload
  }

  /// A fragment header and what follows it.
  static func fragment6(
    _ next: UInt8, _ payload: [UInt8], offset: Int, hasMore: Bool, identification: Int = 9
  ) -> [UInt8] {
    [next, 0] ++ be16(offset | (hasMore ? 1 : 0)) ++ be32(identification) ++ payload
  }

  static func tcp(
    _ payload: [UInt8] = [], flags: UInt8 = 0x18, options: [UInt8] = [], sequence: Int = 1000, dataOffset: UInt8? = nil,
    sourcePort: Int = 40000, destinationPort: Int = 80
  ) -> [UInt8] {
    be16(sourcePort) ++ be16(destinationPort) ++ be32(sequence) ++ be32(2000)
      ++ [(dataOffset ?? UInt8(5 + options.count / 4)) << 4, flags] ++ be16(512) ++ zeros(4) ++ options ++ payload
  }

  static func udp(_ payload: [UInt8], from source: Int = 40000, to destination: Int, length: Int? = nil) -> [UInt8] {
    be16(source) ++ be16(destination) ++ be16(length ?? 8 + payload.count) ++ zeros(2) ++ payload
  }

  static func checksum(_ octets: [UInt8]) -> Int {
    var sum = 0
    for (index, octet) in octets.enumerated() { sum += Int(octet) << (index.isMultiple(of: 2) ? 8 : 0) }
    while sum >> 16 != 0 { sum = sum >> 16 + sum & 0xffff }
    return ~sum & 0xffff
  }

  /// An IPv4 packet of 20 + 20 + 10 octets.
  static let packet4 = ipv4(6, tcp(payload(10)))
  /// An IPv6 packet of 40 + 20 + 10 octets.
  static let packet6 = ipv6(6, tcp(payload(10)))
}

/// A decoder that checks the balance of the ledger after every packet.
struct Balance {
  var decoder: PacketDecoder
  var ledger = Ledger()
  var anomalies = AnomalyLog()
  /// TCP payload returned so far: the pipeline would charge it.
  var tcpPayload = 0
  /// The later frames of the last packet, if it was an aggregate.
  var laterFrames: [DecodedPacket] = []
  var isBalanced = true

  init(configuration: Configuration = Configuration()) { decoder = PacketDecoder(configuration: configuration) }

  @discardableResult
  mutating func decode(
    _ octets: [UInt8], _ linkType: LinkType = .ethernet, originalLength: Int? = nil, at time: Int64 = 0,
    frameCheckSequenceLength: Int = 0
  ) -> DecodedPacket {
    let packet = Packet(
      timestamp: time, originalLength: originalLength ?? octets.count, linkType: linkType,
      frameCheckSequenceLength: frameCheckSequenceLength)
    return decode(packet, octets)
  }

  @discardableResult
  mutating func decode(_ packet: Packet, _ octets: [UInt8]) -> DecodedPacket {
    let decoded = octets.withOctets { decoder.decode(packet, $0, ledger: &ledger, anomalies: &anomalies) }
    check(decoded, captured: octets.count)
    laterFrames = []
    while let next = octets.withOctets({ decoder.decodeNext($0, ledger: &ledger, anomalies: &anomalies) }) {
      check(next, captured: octets.count)
      laterFrames.append(next)
    }
    checkSum()
    return decoded
  }

  private mutating func check(_ decoded: DecodedPacket, captured: Int) {
    switch decoded {
    case .nothing: break
    case .tcp(let segment):
      tcpPayload += segment.payloadLength
      check(segment.payloadOffset, segment.payloadLength, segment.capturedPayloadLength, captured)
      isBalanced = isBalanced && segment.headerLength >= 20 && segment.networkLength >= 20
    case .reassembledTCP(let segment):
      tcpPayload += segment.payloadLength
      let count = decoder.withReassembled { $0.byteCount }
      check(segment.payloadOffset, segment.payloadLength, segment.capturedPayloadLength, count)
    case .udp(let datagram):
      // Nobody claims it here.
      ledger.charge(datagram.length, to: .udp)
      check(datagram.payloadOffset, datagram.payloadLength, datagram.capturedPayloadLength, captured)
    case .reassembledUDP(let datagram):
      ledger.charge(datagram.length, to: .udp)
      let count = decoder.withReassembled { $0.byteCount }
      check(datagram.payloadOffset, datagram.payloadLength, datagram.capturedPayloadLength, count)
    }
  }

  /// Checks that every octet has a class, once all frames of a packet are decoded.
  private mutating func checkSum() {
    let classed = OctetClass.allCases.allSatisfy { ledger[$0] >= 0 }
    isBalanced =
      isBalanced && classed && ledger.pending >= 0 && ledger.synthetic <= ledger[.link]
      && ledger.total + ledger.pending + tcpPayload == ledger.original
  }

  private mutating func check(_ offset: Int, _ length: Int, _ captured: Int, _ available: Int) {
    isBalanced = isBalanced && offset >= 0 && captured >= 0 && captured <= length && offset + captured <= available
  }

  mutating func finish() {
    decoder.finish(ledger: &ledger, anomalies: &anomalies)
    isBalanced = isBalanced && ledger.pending == 0 && ledger.total + tcpPayload == ledger.original
  }

  /// The classes that have octets.
  var classes: [OctetClass: Int] {
    Dictionary(uniqueKeysWithValues: OctetClass.allCases.map { ($0, ledger[$0]) }.filter { $0.1 != 0 })
  }
}

/// Decodes one packet, and expects its classes, its TCP payload (nil: no segment) and that the ledger balances.
@discardableResult
func expectDecoding(
  _ octets: [UInt8], _ linkType: LinkType = .ethernet, originalLength: Int? = nil, frameCheckSequenceLength: Int = 0,
  configuration: Configuration = Configuration(), classes: [OctetClass: Int], synthetic: Int = 0,
  tcpPayload: Int? = nil,
  anomalies: [Anomaly] = [], sourceLocation: SourceLocation = #_sourceLocation
) -> DecodedPacket {
  var balance = Balance(configuration: configuration)
  let decoded = balance.decode(
    octets, linkType, originalLength: originalLength, frameCheckSequenceLength: frameCheckSequenceLength)
  #expect(balance.isBalanced, sourceLocation: sourceLocation)
  #expect(balance.classes == classes, sourceLocation: sourceLocation)
  #expect(balance.ledger.synthetic == synthetic, sourceLocation: sourceLocation)
  if case .tcp(let segment) = decoded {
    #expect(segment.payloadLength == tcpPayload, sourceLocation: sourceLocation)
  } else {
    #expect(tcpPayload == nil, sourceLocation: sourceLocation)
  }
  #expect(balance.anomalies.all.map(\.anomaly) == anomalies, sourceLocation: sourceLocation)
  return decoded
}
