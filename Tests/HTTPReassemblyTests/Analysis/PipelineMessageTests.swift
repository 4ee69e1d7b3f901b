import HTTPReassembly
import TestSupport
import Testing

/// Request-lines, field lines and what is odd about them.
@Suite struct PipelineMessageTests {
  private func request(_ octets: [UInt8], configuration: Configuration = Configuration()) -> Analysis {
    var dialogue = Dialogue.opened()
    var start = 0
    while start < octets.count {
      let end = min(start + 1460, octets.count)
      dialogue.send(.client, Array(octets[start..<end]))
      start = end
    }
    dialogue.send(.server, HTTP.ok("hello"))
    dialogue.send(.client, HTTP.get("/next"))
    dialogue.send(.server, HTTP.ok("next"))
    dialogue.close()
    let analysis = analyze(dialogue, configuration)
    #expect(analysis.response("/next")?.exactness == .exact)
    return analysis
  }

  private func request(_ text: String) -> Analysis { request(Array(text.utf8)) }

  @Test func bareLineFeeds() {
    let analysis = request("GET /a HTTP/1.1\nHost: a.example\n\n")
    #expect(analysis.request("/a")?.flags == .bareLineFeed)
    #expect(analysis.request("/a")?.octets.startLine == 16)
    #expect(analysis.request("/a")?.octets.header == 17)
  }

  @Test func obsoleteFold() {
    let analysis = request("GET /a HTTP/1.1\r\nHost: a.example\r\nX-A: 1\r\n\t2\r\n 3\r\n\r\n")
    #expect(analysis.request("/a")?.flags == .obsoleteFold)
    #expect(analysis.anomalies[.httpObsoleteFold] == 2)
    #expect(analysis.request("/a")?.octets.total == 52)
  }

  @Test func foldedHostIsOneValue() {
    let analysis = request("GET /a HTTP/1.1\r\nHost:\r\n A.Example\r\n\r\n")
    #expect(analysis.request("/a")?.host == "a.example")
  }

  @Test func emptyLinesBeforeARequestAreStray() {
    let analysis = request("\r\n\r\n\n" + HTTP.get("/a"))
    #expect(analysis.ledger[.stray] == 5)
    #expect(analysis.request("/a")?.octets.total == HTTP.get("/a").utf8.count)
  }

  @Test func missingHost() {
    let analysis = request("GET /a HTTP/1.1\r\n\r\n")
    #expect(analysis.request("/a")?.flags == .hostMissing)
    #expect(analysis.request("/a")?.host == "198.51.100.1")
    #expect(analysis.request("/a")?.hostSource == .address)
    #expect(analysis.response("/a")?.host == "198.51.100.1")
  }

  @Test func http10NeedsNoHost() {
    let analysis = request("GET /a HTTP/1.0\r\n\r\n")
    #expect(analysis.request("/a")?.flags == [])
    #expect(analysis.request("/a")?.version == "HTTP/1.0")
  }

  @Test func repeatedHost() {
    let analysis = request("GET /a HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n\r\n")
    #expect(analysis.request("/a")?.flags == .hostRepeated)
    #expect(analysis.request("/a")?.host == "a.example")
  }

  @Test(arguments: [
    ("A.Example", "a.example"), ("a.example:80", "a.example"), ("a.example:8080", "a.example:8080"),
    ("[2001:DB8::1]:80", "[2001:db8::1]"), ("  a.example  ", "a.example"),
  ])
  func hostIsNormalized(_ field: String, _ host: String) {
    #expect(request("GET /a HTTP/1.1\r\nHost: \(field)\r\n\r\n").request("/a")?.host == host)
  }

  @Test func absoluteForm() {
    let analysis = request("GET http://user:secret@B.example:80/a?x=1&y HTTP/1.1\r\nHost: a.example\r\n\r\n")
    #expect(analysis.request("/a")?.host == "b.example")
    #expect(analysis.request("/a")?.hostSource == .target)
    #expect(analysis.request("/a")?.queryLength == 5)
    #expect(analysis.response("/a")?.host == "b.example")
  }

  @Test func asteriskForm() {
    let analysis = request("OPTIONS * HTTP/1.1\r\nHost: a.example\r\n\r\n")
    #expect(analysis.request("*")?.method == "OPTIONS")
    #expect(analysis.request("*")?.queryLength == nil)
  }

  @Test func pathIsAsSent() {
    let analysis = request("GET /%7Ea//b/../c?x=1?2 HTTP/1.1\r\nHost: a.example\r\n\r\n")
    #expect(analysis.request("/%7Ea//b/../c")?.queryLength == 5)
    #expect(analysis.response("/%7Ea//b/../c")?.queryLength == nil)
  }

  @Test func emptyQueryIsNotNoQuery() {
    #expect(request("GET /a? HTTP/1.1\r\nHost: a.example\r\n\r\n").request("/a")?.queryLength == 0)
  }

  @Test func nonASCII() {
    let analysis = request("GET /ä HTTP/1.1\r\nHost: a.example\r\nX-Ä: ö\r\nX-B: ü\r\n\r\n")
    #expect(analysis.request("/ä")?.exactness == .exact)
    #expect(analysis.anomalies[.httpNonASCII] == 1)
  }

  @Test func unknownMethod() {
    let analysis = request("FROBNICATE /a HTTP/1.1\r\nHost: a.example\r\n\r\n")
    #expect(analysis.request("/a")?.method == "FROBNICATE")
    #expect(analysis.anomalies[.httpMethodUnknown] == 1)
  }

  @Test func spaceBeforeTheColon() {
    let analysis = request("GET /a HTTP/1.1\r\nHost : a.example\r\nno colon\r\n\r\n")
    #expect(analysis.request("/a")?.flags == .fieldLineMalformed)
    #expect(analysis.anomalies[.httpSpaceBeforeColon] == 1)
    #expect(analysis.anomalies[.httpFieldLineMalformed] == 1)
    #expect(analysis.request("/a")?.host == "a.example")
  }

  @Test func lineOf70KiB() {
    let text = "GET /a HTTP/1.1\r\nHost: a.example\r\nX: \(HTTP.body(70 << 10))\r\nY: z\r\n\r\n"
    let analysis = request(text)
    #expect(analysis.request("/a")?.octets.total == text.utf8.count)
    #expect(analysis.request("/a")?.exactness == .exact)
    #expect(analysis.anomalies[.httpLineTooLong] == 1)
    #expect(analysis.request("/a")?.flags == .lineTooLong)
    #expect(analysis.anomalies[.httpBareLineFeed] == 0)
  }

  @Test func requestLineOf70KiB() {
    let text = HTTP.get("/a?\(HTTP.body(70 << 10))")
    let analysis = request(text)
    #expect(analysis.ledger.difference == 0)
    #expect(analysis.request("/a")?.octets.total == text.utf8.count)
  }

  @Test func fiveThousandFieldLines() {
    let fields = (0..<5000).map { "X-\($0): \($0)\r\n" }.joined()
    let text = HTTP.get("/a", fields: fields)
    let analysis = request(text)
    #expect(analysis.request("/a")?.octets.total == text.utf8.count)
    #expect(analysis.request("/a")?.flags == [])
  }

  @Test func simpleRequestAndResponse() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "GET /a\r\n")
    dialogue.send(.server, "<p>hello</p>")
    dialogue.send(.server, [], flags: [.fin, .ack])
    dialogue.send(.client, [], flags: [.fin, .ack])
    let analysis = analyze(dialogue)
    #expect(analysis.request("/a")?.flags == .version09)
    #expect(analysis.request("/a")?.octets.startLine == 8)
    #expect(analysis.request("/a")?.host == "198.51.100.1")
    let response = analysis.responses.first
    #expect(response?.octets.body == 12)
    #expect(response?.flags == [.version09, .closeDelimited])
    #expect(response?.exactness == .exact)
    #expect(response?.exchange == analysis.request("/a")?.exchange)
  }

  @Test func junkAfterAResponseIsStrayAndReadingGoesOn() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.send(.server, HTTP.ok("hello") + "{junk}\r\nmore junk")
    dialogue.send(.client, HTTP.get("/b"))
    dialogue.send(.server, HTTP.ok("b"))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.ledger[.stray] == 17)
    #expect(analysis.pairs == ["GET /a 200", "GET /b 200"])
    #expect(analysis.anomalies[.httpStartLineMalformed] == 1)
    #expect(analysis.anomalies[.httpResynchronized] == 1)
    #expect(analysis.response("/b")?.exactness == .inferred)
  }

  @Test func theResponseWithoutARequestHasEmptyNames() {
    var dialogue = Dialogue.opened()
    dialogue.send(.server, HTTP.ok("unasked"))
    let analysis = analyze(dialogue)
    #expect(analysis.responses.map(\.path) == [""])
    #expect(analysis.responses.map(\.host) == [""])
    #expect(analysis.responses.first?.flags == .requestNotSeen)
    #expect(analysis.anomalies[.httpResponseWithoutRequest] == 1)
  }

  @Test func requestsThatWaitForTooLong() {
    var configuration = Configuration()
    configuration.outstandingRequestLimit = 4
    var dialogue = Dialogue.opened()
    for number in 0..<20 { dialogue.send(.client, HTTP.get("/\(number)")) }
    for number in 0..<20 { dialogue.send(.server, HTTP.ok("\(number)")) }
    dialogue.close()
    let analysis = analyze(dialogue, configuration)
    #expect(analysis.requests.count == 20)
    #expect(analysis.responses.count == 20)
    #expect(analysis.anomalies[.httpRequestQueueFull] > 0)
  }
}
