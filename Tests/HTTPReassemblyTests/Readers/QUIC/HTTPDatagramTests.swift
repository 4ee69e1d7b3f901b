import TestSupport
import Testing

@testable import HTTPReassembly

/// HTTP datagrams count for the message of the tunnel that they belong to (RFC 9297 §2.1).
@Suite struct HTTPDatagramTests {
  private static func datagram(_ stream: Int, _ count: Int) -> [UInt8] {
    let payload = QUICWriter.integer(stream / 4) + [UInt8](repeating: 7, count: count)
    return [0x31] + QUICWriter.integer(payload.count) + payload
  }

  private static let connectUDP = [
    (":method", "CONNECT"), (":protocol", "connect-udp"), (":scheme", "https"), (":authority", "proxy.example"),
    (":path", "/masque"),
  ]

  @Test func datagramsBelongToTheirTunnels() throws {
    let (client, server) = (([192, 0, 2, 1] as [UInt8], 50_000), ([198, 51, 100, 1] as [UInt8], 443))
    var writer = QUICWriter(seed: 71)
    var fields = QPACKWriter(capacity: 0)
    let request = HTTP3Tests.head(Self.connectUDP, &fields)
    let answer = HTTP3Tests.head([(":status", "200")], &fields)
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

  /// The request of a tunnel is captured behind its answer, or is lost. No row of the tunnel is exact, whichever way its octets take.
  @Test(arguments: [false, true]) func requestsThatAreLate(_ isLost: Bool) throws {
    var writer = QUICWriter(seed: 72)
    var fields = QPACKWriter(capacity: 0)
    let request = HTTP3Tests.head(Self.connectUDP, &fields)
    var sent = QUICWriter.opening(&writer)
    let asked = writer.packet(.client, .application, QUICWriter.stream(0, request))
    let answer = QUICWriter.stream(0, HTTP3Tests.head([(":status", "200")], &fields))
    sent.append((.server, writer.packet(.server, .application, answer)))
    if !isLost { sent.append((.client, asked)) }
    for _ in 0..<3 {
      sent.append((.client, writer.packet(.client, .application, Self.datagram(0, 100))))
      sent.append((.server, writer.packet(.server, .application, Self.datagram(0, 200))))
    }
    let analysis = Analysis(QUICWriter.packets(sent), secrets: Array(writer.log.utf8))
    #expect(analysis.violations == [])
    let response = try #require(analysis.messages.first { $0.kind == .response })
    #expect(response.exactness != .exact && analysis.ledger[.tunnel] == 906)
    if !isLost { #expect(analysis.messages.map(\.message.tunnel).sorted() == [303, 603]) }
  }

  /// TLS in a tunnel through a proxy: its handshake is the connection's, so that the connection's octets add up.
  @Test func handshakesInTunnelsAddUp() throws {
    var writer = QUICWriter(seed: 73)
    var fields = QPACKWriter(capacity: 0)
    func record(_ message: [UInt8]) -> [UInt8] {
      [0x16, 3, 3, UInt8(message.count >> 8), UInt8(message.count & 0xff)] + message
    }
    let inner = QUICWriter(seed: 74)
    let request = HTTP3Tests.head([(":method", "CONNECT"), (":authority", "a.example:443")], &fields)
    let answer = HTTP3Tests.head([(":status", "200")], &fields)
    let hello = record(inner.clientHello(host: "a.example"))
    var sent = QUICWriter.opening(&writer)
    sent.append((.client, writer.packet(.client, .application, QUICWriter.stream(0, request))))
    sent.append((.server, writer.packet(.server, .application, QUICWriter.stream(0, answer))))
    let frames = QUICWriter.stream(0, HTTP3Dialogue.frame(0, hello), at: request.count)
    sent.append((.client, writer.packet(.client, .application, frames)))
    let back = QUICWriter.stream(0, HTTP3Dialogue.frame(0, record(inner.serverHello())), at: answer.count)
    sent.append((.server, writer.packet(.server, .application, back)))
    let analysis = Analysis(QUICWriter.packets(sent), secrets: Array(writer.log.utf8))
    #expect(analysis.violations == [])
    let connection = try #require(analysis.connections.first)
    #expect(analysis.ledger.tlsHandshake >= hello.count)
    let messages = analysis.messages.reduce(0) { $0 + $1.message.ipLength }
    #expect(
      connection.ipLength.client + connection.ipLength.server
        == messages + connection.setup + connection.handshake + connection.control + connection.teardown
        + connection.unattributed)
  }
}
