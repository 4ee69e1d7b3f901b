import TestSupport
import Testing

@testable import HTTPReassembly

/// HTTP datagrams count for the message of the tunnel that they belong to (RFC 9297 §2.1).
@Suite struct HTTPDatagramTests {
  private static func datagram(_ stream: Int, _ count: Int) -> [UInt8] {
    let payload = QUICWriter.integer(stream / 4) + [UInt8](repeating: 7, count: count)
    return [0x31] + QUICWriter.integer(payload.count) + payload
  }

  @Test func datagramsBelongToTheirTunnels() throws {
    let (client, server) = (([192, 0, 2, 1] as [UInt8], 50_000), ([198, 51, 100, 1] as [UInt8], 443))
    var writer = QUICWriter(seed: 71)
    var fields = QPACKWriter(capacity: 0)
    func head(_ lines: [(String, String)]) -> [UInt8] {
      HTTP3Dialogue.frame(1, fields.section(lines.map { ($0.0, $0.1, .literal) }, baseOffset: 0).octets)
    }
    let request = head([
      (":method", "CONNECT"), (":protocol", "connect-udp"), (":scheme", "https"), (":authority", "proxy.example"),
      (":path", "/masque"),
    ])
    let answer = head([(":status", "200")])
    let capsule = HTTP3Dialogue.frame(0, [0, 4, 1, 2, 3, 4])
    var sent = QUICWriter.opening(&writer)
    func send(_ peer: Peer, _ frames: [UInt8]) { sent.append((peer, writer.packet(peer, .application, frames))) }
    // Before its tunnel is open, a datagram belongs to nobody.
    send(.client, Self.datagram(0, 10))
    send(.client, QUICWriter.stream(0, request))
    send(.server, QUICWriter.stream(0, answer))
    send(.client, QUICWriter.stream(0, capsule, at: request.count))
    for count in [100, 200, 300] {
      send(.client, Self.datagram(0, count))
      send(.server, Self.datagram(0, 2 * count) + Self.datagram(0, 1))
    }
    // These streams have no tunnel.
    send(.client, Self.datagram(4, 50))
    send(.server, Self.datagram(400, 50))
    send(.client, [0x31, 0])
    let packets = sent.enumerated().map { index, sent in
      let isClient = sent.peer == .client
      return TestPacket.datagram(
        sent.octets, from: isClient ? client : server, to: isClient ? server : client,
        at: 1_700_000_000_000_000_000 + Int64(index) * 1_000_000)
    }
    let analysis = Analysis(packets, secrets: Array(writer.log.utf8))
    #expect(analysis.violations == [])
    #expect(analysis.messages.map(\.message.tunnel) == [6 + 600 + 3, 1200 + 3 + 3 + 3])
    // Nothing shows that none was lost.
    #expect(analysis.messages.allSatisfy { $0.exactness != .exact })
    // Packets with datagrams alone are theirs, too.
    let headers = 28
    #expect(
      analysis.messages[0].message.overhead >= 4 * headers && analysis.messages[1].message.overhead >= 4 * headers)
    #expect(analysis.ledger[.tunnel] == 609 + 1209 + 11 + 51 + 52)
  }
}
