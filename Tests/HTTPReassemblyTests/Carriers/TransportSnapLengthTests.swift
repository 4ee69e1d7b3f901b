import HTTPReassembly
import TestSupport
import Testing

/// Packets of which only a part was captured.
@Suite struct TransportSnapLengthTests {
  @Test func cutInsideABodyOfKnownLength() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.send(.server, HTTP.ok(HTTP.body(100)), uncaptured: 70)
    dialogue.send(.client, HTTP.get("/b"))
    dialogue.send(.server, HTTP.ok("b"))
    dialogue.close()
    let analysis = analyze(dialogue)
    let response = analysis.response("/a")
    #expect(response?.octets.body == 100)
    #expect(response?.missing == 0)
    #expect(response?.unseen == 70)
    #expect(response?.exactness == .inferred)
    #expect(analysis.ledger.missing == 70)
    #expect(analysis.ledger.truncatedPackets == 1)
    #expect(analysis.response("/b")?.exactness == .exact)
    #expect(analysis.pairs == ["GET /a 200", "GET /b 200"])
    #expect(response?.decodedBody != nil || response?.flags.contains(.contentNotSeen) == true)
  }

  @Test func cutInsideAHeaderSection() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.send(.server, HTTP.ok("hello"), uncaptured: 20)
    dialogue.send(.client, HTTP.get("/b"))
    dialogue.send(.server, HTTP.ok("b"))
    dialogue.close()
    let analysis = analyze(dialogue)
    // The next request acknowledges where it ended.
    #expect(analysis.response("/a")?.octets.total == HTTP.ok("hello").utf8.count)
    #expect(analysis.response("/a")?.unseen == 20)
    #expect(analysis.response("/a")?.exactness == .atLeast)
    #expect(analysis.response("/a")?.flags.contains(.headerNotSeen) == true)
    #expect(analysis.ledger[.stray] == 0)
    #expect(analysis.ledger.missing == 20)
    #expect(analysis.pairs == ["GET /a 200", "GET /b 200"])
    #expect(analysis.response("/b")?.exactness == .inferred)
    #expect(analysis.response("/b")?.pairing == .exact)
  }

  @Test func cutInsideAChunk() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    dialogue.send(.server, head + "64\r\n" + HTTP.body(60), uncaptured: 50)
    dialogue.send(.server, HTTP.body(40) + "\r\n0\r\n\r\n")
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.response("/a")?.octets.body == 100)
    #expect(analysis.response("/a")?.octets.framing == 11)
    #expect(analysis.response("/a")?.unseen == 50)
    #expect(analysis.response("/a")?.exactness == .inferred)
  }

  @Test func cutAcrossTheEndOfAChunk() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a") + HTTP.get("/b"))
    dialogue.send(.server, HTTP.chunked(HTTP.body(60)), uncaptured: 30)
    dialogue.send(.server, HTTP.ok("b"))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.response("/a")?.exactness == .atLeast)
    #expect(analysis.response("/a")?.octets.body == 60)
    #expect(analysis.pairs == ["GET /a 200", "GET /b 200"])
    #expect(analysis.response("/b")?.exactness == .inferred)
    #expect(analysis.response("/b")?.pairing == .inferred)
  }

  @Test(arguments: [0, 1, 40, 41, 60, 80, 120])
  func everyPacketCutToTheSameLength(_ length: Int) {
    var dialogue = Dialogue.opened()
    for path in ["/1", "/2", "/3"] {
      dialogue.send(.client, HTTP.get(path))
      dialogue.send(.server, HTTP.ok(HTTP.body(300)))
    }
    dialogue.close()
    for index in dialogue.segments.indices {
      let whole = dialogue.segments[index].overhead + dialogue.segments[index].payload.count
      dialogue.segments[index].uncaptured = max(whole - length, 0)
    }
    let analysis = analyze(dialogue)
    #expect(analysis.ledger.original == dialogue.segments.reduce(0) { $0 + $1.overhead + $1.payload.count })
    if length == 120 {
      #expect(analysis.responses.map(\.octets.body) == [300, 300, 300])
      #expect(analysis.responses.allSatisfy { $0.exactness == .inferred })
    }
  }

  @Test func cutWhileHeld() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    let octets = Array(HTTP.ok(HTTP.body(200)).utf8)
    dialogue.send(.server, Array(octets[..<80]))
    let first = dialogue.segments.removeLast()
    dialogue.send(.server, Array(octets[80..<160]), uncaptured: 30)
    dialogue.send(.server, Array(octets[160...]))
    dialogue.capture(first)
    let analysis = analyze(dialogue)
    #expect(analysis.response("/a")?.octets.total == octets.count)
    #expect(analysis.response("/a")?.unseen == 30)
    #expect(analysis.response("/a")?.exactness == .inferred)
  }
}
