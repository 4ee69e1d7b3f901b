import HTTPReassembly
import TestSupport
import Testing

/// Several connections between the same endpoints, and segments that seem to begin one.
@Suite struct PortReuseTests {
  private func answered(_ path: String = "/a") -> Dialogue {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get(path))
    dialogue.send(.server, HTTP.ok("hello"))
    return dialogue
  }

  @Test func portReusedAfterTheEnd() {
    var dialogue = answered("/1")
    dialogue.close()
    var second = Dialogue(clientSequence: 90_000, serverSequence: 7_000_000)
    second.now = dialogue.now
    second.open()
    second.send(.client, HTTP.get("/2"))
    second.send(.server, HTTP.ok("two"))
    second.close()
    dialogue.segments += second.segments
    let analysis = analyze(dialogue)
    #expect(analysis.connections.count == 2)
    #expect(analysis.connections.map(\.setup) == [3 * overhead4, 3 * overhead4])
    #expect(analysis.connections.map(\.teardown) == [3 * overhead4, 3 * overhead4])
    #expect(analysis.connections.last?.flags.contains(.portReused) == true)
    #expect(analysis.connections.first?.end == .fin)
    #expect(analysis.pairs == ["GET /1 200", "GET /2 200"])
    #expect(analysis.anomalies[.tcpPortReused] == 1)
  }

  /// The capture begins inside a connection, and its endpoints are used again before its streams count as begun.
  @Test(
    arguments: [[], [.client], [.client, .server], [.server]] as [[Peer]],
    [10_000_000, 1_000_000, 2_000_000_000, 3_000_000_000, 4_000_000_000] as [UInt32])
  func portReusedAtTheStartOfTheCapture(payloads: [Peer], offset: UInt32) {
    for (isClosed, pause) in [(true, 1), (false, 1), (true, 30), (false, 45), (true, 400)] as [(Bool, Int64)] {
      var first = Dialogue.opened()
      first.segments = []
      for peer in payloads { first.send(peer, peer == .client ? HTTP.get("/1") : HTTP.ok("one")) }
      if payloads.isEmpty { first.acknowledge(.client) }
      if isClosed { first.close() }
      var second = Dialogue(clientSequence: 1_000 &+ offset, serverSequence: 5_000 &+ offset)
      second.now = first.now + pause * 1_000_000
      second.open()
      for path in ["/2", "/3"] {
        second.send(.client, HTTP.get(path))
        second.send(.server, HTTP.ok("two"))
      }
      second.close()
      first.segments += second.segments
      let analysis = analyze(first)
      let pairs = analysis.pairs
      #expect(
        Array(pairs.suffix(2)) == ["GET /2 200", "GET /3 200"], "\(payloads) \(offset) \(isClosed) \(pause): \(pairs)")
      #expect(analysis.ledger[.outOfWindow] == 0 && analysis.ledger[.retransmitted] == 0)
      #expect((analysis.request("/1") != nil) == payloads.contains(.client))
      // Without any payload and end, the first one may be the beginning of the second.
      #expect(analysis.connections.count == (payloads.isEmpty && !isClosed ? 1 : 2))
    }
  }

  @Test func portReusedWithoutAnEnd() {
    // The first connection's end was not captured: a SYN that is answered starts another one.
    var dialogue = answered("/1")
    var second = Dialogue(clientSequence: 90_000, serverSequence: 7_000_000)
    second.now = dialogue.now
    second.open()
    second.send(.client, HTTP.get("/2"))
    second.send(.server, HTTP.ok("two"))
    second.close()
    dialogue.segments += second.segments
    let analysis = analyze(dialogue)
    #expect(analysis.connections.count == 2)
    #expect(analysis.pairs == ["GET /1 200", "GET /2 200"])
    #expect(analysis.connections.last?.client == dialogue.client)
    #expect(analysis.connections.last?.flags == .portReused)
    #expect(analysis.connections.map(\.setup) == [3 * overhead4, 3 * overhead4])
    #expect(analysis.exchanges.last?.timings.connect != nil)
  }

  /// Two connections between the same endpoints, of the second one only what `second` captures.
  private func reused(isClosed: Bool, _ second: (inout Dialogue) -> Void) -> Analysis {
    var dialogue = answered("/1")
    if isClosed { dialogue.close() }
    var other = Dialogue(clientSequence: 3_000_000_000, serverSequence: 2_000_000_000)
    other.now = dialogue.now
    second(&other)
    dialogue.segments += other.segments
    return analyze(dialogue)
  }

  @Test(arguments: [true, false]) func portReusedWhoseSynIsLost(isClosed: Bool) {
    let analysis = reused(isClosed: isClosed) { second in
      second.send(.client, [], flags: .syn, isCaptured: false)
      second.send(.server, [], flags: [.syn, .ack])
      second.acknowledge(.client)
      second.send(.client, HTTP.get("/2"))
      second.send(.server, HTTP.ok("two"))
      second.close()
    }
    #expect(analysis.connections.count == 2)
    #expect(analysis.pairs == ["GET /1 200", "GET /2 200"])
    #expect(analysis.messages.map(\.exactness) == Array(repeating: .exact, count: 4))
    #expect(analysis.messages.map(\.pairing) == Array(repeating: .exact, count: 4))
    #expect(analysis.connections.map(\.missing) == [0, 0])
    #expect(analysis.connections.last?.setup == 2 * overhead4)
    #expect(analysis.ledger[.outOfWindow] == 0)
  }

  /// The SYN-ACK of the second connection acknowledges a number that may be one of the first.
  @Test(arguments: [805_306_368, 90_000, 2_000_000_000] as [UInt32])
  func portReusedWithoutAnEndWhoseSynIsLost(_ client: UInt32) {
    var first = answered("/1")
    var second = Dialogue(clientSequence: client, serverSequence: 1_073_741_824)
    second.now = first.now + 40_000_000_000
    second.send(.client, [], flags: .syn, isCaptured: false)
    second.send(.server, [], flags: [.syn, .ack])
    second.acknowledge(.client)
    second.send(.client, HTTP.get("/2"))
    second.send(.server, HTTP.ok("two"))
    second.close()
    first.segments += second.segments
    let analysis = analyze(first)
    #expect(analysis.pairs == ["GET /1 200", "GET /2 200"])
    #expect(analysis.connections.map(\.missing) == [0, 0] && analysis.ledger.missing == 0)
  }

  /// Neither handshake is captured, and the first connection may end or not.
  @Test(arguments: [true, false], [6_777_000, 3_000_000_000, 1_900_000_000] as [UInt32])
  func portReusedWithoutAHandshake(isClosed: Bool, offset: UInt32) {
    for pause in [1, 1000] as [Int64] {
      var first = answered("/1")
      if isClosed { first.close() }
      first.segments.removeFirst(3)
      var second = Dialogue(clientSequence: 1000 &+ offset, serverSequence: 500_000 &+ offset / 2)
      second.received = [.client: 500_000 &+ offset / 2, .server: 1000 &+ offset]
      second.now = first.now + pause * 1_000_000
      for path in ["/2", "/3"] {
        second.send(.client, HTTP.get(path))
        second.send(.server, HTTP.ok("two"))
      }
      second.close()
      first.segments += second.segments
      let analysis = analyze(first)
      #expect(analysis.pairs == ["GET /1 200", "GET /2 200", "GET /3 200"], "\(offset) \(pause): \(analysis.pairs)")
      #expect(analysis.connections.count == 2 && analysis.ledger.missing == 0 && analysis.ledger[.outOfWindow] == 0)
    }
  }

  @Test(arguments: [true, false]) func portReusedWhoseHandshakeIsLost(isClosed: Bool) {
    let analysis = reused(isClosed: isClosed) { second in
      second.received = [.client: 2_000_000_000, .server: 3_000_000_000]
      second.send(.client, HTTP.get("/2"))
      second.send(.server, HTTP.ok("two"))
      second.send(.client, HTTP.get("/3"))
      second.send(.server, HTTP.ok("three"))
      second.close()
    }
    #expect(analysis.connections.count == 2)
    #expect(analysis.pairs == ["GET /1 200", "GET /2 200", "GET /3 200"])
    #expect(analysis.connections.map(\.missing) == [0, 0])
    #expect(analysis.connections.last?.flags.contains([.noHandshake, .portReused]) == true)
    #expect(analysis.ledger[.outOfWindow] == 0)
    #expect(analysis.ledger.missing == 0)
  }

  @Test(arguments: [true, false]) func portReusedOfWhichOneSideIsCaptured(isClosed: Bool) {
    let analysis = reused(isClosed: isClosed) { second in
      second.received = [.client: 2_000_000_000, .server: 3_000_000_000]
      second.send(.client, HTTP.get("/2"))
      second.send(.server, HTTP.ok("two"), isCaptured: false)
      second.send(.client, HTTP.get("/3"))
    }
    #expect(analysis.connections.count == 2)
    #expect(analysis.pairs.contains("GET /2 -"))
    #expect(analysis.connections.first?.missing == 0)
  }

  @Test(arguments: [true, false]) func strangeDataDoesNotSplitAConnection(isAnswered: Bool) {
    // Spoofed: its numbers fit nothing, and what comes next is the connection's own.
    var dialogue = answered("/1")
    dialogue.capture(
      Segment(
        from: dialogue.client, to: dialogue.server, sequence: 3_123_456_789, acknowledgment: 2_345_678_901,
        flags: [.ack, .push], payload: Array(HTTP.get("/spoofed").utf8)))
    let length = HTTP.get("/spoofed").utf8.count
    if isAnswered {
      dialogue.send(.client, HTTP.get("/2"))
      dialogue.send(.server, HTTP.ok("two"))
      dialogue.close()
    }
    let analysis = analyze(dialogue)
    #expect(analysis.connections.count == 1)
    #expect(analysis.pairs == ["GET /1 200"] + (isAnswered ? ["GET /2 200"] : []))
    #expect(analysis.ledger[.outOfWindow] == length)
    #expect(analysis.anomalies[.tcpDataOutOfWindow] == 1)
    #expect(analysis.connection.missing == 0)
  }

  @Test func blindSynDoesNotSplitAConnection() {
    var dialogue = answered("/1")
    dialogue.capture(
      Segment(from: dialogue.client, to: dialogue.server, sequence: 123_456_789, flags: .syn))
    dialogue.acknowledge(.server)
    dialogue.send(.client, HTTP.get("/2"))
    dialogue.send(.server, HTTP.ok("two"))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.connections.count == 1)
    #expect(analysis.pairs == ["GET /1 200", "GET /2 200"])
    #expect(analysis.anomalies[.tcpSynInConnection] == 1)
    #expect(analysis.connection.missing == 0)
  }
}
