import Testing

@testable import MetricsEndpoint

/// What is a request, and what is none.
@Suite struct RequestHeadTests {
  private func read(_ head: String) throws -> RequestHead { try RequestHead(head.utf8) }

  @Test func partsOfARequest() throws {
    let head = try read(
      "GET /a?b=c HTTP/1.1\r\nHost: [::1]:80\r\nX-A:1\r\nx-a: \t two words \t\r\nEmpty:\r\nX-E: \u{e9}\r\n")
    #expect(head.method == "GET" && head.target == "/a?b=c" && head.isVersion11)
    #expect(head["host"] == ["[::1]:80"] && head["x-a"] == ["1", "two words"] && head["empty"] == [""])
    #expect(head["x-e"] == ["\u{e9}"] && head["none"] == [])
    #expect(head.contentLength == 0 && !head.hasChunks)
    #expect(try read("POST / HTTP/1.0\r\nContent-Length: 007\r\n").contentLength == 7)
    #expect(try read("POST / HTTP/1.1\r\nHost:\r\nTransfer-Encoding: Chunked\r\n").hasChunks)
  }

  @Test(arguments: [
    ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false), ("HTTP/1.0", "", false),
    ("HTTP/1.1", "connection: x, CLOSE\r\n", false), ("HTTP/1.0", "Connection: Keep-Alive\r\n", true),
    ("HTTP/1.0", "Connection: keep-alive\r\nConnection: close\r\n", false),
    ("HTTP/1.1", "Connection: closed\r\n", true),
    ("HTTP/1.1", "Transfer-Encoding: chunked\r\n", false),
  ])
  func connectionsGoOn(_ version: String, _ field: String, _ goesOn: Bool) throws {
    #expect(try read("GET / \(version)\r\nHost: a\r\n\(field)").keepsConnection == goesOn)
  }

  @Test(arguments: [
    // Request-lines.
    "", "\r\n", "GET\r\n", "GET /\r\n", "GET / HTTP/1.1 and more\r\n", "GET  / HTTP/1.0\r\n", "GET / HTTP/1.0 \r\n",
    " GET / HTTP/1.0\r\n", "GET /\tHTTP/1.0\r\n", "G(T / HTTP/1.0\r\n", "GET /a b HTTP/1.0\r\n",
    "GET /\u{7f} HTTP/1.0\r\n",
    "GET /\u{e9} HTTP/1.0\r\n", "GET  HTTP/1.0\r\n", "GET / http/1.0\r\n", "GET / HTTP/2.0\r\n", "GET / HTTP/1.2\r\n",
    "GET / HTTP/1.10\r\n", "GET / HTTP/01.0\r\n", "GET / HTTP/1.0\n", "GET / HTTP/1.0\r\r\n", "HTTP/1.1 200 OK\r\n",
    "\u{16}\u{3}\u{1}\r\n", "GET /\0 HTTP/1.0\r\n",
    // Fields.
    "GET / HTTP/1.0\r\nno colon\r\n", "GET / HTTP/1.0\r\n: x\r\n", "GET / HTTP/1.0\r\na : x\r\n",
    "GET / HTTP/1.0\r\n a: x\r\n", "GET / HTTP/1.0\r\na: x\r\n folded\r\n", "GET / HTTP/1.0\r\na: x\r\n\tfolded\r\n",
    "GET / HTTP/1.0\r\na\0: x\r\n", "GET / HTTP/1.0\r\na: \0\r\n", "GET / HTTP/1.0\r\na: \u{1b}\r\n",
    "GET / HTTP/1.0\r\na: x\rb: y\r\n", "GET / HTTP/1.0\r\na: x\n", "GET / HTTP/1.0\r\nh\u{f6}st: x\r\n",
    // Hosts.
    "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n", "GET / HTTP/1.0\r\nHost: a\r\nhost: b\r\n",
    // Lengths.
    "POST / HTTP/1.0\r\nContent-Length:\r\n", "POST / HTTP/1.0\r\nContent-Length: +1\r\n",
    "POST / HTTP/1.0\r\nContent-Length: -1\r\n", "POST / HTTP/1.0\r\nContent-Length: 0x1\r\n",
    "POST / HTTP/1.0\r\nContent-Length: 1, 1\r\n", "POST / HTTP/1.0\r\nContent-Length: 1\r\nContent-Length: 1\r\n",
    "POST / HTTP/1.0\r\nContent-Length: 9999999999999999999\r\n", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n",
  ])
  func isNone(_ head: String) {
    #expect(throws: RequestHead.Refusal(status: 400)) { try read(head) }
  }

  /// However it comes: the head is the same, and is found as soon as it is whole.
  @Test(arguments: [
    ("GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.0\r\n"), ("GET / HTTP/1.0\r\na: b\r\n\r\n", "GET / HTTP/1.0\r\na: b\r\n"),
    ("\r\n\r\nGET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.0\r\n"),
    // Lines that end otherwise: it is over at once, so that it can be refused.
    ("GET / HTTP/1.0\n", "GET / HTTP/1.0\n"), ("GET / HTTP/1.0\r\n\n", "GET / HTTP/1.0\r\n\n"), ("\n", "\n"),
    ("\r\n\n", "\n"),
  ])
  func isFoundWhenItIsWhole(_ octets: String, _ lines: String) throws {
    let whole = Array(octets.utf8)
    var searched = 0
    for count in 0..<whole.count {
      let bounds = RequestHead.bounds(in: Array(whole.prefix(count)), searched: &searched)
      #expect(bounds == nil, "\(count)")
    }
    let found = RequestHead.bounds(in: whole, searched: &searched)
    let bounds = try #require(found)
    #expect(whole[bounds.lines].elementsEqual(lines.utf8) && bounds.end == whole.count)
    // And at once, with something behind it.
    searched = 0
    let more = RequestHead.bounds(in: whole + Array("\r\n\r\nGET".utf8), searched: &searched)
    #expect(more?.lines == bounds.lines && more?.end == bounds.end)
  }
}
