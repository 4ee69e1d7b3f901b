import ContentCodings
import HTTPReassembly
import Shared
import TestSupport
import Testing

@testable import Reports

/// What the page says could have been less, against figures worked out by hand.
@Suite struct PageWasteTests {
  private static let text = Array(String(repeating: "all work and no play ", count: 500).utf8)

  private func dialogue(_ exchanges: [(request: String, response: [UInt8])]) -> Dialogue {
    var dialogue = Dialogue.opened()
    for (request, response) in exchanges {
      dialogue.send(.client, request)
      for start in stride(from: 0, to: response.count, by: 1000) {
        dialogue.send(.server, Array(response[start..<min(start + 1000, response.count)]))
      }
    }
    dialogue.close()
    return dialogue
  }

  private func get(_ target: String) -> String { "GET \(target) HTTP/1.1\r\nHost: a.example\r\n\r\n" }

  private func response(_ fields: String = "", _ content: [UInt8], _ status: String = "200 OK") -> [UInt8] {
    Array("HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(content.count)\r\n\r\n".utf8) + content
  }

  @Test func fieldsSentAgain() throws {
    let get = "GET / HTTP/1.1\r\nHost: a.example\r\nCookie: id=1234\r\n\r\n"
    let page = try WrittenPage(
      dialogue([
        (get, response("Server: x\r\n", [])), (get.replacing("1234", with: "5678"), response("SERVER: x\r\n", [])),
        (get, response("Server: x\r\n", [])), (get.replacing("a.example", with: "b.example"), response([])),
      ]).packets())
    let fields = try page.rows("fields")
    let cookie = try #require(fields.first { $0["name"] as? String == "cookie" })
    // "Cookie: id=1234" and CRLF are 17 octets. The other host has not had it before.
    #expect(cookie["lines"] as? Int == 4 && cookie["bytes"] as? Int == 68)
    #expect(cookie["repeated_lines"] as? Int == 1 && cookie["repeated_bytes"] as? Int == 17)
    #expect(cookie["direction"] as? String == "up")
    // One name whatever its case; but a line is repeated only octet for octet.
    let server = try #require(fields.first { $0["name"] as? String == "server" })
    #expect(server["lines"] as? Int == 3 && server["repeated_lines"] as? Int == 1)
    #expect(server["direction"] as? String == "down")
  }

  private func response(_ content: [UInt8]) -> [UInt8] { response("", content) }

  @Test func whatGzipWouldHaveSaved() throws {
    let coder = GzipLength()
    Self.text.withOctets { coder.feed($0) }
    let saved = Self.text.count - coder.finish()
    let page = try WrittenPage(
      dialogue([
        (get("/plain"), response(Self.text)),
        (get("/image"), response("Content-Type: IMAGE/JPEG\r\n", Self.text)),
        (get("/coded"), response("Content-Encoding: br\r\n", Self.text)),
        (get("/short"), response(Array("ok".utf8))),
        (
          "PUT /up HTTP/1.1\r\nHost: a.example\r\nContent-Length: \(Self.text.count)\r\n\r\n"
            + String(decoding: Self.text, as: UTF8.self), response([])
        ),
      ]).packets())
    let rows = try page.rows("uncompressed")
    #expect(rows.map { $0["path"] as? String } == ["/plain", "/up"])
    #expect(rows.map { $0["direction"] as? String } == ["down", "up"])
    #expect(rows.map { $0["saved_bytes"] as? Int } == [saved, saved])
    #expect(rows.map { $0["bytes"] as? Int } == [Self.text.count, Self.text.count])
  }

  @Test func contentsFetchedAgain() throws {
    let page = try WrittenPage(
      dialogue([
        (get("/a?x=1"), response(Self.text)), (get("/a?x=2"), response("X: y\r\n", Self.text)),
        (get("/a"), response(Array("other".utf8))), (get("/b"), response(Self.text)),
        (get("/a"), response("", Self.text, "404 No")), (get("/a"), response([])),
        (get("/a"), response(Self.text)),
        (get("/b"), Array("HTTP/1.1 304 Not Modified\r\n\r\n".utf8)),
      ]).packets())
    let rows = try page.rows("repeated")
    #expect(rows.map { $0["path"] as? String } == ["/a"])
    #expect(rows[0]["responses"] as? Int == 2 && rows[0]["bytes"] as? Int == 2 * Self.text.count)
    #expect(try page.number("contents", "responses") == 5)
    #expect(try page.number("contents", "repeated_responses") == 2)
    #expect(try page.number("contents", "not_modified") == 1)
  }

  /// Content is recognised however it was cut into packets and chunks.
  @Test func contentsAreTheSameHoweverTheyCome() throws {
    let chunked = stride(from: 0, to: Self.text.count, by: 777).map { start in
      let chunk = Self.text[start..<min(start + 777, Self.text.count)]
      return Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
    }
    let head = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
    let page = try WrittenPage(
      dialogue([
        (get("/a"), response(Self.text)),
        (get("/a"), head + chunked.joined() + Array("0\r\n\r\n".utf8)),
      ]).packets())
    #expect(try page.number("contents", "repeated_responses") == 1)
  }

  @Test func redirectionsAndErrors() throws {
    var dialogue = dialogue([
      (get("/old"), response("Location: /new\r\n", [], "301 Moved")), (get("/no"), response("", [], "404 No")),
      (get("/no"), response("", [], "404 No")), (get("/304"), response("", [], "204 No")),
    ])
    dialogue.segments.removeLast(3)
    dialogue.send(.client, get("/unanswered"))
    let page = try WrittenPage(dialogue.packets())
    #expect(try page.rows("redirects").map { $0["path"] as? String } == ["/old"])
    let errors = try page.rows("errors")
    #expect(Set(errors.compactMap { $0["path"] as? String }) == ["/no", "/unanswered"])
    #expect(errors.first { $0["path"] as? String == "/no" }?["exchanges"] as? Int == 2)
  }
}
