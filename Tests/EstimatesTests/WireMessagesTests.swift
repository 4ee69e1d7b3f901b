import Estimates
import HTTPReassembly
import Shared
import TestSupport
import Testing

/// Messages with what they said.
@Suite struct WireMessagesTests {
  @Test func hasHeadersAndGzipLengths() throws {
    let text = Array(String(repeating: "all work and no play ", count: 500).utf8)
    let coder = GzipLength()
    text.withOctets { coder.feed($0) }
    let expected = coder.finish()
    #expect(expected < text.count / 20)

    var dialogue = Dialogue.opened()
    dialogue.send(
      .client,
      Array(
        "POST /a%20b?x=1 HTTP/1.1\r\nHost: H.example\r\ncontent-encoding: gzip\r\nContent-Length: \(text.count)\r\n\r\n"
          .utf8) + text)
    dialogue.send(.server, "HTTP/1.1 200 OK\r\nX-A:  one \r\nContent-Length: 2\r\n\r\nok")
    dialogue.close()
    let found = WireSamples.messages(dialogue.packets())
    #expect(found.count == 2)
    let request = try #require(found.first)
    #expect(String(decoding: request.startLine, as: UTF8.self) == "POST /a%20b?x=1 HTTP/1.1")
    #expect(request.host == "h.example")
    #expect(request.path == "/a%20b")
    #expect(request.fields.map(\.lowercasedName) == ["host", "content-encoding", "content-length"])
    // What was sent is no gzip: the length is that of compressing it as it was sent.
    #expect(request.gzipLength == expected)
    #expect(request.decodedLength == nil)
    let response = try #require(found.last)
    #expect(response.fields.first == WireField(name: Array("X-A".utf8), value: Array("one".utf8), lineLength: 10))
    #expect(response.gzipLength == nil)
    #expect(response.decodedLength == 2)
    #expect(response.path == "/a%20b")
  }

  @Test func cutsHeadersThatAreTooLarge() throws {
    var dialogue = Dialogue.opened()
    var request = "GET / HTTP/1.1\r\nHost: h.example\r\n"
    for index in 0..<1100 { request += "X-\(index): 0123456789012345678901234567890123456789\r\n" }
    for start in stride(from: 0, to: request.utf8.count, by: 1400) {
      dialogue.send(.client, Array(Array(request.utf8)[start..<min(start + 1400, request.utf8.count)]))
    }
    dialogue.send(.client, "\r\n")
    let message = try #require(WireSamples.messages(dialogue.packets()).first)
    #expect(message.isHeaderCut)
    #expect(message.row.octets.header == request.utf8.count - 16 + 2)
    #expect(message.fields.count == 1000)
  }
}
