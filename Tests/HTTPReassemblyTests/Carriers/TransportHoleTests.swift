import HTTPReassembly
import TestSupport
import Testing

/// Octets that were never captured: how a hole is noticed, passed, counted and charged to nobody.
@Suite struct TransportHoleTests {
  /// A response with a body of 100 octets in three segments, the second of which (40 octets of body) is lost.
  private func holeInBody() -> Dialogue {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    let octets = Array(HTTP.ok(HTTP.body(100)).utf8)
    dialogue.send(.server, Array(octets[..<(octets.count - 80)]))
    dialogue.send(.server, Array(octets[(octets.count - 80)..<(octets.count - 40)]), isCaptured: false)
    dialogue.send(.server, Array(octets[(octets.count - 40)...]))
    return dialogue
  }

  private func expectBridgedBody(_ analysis: Analysis, sourceLocation: SourceLocation = #_sourceLocation) {
    let response = analysis.response("/a")
    #expect(response?.octets.body == 60, sourceLocation: sourceLocation)
    #expect(response?.missing == 40, sourceLocation: sourceLocation)
    #expect(response?.exactness == .inferred, sourceLocation: sourceLocation)
    #expect(response?.decodedBody == nil, sourceLocation: sourceLocation)
    #expect(analysis.connection.missing == 40, sourceLocation: sourceLocation)
    #expect(analysis.ledger.missing == 40, sourceLocation: sourceLocation)
    #expect(analysis.connection.flags.contains(.holes), sourceLocation: sourceLocation)
    #expect(analysis.anomalies[.tcpHole] == 1, sourceLocation: sourceLocation)
  }

  @Test func knownByAcknowledgment() {
    var dialogue = holeInBody()
    dialogue.acknowledge(.client)
    dialogue.wait(2_000_000_000)
    dialogue.send(.client, HTTP.get("/b"))
    dialogue.send(.server, HTTP.ok("b"))
    dialogue.close()
    let analysis = analyze(dialogue)
    expectBridgedBody(analysis)
    #expect(analysis.pairs == ["GET /a 200", "GET /b 200"])
    #expect(analysis.response("/b")?.exactness == .exact)
  }

  @Test func knownByLaterData() {
    // Nothing acknowledges the hole; it is given up when the time for retransmissions is over.
    var dialogue = holeInBody()
    dialogue.wait(61_000_000_000)
    var late = dialogue.segment(.client)
    late.acknowledgment &-= 1000
    dialogue.capture(late)
    expectBridgedBody(analyze(dialogue))
  }

  /// One direction is recorded 100 ms late. Any number of packets of the other direction come first.
  @Test(arguments: [Peer.client, .server], [3, 70, 900])
  func aDirectionRecordedLateLosesNothing(_ late: Peer, _ segments: Int) {
    var dialogue = Dialogue.opened()
    dialogue.step = 50_000
    dialogue.send(.client, HTTP.get("/a"))
    let octets = Array(HTTP.ok(HTTP.body(segments * 1000)).utf8)
    for start in stride(from: 0, to: octets.count, by: 1000) {
      dialogue.send(.server, Array(octets[start..<min(start + 1000, octets.count)]))
      dialogue.acknowledge(.client)
    }
    dialogue.send(.client, HTTP.get("/b"))
    dialogue.send(.server, HTTP.ok("b"))
    dialogue.close()
    var packets = dialogue.segments
    for index in packets.indices where packets[index].source == dialogue.endpoint(late) {
      packets[index].time += 100_000_000
    }
    packets.sort { $0.time < $1.time }
    let analysis = analyze(packets.map { $0.packet() })
    #expect(analysis.pairs == ["GET /a 200", "GET /b 200"])
    #expect(analysis.messages.allSatisfy { $0.exactness == .exact && $0.pairing == .exact })
    #expect(analysis.bodies == [0, segments * 1000, 0, 1])
    #expect(analysis.connection.missing == 0)
  }

  @Test func knownByTheEnd() { expectBridgedBody(analyze(holeInBody())) }

  @Test func knownByTheFin() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    let octets = Array(HTTP.ok(HTTP.body(100)).utf8)
    dialogue.send(.server, Array(octets[..<(octets.count - 40)]))
    dialogue.send(.server, Array(octets[(octets.count - 40)...]), isCaptured: false)
    dialogue.close(.server)
    expectBridgedBody(analyze(dialogue))
  }

  @Test func missingTailThatTheClientAcknowledged() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    let octets = Array(HTTP.ok(HTTP.body(100)).utf8)
    dialogue.send(.server, Array(octets[..<(octets.count - 40)]))
    dialogue.send(.server, Array(octets[(octets.count - 40)...]), isCaptured: false)
    dialogue.acknowledge(.client)
    expectBridgedBody(analyze(dialogue))
  }

  @Test func lateCopyWhileTheHoleIsOpenFillsIt() {
    var dialogue = holeInBody()
    let octets = Array(HTTP.ok(HTTP.body(100)).utf8)
    var lost = dialogue.segments[dialogue.segments.count - 1]
    lost.sequence &-= 40
    lost.payload = Array(octets[(octets.count - 80)..<(octets.count - 40)])
    dialogue.wait(500_000_000)
    dialogue.capture(lost)
    let analysis = analyze(dialogue)
    #expect(analysis.response("/a")?.octets.body == 100)
    #expect(analysis.response("/a")?.exactness == .exact)
    #expect(analysis.response("/a")?.overhead == 3 * overhead4)
    #expect(analysis.ledger.missing == 0)
    #expect(analysis.ledger[.retransmitted] == 0)
  }

  @Test func lateCopyAfterTheHoleWasGivenUpIsCountedAsBody() {
    var dialogue = holeInBody()
    let octets = Array(HTTP.ok(HTTP.body(100)).utf8)
    var lost = dialogue.segments[dialogue.segments.count - 1]
    lost.sequence &-= 40
    lost.payload = Array(octets[(octets.count - 80)..<(octets.count - 40)])
    dialogue.acknowledge(.client)
    dialogue.wait(5_000_000_000)
    dialogue.acknowledge(.client)
    dialogue.capture(lost)
    dialogue.repeatSegment(-1)
    let analysis = analyze(dialogue)
    #expect(analysis.response("/a")?.octets.body == 100)
    #expect(analysis.response("/a")?.missing == 0)
    #expect(analysis.connection.missing == 0)
    #expect(analysis.anomalies[.tcpLateData] == 1)
    #expect(analysis.response("/a")?.retransmitted == 40)
    #expect(analysis.ledger[.retransmitted] == 40)
  }

  @Test func lateCopyOfAHoleAcrossTheEndOfABodyIsCountedWhereItBelongs() {
    // The last 10 octets of one body and the whole next request are in the hole; then it turns up.
    var dialogue = Dialogue.opened()
    let octets = Array((HTTP.post("/a", HTTP.body(50)) + HTTP.get("/b") + HTTP.get("/c")).utf8)
    let cut = HTTP.post("/a", HTTP.body(50)).utf8.count
    let resume = cut + HTTP.get("/b").utf8.count
    dialogue.send(.client, Array(octets[..<(cut - 10)]))
    dialogue.send(.client, Array(octets[(cut - 10)..<resume]))
    let lost = dialogue.segments.removeLast()
    dialogue.send(.client, Array(octets[resume...]))
    dialogue.acknowledge(.server)
    dialogue.wait(5_000_000_000)
    dialogue.acknowledge(.server)
    dialogue.capture(lost)
    let analysis = analyze(dialogue)
    #expect(analysis.connection.missing == 0)
    #expect(analysis.request("/a")?.missing == 0)
    #expect(analysis.request("/a")?.octets.body == 50)
  }

  @Test func insideAChunk() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    let octets = Array(HTTP.chunked(HTTP.body(100), "end").utf8)
    let start = octets.count - 60
    dialogue.send(.server, Array(octets[..<start]))
    dialogue.send(.server, Array(octets[start..<(start + 20)]), isCaptured: false)
    dialogue.send(.server, Array(octets[(start + 20)...]))
    dialogue.close()
    let analysis = analyze(dialogue)
    let response = analysis.response("/a")
    #expect(response?.octets.body == 83)
    #expect(response?.octets.framing == 4 + 2 + 3 + 2 + 3 + 2)
    #expect(response?.missing == 20)
    #expect(response?.exactness == .inferred)
  }

  @Test func acrossTheEndOfAChunk() {
    // Chunk boundaries are lost with the hole: the message stops, and the next one is found.
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a") + HTTP.get("/b"))
    let octets = Array(HTTP.chunked(HTTP.body(30), HTTP.body(30)).utf8)
    dialogue.send(.server, Array(octets[..<70]))
    dialogue.send(.server, Array(octets[70..<90]), isCaptured: false)
    dialogue.send(.server, Array(octets[90...]))
    dialogue.send(.server, HTTP.ok("b"))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["GET /a 200", "GET /b 200"])
    #expect(analysis.response("/a")?.exactness == .atLeast)
    #expect(analysis.response("/a")?.flags.contains(.incomplete) == true)
    #expect(analysis.response("/b")?.exactness == .inferred)
    #expect(analysis.connection.missing == 20)
  }

  @Test func insideAHeaderSection() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.send(.server, "HTTP/1.1 200 OK\r\nX-A: 1\r\nX-")
    dialogue.send(.server, "B: 2\r\nContent-Length: 3\r\n", isCaptured: false)
    dialogue.send(.server, "X-C: 3\r\n\r\nabc")
    dialogue.send(.client, HTTP.get("/b"))
    dialogue.send(.server, HTTP.ok("b"))
    dialogue.close()
    let analysis = analyze(dialogue)
    let response = analysis.response("/a")
    // What follows the hole acknowledges the same request, and the next request acknowledges its end.
    #expect(response?.exactness == .atLeast)
    #expect(response?.flags.contains(.headerNotSeen) == true)
    #expect(response?.octets.startLine == 17)
    #expect(response?.octets.header == 10)
    #expect(response?.octets.body == 13)
    #expect(response?.missing == 25)
    #expect(analysis.ledger[.stray] == 0)
    #expect(analysis.pairs == ["GET /a 200", "GET /b 200"])
    #expect(analysis.response("/b")?.exactness == .inferred)
    #expect(analysis.anomalies[.httpResynchronized] == 1)
  }

  @Test func aWholeResponseIsLost() {
    var dialogue = Dialogue.opened()
    for path in ["/1", "/2", "/3"] {
      dialogue.send(.client, HTTP.get(path))
      dialogue.send(.server, HTTP.ok(path), isCaptured: path != "/2")
      dialogue.acknowledge(.client)
    }
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["GET /1 200", "GET /2 -", "GET /3 200"])
    #expect(analysis.response("/3")?.flags == [])
    #expect(analysis.response("/3")?.exactness == .inferred)
    #expect(analysis.response("/3")?.pairing == .exact)
    #expect(analysis.connection.missing == HTTP.ok("/2").utf8.count)
  }

  @Test func aWholeRequestIsLost() {
    var dialogue = Dialogue.opened()
    for path in ["/1", "/2", "/3"] {
      dialogue.send(.client, HTTP.get(path), isCaptured: path != "/2")
      dialogue.send(.server, HTTP.ok(path))
      dialogue.acknowledge(.client)
    }
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(Set(analysis.pairs) == ["GET /1 200", "- 200", "GET /3 200"])
    #expect(analysis.responses.map(\.path) == ["/1", "", "/3"])
    #expect(analysis.responses[1].flags.contains(.requestNotSeen))
    #expect(analysis.connection.missing == HTTP.get("/2").utf8.count)
  }

  /// What is paired without `pairing_uncertain` is paired rightly, whatever was lost.
  @Test func manyLostResponsesAndRequestsKeepTheirPairs() {
    var certain = 0
    var uncertain = 0
    // All of them: the share that is certain is one of many cases.
    for seed in 0..<200 {
      var random = SeededRandom(seed: UInt64(seed))
      var dialogue = Dialogue.opened()
      for number in 10..<25 {
        dialogue.send(.client, HTTP.get("/2\(number)"), isCaptured: random.chance(0.85))
        dialogue.send(
          .server, "HTTP/1.1 2\(number) X\r\nContent-Length: 0\r\n\r\n", isCaptured: random.chance(0.85))
        dialogue.acknowledge(.client)
      }
      dialogue.close()
      let analysis = analyze(dialogue)
      for response in analysis.responses {
        guard !response.flags.contains(.pairingUncertain) else {
          uncertain += 1
          continue
        }
        certain += 1
        #expect(response.path == "/\(response.status)" || response.path.isEmpty, "seed \(seed)")
        #expect(response.path.isEmpty == response.flags.contains(.requestNotSeen), "seed \(seed)")
      }
    }
    #expect(certain > 20 * uncertain)
  }

  @Test(arguments: [HTTP.body(40), "{\"a\": 1}", "one\r\ntwo\r\n"])
  func conversationThatStartsInTheMiddle(_ tail: String) {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/1"))
    dialogue.send(.server, HTTP.ok(HTTP.body(50)))
    dialogue.segments.removeAll()
    dialogue.send(.server, tail)
    dialogue.acknowledge(.client)
    dialogue.send(.client, HTTP.get("/2"))
    dialogue.send(.server, HTTP.ok("2"))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["GET /2 200"])
    #expect(analysis.ledger[.stray] == tail.utf8.count)
    #expect(analysis.connection.flags.contains(.noHandshake))
    #expect(analysis.connection.client == dialogue.client)
    #expect(analysis.anomalies[.tcpNoHandshake] == 1)
  }

  @Test(arguments: ["word", "the end of a text"])
  func conversationThatStartsWithWords(_ tail: String) {
    var dialogue = Dialogue.opened()
    dialogue.segments.removeAll()
    dialogue.send(.server, tail)
    dialogue.acknowledge(.client)
    dialogue.send(.client, HTTP.get("/2"))
    dialogue.send(.server, HTTP.ok("2"))
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["GET /2 200"])
    #expect(analysis.ledger[.stray] == tail.utf8.count)
  }

  @Test func conversationThatStartsWithAResponse() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/1"))
    dialogue.segments.removeAll()
    dialogue.send(.server, HTTP.ok("1"))
    dialogue.send(.client, HTTP.get("/2"))
    dialogue.send(.server, HTTP.ok("2"))
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["- 200", "GET /2 200"])
    #expect(analysis.responses.first?.flags.contains(.requestNotSeen) == true)
    #expect(analysis.connection.client == dialogue.client)
  }

  @Test func onlyTheServer() {
    var dialogue = Dialogue.opened()
    for path in ["/1", "/2"] {
      dialogue.send(.client, HTTP.get(path))
      dialogue.send(.server, HTTP.ok(path))
    }
    dialogue.close()
    dialogue.segments.removeAll { $0.source == dialogue.client }
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["- 200", "- 200"])
    #expect(analysis.responses.allSatisfy { $0.pairing == .unknown && $0.flags.contains(.requestNotSeen) })
    // The SYN-ACK shows where the stream starts.
    #expect(analysis.responses.map(\.exactness) == [.exact, .exact])
    #expect(analysis.connection.flags.contains(.oneSided))
    #expect(analysis.connection.client == dialogue.client)
    #expect(analysis.connection.missing == 2 * HTTP.get("/1").utf8.count)
  }

  @Test func onlyTheClient() {
    var dialogue = Dialogue.opened()
    for path in ["/1", "/2"] {
      dialogue.send(.client, HTTP.get(path))
      dialogue.send(.server, HTTP.ok(path))
      dialogue.acknowledge(.client)
    }
    dialogue.close()
    dialogue.segments.removeAll { $0.source == dialogue.server }
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["GET /1 -", "GET /2 -"])
    #expect(analysis.requests.allSatisfy { $0.exactness == .exact })
    #expect(analysis.connection.flags.contains(.oneSided))
    #expect(analysis.connection.client == dialogue.client)
    #expect(analysis.connection.missing == 2 * HTTP.ok("/1").utf8.count)
  }

  @Test func onlyTheServerWithAnInterimResponse() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.post("/1", "x"))
    dialogue.send(.server, "HTTP/1.1 100 Continue\r\n\r\n")
    dialogue.send(.server, HTTP.ok("1"))
    dialogue.segments.removeAll { $0.source == dialogue.client }
    let analysis = analyze(dialogue)
    #expect(analysis.exchanges.count == 1)
    #expect(analysis.responses.map(\.status) == [100, 200])
    #expect(analysis.responses.first?.flags.contains(.requestNotSeen) == true)
    #expect(analysis.responses.last?.flags.contains(.requestNotSeen) == true)
  }

  @Test func holeInABodyThatTheConnectionEnds() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.send(.server, "HTTP/1.0 200 OK\r\n\r\n" + HTTP.body(10))
    dialogue.send(.server, HTTP.body(20), isCaptured: false)
    dialogue.send(.server, HTTP.body(30))
    dialogue.close(.server)
    let analysis = analyze(dialogue)
    #expect(analysis.response("/a")?.octets.body == 40)
    #expect(analysis.response("/a")?.missing == 20)
    #expect(analysis.response("/a")?.exactness == .inferred)
  }

  @Test func heldOctetsBeyondTheLimit() {
    var configuration = Configuration()
    configuration.heldOctetLimit = 100
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    let octets = Array(HTTP.ok(HTTP.body(400)).utf8)
    dialogue.send(.server, Array(octets[..<60]))
    dialogue.send(.server, Array(octets[60..<80]))
    let lost = dialogue.segments.removeLast()
    for start in stride(from: 80, to: octets.count, by: 40) {
      dialogue.send(.server, Array(octets[start..<min(start + 40, octets.count)]))
    }
    dialogue.capture(lost)
    let analysis = analyze(dialogue, configuration)
    #expect(analysis.connection.flags.contains(.holdLimit))
    #expect(analysis.anomalies[.tcpHoldLimit] == 1)
    #expect(analysis.anomalies[.tcpLateData] == 1)
    #expect(analysis.response("/a")?.octets.body == 400)
    #expect(analysis.response("/a")?.missing == 0)
  }

  @Test func heldSegmentsBeyondTheLimit() {
    var configuration = Configuration()
    configuration.heldSegmentLimit = 4
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    let octets = Array(HTTP.ok(HTTP.body(100)).utf8)
    dialogue.send(.server, Array(octets[..<60]))
    dialogue.send(.server, Array(octets[60..<80]), isCaptured: false)
    for octet in octets[80...] { dialogue.send(.server, [octet]) }
    let analysis = analyze(dialogue, configuration)
    #expect(analysis.connection.flags.contains(.holdLimit))
    #expect(analysis.response("/a")?.missing == 20)
    #expect(analysis.response("/a")?.exactness == .inferred)
  }

  // MARK: Long holes

  /// A download of which `lost` octets pass while nothing is captured but an acknowledgment every `step` octets, if any.
  private func longHole(_ lost: Int, step: Int?) -> Analysis {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: \(lost + 20)\r\n\r\n" + HTTP.body(10))
    var left = lost
    while left > 0 {
      let passed = min(left, step ?? left)
      dialogue.next[.server] = dialogue.segment(.server).sequence &+ UInt32(truncatingIfNeeded: passed)
      left -= passed
      dialogue.received[.client] = dialogue.next[.server]
      if step != nil { dialogue.acknowledge(.client) }
    }
    dialogue.send(.server, HTTP.body(4))
    dialogue.send(.server, HTTP.body(6))
    dialogue.acknowledge(.client)
    dialogue.wait(2_000_000_000)
    dialogue.send(.client, HTTP.get("/b"))
    dialogue.send(.server, HTTP.ok("b"))
    dialogue.close()
    return analyze(dialogue)
  }

  /// Beyond the window, beyond the greatest window, and beyond what sequence numbers can tell apart.
  @Test(
    arguments: [
      (5_000_000, nil), (1_500_000_000, nil), (3_000_000_000, 500_000_000), (6_000_000_000, 1_000_000_000),
    ] as [(Int, Int?)])
  func longHolesKeepTheirCount(lost: Int, step: Int?) {
    let analysis = longHole(lost, step: step)
    #expect(analysis.pairs == ["GET /a 200", "GET /b 200"])
    #expect(analysis.response("/a")?.octets.body == 20)
    #expect(analysis.response("/a")?.missing == lost)
    #expect(analysis.connection.missing == lost)
    #expect(analysis.ledger[.outOfWindow] == 0)
    #expect(analysis.response("/b")?.exactness == .exact)
  }
}
