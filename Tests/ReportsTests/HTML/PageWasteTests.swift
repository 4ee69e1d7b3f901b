import ContentCodings
import HTTPReassembly
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
    // "Cookie: id=1234" and CRLF are 17 octets. The third repeats no value before it; the last is of another API.
    #expect(cookie["messages"] as? Int == 4 && cookie["bytes"] as? Int == 68)
    #expect(cookie["repeated_bytes"] as? Int == 0)
    #expect(cookie["direction"] as? String == "up")
    // One name whatever its case.
    let server = try #require(fields.first { $0["name"] as? String == "server" })
    #expect(server["messages"] as? Int == 3 && server["repeated_bytes"] as? Int == 2 * 11)
    #expect(server["direction"] as? String == "down")
  }

  @Test func cookiesAreTheirOwnSaving() throws {
    let get = "GET / HTTP/1.1\r\nHost: a.example\r\nCookie: id=1234\r\n\r\n"
    let page = try WrittenPage(dialogue([(get, response([])), (get, response([])), (get, response([]))]).packets())
    let cookies = try #require(try page.saving("cookies"))
    #expect(cookies["bytes"] as? Int == 2 * 17 && cookies["whole"] as? Int == 3 * 17)
    let rows = try #require(cookies["rows"] as? [[Any]])
    #expect(rows.count == 1 && rows[0][0] as? String == "a.example" && rows[0][2] as? Int == 2 * 17)
    // Host and Content-Length came three times each, of which two repeat; cookies are not counted here.
    let fields = try #require(try page.saving("fields"))
    #expect(
      fields["bytes"] as? Int == 2 * ("Host: a.example".utf8.count + 2) + 2 * ("Content-Length: 0".utf8.count + 2))
  }

  @Test func theListIsRankedByOctets() throws {
    let page = try WrittenPage(
      dialogue([
        (get("/a"), response(Self.text)), (get("/a"), response(Self.text)), (get("/b"), response("", [], "404 No")),
        (get("/c"), response("Location: /\r\n", [], "302 Found")),
      ]).packets())
    let savings = try #require(page.data["savings"] as? [[String: Any]])
    let octets = savings.compactMap { $0["bytes"] as? Int }
    #expect(octets == octets.sorted(by: >) && octets.allSatisfy { $0 > 0 })
    #expect(
      Set(savings.compactMap { $0["id"] as? String }) == ["gzip", "again", "fields", "redirects", "errors"])
    // Of two contents that gzip makes smaller; of the second it is known that it came before.
    #expect(savings.filter { $0["estimate"] as? Bool == true }.compactMap { $0["id"] as? String } == ["gzip"])
    #expect(try page.saving("again")?["bytes"] as? Int == Self.text.count)
  }

  /// Connections beyond the first between the same two are what reuse would have saved at most.
  @Test func connectionsBeyondTheFirst() throws {
    var packets: [TestPacket] = []
    for number in 0..<3 {
      var dialogue = Dialogue()
      dialogue.client.port = UInt16(50_000 + number)
      dialogue.open()
      dialogue.send(.client, get("/a"))
      dialogue.send(.server, response([]))
      dialogue.close()
      packets += dialogue.packets()
    }
    let page = try WrittenPage(packets)
    let row = try #require(try page.rows("pairs").first)
    let all = try #require(row["bytes"] as? Int)
    #expect(row["connections"] as? Int == 3 && row["host"] as? String == "a.example")
    #expect(all > 0 && row["beyond_first"] as? Int == all / 3 * 2)
    let saving = try #require(try page.saving("connections"))
    #expect(saving["bytes"] as? Int == all / 3 * 2 && saving["count"] as? Int == 2)
    #expect(saving["estimate"] as? Bool == true)
  }

  /// Hosts behind one address have rows of their own: each row names its host.
  @Test func connectionsOfHostsAtOneAddress() throws {
    var packets: [TestPacket] = []
    for (number, host) in ["a.example", "b.example", "b.example", "b.example"].enumerated() {
      var dialogue = Dialogue()
      dialogue.client.port = UInt16(50_000 + number)
      dialogue.open()
      dialogue.send(.client, "GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
      dialogue.send(.server, response([]))
      dialogue.close()
      packets += dialogue.packets()
    }
    let page = try WrittenPage(packets)
    let counts = try page.rows("pairs").map { "\($0["host"] ?? "") \($0["connections"] ?? "")" }
    #expect(counts == ["b.example 3", "a.example 1"])
    #expect(try page.saving("connections")?["count"] as? Int == 2)
  }

  private func response(_ content: [UInt8]) -> [UInt8] { response("", content) }

  @Test func whatGzipWouldHaveSaved() throws {
    let page = try WrittenPage(
      dialogue([
        (get("/plain"), response(Self.text)),
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
    let plain = try #require(rows.first)
    let saved = try #require(plain["saved_bytes"] as? Int)
    // The text is one sentence 500 times.
    #expect(plain["bytes"] as? Int == Self.text.count && saved > Self.text.count * 9 / 10 && saved < Self.text.count)
  }

  @Test func contentsFetchedAgain() throws {
    let page = try WrittenPage(
      dialogue([
        (get("/a?x=1"), response(Self.text)), (get("/a?x=1"), response("X: y\r\n", Self.text)),
        (get("/a"), response(Array("other".utf8))), (get("/b"), response(Self.text)), (get("/a"), response([])),
        (get("/b"), Array("HTTP/1.1 304 Not Modified\r\n\r\n".utf8)),
      ]).packets())
    let rows = try page.rows("repeated")
    #expect(rows.map { $0["path"] as? String } == ["/a"])
    #expect(rows[0]["contents"] as? Int == 1 && rows[0]["bytes"] as? Int == Self.text.count)
    #expect(try page.number("contents", "contents") == 4)
    #expect(try page.number("contents", "repeated_contents") == 1)
    #expect(try page.number("contents", "not_modified") == 1)
    #expect(try page.number("contents", "known_not_modified") == 1)
    #expect(try page.number("contents", "not_modified_saved_bytes") == Self.text.count)
  }

  /// A template makes one API of several URLs. Their contents are still those of different URLs, and so is another query.
  @Test func contentsOfOtherURLs() throws {
    var configuration = Configuration()
    configuration.templatePaths = true
    let page = try WrittenPage(
      dialogue([
        (get("/photos/1001"), response(Self.text)), (get("/photos/1002"), response(Self.text)),
        (get("/photos/1002?size=2"), response(Self.text)), (get("/photos/1001"), response(Self.text)),
      ]).packets(), configuration: configuration)
    let rows = try page.rows("elsewhere")
    #expect(rows.map { $0["path"] as? String } == ["/photos/{id}"])
    #expect(rows[0]["contents"] as? Int == 2 && rows[0]["bytes"] as? Int == 2 * Self.text.count)
    #expect(try page.saving("elsewhere")?["bytes"] as? Int == 2 * Self.text.count)
    #expect(try page.saving("again")?["bytes"] as? Int == Self.text.count)
  }

  /// A response that is the same as its request was not transferred again.
  @Test func anEchoIsNoContentAgain() throws {
    let request = "POST /echo HTTP/1.1\r\nHost: a.example\r\nContent-Length: \(Self.text.count)\r\n\r\n"
    let page = try WrittenPage(
      dialogue([(request + String(decoding: Self.text, as: UTF8.self), response(Self.text))]).packets())
    #expect(try page.number("contents", "repeated_contents") == 0)
    #expect(try page.number("contents", "elsewhere_contents") == 0)
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
    #expect(try page.number("contents", "repeated_contents") == 1)
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
