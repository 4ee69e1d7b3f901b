import HTTPReassembly
import TestSupport
import Testing

/// A client that waits for 100 (Continue) and gets a final response sends no content (RFC 9110 §10.1.1), and goes on.
@Suite struct RefusedContentTests {
  private static func post(_ path: String, _ framing: String) -> String {
    "POST \(path) HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n\(framing)\r\n\r\n"
  }

  private static func refusal(_ status: Int) -> String { "HTTP/1.1 \(status) No\r\nContent-Length: 2\r\n\r\nno" }

  @Test(arguments: ["Content-Length: 558", "Transfer-Encoding: chunked"], [307, 401, 403, 417, 500])
  func nextRequestsAreRequests(framing: String, status: Int) {
    var dialogue = Dialogue.opened()
    for number in 1...3 {
      dialogue.send(.client, Self.post("/\(number)", framing))
      dialogue.send(.server, Self.refusal(status))
    }
    dialogue.send(.client, HTTP.get("/after"))
    dialogue.send(.server, HTTP.ok("after"))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == (1...3).map { "POST /\($0) \(status)" } + ["GET /after 200"])
    #expect(analysis.messages.allSatisfy { $0.exactness == .exact })
    #expect(analysis.requests.allSatisfy { $0.octets.body == 0 && $0.octets.framing == 0 })
  }

  /// The client sends the content all the same, or the server takes it after an interim response.
  @Test(arguments: [false, true]) func contentIsContent(isTaken: Bool) {
    var dialogue = Dialogue.opened()
    let content = "GET / HTTP/1.1\r\n" + HTTP.body(542)
    dialogue.send(.client, Self.post("/1", "Content-Length: 558"))
    dialogue.send(.server, isTaken ? "HTTP/1.1 100 Continue\r\n\r\n" : Self.refusal(413))
    dialogue.send(.client, isTaken ? content : HTTP.body(558))
    if isTaken { dialogue.send(.server, HTTP.ok("taken")) }
    dialogue.send(.client, HTTP.get("/after"))
    dialogue.send(.server, HTTP.ok("after"))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.requests.map(\.octets.body) == [558, 0])
    #expect(analysis.messages.allSatisfy { $0.exactness == .exact })
  }

  /// `identity` is no transfer coding (RFC 2616 §3.6): Content-Length tells the end.
  @Test(arguments: ["identity", "Identity", " identity "]) func identityIsNoCoding(value: String) {
    var dialogue = Dialogue.opened()
    for path in ["/1", "/2"] {
      dialogue.send(.client, HTTP.get(path))
      dialogue.send(.server, "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(value)\r\nContent-Length: 3\r\n\r\nabc")
    }
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["GET /1 200", "GET /2 200"])
    #expect(analysis.responses.allSatisfy { $0.octets.body == 3 && $0.exactness == .exact })
  }

  @Test func anEmptyPortIsNone() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "GET / HTTP/1.1\r\nHost: A.test:\r\n\r\n")
    dialogue.send(.server, HTTP.ok("a"))
    #expect(analyze(dialogue).requests.map(\.host) == ["a.test"])
  }
}
