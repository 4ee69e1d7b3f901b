import Packets
import TestSupport
import Testing

@testable import HTTPReassembly

/// Which way a host was reached: offers of HTTP/3, and QUIC that was not answered, refused, or raced with TCP.
@Suite struct HTTPVersionsOfHostsTests {
  private static let client: (address: [UInt8], port: Int) = ([192, 0, 2, 1], 50_000)
  private static let server: (address: [UInt8], port: Int) = ([198, 51, 100, 1], 443)

  private func packets(_ sent: [(peer: Peer, octets: [UInt8])]) -> [TestPacket] {
    sent.enumerated().map { index, sent in
      let isClient = sent.peer == .client
      return .datagram(
        sent.octets, from: isClient ? Self.client : Self.server, to: isClient ? Self.server : Self.client,
        at: 1_700_000_000_000_000_000 + Int64(index) * 1_000_000)
    }
  }

  private func hello(_ writer: inout QUICWriter) -> [UInt8] {
    writer.packet(
      .client, .initial,
      QUICWriter.crypto(writer.clientHello(host: "www.example.com")) + [UInt8](repeating: 0, count: 900))
  }

  private func attempts(_ sent: [(peer: Peer, octets: [UInt8])], secrets: String = "") -> [Int] {
    let analysis = Analysis(packets(sent), secrets: Array(secrets.utf8))
    #expect(analysis.violations == [])
    let hosts = analysis.totals.hosts
    #expect(hosts.count == 1 && hosts.first.map { analysis.totals.texts.string($0.host) } == "www.example.com")
    let isRefused = analysis.connections.first?.flags.contains(.quicRefused)
    let quic = hosts.first?.quic ?? QUICAttempts()
    #expect(isRefused == (quic.refused > 0))
    return [quic.unanswered, quic.refused, quic.raced]
  }

  @Test func anAttemptIsUnansweredOrRefused() {
    var writer = QUICWriter(seed: 3)
    let first = hello(&writer)
    let again = hello(&writer)
    #expect(attempts([(.client, first), (.client, again)]) == [1, 0, 0])
    // The versions of a server that has no other one in common with the client.
    let other: [UInt8] = [0xc0, 0, 0, 0, 0, 8] + writer.clientID + [8] + writer.firstID + [0x6b, 0x33, 0x43, 0xcf]
    #expect(attempts([(.client, first), (.server, other)]) == [0, 1, 0])
    // CONNECTION_CLOSE: an error, the type of the frame that caused it, and no words.
    let close = writer.packet(.server, .initial, [0x1c, 0x41, 0x28, 6, 0])
    #expect(attempts([(.client, first), (.server, close)]) == [0, 1, 0])
    let own = writer.packet(.client, .initial, [0x1c, 0x41, 0x28, 6, 0])
    let answer = writer.packet(.server, .initial, QUICWriter.crypto(writer.serverHello()))
    #expect(attempts([(.client, first), (.server, answer), (.client, own)]) == [0, 0, 0])
    // Version negotiation that is forged, or that a version of both sides follows, ends nothing.
    #expect(attempts([(.client, first), (.server, other), (.server, answer)]) == [0, 0, 0])
  }

  @Test func aConnectionThatWorkedIsNotRefused() {
    var writer = QUICWriter(seed: 4)
    var sent = QUICWriter.opening(&writer)
    #expect(attempts(sent, secrets: writer.log) == [0, 0, 0])
    let close = writer.packet(.server, .handshake, [0x1c, 0x41, 0x28, 6, 0])
    #expect(attempts(sent + [(.server, close)], secrets: writer.log) == [0, 1, 0])
    sent.append((.client, writer.packet(.client, .application, QUICWriter.stream(0, [1]))))
    #expect(attempts(sent + [(.server, close)], secrets: writer.log) == [0, 0, 0])
  }

  /// A race is a connection of QUIC and a later one over TCP. Each is in one race at most, in whatever order they end.
  @Test func racesArePairs() {
    func connection(_ seconds: Double, isQUIC: Bool, from client: UInt8 = 1) -> Connection {
      var row = Connection()
      row.client = Endpoint(address: IPAddress(v4: 0xc000_0200 + UInt32(client)), port: 1000)
      row.applicationProtocol = isQUIC ? .quic : .tls
      row.opened = 1_700_000_000_000_000_000 + Int64(seconds * 1e9)
      return row
    }
    func count(_ rows: [(host: Int, row: Connection)]) -> [Int] {
      [rows, rows.reversed()].map { rows in
        var races = ConnectionRaces()
        return rows.reduce(0) { $0 + (races.take($1.row, of: $1.host) ? 1 : 0) }
      }
    }
    let quic = connection(1, isQUIC: true)
    #expect(count([(0, quic), (0, connection(1.3, isQUIC: false))]) == [1, 1])
    #expect(count([(0, quic), (0, connection(3, isQUIC: false))]) == [1, 1])
    #expect(count([(0, quic), (0, connection(3.1, isQUIC: false))]) == [0, 0])
    #expect(count([(0, quic), (0, connection(0.9, isQUIC: false))]) == [0, 0])
    #expect(count([(0, quic), (1, connection(1.3, isQUIC: false))]) == [0, 0])
    #expect(count([(0, quic), (0, connection(1.3, isQUIC: false, from: 2))]) == [0, 0])
    let pair = [(0, connection(1.1, isQUIC: false)), (0, connection(1.2, isQUIC: false))]
    #expect(count([(0, quic)] + pair) == [1, 1])
    #expect(count([(0, quic), (0, connection(1.05, isQUIC: true))] + pair) == [2, 2])
    // Rows that are long gone are forgotten.
    let many = (0..<20).map { (0, connection(100 + Double($0) * 10, isQUIC: true)) }
    #expect(count([(0, quic)] + many + [(0, connection(1.3, isQUIC: false))]).first == 0)
  }

  /// Frames that offer a host's resources elsewhere (RFC 7838 §4), on its requests' streams and on stream 0, there before or behind a request.
  @Test(
    arguments: [
      (UInt32(0), "http://h.example", "h3=\":443\"", [.http3]), (0, "http://H.example:80", "h2=\":1\"", [.http2]),
      (0, "http://other.example", "h3=\":443\"", []), (0, "", "h3=\":443\"", []), (1, "", "h3=\":443\"", [.http3]),
      (1, "http://h.example", "h3=\":443\"", []), (1, "", "clear", []), (3, "", "h3=\":443\"", []),
    ] as [(UInt32, String, String, AlternativeServices)])
  func offersInFrames(_ stream: UInt32, _ origin: String, _ value: String, _ expected: AlternativeServices) throws {
    let payload = [UInt8(0), UInt8(origin.utf8.count)] + Array((origin + value).utf8)
    let frame = HTTP2Writer.frame(10, stream: stream, payload)
    for (isFromServer, place) in [(true, 0), (true, 1), (true, 2), (false, 0), (false, 1)]
    where stream == 0 || place == 1 {
      for cut in 1..<frame.count {
        var (client, server) = (HTTP2Writer(), HTTP2Writer())
        var dialogue = Dialogue.opened()
        dialogue.send(.client, HTTP2Writer.preface + HTTP2Writer.settings())
        dialogue.send(.server, HTTP2Writer.settings() + HTTP2Writer.settingsAcknowledgment)
        func send() {
          dialogue.send(isFromServer ? .server : .client, Array(frame[..<cut]))
          dialogue.send(isFromServer ? .server : .client, Array(frame[cut...]))
        }
        if place == 0 { send() }
        dialogue.send(.client, HTTP2Writer.headers(1, client.block(HTTP2Writer.request("/a")), ends: true))
        if place == 1 { send() }
        dialogue.send(.server, HTTP2Writer.headers(1, server.block(HTTP2Writer.response(200)), ends: true))
        if place == 2 { send() }
        dialogue.close(.server)
        let analysis = Analysis(dialogue.packets())
        #expect(analysis.violations == [])
        let host = try #require(analysis.totals.hosts.first)
        #expect(host.alternatives == (isFromServer ? expected : []), "\(cut) \(place)")
      }
    }
  }

  /// What DNS offers for a name is in the row of its host, if DNS was captured before.
  @Test func offersOfDNS() throws {
    func name(_ text: String) -> [UInt8] {
      text.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }
    var message: [UInt8] = [1, 2, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0] + name("www.example.com") + [0, 65, 0, 1]
    message += [0xc0, 12, 0, 65, 0, 1, 0, 0, 0, 60, 0, 10, 0, 1, 0, 0, 1, 0, 3, 2] + Array("h3".utf8)
    var packets = [
      TestPacket.datagram(
        message, from: ([192, 0, 2, 53], 53), to: Self.client, at: 1_699_999_999_000_000_000)
    ]
    var writer = QUICWriter(seed: 3)
    packets += self.packets([(.client, hello(&writer))])
    let analysis = Analysis(packets)
    #expect(analysis.violations == [])
    let host = try #require(analysis.totals.hosts.first)
    #expect(host.httpsRecords == [.http3] && host.alternatives == [] && host.quic.unanswered == 1)
  }
}
