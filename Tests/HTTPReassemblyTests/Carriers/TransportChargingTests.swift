import HTTPReassembly
import TestSupport
import Testing

/// Whose packets are these (MEASURES §2, "Charging overhead").
@Suite struct TransportChargingTests {
  @Test func everyOctetOfAPlainConnectionHasItsOwner() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.acknowledge(.server)
    dialogue.send(.server, HTTP.ok("hello"))
    dialogue.acknowledge(.client)
    dialogue.close()
    let analysis = analyze(dialogue)
    let connection = analysis.connection
    #expect(connection.setup == 3 * overhead4)
    #expect(connection.teardown == 3 * overhead4)
    #expect(connection.unattributed == 0)
    #expect(connection.client == dialogue.client)
    #expect(connection.server == dialogue.server)
    #expect(connection.packets == Directional(client: 6, server: 4))
    #expect(connection.end == .fin)
    #expect(connection.flags == [])
    #expect(connection.applicationProtocol == .http1)
    // Its own packet and the other side's acknowledgment.
    #expect(analysis.request("/a")?.overhead == 2 * overhead4)
    #expect(analysis.response("/a")?.overhead == 2 * overhead4)
    #expect(
      analysis.classes == [
        .network: 200, .transport: 200, .startLine: 17 + 17,
        .header: HTTP.get("/a").utf8.count - 17 + HTTP.ok("hello").utf8.count - 17 - 5, .body: 5,
      ])
    #expect(analysis.anomalies.all.isEmpty)
  }

  @Test func ipv6HeadersAreLonger() {
    var dialogue = Dialogue.overIPv6
    dialogue.open()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.send(.server, HTTP.ok("hello"))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.connection.setup == 180)
    #expect(analysis.connection.teardown == 180)
    #expect(analysis.request("/a")?.overhead == 60)
  }

  @Test func tcpOptionsAreOverhead() {
    var dialogue = Dialogue.opened()
    for index in dialogue.segments.indices { dialogue.segments[index].options = [1, 1, 1, 0] }
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.segments[3].options = Array(repeating: 1, count: 12)
    let analysis = analyze(dialogue)
    #expect(analysis.connection.setup == 3 * 44)
    #expect(analysis.request("/a")?.overhead == 52)
  }

  @Test func ethernetHeadersAreNobodys() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.send(.server, HTTP.ok("hello"))
    let analysis = analyze(dialogue.packets(.ethernet))
    #expect(analysis.ledger[.link] == 5 * 14)
    #expect(analysis.request("/a")?.overhead == overhead4)
  }

  @Test func segmentAcrossTwoMessagesBelongsToTheFirst() {
    var dialogue = Dialogue.opened()
    let octets = Array((HTTP.get("/1") + HTTP.get("/2") + HTTP.get("/3")).utf8)
    let length = HTTP.get("/1").utf8.count
    dialogue.send(.client, Array(octets[..<(length + 10)]))
    dialogue.send(.client, Array(octets[(length + 10)..<(2 * length)]))
    dialogue.send(.client, Array(octets[(2 * length)...]))
    let analysis = analyze(dialogue)
    #expect(analysis.requests.map(\.overhead) == [overhead4, overhead4, overhead4])
  }

  @Test func acknowledgmentBelongsToTheMessageLastInProgressOnTheOtherSide() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/1"))
    dialogue.send(.server, HTTP.ok("1"))
    dialogue.send(.client, HTTP.get("/2"))
    dialogue.acknowledge(.server)
    dialogue.acknowledge(.client)
    dialogue.send(.server, HTTP.ok("2"))
    dialogue.acknowledge(.client)
    let analysis = analyze(dialogue)
    #expect(analysis.request("/1")?.overhead == overhead4)
    #expect(analysis.request("/2")?.overhead == 2 * overhead4)
    #expect(analysis.response("/1")?.overhead == 2 * overhead4)
    #expect(analysis.response("/2")?.overhead == 2 * overhead4)
  }

  @Test func acknowledgmentOfHalfAStartLineBelongsToItsMessage() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "GE")
    dialogue.acknowledge(.server)
    dialogue.send(.client, String(HTTP.get("/1").dropFirst(2)))
    let analysis = analyze(dialogue)
    #expect(analysis.request("/1")?.overhead == 3 * overhead4)
  }

  @Test func acknowledgmentBeforeAnyMessageIsUnattributed() {
    var dialogue = Dialogue.opened()
    dialogue.acknowledge(.server)
    dialogue.acknowledge(.client)
    let analysis = analyze(dialogue)
    #expect(analysis.connection.unattributed == 2 * overhead4)
    #expect(analysis.connection.setup == 3 * overhead4)
    #expect(analysis.connection.applicationProtocol == .none)
  }

  @Test func emptyLineBeforeARequestIsNobodys() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "\r\n" + HTTP.get("/1"))
    let analysis = analyze(dialogue)
    // The segment's first octet is stray, so its headers are the connection's.
    #expect(analysis.connection.unattributed == 2 + overhead4)
    #expect(analysis.ledger[.stray] == 2)
    #expect(analysis.request("/1")?.overhead == 0)
  }

  @Test func finWithPayloadIsTheMessages() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.send(.server, "HTTP/1.0 200 OK\r\n\r\nhello", flags: [.ack, .push, .fin])
    dialogue.acknowledge(.client)
    dialogue.send(.client, [], flags: [.fin, .ack])
    dialogue.acknowledge(.server)
    let analysis = analyze(dialogue)
    #expect(analysis.response("/a")?.octets.body == 5)
    #expect(analysis.response("/a")?.exactness == .exact)
    #expect(analysis.response("/a")?.flags == .closeDelimited)
    #expect(analysis.response("/a")?.overhead == overhead4)
    #expect(analysis.connection.teardown == 3 * overhead4)
    #expect(analysis.connection.end == .fin)
  }

  @Test func fastOpenDataInTheSyn() {
    var dialogue = Dialogue()
    dialogue.send(.client, HTTP.get("/a"), flags: .syn)
    dialogue.send(.server, [], flags: [.syn, .ack])
    dialogue.acknowledge(.client)
    dialogue.send(.server, HTTP.ok("hello"))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["GET /a 200"])
    #expect(analysis.request("/a")?.exactness == .exact)
    #expect(analysis.request("/a")?.octets.total == HTTP.get("/a").utf8.count)
    #expect(analysis.connection.missing == 0)
    // The SYN has payload: it is the message's or the connection's, but only once.
    #expect((analysis.request("/a")?.overhead ?? 0) + analysis.connection.setup == 3 * overhead4)
  }

  @Test func fastOpenDataThatTheServerDoesNotTakeComesAgain() {
    var dialogue = Dialogue()
    dialogue.send(.client, HTTP.get("/a"), flags: .syn)
    dialogue.received[.server] = 1001
    dialogue.send(.server, [], flags: [.syn, .ack])
    dialogue.acknowledge(.client)
    dialogue.next[.client] = 1001
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.send(.server, HTTP.ok("hello"))
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["GET /a 200"])
    #expect(analysis.ledger[.retransmitted] == HTTP.get("/a").utf8.count)
    #expect(analysis.request("/a")?.exactness == .exact)
  }

  @Test func handshakeWithoutItsSyn() {
    var dialogue = Dialogue.opened()
    dialogue.segments.removeFirst()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.send(.server, HTTP.ok("hello"))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.connection.client == dialogue.client)
    #expect(!analysis.connection.flags.contains(.noHandshake))
    #expect(analysis.connection.setup == 2 * overhead4)
    #expect(analysis.connection.unattributed == 0)
  }

  @Test func timesOfAnExchange() {
    var dialogue = Dialogue.opened()
    dialogue.step = 0
    let start = dialogue.now
    dialogue.wait(10)
    dialogue.send(.client, "POST /a HTTP/1.1\r\nHost: a.example\r\nContent-Length: 4\r\n\r\nab")
    dialogue.wait(20)
    dialogue.send(.client, "cd")
    dialogue.wait(300)
    dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab")
    dialogue.wait(4000)
    dialogue.send(.server, "cd")
    let analysis = analyze(dialogue)
    let timings = analysis.exchanges.first?.timings
    #expect(timings?.send == 20)
    #expect(timings?.wait == 300)
    #expect(timings?.receive == 4000)
    #expect(timings?.connect == 2_000_000)
    #expect(timings?.tls == nil)
    #expect(timings?.dns == nil)
    #expect(analysis.request("/a")?.firstTime == start + 10)
    #expect(analysis.request("/a")?.lastTime == start + 30)
  }

  @Test func theEndOfAnUnfinishedMessageIsWhenItsLastOctetCame() {
    // Half an upload, refused later: the request's last octet came before the response, whenever the end is noticed.
    var dialogue = Dialogue.opened()
    dialogue.step = 0
    let start = dialogue.now
    dialogue.send(.client, "POST /a HTTP/1.1\r\nHost: a.example\r\nContent-Length: 400\r\n\r\nab")
    dialogue.wait(500)
    dialogue.send(.server, "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
    dialogue.close(.server)
    let analysis = analyze(dialogue)
    #expect(analysis.response("/a")?.status == 413)
    #expect(analysis.request("/a")?.lastTime == start)
    #expect(analysis.exchanges.first?.timings.send == 0)
    #expect(analysis.exchanges.first?.timings.wait == 500)
  }

  @Test func theEndOfABodyThatTheConnectionEndsIsWhenItsLastOctetCame() {
    var dialogue = Dialogue.opened()
    dialogue.step = 0
    let start = dialogue.now
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.wait(7)
    dialogue.send(.server, "HTTP/1.0 200 OK\r\n\r\nhello")
    dialogue.wait(500)
    dialogue.send(.client, "\r\n")
    dialogue.close(.server)
    let analysis = analyze(dialogue)
    #expect(analysis.response("/a")?.lastTime == start + 7)
    #expect(analysis.exchanges.first?.timings.receive == 0)
  }

  @Test func noPhaseIsNegative() {
    // Both messages' first pieces are captured after their last ones.
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "GET /a HTTP/1.1\r\n")
    dialogue.send(.client, "Host: a.example\r\n\r\n")
    dialogue.send(.server, "HTTP/1.1 200 OK\r\n")
    dialogue.send(.server, "Content-Length: 0\r\n\r\n")
    let times = dialogue.segments.map(\.time)
    dialogue.segments.swapAt(3, 4)
    dialogue.segments.swapAt(5, 6)
    for index in times.indices { dialogue.segments[index].time = times[index] }
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["GET /a 200"])
    #expect((analysis.exchanges.first?.timings.send ?? 0) >= 0)
    #expect((analysis.exchanges.first?.timings.receive ?? 0) >= 0)
  }
}
