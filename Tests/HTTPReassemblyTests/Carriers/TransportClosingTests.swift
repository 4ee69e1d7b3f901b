import HTTPReassembly
import TestSupport
import Testing

/// FIN, RST, crossing SYNs, time-outs and full tables.
@Suite struct TransportClosingTests {
  private func answered(_ path: String = "/a") -> Dialogue {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get(path))
    dialogue.send(.server, HTTP.ok("hello"))
    return dialogue
  }

  @Test func halfClosedConnectionGoesOn() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.send(.client, [], flags: [.fin, .ack])
    dialogue.send(.server, "HTTP/1.1 200 OK\r\n\r\n" + HTTP.body(10))
    dialogue.acknowledge(.client)
    dialogue.send(.server, HTTP.body(10))
    dialogue.send(.server, [], flags: [.fin, .ack])
    dialogue.acknowledge(.client)
    let analysis = analyze(dialogue)
    #expect(analysis.response("/a")?.octets.body == 20)
    #expect(analysis.response("/a")?.exactness == .exact)
    #expect(analysis.connection.end == .fin)
    #expect(analysis.connection.teardown == 3 * overhead4)
  }

  @Test func bodyThatEndsByResetIsALowerBound() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.send(.server, "HTTP/1.1 200 OK\r\n\r\n" + HTTP.body(10))
    dialogue.send(.server, [], flags: [.rst, .ack])
    let analysis = analyze(dialogue)
    #expect(analysis.response("/a")?.exactness == .atLeast)
    #expect(analysis.response("/a")?.octets.body == 10)
    #expect(analysis.connection.end == .rst)
    #expect(analysis.connection.teardown == overhead4)
  }

  @Test func payloadAfterTheResetIsOutOfWindow() {
    var dialogue = answered()
    dialogue.send(.client, [], flags: [.rst, .ack])
    dialogue.send(.server, HTTP.body(25))
    dialogue.send(.client, HTTP.body(5))
    let analysis = analyze(dialogue)
    #expect(analysis.ledger[.outOfWindow] == 30)
    #expect(analysis.connection.flags.contains(.outOfWindow))
    #expect(analysis.anomalies[.tcpDataAfterReset] == 2)
    #expect(analysis.response("/a")?.octets.total == HTTP.ok("hello").utf8.count)
    #expect(analysis.connection.unattributed == 30 + 2 * overhead4)
  }

  @Test func payloadFromBeforeTheResetIsTakenLate() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    let octets = Array(HTTP.ok(HTTP.body(100)).utf8)
    dialogue.send(.server, Array(octets[..<50]))
    dialogue.send(.server, Array(octets[50...]))
    let late = dialogue.segments.removeLast()
    dialogue.send(.server, [], flags: [.rst, .ack])
    dialogue.capture(late)
    let analysis = analyze(dialogue)
    #expect(analysis.ledger[.outOfWindow] == 0)
    #expect(analysis.response("/a")?.octets.total == octets.count)
    #expect(analysis.response("/a")?.exactness == .exact)
  }

  @Test func resetOutOfTheWindowIsIgnored() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    var reset = dialogue.segment(.server, .rst)
    reset.sequence &+= 1 << 29
    dialogue.capture(reset)
    dialogue.send(.server, HTTP.ok("hello"))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.response("/a")?.exactness == .exact)
    #expect(analysis.connection.end == .fin)
    #expect(analysis.anomalies[.tcpResetOutOfWindow] == 1)
    #expect(analysis.ledger[.outOfWindow] == 0)
  }

  /// A reset with a number in the window that is not the next one is challenged (RFC 9293 §3.10.7.4), and the connection goes on.
  @Test(arguments: [1, 50, 500, 5_000, 60_000] as [UInt32], [Peer.client, Peer.server])
  func resetAheadOfTheNextOctetIsIgnored(ahead: UInt32, sender: Peer) {
    var dialogue = answered("/1")
    var reset = dialogue.segment(sender, .rst)
    reset.sequence &+= ahead
    dialogue.capture(reset)
    dialogue.acknowledge(sender == .client ? .server : .client)
    for path in ["/2", "/3"] {
      dialogue.send(.client, HTTP.get(path))
      dialogue.send(.server, HTTP.ok(HTTP.body(700)))
    }
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["GET /1 200", "GET /2 200", "GET /3 200"])
    #expect(analysis.messages.allSatisfy { $0.exactness == .exact })
    #expect(analysis.connection.end == .fin)
    #expect(analysis.anomalies[.tcpResetOutOfWindow] == 1 && analysis.ledger[.outOfWindow] == 0)
  }

  /// Nothing comes behind such a reset: octets before it were lost, and it ended the connection.
  @Test func resetBehindLostOctetsEndsTheConnection() {
    var dialogue = answered()
    var reset = dialogue.segment(.client, .rst)
    reset.sequence &+= 40
    dialogue.capture(reset)
    let analysis = analyze(dialogue)
    #expect(analysis.connection.end == .rst && analysis.anomalies[.tcpResetOutOfWindow] == 0)
  }

  @Test func refusedConnection() {
    var dialogue = Dialogue()
    dialogue.send(.client, [], flags: .syn)
    dialogue.send(.server, [], flags: [.rst, .ack])
    let analysis = analyze(dialogue)
    #expect(analysis.connections.count == 1)
    #expect(analysis.connection.setup == overhead4)
    #expect(analysis.connection.teardown == overhead4)
    #expect(analysis.connection.end == .rst)
    #expect(analysis.connection.client == dialogue.client)
    #expect(analysis.connection.applicationProtocol == .none)
  }

  @Test func payloadBeyondTheFin() {
    var dialogue = answered()
    dialogue.send(.server, [], flags: [.fin, .ack])
    dialogue.send(.server, HTTP.body(33))
    let analysis = analyze(dialogue)
    #expect(analysis.ledger[.outOfWindow] == 33)
    #expect(analysis.anomalies[.tcpDataBeyondFin] == 1)
    #expect(analysis.response("/a")?.octets.total == HTTP.ok("hello").utf8.count)
  }

  @Test func payloadFarOutsideTheWindow() {
    var dialogue = answered()
    var far = dialogue.segment(.server, .ack, Array(HTTP.body(12).utf8))
    far.sequence &+= 1 << 30
    dialogue.capture(far)
    dialogue.send(.client, HTTP.get("/b"))
    dialogue.send(.server, HTTP.ok("b"))
    let analysis = analyze(dialogue)
    #expect(analysis.ledger[.outOfWindow] == 12)
    #expect(analysis.pairs == ["GET /a 200", "GET /b 200"])
    #expect(analysis.connection.missing == 0)
  }

  @Test func simultaneousOpen() {
    var dialogue = Dialogue()
    dialogue.send(.client, [], flags: .syn, isReceived: false)
    dialogue.send(.server, [], flags: .syn, isReceived: false)
    dialogue.received = [.client: 500_001, .server: 1001]
    var answer = dialogue.segment(.client, [.syn, .ack])
    answer.sequence = 1000
    dialogue.capture(answer)
    answer = dialogue.segment(.server, [.syn, .ack])
    answer.sequence = 500_000
    dialogue.capture(answer)
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.send(.server, HTTP.ok("hello"))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.connections.count == 1)
    #expect(analysis.connection.flags.contains(.simultaneousOpen))
    #expect(analysis.connection.setup == 4 * overhead4)
    #expect(analysis.pairs == ["GET /a 200"])
    #expect(analysis.anomalies[.tcpSimultaneousOpen] == 1)
    #expect(analysis.connection.retransmitted == 0)
  }

  @Test func synAckCapturedBeforeItsSyn() {
    var dialogue = answered()
    dialogue.segments.swapAt(0, 1)
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["GET /a 200"])
    #expect(analysis.connections.count == 1)
    #expect(analysis.connection.client == dialogue.client)
    #expect(analysis.connection.setup == 3 * overhead4)
    #expect(analysis.connection.unattributed == 0)
  }

  @Test func sequenceNumbersWrap() {
    for distance in [0, 1, 2, 10, 40, 60, 100] as [UInt32] {
      var dialogue = Dialogue.opened(clientSequence: .max - distance, serverSequence: .max - distance / 2)
      for path in ["/1", "/2", "/3"] {
        dialogue.send(.client, HTTP.get(path))
        dialogue.send(.server, HTTP.ok(path))
      }
      dialogue.repeatSegment(-1)
      dialogue.close()
      let analysis = analyze(dialogue)
      #expect(analysis.pairs == ["GET /1 200", "GET /2 200", "GET /3 200"])
      #expect(analysis.connection.missing == 0)
      #expect(analysis.ledger[.retransmitted] == HTTP.ok("/3").utf8.count)
    }
  }

  @Test func wrongChecksums() {
    var configuration = Configuration()
    var dialogue = answered()
    var spoilt = dialogue.segment(.server, .ack, Array(HTTP.ok("forged").utf8))
    spoilt.hasWrongChecksum = true
    dialogue.capture(spoilt)
    dialogue.send(.client, HTTP.get("/b"))
    dialogue.send(.server, HTTP.ok("b"))
    configuration.verifiesChecksums = true
    let analysis = analyze(dialogue, configuration)
    #expect(analysis.ledger[.outOfWindow] == spoilt.payload.count)
    #expect(analysis.anomalies[.tcpChecksumBad] == 1)
    #expect(analysis.pairs == ["GET /a 200", "GET /b 200"])
    #expect(analysis.response("/b")?.octets.total == HTTP.ok("b").utf8.count)
  }

  @Test func silenceEndsAConnection() {
    var dialogue = answered("/1")
    dialogue.wait(601_000_000_000)
    dialogue.send(.client, HTTP.get("/2"))
    dialogue.send(.server, HTTP.ok("two"))
    let analysis = analyze(dialogue)
    #expect(analysis.connections.count == 2)
    #expect(analysis.connections.first?.end == .idle)
    #expect(analysis.pairs == ["GET /1 200", "GET /2 200"])
  }

  @Test func fullTableEvictsTheIdlest() {
    var configuration = Configuration()
    configuration.connectionLimit = 3
    var segments: [Segment] = []
    var now: Int64 = 0
    for number in 0..<10 {
      var dialogue = Dialogue()
      dialogue.now = now
      dialogue.client.port = UInt16(50_000 + number)
      dialogue.open()
      dialogue.send(.client, HTTP.get("/\(number)"))
      dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
      now = dialogue.now
      segments += dialogue.segments
    }
    let analysis = analyze(segments.map { $0.packet() }, configuration)
    #expect(analysis.connections.count == 10)
    #expect(analysis.connections.filter { $0.end == .evicted }.count == 7)
    #expect(analysis.anomalies[.connectionTableFull] == 7)
    #expect(analysis.responses.allSatisfy { $0.exactness == .atLeast })
    #expect(analysis.responses.filter { $0.flags.contains(.evicted) }.count == 7)
  }
}
