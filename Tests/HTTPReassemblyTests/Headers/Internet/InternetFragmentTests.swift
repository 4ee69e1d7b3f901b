import HTTPReassembly
import TestSupport
import Testing

/// Fragments of IPv4 and IPv6 datagrams.
@Suite struct InternetFragmentTests {
  /// A segment of 20 + 200 octets, cut at multiples of 8.
  private let segment = Wire.tcp(Wire.payload(200))
  private let cuts = [0, 64, 72, 160, 220]

  private func pieces4(identification: Int = 1) -> [[UInt8]] {
    zip(cuts, cuts.dropFirst()).map { start, end in
      Wire.ipv4(
        6, Array(segment[start..<end]), identification: identification, fragmentOffset: start, hasMore: end != 220)
    }
  }

  private func pieces6() -> [[UInt8]] {
    zip(cuts, cuts.dropFirst()).map { start, end in
      Wire.ipv6(44, Wire.fragment6(6, Array(segment[start..<end]), offset: start, hasMore: end != 220))
    }
  }

  private func expectReassembled(
    _ decoded: DecodedPacket, _ balance: Balance, networkLength: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard case .reassembledTCP(let result) = decoded else {
      Issue.record("not reassembled", sourceLocation: sourceLocation)
      return
    }
    #expect(result.payloadLength == 200, sourceLocation: sourceLocation)
    #expect(result.capturedPayloadLength == 200, sourceLocation: sourceLocation)
    #expect(result.networkLength == networkLength, sourceLocation: sourceLocation)
    let isSame = balance.decoder.withReassembled { $0.hasSameOctets(as: segment) }
    #expect(isSame, sourceLocation: sourceLocation)
    #expect(result.payloadOffset == 20, sourceLocation: sourceLocation)
  }

  @Test func anyOrder() {
    var orders: [[Int]] = [[]]
    for _ in 0..<4 { orders = orders.flatMap { order in (0..<4).filter { !order.contains($0) }.map { order + [$0] } } }
    #expect(orders.count == 24)
    for order in orders {
      for (pieces, header) in [(pieces4(), 20), (pieces6(), 48)] {
        var balance = Balance()
        for index in order.dropLast() {
          #expect(balance.decode(pieces[index], .raw) == .nothing)
        }
        #expect(balance.ledger.pending > 0)
        let decoded = balance.decode(pieces[order[3]], .raw)
        expectReassembled(decoded, balance, networkLength: 4 * header)
        #expect(balance.classes == [.network: 4 * header, .transport: 20])
        #expect(balance.ledger.pending == 0)
        balance.finish()
        #expect(balance.isBalanced)
        #expect(balance.anomalies.all.isEmpty)
      }
    }
  }

  @Test func duplicatesAndOverlaps() {
    var balance = Balance()
    let pieces = pieces4()
    balance.decode(pieces[1], .raw)
    balance.decode(pieces[1], .raw)
    #expect(balance.classes == [.network: 40, .otherIP: 8])
    #expect(balance.anomalies[.fragmentOverlap] == 1)
    // 56..<80 holds piece 1 in its middle, with other octets there: the first captured copy counts.
    var overlapping = Array(segment[56..<80])
    overlapping[10] ^= 0xff
    balance.decode(Wire.ipv4(6, overlapping, fragmentOffset: 56, hasMore: true), .raw)
    #expect(balance.anomalies[.fragmentConflict] == 1)
    #expect(balance.ledger[.otherIP] == 16)
    #expect(balance.ledger.pending == 24)
    balance.decode(pieces[3], .raw)
    balance.decode(pieces[0], .raw)
    let decoded = balance.decode(pieces[2], .raw)
    expectReassembled(decoded, balance, networkLength: 120)
    // 8 octets each of the pieces 0 and 2 came before.
    #expect(balance.classes == [.network: 120, .transport: 20, .otherIP: 32])
    balance.finish()
    #expect(balance.isBalanced)
  }

  @Test func whatNeverCompletes() {
    var balance = Balance()
    balance.decode(pieces4()[0], .raw)
    balance.decode(Wire.ipv4(17, Wire.zeros(16), fragmentOffset: 800, hasMore: true), .raw)
    #expect(balance.ledger.pending == 80)
    balance.finish()
    #expect(balance.classes == [.network: 40, .otherIP: 64, .udp: 16])
    #expect(balance.anomalies[.fragmentIncomplete] == 2)
    #expect(balance.isBalanced)
  }

  @Test func timeOut() {
    var balance = Balance()
    let pieces = pieces4()
    for piece in pieces.dropLast() { balance.decode(piece, .raw, at: 1_000_000_000) }
    // Too late: the rest of the datagram is gone.
    #expect(balance.decode(pieces[3], .raw, at: 31_000_000_001) == .nothing)
    #expect(balance.ledger[.otherIP] == 160)
    #expect(balance.ledger.pending == 60)
    #expect(balance.anomalies[.fragmentIncomplete] == 1)
    // Times of a hostile capture.
    for time in [Int64.min, .max, 0, .min, .max] { balance.decode(pieces[1], .raw, at: time) }
    balance.finish()
    #expect(balance.isBalanced)
  }

  @Test func limits() {
    var configuration = Configuration()
    configuration.fragmentedDatagramLimit = 2
    var balance = Balance(configuration: configuration)
    for identification in 1...3 { balance.decode(pieces4(identification: identification)[0], .raw) }
    #expect(balance.anomalies[.fragmentTableFull] == 1)
    #expect(balance.ledger[.otherIP] == 64)
    #expect(balance.ledger.pending == 128)

    configuration = Configuration()
    configuration.fragmentOctetLimit = 300
    balance = Balance(configuration: configuration)
    for identification in 1...20 { balance.decode(pieces4(identification: identification)[0], .raw) }
    #expect(balance.ledger.pending <= 300)
    #expect(balance.anomalies[.fragmentTableFull] > 0)
    balance.finish()
    #expect(balance.isBalanced)

    configuration = Configuration()
    configuration.fragmentsPerDatagramLimit = 3
    balance = Balance(configuration: configuration)
    for piece in pieces4() { balance.decode(piece, .raw) }
    #expect(balance.anomalies[.fragmentBeyondLimit] == 1)
    balance.finish()
    #expect(balance.isBalanced)
    #expect(balance.classes == [.network: 80, .otherIP: 220])

    configuration = Configuration()
    configuration.fragmentOctetLimit = 0
    balance = Balance(configuration: configuration)
    for piece in pieces4() { balance.decode(piece, .raw) }
    balance.finish()
    #expect(balance.isBalanced)
  }

  @Test func fragmentsThatMakeNoSense() {
    var balance = Balance()
    // Beyond 65,535 octets, not a multiple of 8, two ends, octets beyond the end.
    balance.decode(Wire.ipv4(6, Wire.zeros(100), fragmentOffset: 65528), .raw)
    #expect(balance.classes == [.network: 20, .otherIP: 100])
    #expect(balance.anomalies[.fragmentMalformed] == 1)
    balance.decode(Wire.ipv4(6, Wire.zeros(13), fragmentOffset: 0, hasMore: true), .raw)
    #expect(balance.ledger.pending == 8)
    #expect(balance.ledger[.otherIP] == 105)
    balance.decode(Wire.ipv4(6, Wire.zeros(16), fragmentOffset: 80), .raw)
    balance.decode(Wire.ipv4(6, Wire.zeros(24), fragmentOffset: 80), .raw)
    balance.decode(Wire.ipv4(6, Wire.zeros(8), fragmentOffset: 96, hasMore: true), .raw)
    balance.decode(Wire.ipv4(6, Wire.zeros(8), fragmentOffset: 40), .raw)
    #expect(balance.anomalies[.fragmentConflict] == 3)
    #expect(balance.ledger.pending == 24)
    balance.decode(Wire.ipv4(6, [], fragmentOffset: 40, hasMore: true), .raw)
    balance.finish()
    #expect(balance.isBalanced)
  }

  @Test func snapLengthCutsTheDatagram() {
    var balance = Balance()
    let pieces = pieces4()
    balance.decode(pieces[0], .raw)
    balance.decode(pieces[3], .raw)
    balance.decode(Array(pieces[1][..<24]), .raw, originalLength: pieces[1].count)
    guard case .reassembledTCP(let result) = balance.decode(pieces[2], .raw) else {
      Issue.record("not reassembled")
      return
    }
    #expect(result.payloadLength == 200)
    // 64 octets, less the TCP header, and 4 of the next fragment: nothing is known of where later ones would stand.
    #expect(result.capturedPayloadLength == 48)
    #expect(balance.isBalanced)
    #expect(balance.classes == [.network: 80, .transport: 20])
  }

  @Test func udpAcrossFragments() {
    let datagram = Wire.udp(Wire.payload(40), to: 53)
    var balance = Balance()
    balance.decode(Wire.ipv4(17, Array(datagram[..<24]), hasMore: true), .raw)
    guard
      case .reassembledUDP(let result) = balance.decode(Wire.ipv4(17, Array(datagram[24...]), fragmentOffset: 24), .raw)
    else {
      Issue.record("not reassembled")
      return
    }
    #expect(result.payloadOffset == 8)
    #expect(result.payloadLength == 40)
    #expect(balance.classes == [.network: 40, .udp: 48])
    #expect(balance.isBalanced)
  }

  @Test func atomicFragmentsPassThrough() {
    var balance = Balance()
    let first = Wire.ipv6(44, Wire.fragment6(6, Array(segment[..<64]), offset: 0, hasMore: true))
    let atomic = Wire.ipv6(44, Wire.fragment6(6, segment, offset: 0, hasMore: false))
    balance.decode(first, .raw)
    guard case .tcp(let result) = balance.decode(atomic, .raw) else {
      Issue.record("not a segment")
      return
    }
    #expect(result.networkLength == 48)
    #expect(balance.ledger.pending == 64)
    balance.finish()
    #expect(balance.isBalanced)
  }

  @Test func tunnelInAReassembledDatagram() {
    // The inner packet is itself a fragment; its other half comes whole.
    let inner = pieces4(identification: 77)
    let tunnel = [0, 0, 8, 0] ++ inner[0]
    var balance = Balance()
    for piece in inner[1...] { balance.decode(piece, .raw) }
    balance.decode(Wire.ipv4(47, Array(tunnel[..<40]), hasMore: true), .raw)
    let decoded = balance.decode(Wire.ipv4(47, Array(tunnel[40...]), fragmentOffset: 40), .raw)
    expectReassembled(decoded, balance, networkLength: 80)
    // The outer fragments' headers are those of an opened tunnel, like its GRE header.
    #expect(balance.classes == [.encapsulation: 44, .network: 80, .transport: 20])
    #expect(balance.isBalanced)
  }

  @Test func ipv6HeadersInsideTheFragmentablePart() {
    let payload = [6, 0, 0, 0, 0, 0, 0, 0] ++ segment
    var balance = Balance()
    balance.decode(Wire.ipv6(44, Wire.fragment6(60, Array(payload[..<104]), offset: 0, hasMore: true)), .raw)
    guard
      case .reassembledTCP(let result) = balance.decode(
        Wire.ipv6(44, Wire.fragment6(60, Array(payload[104...]), offset: 104, hasMore: false)), .raw)
    else {
      Issue.record("not reassembled")
      return
    }
    #expect(result.networkLength == 48 * 2 + 8)
    #expect(balance.classes == [.network: 104, .transport: 20])
    #expect(balance.isBalanced)
  }

  @Test func randomFragmentsBalance() {
    var random = SeededRandom(seed: 42)
    var configuration = Configuration()
    configuration.fragmentedDatagramLimit = 8
    configuration.fragmentOctetLimit = 4000
    configuration.fragmentsPerDatagramLimit = 12
    var balance = Balance(configuration: configuration)
    var time: Int64 = 0
    var completed = 0
    for _ in 0..<RandomCases.count(50_000) {
      let offset = Int.random(in: 0...20, using: &random) * 8
      let length = Int.random(in: 0...12, using: &random) * 8 + (Int.random(in: 0...9, using: &random) == 0 ? 3 : 0)
      let number: UInt8 = [6, 17, 47, 4].randomElement(using: &random) ?? 6
      let content = Wire.payload(length, seed: Int.random(in: 0...1, using: &random))
      let hasMore = Int.random(in: 0...3, using: &random) != 0
      let packet =
        Bool.random(using: &random)
        ? Wire.ipv4(
          number, content, identification: Int.random(in: 1...6, using: &random), fragmentOffset: offset,
          hasMore: hasMore)
        : Wire.ipv6(
          44,
          Wire.fragment6(
            number, content, offset: offset, hasMore: hasMore, identification: Int.random(in: 1...6, using: &random)))
      let captured = Bool.random(using: &random) ? packet.count : Int.random(in: 0...packet.count, using: &random)
      time += Int64.random(in: -1_000_000_000...5_000_000_000, using: &random)
      let decoded = balance.decode(Array(packet[..<captured]), .raw, originalLength: packet.count, at: time)
      if decoded != .nothing { completed += 1 }
      guard balance.isBalanced else { break }
    }
    balance.finish()
    #expect(balance.isBalanced)
    #expect(completed > RandomCases.count(100))
  }
}
