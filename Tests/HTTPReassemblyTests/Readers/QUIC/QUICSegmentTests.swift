import TestSupport
import Testing

@testable import HTTPReassembly

/// Packets in short form that segmentation offload puts into one datagram: their octets are those of datagrams of their own.
@Suite struct QUICSegmentTests {
  private typealias Sent = (peer: Peer, octets: [UInt8])

  /// A packet of `length` octets with data of a stream, and padding behind it.
  private func segment(
    _ writer: inout QUICWriter, _ peer: Peer, length: Int, _ position: inout Int, _ random: inout SeededRandom
  ) -> [UInt8] {
    let id = peer == .client ? writer.serverID : writer.clientID
    let room = length - 1 - id.count - 2 - 16
    let content = [UInt8](repeating: UInt8(truncatingIfNeeded: position), count: random.number(1..<max(room - 20, 2)))
    let frames = QUICWriter.stream(0, content, at: position)
    position += content.count
    return writer.packet(peer, .application, frames + [UInt8](repeating: 0, count: max(room - frames.count, 0)))
  }

  /// Batches of packets: all but the last one of a batch have the same length. Keys are updated on the way. Where IDs do not show where a
  /// packet begins, a side's segments keep their length, which is a usual one.
  private func batches(_ writer: inout QUICWriter, _ random: inout SeededRandom) -> [(peer: Peer, packets: [[UInt8]])] {
    var batches: [(peer: Peer, packets: [[UInt8]])] = []
    var positions: [Peer: Int] = [.client: 0, .server: 0]
    let usual = random.number(1200..<1473)
    for number in 0..<6 {
      let peer: Peer = number % 2 == 0 ? .client : .server
      let length = writer.clientID.isEmpty ? usual : random.number(number < 4 ? 1200..<1473 : 60..<4000)
      var packets: [[UInt8]] = []
      for index in 0..<random.number(2..<7) {
        if number == 3, index == 1 { writer.updateKeys(peer) }
        packets.append(segment(&writer, peer, length: length, &positions[peer, default: 0], &random))
      }
      if Bool.random(using: &random) {
        let last = random.number(45..<length)
        packets.append(segment(&writer, peer, length: last, &positions[peer, default: 0], &random))
      }
      batches.append((peer, packets))
    }
    return batches
  }

  private func kinds(_ ledger: Ledger) -> [Int] {
    [
      ledger.quicHandshake, ledger.quicPacket, ledger.quicProtected, ledger[.retransmitted], ledger[.udp],
      ledger.missing,
    ]
  }

  @Test(arguments: [0x1301, 0x1303] as [UInt16], [0, 8]) func theyAreOpened(_ suite: UInt16, _ idLength: Int) throws {
    var random = SeededRandom(seed: 97)
    for seed in 0..<UInt8(RandomCases.count(20)) {
      var writer = QUICWriter(seed: seed, suite: suite, clientID: [UInt8](repeating: 9, count: idLength))
      let opening: [Sent] = QUICWriter.opening(&writer, protocolName: "hq")
      let batches = batches(&writer, &random)
      let apart = opening + batches.flatMap { batch in batch.packets.map { Sent(batch.peer, $0) } }
      let together = opening + batches.map { Sent($0.peer, $0.packets.flatMap(\.self)) }
      let expected = Analysis(QUICWriter.packets(apart), secrets: Array(writer.log.utf8))
      let analysis = Analysis(QUICWriter.packets(together), secrets: Array(writer.log.utf8))
      #expect(analysis.violations == [] && kinds(analysis.ledger) == kinds(expected.ledger))
      #expect(analysis.ledger.quicProtected == 0)
      let connection = try #require(analysis.connections.first)
      #expect(connection.security?.opening == .yes && connection.unopened == 0 && connection.missing == 0)
      // Secrets that come behind all packets open them, too.
      var pipeline = Pipeline(sink: CollectingSink())
      pipeline.mayLearnSecrets = true
      for packet in QUICWriter.packets(together) { packet.octets.withOctets { pipeline.process(packet.facts, $0) } }
      pipeline.learn(Array(writer.log.utf8))
      pipeline.finishConnections()
      let ledger = pipeline.ledger
      #expect(kinds(ledger) == kinds(expected.ledger) && ledger.difference == 0)
    }
  }

  /// The end of a handshake may have packets of the application behind it, in the same datagram and in the next segments.
  @Test func theyStandBehindTheHandshake() {
    var random = SeededRandom(seed: 98)
    var writer = QUICWriter(seed: 4)
    var sent: [Sent] = QUICWriter.opening(&writer, protocolName: "hq")
    var position = 0
    let end = sent.removeLast()
    let length = 1300
    var packets = [segment(&writer, .client, length: length - end.octets.count, &position, &random)]
    for _ in 0..<3 { packets.append(segment(&writer, .client, length: length, &position, &random)) }
    let apart = sent + [end] + packets.map { Sent(.client, $0) }
    sent.append((.client, end.octets + packets.flatMap(\.self)))
    let expected = Analysis(QUICWriter.packets(apart), secrets: Array(writer.log.utf8))
    let analysis = Analysis(QUICWriter.packets(sent), secrets: Array(writer.log.utf8))
    #expect(analysis.violations == [] && analysis.ledger.quicProtected == 0)
    #expect(kinds(analysis.ledger) == kinds(expected.ledger))
  }

  /// A packet of a batch that cannot be opened is closed alone, once the length of the segments is known.
  @Test func aDamagedOneIsClosedAlone() {
    var random = SeededRandom(seed: 99)
    var writer = QUICWriter(seed: 6)
    let opening: [Sent] = QUICWriter.opening(&writer, protocolName: "hq")
    var position = 0
    for damaged in 0..<4 {
      var batches: [[[UInt8]]] = []
      for _ in 0..<3 {
        batches.append((0..<4).map { _ in segment(&writer, .server, length: 1250, &position, &random) })
      }
      batches[1][damaged][700] ^= 1
      let sent = opening + batches.map { Sent(.server, $0.flatMap(\.self)) }
      let analysis = Analysis(QUICWriter.packets(sent), secrets: Array(writer.log.utf8))
      #expect(analysis.violations == [] && analysis.ledger.quicProtected == 1250)
    }
  }

  /// However many datagrams cannot be opened, as many octets are tried in vain as they have, and a few more.
  @Test func trialsAreBounded() {
    var writer = QUICWriter(seed: 11)
    var sent: [Sent] = QUICWriter.opening(&writer, protocolName: "hq")
    sent.append((.server, writer.packet(.server, .application, QUICWriter.stream(0, [1]))))
    // Each octet may be the ID that a next packet goes to.
    for _ in 0..<200 { sent.append((.server, [0x40] + writer.clientID + [UInt8](repeating: 0x41, count: 9000))) }
    let analysis = Analysis(QUICWriter.packets(sent), secrets: Array(writer.log.utf8))
    #expect(analysis.violations == [] && analysis.ledger.quicProtected == 200 * 9009)
  }
}
