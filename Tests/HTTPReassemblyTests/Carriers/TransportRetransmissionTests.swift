import HTTPReassembly
import TestSupport
import Testing

/// Octets that come twice: what is counted, whose it is, and what happens when the copies differ.
@Suite struct TransportRetransmissionTests {
  private let request = HTTP.get("/a")

  private func answered(_ body: String = "hello") -> Dialogue {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, request)
    dialogue.send(.server, HTTP.ok(body))
    return dialogue
  }

  @Test func wholeSegmentAfterDelivery() {
    var dialogue = answered()
    dialogue.repeatSegment(-1)
    dialogue.close()
    let analysis = analyze(dialogue)
    let length = HTTP.ok("hello").utf8.count
    #expect(analysis.ledger[.retransmitted] == length)
    #expect(analysis.response("/a")?.retransmitted == length)
    #expect(analysis.response("/a")?.overhead == 2 * overhead4)
    #expect(analysis.response("/a")?.exactness == .exact)
    #expect(analysis.connection.retransmitted == length)
    #expect(!analysis.connection.flags.contains(.conflicting))
    #expect(analysis.anomalies.all.isEmpty)
  }

  /// The first segment of a connection comes behind the second one, which was captured twice: nothing is missing, whatever the protocol.
  @Test(arguments: ["http/1", "http/2", "tls"], [false, true])
  func copyBeforeTheFirstOctet(_ name: String, _ differs: Bool) {
    func dialogue(_ first: ClosedRange<Int>) -> (Dialogue, [UInt8]) {
      var dialogue = Dialogue.opened()
      let (request, response, secrets) = opening(name)
      let cuts = [0, 30, 45, request.count]
      for index in 0..<3 { dialogue.send(.client, Array(request[cuts[index]..<cuts[index + 1]])) }
      dialogue.send(.server, response)
      if first.count > 1 {
        var copy = dialogue.segments[4]
        if differs { copy.payload[0] ^= 1 }
        dialogue.segments.swapAt(3, 4)
        dialogue.segments.insert(copy, at: 4)
      }
      return (dialogue, secrets)
    }
    let (ordered, secrets) = dialogue(0...0)
    let (late, _) = dialogue(0...1)
    let whole = Analysis(ordered.packets(), secrets: secrets)
    let found = Analysis(late.packets(), secrets: secrets)
    #expect(whole.violations == [] && found.violations == [])
    #expect(whole.connection.applicationProtocol == found.connection.applicationProtocol)
    #expect(whole.messages.map(\.octets) == found.messages.map(\.octets))
    #expect(found.connection.retransmitted == 15 && found.ledger[.retransmitted] == 15)
    #expect(found.connection.flags.contains(.conflicting) == differs)
    if name != "tls" { #expect(found.messages.count == 2 && found.messages[0].flags.contains(.conflicting) == differs) }
  }

  /// What a client sends first, and the answer.
  private func opening(_ name: String) -> (request: [UInt8], response: [UInt8], secrets: [UInt8]) {
    switch name {
    case "http/2":
      var (client, server) = (HTTP2Writer(), HTTP2Writer())
      let request = HTTP2Writer.headers(1, client.block(HTTP2Writer.request("/a")), ends: true)
      let response = HTTP2Writer.headers(1, server.block(HTTP2Writer.response()), ends: true)
      return (HTTP2Writer.preface + HTTP2Writer.settings() + request, HTTP2Writer.settings() + response, [])
    case "tls":
      let writer = TLSWriter(version: 0x0304, seed: 1)
      return (writer.clientHello(host: "h.example"), writer.serverHello(), [])
    default:
      let request = HTTP.get("/a", fields: "X-Note: \(HTTP.body(40))\r\n")
      return (Array(request.utf8), Array(HTTP.ok("hello").utf8), [])
    }
  }

  /// More messages than linger begin in one segment: the first one is charged.
  @Test(arguments: [30, 40, 600])
  func manyMessagesInASegment(_ count: Int) {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, (1...count).map { HTTP.get("/\($0)") }.joined())
    dialogue.send(.server, (1...count).map { HTTP.ok("\($0)") }.joined())
    dialogue.send(.client, HTTP.get("/next"))
    dialogue.send(.server, HTTP.ok("next"))
    let analysis = analyze(dialogue)
    #expect(analysis.messages.count == 2 * count + 2)
    #expect(analysis.messages.reduce(0) { $0 + $1.overhead } == 4 * overhead4)
    #expect(analysis.request("/1")?.overhead == overhead4 && analysis.response("/1")?.overhead == overhead4)
    #expect(analysis.connection.unattributed == 0)
  }

  @Test func copyOverlapsTheFrontOfNewOctets() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, request)
    let octets = Array(HTTP.ok(HTTP.body(100)).utf8)
    dialogue.send(.server, Array(octets[..<60]))
    var again = dialogue.segments[dialogue.segments.count - 1]
    again.payload = Array(octets[20...])
    again.sequence &+= 20
    dialogue.capture(again)
    let analysis = analyze(dialogue)
    #expect(analysis.ledger[.retransmitted] == 40)
    #expect(analysis.response("/a")?.octets.total == octets.count)
    #expect(analysis.response("/a")?.retransmitted == 40)
    #expect(analysis.response("/a")?.overhead == 2 * overhead4)
    #expect(analysis.response("/a")?.exactness == .exact)
  }

  @Test func copyOverlapsTheBackOfHeldOctets() {
    // The end is captured first, then everything: the front is new, the back a copy of what is held.
    var dialogue = Dialogue.opened()
    dialogue.send(.client, request)
    let octets = Array(HTTP.ok(HTTP.body(100)).utf8)
    var whole = dialogue.segment(.server, [.ack, .push], octets)
    whole.sequence &+= 50
    whole.payload = Array(octets[50...])
    dialogue.capture(whole)
    dialogue.send(.server, octets)
    let analysis = analyze(dialogue)
    #expect(analysis.ledger[.retransmitted] == octets.count - 50)
    #expect(analysis.response("/a")?.octets.total == octets.count)
    #expect(analysis.response("/a")?.retransmitted == octets.count - 50)
    #expect(analysis.response("/a")?.overhead == 2 * overhead4)
    #expect(analysis.bodies == [0, 100])
  }

  @Test func copyWhileHeld() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, request)
    let octets = Array(HTTP.ok(HTTP.body(100)).utf8)
    dialogue.send(.server, Array(octets[..<40]))
    let first = dialogue.segments.removeLast()
    dialogue.send(.server, Array(octets[40...]))
    dialogue.repeatSegment(-1)
    dialogue.capture(first)
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.ledger[.retransmitted] == octets.count - 40)
    #expect(analysis.response("/a")?.retransmitted == octets.count - 40)
    #expect(analysis.response("/a")?.overhead == 3 * overhead4)
    #expect(analysis.connection.missing == 0)
  }

  @Test func coarseCopyOfManyHeldPieces() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, request)
    let octets = Array(HTTP.ok(HTTP.body(200)).utf8)
    let whole = dialogue.segment(.server, [.ack, .push], octets)
    for start in stride(from: 20, to: octets.count - 10, by: 20) { dialogue.capture(whole.part(start..<start + 10)) }
    dialogue.send(.server, octets)
    let analysis = analyze(dialogue)
    let held = stride(from: 20, to: octets.count - 10, by: 20).map { _ in 10 }.reduce(0, +)
    #expect(analysis.ledger[.retransmitted] == held)
    #expect(analysis.response("/a")?.octets.total == octets.count)
    #expect(analysis.response("/a")?.octets.body == 200)
    #expect(analysis.response("/a")?.retransmitted == held)
  }

  @Test func handshakeSegmentsTwice() {
    var dialogue = Dialogue()
    dialogue.send(.client, [], flags: .syn)
    dialogue.repeatSegment(-1)
    dialogue.send(.server, [], flags: [.syn, .ack])
    dialogue.repeatSegment(-1)
    dialogue.acknowledge(.client)
    dialogue.send(.client, request)
    dialogue.send(.server, HTTP.ok(""))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.connection.setup == 5 * overhead4)
    #expect(analysis.connections.count == 1)
    #expect(analysis.pairs == ["GET /a 200"])
    #expect(analysis.anomalies.all.isEmpty)
  }

  @Test func finTwiceIsTeardown() {
    var dialogue = answered()
    dialogue.close()
    dialogue.repeatSegment(-3)
    let analysis = analyze(dialogue)
    #expect(analysis.connection.teardown == 4 * overhead4)
    #expect(analysis.connections.count == 1)
    #expect(analysis.connection.end == .fin)
  }

  @Test func retransmissionAcrossTwoPipelinedMessagesIsSplit() {
    var dialogue = Dialogue.opened()
    let first = HTTP.get("/1")
    let second = HTTP.get("/2")
    dialogue.send(.client, first + second)
    dialogue.repeatSegment(-1)
    dialogue.send(.server, HTTP.ok("1") + HTTP.ok("22"))
    dialogue.repeatSegment(-1)
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.request("/1")?.retransmitted == first.utf8.count)
    #expect(analysis.request("/2")?.retransmitted == second.utf8.count)
    #expect(analysis.response("/1")?.retransmitted == HTTP.ok("1").utf8.count)
    #expect(analysis.response("/2")?.retransmitted == HTTP.ok("22").utf8.count)
    // The packets are charged to the owner of their first octet.
    #expect(analysis.request("/1")?.overhead == 2 * overhead4)
    #expect(analysis.request("/2")?.overhead == 0)
    #expect(analysis.response("/1")?.overhead == 2 * overhead4)
    #expect(analysis.response("/2")?.overhead == 0)
  }

  @Test func conflictingCopyAfterDelivery() {
    var dialogue = answered()
    var other = dialogue.segments[dialogue.segments.count - 1]
    other.payload[other.payload.count - 1] ^= 0x20
    dialogue.capture(other)
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.ledger[.retransmitted] == other.payload.count)
    #expect(analysis.connection.flags.contains(.conflicting))
    #expect(analysis.response("/a")?.flags.contains(.conflicting) == true)
    #expect(analysis.request("/a")?.flags.contains(.conflicting) == false)
    #expect(analysis.anomalies[.tcpConflictingOverlap] == 1)
  }

  @Test func conflictingCopyWhileHeld() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, request)
    let octets = Array(HTTP.ok(HTTP.body(100)).utf8)
    dialogue.send(.server, Array(octets[..<40]))
    let first = dialogue.segments.removeLast()
    dialogue.send(.server, Array(octets[40...]))
    var other = dialogue.segments[dialogue.segments.count - 1]
    other.payload[other.payload.count - 1] ^= 0x20
    dialogue.capture(other)
    dialogue.capture(first)
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.connection.flags.contains(.conflicting))
    #expect(analysis.response("/a")?.flags.contains(.conflicting) == true)
  }

  @Test func copyBehindAnInjectedResponseKeepsTheFirst() {
    // Two answers to one request: the first captured is the data.
    var dialogue = Dialogue.opened()
    dialogue.send(.client, request)
    let real = dialogue.segment(.server, [.ack, .push], Array(HTTP.ok("the real answer").utf8))
    dialogue.send(.server, "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n")
    dialogue.capture(real)
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["GET /a 302"])
    #expect(analysis.connection.flags.contains(.conflicting))
    #expect(analysis.responses.first?.flags.contains(.conflicting) == true)
  }

  @Test func keepAliveProbeRepeatsOneOctet() {
    var dialogue = answered()
    dialogue.acknowledge(.client)
    var probe = dialogue.segment(.server, .ack, [0])
    probe.sequence &-= 1
    dialogue.capture(probe)
    dialogue.acknowledge(.client)
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.ledger[.retransmitted] == 1)
    #expect(analysis.response("/a")?.retransmitted == 1)
    #expect(!analysis.connection.flags.contains(.conflicting))
    #expect(analysis.response("/a")?.overhead == 2 * overhead4 + 2 * overhead4)
  }

  @Test func keepAliveProbeWithoutPayloadIsAnAcknowledgment() {
    var dialogue = answered()
    var probe = dialogue.segment(.client, .ack)
    probe.sequence &-= 1
    dialogue.capture(probe)
    let analysis = analyze(dialogue)
    #expect(analysis.ledger[.retransmitted] == 0)
    #expect(analysis.response("/a")?.overhead == 2 * overhead4)
  }

  @Test func zeroWindowProbeThatIsNotTakenComesAgain() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, request)
    let octets = Array(HTTP.ok(HTTP.body(50)).utf8)
    dialogue.send(.server, Array(octets[..<60]))
    var closed = dialogue.segment(.client, .ack)
    closed.window = 0
    dialogue.capture(closed)
    // One octet beyond the window, not acknowledged, then sent again with what follows.
    dialogue.capture(dialogue.segment(.server, .ack, [octets[60]]))
    dialogue.capture(closed)
    dialogue.acknowledge(.client)
    dialogue.send(.server, Array(octets[60...]))
    let analysis = analyze(dialogue)
    #expect(analysis.ledger[.retransmitted] == 1)
    #expect(analysis.response("/a")?.octets.total == octets.count)
    #expect(analysis.response("/a")?.retransmitted == 1)
    #expect(analysis.ledger[.outOfWindow] == 0)
  }

  @Test func retransmissionOfAMessageThatNoLongerLingersIsTheConnections() {
    var configuration = Configuration()
    configuration.lingeringMessageLimit = 1
    var dialogue = Dialogue.opened()
    for path in ["/1", "/2", "/3"] { dialogue.send(.client, HTTP.get(path)) }
    var all = dialogue.segments[dialogue.segments.count - 3]
    all.payload = Array((HTTP.get("/1") + HTTP.get("/2") + HTTP.get("/3")).utf8)
    dialogue.capture(all)
    dialogue.close()
    let analysis = analyze(dialogue, configuration)
    #expect(analysis.request("/1")?.retransmitted == 0)
    #expect(analysis.request("/3")?.retransmitted == HTTP.get("/3").utf8.count)
    #expect(analysis.ledger[.retransmitted] == 3 * HTTP.get("/1").utf8.count)
  }
}
