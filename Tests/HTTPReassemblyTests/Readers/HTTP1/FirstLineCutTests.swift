import HTTPReassembly
import TestSupport
import Testing

/// What a first line is does not depend on the segments that bring it.
@Suite struct FirstLineCutTests {
  /// What is read of a connection whose two streams are cut after the octets given.
  private func reading(_ client: String, _ server: String, clientCuts: Set<Int> = [], serverCuts: Set<Int> = [])
    -> SplitsResult
  {
    var script = SplitsScript()
    script.say(.client, client)
    if !server.isEmpty { script.say(.server, server) }
    let segments = script.segments(cuts: [.client: clientCuts, .server: serverCuts]).segments
    return SplitsResult(analyze(segments.map { $0.packet() }))
  }

  @Test(arguments: [
    "hello", "<p>", "h", "H", "ht", "htt", "http", "HTTP", "http:", "hT\n", "httpd\nGET / HTTP/1.1\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "http/ is a protocol\r\n",
  ])
  func responseToHTTP09(_ response: String) {
    let whole = reading("GET /a\r\n", response)
    let isSimple = !response.lowercased().hasPrefix("http/")
    #expect((whole.classes[.body] == response.utf8.count) == isSimple)
    #expect(whole.messages.count == (response.contains("protocol") ? 1 : 2))
    for cut in 1..<max(response.utf8.count, 2) {
      let cutOnce = reading("GET /a\r\n", response, serverCuts: [cut])
      #expect(cutOnce.difference(from: whole) == nil, "after \(cut)")
    }
    let octets = reading("GET /a\r\n", response, serverCuts: Set(1..<max(response.utf8.count, 2)))
    #expect(octets.difference(from: whole) == nil)
  }

  /// The first octets wait for those that tell; they are the response's, with the time of their own packet.
  @Test func firstOctetsOfAnHTTP09Response() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "GET /a\r\n")
    let first = dialogue.now
    dialogue.send(.server, "ht")
    dialogue.send(.server, "ml")
    dialogue.close(.server)
    let analysis = analyze(dialogue)
    #expect(analysis.responses.map(\.octets.body) == [4])
    #expect(analysis.responses.first?.firstTime == first)
    #expect(analysis.responses.first?.overhead == 2 * overhead4)
  }

  /// A word that is no registered method starts a line of at most 8 KiB, a registered one of 1 MiB.
  @Test(arguments: [("FETCH", 8192), ("GET", 1 << 20)])
  func longestStartLine(_ method: String, limit: Int) {
    for (length, isTaken) in [(limit, true), (limit + 1, false)] {
      // The CR counts, the LF does not.
      let path = HTTP.body(length - method.utf8.count - " / HTTP/1.1\r".utf8.count)
      let request = "\(method) /\(path) HTTP/1.1\r\nHost: a.example\r\n\r\n"
      // Datagrams have at most 64 KiB.
      let parts = Set(stride(from: 60_000, to: request.utf8.count, by: 60_000))
      let whole = reading(request, "", clientCuts: parts)
      #expect(whole.messages.count == (isTaken ? 1 : 0))
      for cut in [1, 100, limit - 1, limit, limit + 1, limit + 2] {
        let cuts = reading(request, "", clientCuts: parts.union([cut]))
        #expect(cuts.difference(from: whole) == nil, "\(length) octets cut after \(cut)")
      }
    }
  }
}
