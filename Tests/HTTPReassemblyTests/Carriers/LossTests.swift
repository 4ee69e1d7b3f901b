import HTTPReassembly
import TestSupport
import Testing

/// What is still known of connections that lack packets (MEASURES §10).
@Suite struct LossTests {
  /// `count` exchanges, one at a time; those in `lost` lack a packet.
  private func dialogue(_ count: Int, lostRequests: Set<Int> = [], lostResponses: Set<Int> = []) -> Dialogue {
    var dialogue = Dialogue.opened()
    for number in 1...count {
      dialogue.send(.client, HTTP.get("/\(number)"), isCaptured: !lostRequests.contains(number))
      dialogue.send(.server, HTTP.ok("body of \(number)"), isCaptured: !lostResponses.contains(number))
    }
    dialogue.close()
    return dialogue
  }

  /// The number that is in the content of the response to each request, by its length: none for a lost one.
  @Test func everyLossLeavesTheOtherPairsRight() {
    var random = SeededRandom(seed: 18)
    for _ in 0..<RandomCases.count(60) {
      let lostRequests = Set((0..<6).map { _ in random.number(1..<120) })
      let lostResponses = Set((0..<6).map { _ in random.number(1..<120) })
      let analysis = analyze(dialogue(120, lostRequests: lostRequests, lostResponses: lostResponses))
      for number in 1...120 where !lostResponses.contains(number) {
        let length = "body of \(number)".utf8.count
        guard !lostRequests.contains(number) else { continue }
        let response = analysis.response("/\(number)")
        #expect(response?.octets.body == length, "\(number)")
        #expect(response.map { $0.pairing != .unknown } == true, "\(number)")
      }
      #expect(analysis.responses.filter { $0.pairing == .unknown }.allSatisfy { $0.path.isEmpty })
    }
  }

  /// One lost response keeps nobody waiting: the exchanges after it become final as they would.
  @Test func aLostResponseKeepsNoExchangeOpen() {
    let packets = dialogue(2000, lostResponses: [2]).packets()
    var pipeline = Pipeline(sink: CollectingSink())
    for packet in packets.dropLast(3) { packet.octets.withOctets { pipeline.process(packet.facts, $0) } }
    #expect(pipeline.sink.exchanges.count > 1900)
  }

  @Test func aResponseToALostHEADRequestHasNoContent() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "HEAD /1 HTTP/1.1\r\nHost: a.example\r\n\r\n", isCaptured: false)
    dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")
    dialogue.send(.client, HTTP.get("/2"))
    dialogue.send(.server, HTTP.ok("2"))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["- 200", "GET /2 200"])
    #expect(analysis.responses.map(\.octets.body) == [0, 1])
    #expect(analysis.response("/2")?.exactness == .exact)
  }

  /// The content of a response whose request is not known may look like the next response.
  @Test func contentThatLooksLikeAResponse() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/1"), isCaptured: false)
    let content = HTTP.ok("inner") + HTTP.ok("more")
    dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: \(content.utf8.count)\r\n\r\n")
    dialogue.send(.server, content)
    dialogue.send(.client, HTTP.get("/2"))
    dialogue.send(.server, HTTP.ok("2"))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.responses.map(\.octets.body) == [content.utf8.count, 1])
    #expect(analysis.pairs == ["- 200", "GET /2 200"])
  }

  /// The host was sent, and lost: the address is none.
  @Test func aLostHostIsNoAddress() {
    var dialogue = Dialogue.opened()
    let head = Array(
      "GET /1 HTTP/1.1\r\nCookie: \(String(repeating: "c", count: 1200))\r\nHost: a.example\r\n\r\n".utf8)
    dialogue.send(.client, Array(head[..<1000]))
    dialogue.send(.client, Array(head[1000...]), isCaptured: false)
    dialogue.send(.server, HTTP.ok("1"))
    dialogue.send(.client, HTTP.get("/2"))
    dialogue.send(.server, HTTP.ok("2"))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["GET /1 200", "GET /2 200"])
    #expect(analysis.messages.map(\.host) == ["", "", "a.example", "a.example"])
    #expect(analysis.messages.prefix(2).allSatisfy { $0.hostSource == .unknown && $0.exactness != .exact })
    #expect(analysis.messages.last?.exactness == .exact)
  }

  /// A request whose stream ends in its header section had no host; one that the capture cuts may have.
  @Test(arguments: [true, false]) func aRequestThatEndsInItsHeaderSection(_ isClosed: Bool) {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "GET /1 HTTP/1.1\r\nX: y\r\n")
    if isClosed { dialogue.close() }
    let request = analyze(dialogue).requests.first
    #expect(request?.exactness == .atLeast)
    #expect(request?.hostSource == (isClosed ? .address : .unknown))
  }

  /// What looks like a message in the content of a message whose head is lost is none.
  @Test func contentOfALostHead() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/0"))
    dialogue.send(.server, HTTP.ok("0"))
    let inner = HTTP.ok("inner") + HTTP.ok("more")
    dialogue.send(.client, HTTP.get("/1"))
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: \(inner.utf8.count + 4)\r\n\r\nmore"
    dialogue.send(.server, head, isCaptured: false)
    dialogue.send(.server, inner)
    dialogue.send(.client, HTTP.get("/2"))
    dialogue.send(.server, HTTP.ok("2"))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.responses.count == 3)
    let headless = analysis.response("/1")
    #expect(headless?.status == 0)
    #expect(headless?.octets.total == inner.utf8.count)
    #expect(headless?.missing == head.utf8.count)
    #expect(headless?.exactness == .atLeast)
    #expect(analysis.response("/2")?.pairing == .exact)
  }

  /// The answer to CONNECT is lost: what the server acknowledges behind the hole shows that it came, so that later responses have their
  /// requests.
  @Test func aLostAnswerToCONNECT() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "CONNECT b.example:443 HTTP/1.1\r\nHost: b.example:443\r\n\r\n")
    dialogue.send(.server, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", isCaptured: false)
    for number in 1...200 {
      dialogue.send(.client, HTTP.get("/\(number)"))
      dialogue.send(.server, HTTP.ok("\(number)"))
    }
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.requests.count == 201)
    for number in 1...200 { #expect(analysis.response("/\(number)")?.pairing == .exact, "\(number)") }
    #expect(analysis.pairs.count == 201)
  }

  /// A client that always has two requests on the way, in a capture that starts within the connection: both acknowledgments of each
  /// response fit the next request, and no pair is exact before eight are alike.
  @Test func twoRequestsOnTheWayFromTheStart() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/0"), isCaptured: false)
    for number in 1...40 {
      dialogue.send(.client, HTTP.get("/\(number)"))
      dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Type: n/\(number - 1)\r\nContent-Length: 0\r\n\r\n")
    }
    let analysis = analyze(Array(dialogue.packets().dropFirst(3)))
    let first = analysis.responses.prefix(7)
    #expect(first.count == 7)
    #expect(first.allSatisfy { $0.pairing != .exact })
  }

  /// Requests are sent together, and one between them is lost. The first response answers the first one, and no response is given to the
  /// last one that may answer the lost one.
  @Test func aLostRequestBetweenTwoThatAreSentTogether() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/1"))
    dialogue.send(.server, HTTP.ok("one"), isCaptured: false)
    for number in 2...4 { dialogue.send(.client, HTTP.get("/\(number)"), isCaptured: number != 3) }
    dialogue.send(.server, HTTP.ok("two, which is longer"))
    let third = HTTP.ok(String(repeating: "3", count: 900))
    dialogue.send(.server, String(third.prefix(200)), isCaptured: false)
    dialogue.send(.server, String(third.dropFirst(200)))
    dialogue.send(.server, HTTP.ok("four"))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.violations == [])
    #expect(analysis.response("/2")?.octets.body == 20 && analysis.response("/2")?.pairing == .inferred)
    #expect(analysis.responses.allSatisfy { $0.path != "/4" || $0.octets.body == 4 })
  }

  /// A request whose head is cut at the snap length hides the one that was sent with it: a client that seemed to send one at a time always has
  /// two on the way from then on, and no wrong pair is exact.
  @Test func aRequestSentAheadBehindACutOne() {
    var dialogue = Dialogue.opened()
    for number in 1...5 {
      dialogue.send(.client, HTTP.get("/\(number)"))
      dialogue.send(.server, HTTP.ok(String(repeating: "x", count: number)))
    }
    dialogue.send(.client, HTTP.get("/6"), uncaptured: 10)
    dialogue.send(.client, HTTP.get("/7"))
    for number in 6...12 {
      dialogue.send(.server, HTTP.ok(String(repeating: "x", count: number)))
      dialogue.send(.client, HTTP.get("/\(number + 2)"))
    }
    let analysis = analyze(dialogue)
    let wrong = analysis.responses.filter { !$0.path.isEmpty && $0.path != "/\($0.octets.body)" }
    #expect(wrong.allSatisfy { $0.pairing != .exact }, "\(wrong.map(\.path))")
    #expect(analysis.responses.prefix(5).allSatisfy { $0.pairing == .exact && $0.path == "/\($0.octets.body)" })
  }

  /// Of a response whose request is not known, and that would end with the connection, the end of the connection proves nothing.
  @Test func contentUntilCloseWithoutItsRequestIsNotExact() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "HEAD /1 HTTP/1.1\r\nHost: a.example\r\n\r\n", isCaptured: false)
    dialogue.send(.server, "HTTP/1.1 200 OK\r\nX: y\r\n\r\n" + HTTP.ok("2") + HTTP.ok("3"))
    dialogue.close()
    let analysis = analyze(Array(dialogue.packets().dropFirst(3)))
    #expect(analysis.responses.first?.exactness == .inferred)
  }

  /// A final response right behind an interim one is the same request's, though its acknowledgment alone would not say so.
  @Test func aFinalResponseBehindAnInterimOne() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/1"))
    dialogue.send(.server, HTTP.ok("1"), isCaptured: false)
    dialogue.send(
      .client, "POST /2 HTTP/1.1\r\nHost: a.example\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
    dialogue.send(.server, "HTTP/1.1 100 Continue\r\n\r\n")
    dialogue.send(.client, "abc")
    dialogue.send(.server, HTTP.ok("2"))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["GET /1 -", "POST /2 200"])
    #expect(analysis.response("/2")?.pairing != .unknown)
  }

  /// An interim response whose head is cut at the snap length ends where the final one begins.
  @Test func aCutInterimResponse() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/1"))
    let hint = "HTTP/1.1 103 Early Hints\r\nLink: \(String(repeating: "l", count: 80))\r\n\r\n"
    dialogue.send(.server, hint, uncaptured: 60)
    dialogue.send(.server, HTTP.ok("1"))
    dialogue.send(.client, HTTP.get("/2"))
    dialogue.send(.server, HTTP.ok("2"))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.messages.map(\.status) == [0, 103, 200, 0, 200])
    #expect(analysis.pairs == ["GET /1 200", "GET /2 200"])
    #expect(analysis.response("/1")?.octets.total == HTTP.ok("1").utf8.count)
  }

  // MARK: Order

  /// Packets that come a few places later change nothing.
  @Test func packetsThatComeLate() {
    let packets = dialogue(200).packets()
    let whole = analyze(packets)
    for seed in RandomCases.seeds(0..<40) {
      var random = SeededRandom(seed: UInt64(seed))
      var moved = packets
      for _ in 0..<10 {
        let from = random.number(3..<moved.count - 20)
        let to = from + random.number(2..<13)
        let packet = moved.remove(at: from)
        moved.insert(packet, at: to)
      }
      for index in moved.indices { moved[index].timestamp = packets[index].timestamp }
      let analysis = analyze(moved)
      #expect(analysis.pairs == whole.pairs, "seed \(seed)")
      #expect(analysis.ledger.missing == 0)
    }
  }
}
