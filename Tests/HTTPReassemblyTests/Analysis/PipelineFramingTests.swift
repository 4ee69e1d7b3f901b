import HTTPReassembly
import TestSupport
import Testing

/// How long a message's body is (RFC 9112 §6.3), rule by rule.
@Suite struct PipelineFramingTests {
  /// One request and one response, then a second exchange that must still be read.
  private func exchange(request: String = HTTP.get("/a"), response: String) -> Analysis {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, request)
    dialogue.send(.server, response)
    dialogue.send(.client, HTTP.get("/next"))
    dialogue.send(.server, HTTP.ok("next"))
    dialogue.close(.server)
    return analyze(dialogue)
  }

  /// A message that is found after framing was lost is not exact.
  private func expectNext(
    _ analysis: Analysis, isFound: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(analysis.response("/next")?.exactness == (isFound ? .inferred : .exact), sourceLocation: sourceLocation)
    #expect(analysis.response("/next")?.octets.body == 4, sourceLocation: sourceLocation)
  }

  /// Streaming servers begin their status-line with `ICY`; it is cut at every octet here.
  @Test func streamingServersAnswerWithAVersionOfTheirOwn() {
    let head = "ICY 200 OK\r\nicy-name:Radio\r\ncontent-type:audio/mpeg\r\n\r\n"
    for cut in 0..<head.utf8.count {
      var dialogue = Dialogue.opened()
      dialogue.send(.client, "GET /radio HTTP/1.0\r\nHost: a.example\r\n\r\n")
      if cut > 0 { dialogue.send(.server, String(head.prefix(cut))) }
      dialogue.send(.server, String(head.dropFirst(cut)))
      dialogue.send(.server, String(repeating: "\u{1}", count: 300))
      dialogue.close(.server)
      let analysis = analyze(dialogue)
      let response = analysis.response("/radio")
      #expect(response?.status == 200 && response?.exactness == .exact, "\(cut)")
      #expect(response?.version as String? == "ICY" && response?.content[0] == "audio/mpeg")
      #expect(response?.octets.startLine == 12 && response?.octets.body == 300)
      #expect(analysis.anomalies[.httpVersionUnknown] == 1)
    }
    // Other words are no versions.
    for line in ["ICE 200 OK", "ICY200 OK", "ICY ok", "ICY 20x OK"] {
      let analysis = exchange(response: line + "\r\n\r\n")
      #expect(analysis.response("/a")?.version as String? != "ICY", "\(line)")
    }
  }

  // Rule 1
  @Test(arguments: ["HTTP/1.1 204 No Content", "HTTP/1.1 304 Not Modified"])
  func statusWithoutContent(_ line: String) {
    let analysis = exchange(response: "\(line)\r\nContent-Length: 50\r\nTransfer-Encoding: chunked\r\n\r\n")
    #expect(analysis.response("/a")?.octets.body == 0)
    #expect(analysis.response("/a")?.exactness == .exact)
    expectNext(analysis)
  }

  @Test func headHasNoContent() {
    let analysis = exchange(
      request: "HEAD /a HTTP/1.1\r\nHost: a.example\r\n\r\n", response: "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n")
    #expect(analysis.response("/a")?.octets.body == 0)
    expectNext(analysis)
  }

  @Test func headIsCaseSensitive() {
    let analysis = exchange(
      request: "head /a HTTP/1.1\r\nHost: a.example\r\n\r\n", response: HTTP.ok("hello"))
    #expect(analysis.response("/a")?.octets.body == 5)
    #expect(analysis.anomalies[.httpMethodUnknown] == 1)
    expectNext(analysis)
  }

  @Test func interimResponsesAreMessagesOfTheirOwn() {
    let analysis = exchange(
      response: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + HTTP.ok("hello"))
    #expect(analysis.responses.map(\.status) == [100, 103, 200, 200])
    #expect(analysis.responses.map(\.kind) == [.interim, .interim, .response, .response])
    #expect(Set(analysis.responses.prefix(3).map(\.exchange)).count == 1)
    #expect(analysis.responses.prefix(3).allSatisfy { $0.path == "/a" && $0.host == "a.example" })
    #expect(analysis.pairs == ["GET /a 200", "GET /next 200"])
    expectNext(analysis)
  }

  // Rule 3
  @Test func transferEncodingBeatsContentLength() {
    let analysis = exchange(
      response: "HTTP/1.1 200 OK\r\nContent-Length: 50\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
    #expect(analysis.response("/a")?.octets.body == 3)
    #expect(analysis.response("/a")?.flags == .contentLengthWithTransferEncoding)
    expectNext(analysis)
  }

  // Rule 4
  @Test func chunkedInAList() {
    let fields = "Transfer-Encoding: gzip\r\nTransfer-Encoding: , Chunked \r\n"
    let analysis = exchange(response: "HTTP/1.1 200 OK\r\n\(fields)\r\n3\r\nabc\r\n0\r\n\r\n")
    #expect(analysis.response("/a")?.octets.body == 3)
    #expect(analysis.response("/a")?.decodedBody == nil)
    #expect(analysis.response("/a")?.flags == .notDecoded)
    expectNext(analysis)
  }

  @Test func responseWhoseLastCodingIsNotChunkedEndsWithTheConnection() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.send(.server, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
    dialogue.close(.server)
    let analysis = analyze(dialogue)
    #expect(analysis.response("/a")?.octets.body == 13)
    #expect(analysis.response("/a")?.exactness == .exact)
    #expect(analysis.response("/a")?.flags.contains([.closeDelimited, .transferEncodingUnusual]) == true)
  }

  @Test func requestWhoseLastCodingIsNotChunkedIsInError() {
    let analysis = exchange(
      request: "POST /a HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
      response: "HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n")
    #expect(analysis.request("/a")?.octets.body == 0)
    #expect(analysis.request("/a")?.exactness == .atLeast)
    #expect(analysis.request("/a")?.flags.contains([.framingError, .transferEncodingUnusual]) == true)
    #expect(analysis.ledger[.stray] == 5)
    #expect(analysis.pairs == ["POST /a 400", "GET /next 200"])
    expectNext(analysis)
  }

  @Test func chunkedTwiceIsUnusual() {
    let analysis = exchange(
      response: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
    #expect(analysis.response("/a")?.octets.body == 3)
    #expect(analysis.response("/a")?.flags.contains(.transferEncodingUnusual) == true)
    expectNext(analysis)
  }

  @Test func transferEncodingInHTTP10() {
    let analysis = exchange(
      response: "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
    #expect(analysis.response("/a")?.flags.contains(.transferEncodingInHTTP10) == true)
    #expect(analysis.response("/a")?.octets.body == 3)
  }

  // Rule 5
  @Test(arguments: ["x", "+3", "-3", "0x3", "3 3", "", "3,", "3.0"])
  func invalidContentLength(_ value: String) {
    let analysis = exchange(response: "HTTP/1.1 200 OK\r\nContent-Length: \(value)\r\n\r\nabc")
    #expect(analysis.response("/a")?.flags.contains([.contentLengthInvalid, .framingError]) == true)
    #expect(analysis.response("/a")?.exactness == .atLeast)
    #expect(analysis.ledger[.stray] == 3)
    expectNext(analysis, isFound: true)
  }

  @Test(arguments: ["3\r\nContent-Length: 4", "3, 4"])
  func conflictingContentLength(_ value: String) {
    let analysis = exchange(response: "HTTP/1.1 200 OK\r\nContent-Length: \(value)\r\n\r\nabc")
    #expect(analysis.response("/a")?.flags.contains([.contentLengthConflicting, .framingError]) == true)
    #expect(analysis.ledger[.stray] == 3)
    expectNext(analysis, isFound: true)
  }

  @Test(arguments: ["3\r\nContent-Length: 3", "3, 3", "3 ,3", "003, 3"])
  func repeatedContentLength(_ value: String) {
    let analysis = exchange(response: "HTTP/1.1 200 OK\r\nContent-Length: \(value)\r\n\r\nabc")
    #expect(analysis.response("/a")?.flags == .contentLengthRepeated)
    #expect(analysis.response("/a")?.octets.body == 3)
    #expect(analysis.response("/a")?.exactness == .exact)
    expectNext(analysis)
  }

  @Test func hugeContentLength() {
    let analysis = exchange(
      response: "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999999\r\n\r\nabc")
    #expect(analysis.response("/a")?.octets.body == 3 + HTTP.ok("next").utf8.count)
    #expect(analysis.response("/a")?.exactness == .atLeast)
    #expect(analysis.pairs == ["GET /a 200", "GET /next -"])
  }

  // Rule 6
  @Test func bodyShorterThanItsLength() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nabc")
    dialogue.close(.server)
    let analysis = analyze(dialogue)
    #expect(analysis.response("/a")?.octets.body == 3)
    #expect(analysis.response("/a")?.exactness == .atLeast)
    #expect(analysis.response("/a")?.flags == .incomplete)
    #expect(analysis.anomalies[.httpMessageIncomplete] == 1)
  }

  // Rule 7
  @Test func requestWithoutLengthHasNoBody() {
    let analysis = exchange(
      request: "POST /a HTTP/1.1\r\nHost: a.example\r\n\r\n", response: HTTP.ok("hello"))
    #expect(analysis.request("/a")?.octets.body == 0)
    #expect(analysis.request("/a")?.exactness == .exact)
    expectNext(analysis)
  }

  // Rule 8
  @Test func responseWithoutLengthEndsWithTheConnection() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.send(.server, "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n")
    dialogue.close(.server)
    let analysis = analyze(dialogue)
    #expect(analysis.responses.count == 1)
    #expect(analysis.response("/a")?.octets.body == 19)
    #expect(analysis.response("/a")?.decodedBody == 19)
    #expect(analysis.response("/a")?.flags == .closeDelimited)
  }

  // Chunks
  @Test func chunkExtensionsAndTrailers() {
    let analysis = exchange(
      response: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "3;a=b;c=\"d;e\"\r\nabc\r\n0A \r\n0123456789\r\n00;last\r\nX: 1\r\nY: 2\r\n\r\n")
    let octets = analysis.response("/a")?.octets
    #expect(octets?.body == 13)
    #expect(octets?.framing == 15 + 2 + 5 + 2 + 9 + 2)
    #expect(octets?.trailer == 12)
    #expect(analysis.response("/a")?.flags == [])
    expectNext(analysis)
  }

  @Test(arguments: ["x\r\nabc\r\n", "-3\r\nabc\r\n", "0x3\r\nabc\r\n", "3 3\r\nabc\r\n", "\r\nabc\r\n"])
  func invalidChunkSize(_ chunks: String) {
    let analysis = exchange(response: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)0\r\n\r\n")
    #expect(analysis.response("/a")?.flags.contains(.chunkSizeInvalid) == true)
    #expect(analysis.response("/a")?.exactness == .atLeast)
    #expect(analysis.response("/a")?.octets.framing == 0)
    #expect(analysis.ledger[.stray] == chunks.utf8.count + 5)
    expectNext(analysis, isFound: true)
  }

  @Test func chunkWithoutItsLineEnd() {
    let analysis = exchange(
      response: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n")
    #expect(analysis.response("/a")?.flags.contains(.chunkNotTerminated) == true)
    #expect(analysis.response("/a")?.octets.body == 3)
    #expect(analysis.anomalies[.httpChunkNotTerminated] == 1)
    expectNext(analysis, isFound: true)
  }

  @Test(arguments: ["10000000000000003", "ffffffffffffffffffffffff", "7fffffffffffffff"])
  func chunkSizeBeyond64Bits(_ size: String) {
    let analysis = exchange(
      response: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\nabc\r\n0\r\n\r\n")
    #expect(analysis.response("/a")?.exactness == .atLeast)
    #expect(analysis.response("/a")?.octets.body == 10 + HTTP.ok("next").utf8.count)
  }

  @Test func bareLineFeedsInChunks() {
    let analysis = exchange(
      response: "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n3\nabc\n0\n\n")
    #expect(analysis.response("/a")?.octets.body == 3)
    #expect(analysis.response("/a")?.octets.framing == 6)
    #expect(analysis.response("/a")?.flags == .bareLineFeed)
    expectNext(analysis)
  }
}
