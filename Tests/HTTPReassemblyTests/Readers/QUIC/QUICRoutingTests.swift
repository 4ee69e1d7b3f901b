import TestSupport
import Testing

@testable import HTTPReassembly

/// Several connections of QUIC between the same endpoints are told apart by their IDs, else by their keys (RFC 9000 §5.2).
@Suite struct QUICRoutingTests {
  private typealias Sent = (peer: Peer, octets: [UInt8])

  /// A handshake, and data of a protocol that is not read.
  private func dialogue(_ writer: inout QUICWriter, host: String, length: Int) -> [Sent] {
    var sent: [Sent] = QUICWriter.opening(&writer, host: host, protocolName: "hq")
    for position in 0..<length {
      let request = QUICWriter.stream(0, [1, 2, 3, 4], at: 4 * position)
      sent.append((.client, writer.packet(.client, .application, request)))
      let content = [UInt8](repeating: UInt8(position), count: 100)
      let frames = QUICWriter.stream(0, content, at: 100 * position)
      sent.append((.server, writer.packet(.server, .application, frames)))
    }
    return sent
  }

  /// What becomes of the octets, and each connection's name, payload and missing octets.
  private func kinds(_ analysis: Analysis) -> [[Int]] {
    let ledger = analysis.ledger
    let all = [
      ledger.quicHandshake, ledger.quicPacket, ledger.quicProtected, ledger[.retransmitted], ledger[.udp],
    ]
    let rows = analysis.connections.map {
      [$0.payloadLength.client, $0.payloadLength.server, $0.packets.client, $0.missing, $0.unopened]
    }
    return [all] + rows.sorted { $0.lexicographicallyPrecedes($1) }
  }

  private func mixed(_ dialogues: [[Sent]], _ random: inout SeededRandom) -> [Sent] {
    var rest = dialogues.map { $0[...] }
    var sent: [Sent] = []
    while let place = rest.indices.filter({ !rest[$0].isEmpty }).randomElement(using: &random) {
      sent.append(rest[place].removeFirst())
    }
    return sent
  }

  /// Connections at once, with IDs of the client and without: each has its own packets, in any mixture.
  @Test(arguments: [false, true], [2, 5]) func connectionsAtOnce(_ isWithoutID: Bool, _ count: Int) {
    var random = SeededRandom(seed: 61)
    for _ in 0..<RandomCases.count(60) {
      var (log, dialogues): (String, [[Sent]]) = ("", [])
      var expected = [[Int](repeating: 0, count: 5)]
      for number in 0..<count {
        let id: [UInt8]? = isWithoutID ? [] : nil
        var writer = QUICWriter(seed: UInt8(20 + 9 * number), suite: number % 2 == 0 ? 0x1301 : 0x1303, clientID: id)
        let sent = dialogue(&writer, host: "host-\(number).example", length: random.number(1..<12))
        let alone = kinds(Analysis(QUICWriter.packets(sent), secrets: Array(writer.log.utf8)))
        expected[0] = zip(expected[0], alone[0]).map { $0 + $1 }
        expected += alone[1...]
        log += writer.log
        dialogues.append(sent)
      }
      #expect(expected[0][2] == 0)
      let analysis = Analysis(QUICWriter.packets(mixed(dialogues, &random)), secrets: Array(log.utf8))
      #expect(analysis.violations == [])
      #expect(kinds(analysis)[0] == expected[0])
      #expect(Array(kinds(analysis)[1...]) == expected[1...].sorted { $0.lexicographicallyPrecedes($1) })
    }
  }

  /// Without secrets the IDs still give each packet to its connection.
  @Test func idsAreEnough() {
    var random = SeededRandom(seed: 62)
    var (dialogues, expected): ([[Sent]], [[Int]]) = ([], [])
    for number in 0..<3 {
      var writer = QUICWriter(seed: UInt8(30 + 9 * number))
      let sent = dialogue(&writer, host: "host-\(number).example", length: 5 + number)
      expected += kinds(Analysis(QUICWriter.packets(sent)))[1...]
      dialogues.append(sent)
    }
    let analysis = Analysis(QUICWriter.packets(mixed(dialogues, &random)))
    #expect(analysis.violations == [])
    #expect(Array(kinds(analysis)[1...]) == expected.sorted { $0.lexicographicallyPrecedes($1) })
  }

  /// A client's socket has several connections, and gets another address.
  @Test(arguments: [false, true]) func connectionsMoveTogether(_ hasSecrets: Bool) {
    var random = SeededRandom(seed: 63)
    var (log, before, after): (String, [[Sent]], [[Sent]]) = ("", [], [])
    for number in 0..<3 {
      var writer = QUICWriter(seed: UInt8(40 + 9 * number))
      let sent = dialogue(&writer, host: "host-\(number).example", length: 10)
      before.append(Array(sent[..<9]))
      after.append(Array(sent[9...]))
      log += writer.log
    }
    let first = mixed(before, &random)
    let moved = QUICWriter.packets(mixed(after, &random), client: ([192, 0, 2, 7], 41_000), from: first.count)
    let analysis = Analysis(QUICWriter.packets(first) + moved, secrets: hasSecrets ? Array(log.utf8) : [])
    #expect(analysis.violations == [])
    #expect(analysis.connections.count == 3 && analysis.ledger[.udp] == 0)
    #expect(analysis.connections.allSatisfy { $0.packets.client == 12 && $0.packets.server == 11 })
    #expect(analysis.connections.allSatisfy { $0.client.port == 50_000 })
    if hasSecrets { #expect(analysis.ledger.quicProtected == 0) }
  }

  /// A stateless reset has no ID. Its token tells the connection.
  @Test func aResetEndsItsOwnConnection() {
    var (sent, log): ([Sent], String) = ([], "")
    for number in 0..<2 {
      var writer = QUICWriter(seed: UInt8(80 + 9 * number))
      let token = [UInt8](repeating: UInt8(100 + number), count: 16)
      sent += QUICWriter.opening(&writer, protocolName: "hq", resetToken: token)
      log += writer.log
    }
    sent.append((.server, [0x41] + [UInt8](repeating: 0x33, count: 30) + [UInt8](repeating: 100, count: 16)))
    let analysis = Analysis(QUICWriter.packets(sent), secrets: Array(log.utf8))
    #expect(analysis.violations == [])
    #expect(analysis.connections.map(\.end) == [.rst, .captureEnd])
  }

  /// Connections without end between the same endpoints: a few are open at once, and everything adds up.
  @Test func theirNumberIsLimited() {
    var sent: [Sent] = []
    for number in 0..<250 {
      var writer = QUICWriter(seed: UInt8(number))
      sent.append(QUICWriter.opening(&writer)[0])
    }
    let analysis = Analysis(QUICWriter.packets(sent))
    #expect(analysis.violations == [])
    #expect(analysis.connections.count == 250)
    #expect(analysis.connections.filter { $0.end == .evicted }.count == 250 - QUICConnections.sharedLimit - 1)
  }
}
