import ContentCodings
import TestSupport
import Testing

@testable import HTTPReassembly

/// HTTP/2 without TLS: every octet of the frames of both sides, and the messages that they carry.
@Suite struct HTTP2Tests {
  typealias Writer = HTTP2Writer

  /// A connection on which both sides have sent their settings, and acknowledged the other's.
  static func opened(_ dialogue: inout Dialogue) {
    dialogue.send(.client, Writer.preface + Writer.settings())
    dialogue.send(.server, Writer.settings() + Writer.settingsAcknowledgment)
    dialogue.send(.client, Writer.settingsAcknowledgment)
  }

  static var opened: Dialogue {
    var dialogue = Dialogue.opened()
    opened(&dialogue)
    return dialogue
  }

  /// Octets of the preface and the settings of both sides.
  static let openingLength = 24 + 4 * 9

  static func analysis(_ dialogue: Dialogue, configuration: Configuration = Configuration()) -> Analysis {
    let analysis = Analysis(dialogue.packets(), configuration: configuration)
    #expect(analysis.violations == [])
    return analysis
  }

  private func fields(_ writer: inout Writer, _ path: String) -> [UInt8] { writer.block(Writer.request(path)) }

  // MARK: Octets

  @Test func anExchange() throws {
    var (client, server) = (Writer(), Writer())
    var dialogue = Self.opened
    let request = client.block(Writer.request("/a?b=1", [("accept", "*/*")]))
    let response = server.block(Writer.response(200, [("content-type", "text/plain")]))
    dialogue.send(.client, Writer.headers(1, request, ends: true))
    dialogue.send(.server, Writer.headers(1, response) + Writer.data(1, Array("hello".utf8), ends: true))
    let analysis = Self.analysis(dialogue)
    let asked = try #require(analysis.requests.first)
    #expect(asked.method == "GET" && asked.host == "h.example" && asked.path == "/a" && asked.version == "HTTP/2")
    #expect(asked.queryLength == 3 && asked.hostSource == .authority && asked.stream == 1)
    #expect(asked.octets.startLine + asked.octets.header == request.count && asked.octets.framing == 9)
    #expect(asked.octets.header == 1 + Writer.string("accept").count + Writer.string("*/*").count)
    #expect(asked.expandedStartLine == "GET /a?b=1 HTTP/1.1\r\n".utf8.count)
    #expect(asked.expandedHeader == "host: h.example\r\naccept: */*\r\n\r\n".utf8.count)
    let answer = try #require(analysis.responses.first)
    #expect(answer.status == 200 && answer.path == "/a" && answer.content.first == "text/plain")
    #expect(answer.octets.startLine + answer.octets.header == response.count)
    #expect(answer.octets.body == 5 && answer.octets.framing == 18 && answer.decodedBody == 5)
    #expect(answer.expandedStartLine == "HTTP/1.1 200 \r\n".utf8.count)
    #expect(answer.expandedHeader == "content-type: text/plain\r\n\r\n".utf8.count)
    #expect(analysis.messages.allSatisfy { $0.exactness == .exact && $0.flags.isEmpty && $0.pairing == .exact })
    #expect(analysis.ledger[.control] == Self.openingLength)
    #expect(analysis.connections.first?.control == Self.openingLength)
    #expect(analysis.connections.first?.applicationProtocol == .http2)
    #expect(analysis.exchanges.map(\.exchange.stream) == [1])
    #expect(analysis.anomalies.all.isEmpty)
  }

  /// What is indexed takes an octet, and is as long as before in HTTP/1.1's spelling.
  @Test func theSameFieldsAgain() throws {
    var client = Writer()
    var dialogue = Self.opened
    for stream in [UInt32(1), 3] { dialogue.send(.client, Writer.headers(stream, fields(&client, "/a"), ends: true)) }
    let analysis = Self.analysis(dialogue)
    #expect(analysis.requests.map(\.path) == ["/a", "/a"])
    #expect(analysis.requests.last?.octets.startLine == 4)
    #expect(Set(analysis.requests.map { $0.expandedHeader }) == ["host: h.example\r\n\r\n".utf8.count])
  }

  @Test func paddingPriorityAndContinuation() throws {
    var client = Writer()
    var dialogue = Self.opened
    let block = client.block(Writer.request("/a", method: "POST", [("x-long", String(repeating: "v", count: 90))]))
    dialogue.send(.client, Writer.headers(1, block, parts: 4, padding: 7, hasPriority: true))
    dialogue.send(.client, Writer.data(1, [1, 2, 3], padding: 10) + Writer.data(1, [], ends: true))
    let request = try #require(Self.analysis(dialogue).requests.first)
    #expect(request.octets.startLine + request.octets.header == block.count)
    #expect(request.octets.framing == 4 * 9 + 1 + 7 + 5 + 9 + 1 + 10 + 9)
    #expect(request.octets.body == 3 && request.exactness == .exact)
  }

  /// A block for which memory is given back as soon as it has been read is whole while it is read.
  @Test func aLongBlockInManyPieces() throws {
    var random = SeededRandom(seed: 9113)
    var client = Writer()
    client.isIndexing = false
    var dialogue = Self.opened
    let others = (0..<60).map { number in
      ("x-\(number)", String((0..<500).map { _ in "abcdefghijklmnopqrstuvwxyz".randomElement(using: &random)! }))
    }
    let fields = others + [("content-type", "text/long"), ("host", "other.example")]
    let octets = Writer.headers(1, client.block(Writer.request("/a", fields)), ends: true, parts: 8)
    for start in stride(from: 0, to: octets.count, by: 1000) {
      dialogue.send(.client, Array(octets[start..<min(start + 1000, octets.count)]))
    }
    let analysis = Self.analysis(dialogue)
    let request = try #require(analysis.requests.first)
    #expect(request.path == "/a" && request.host == "other.example" && request.exactness == .exact)
    #expect(request.expandedHeader == fields.reduce(2) { $0 + $1.0.utf8.count + $1.1.utf8.count + 4 })
    #expect(analysis.anomalies.all.isEmpty)
  }

  @Test func cookieCrumbsAreOneField() throws {
    var client = Writer()
    var dialogue = Self.opened
    let crumbs = [("cookie", "a=1"), ("cookie", "b=22"), ("host", "other.example")]
    dialogue.send(.client, Writer.headers(1, client.block(Writer.request("/", crumbs)), ends: true))
    let request = try #require(Self.analysis(dialogue).requests.first)
    #expect(request.expandedHeader == "cookie: a=1; b=22\r\nhost: other.example\r\n\r\n".utf8.count)
    #expect(request.host == "other.example" && request.hostSource == .hostField)
  }

  @Test func interimResponsesAndTrailers() throws {
    var (client, server) = (Writer(), Writer())
    var dialogue = Self.opened
    dialogue.send(.client, Writer.headers(1, fields(&client, "/a"), ends: true))
    let interim = server.block(Writer.response(103, [("link", "</a>")]))
    let response = server.block(Writer.response())
    let trailer = server.block([("x-sum", "1")])
    dialogue.send(.server, Writer.headers(1, interim) + Writer.headers(1, response) + Writer.data(1, [1]))
    dialogue.send(.server, Writer.headers(1, trailer, ends: true))
    let analysis = Self.analysis(dialogue)
    #expect(analysis.responses.map(\.kind) == [.interim, .response])
    #expect(analysis.responses.map(\.status) == [103, 200])
    #expect(analysis.responses.last?.octets.trailer == trailer.count)
    #expect(analysis.responses.last?.octets.framing == 27)
    #expect(analysis.exchanges.first?.status == 200)
  }

  @Test func responsesInterleave() throws {
    var (client, server) = (Writer(), Writer())
    var dialogue = Self.opened
    for stream in [UInt32(1), 3] {
      dialogue.send(.client, Writer.headers(stream, fields(&client, "/\(stream)"), ends: true))
    }
    dialogue.send(.server, Writer.headers(3, server.block(Writer.response())) + Writer.data(3, [1, 2]))
    dialogue.send(.server, Writer.headers(1, server.block(Writer.response(404))) + Writer.data(3, [3], ends: true))
    dialogue.send(.server, Writer.data(1, [4, 5, 6, 7], ends: true))
    let analysis = Self.analysis(dialogue)
    let byPath = Dictionary(uniqueKeysWithValues: analysis.responses.map { ($0.path, $0) })
    #expect(byPath["/1"]?.status == 404 && byPath["/1"]?.octets.body == 4)
    #expect(byPath["/3"]?.status == 200 && byPath["/3"]?.octets.body == 3)
  }

  @Test func pushedRequests() throws {
    var (client, server) = (Writer(), Writer())
    var dialogue = Self.opened
    dialogue.send(.client, Writer.headers(1, fields(&client, "/a"), ends: true))
    let promise = server.block(Writer.request("/style"))
    dialogue.send(.server, Writer.frame(5, flags: 4, stream: 1, Writer.octets(2) + promise))
    dialogue.send(.server, Writer.headers(1, server.block(Writer.response()), ends: true))
    dialogue.send(.server, Writer.headers(2, server.block(Writer.response())) + Writer.data(2, [1], ends: true))
    let analysis = Self.analysis(dialogue)
    let pushed = try #require(analysis.requests.last)
    #expect(pushed.path == "/style" && pushed.flags == .pushed && pushed.stream == 2)
    #expect(pushed.octets.framing == 9 + 4 && pushed.octets.startLine == promise.count)
    #expect(analysis.exchanges.map(\.path) == ["/a", "/style"])
    #expect(analysis.exchanges.allSatisfy { $0.request != nil && $0.response != nil })
  }

  @Test func connectIsATunnel() throws {
    var (client, server) = (Writer(), Writer())
    var dialogue = Self.opened
    let fields = [(":method", "CONNECT"), (":authority", "proxied.example:443")]
    dialogue.send(.client, Writer.headers(1, client.block(fields)))
    dialogue.send(.server, Writer.headers(1, server.block(Writer.response())))
    dialogue.send(.client, Writer.data(1, [1, 2, 3]))
    dialogue.send(.server, Writer.data(1, [4, 5, 6, 7], ends: true))
    dialogue.send(.client, Writer.data(1, [], ends: true))
    let analysis = Self.analysis(dialogue)
    #expect(analysis.ledger[.tunnel] == 7 && analysis.ledger[.body] == 0)
    let request = try #require(analysis.requests.first)
    #expect(request.host == "proxied.example:443" && request.path == "")
    #expect(request.expandedStartLine == "CONNECT proxied.example:443 HTTP/1.1\r\n".utf8.count)
    #expect(analysis.messages.allSatisfy { $0.exactness == .exact && $0.octets.body == 0 })
  }

  // MARK: Frames of no message

  @Test func controlFramesAreChargedToMessages() throws {
    var (client, server) = (Writer(), Writer())
    var dialogue = Self.opened
    dialogue.send(.client, Writer.headers(1, client.block(Writer.request("/a", method: "POST"))))
    dialogue.send(.server, Writer.windowUpdate(1) + Writer.windowUpdate(0))
    dialogue.send(.server, Writer.headers(1, server.block(Writer.response())) + Writer.data(1, [1]))
    dialogue.send(.client, Writer.windowUpdate(1) + Writer.frame(2, stream: 1, [0, 0, 0, 0, 1]))
    dialogue.send(.client, Writer.reset(1))
    dialogue.send(.client, Writer.frame(6, stream: 0, [1, 2, 3, 4, 5, 6, 7, 8]) + Writer.frame(0xfa, stream: 7, [1]))
    let analysis = Self.analysis(dialogue)
    #expect(analysis.requests.first?.control == 13)
    #expect(analysis.responses.first?.control == 13 + 14 + 13)
    #expect(analysis.connections.first?.control == Self.openingLength + 13 + 17 + 10)
    #expect(analysis.messages.allSatisfy { $0.flags == [.incomplete, .streamReset] && $0.exactness == .atLeast })
  }

  @Test func settingsChangeTheTable() throws {
    var client = Writer()
    var dialogue = Dialogue.opened()
    dialogue.send(.client, Writer.preface + Writer.settings([(1, 8192)]))
    dialogue.send(.server, Writer.settings([(1, 100), (5, 1 << 15)]) + Writer.settingsAcknowledgment)
    dialogue.send(.client, Writer.settingsAcknowledgment)
    // Acknowledged, and told: at most 100 octets, in which none of these fits with another one.
    dialogue.send(.client, Writer.headers(1, Writer.integer(100, 5, 0x20) + fields(&client, "/a"), ends: true))
    dialogue.send(.client, Writer.headers(3, Writer.integer(101, 5, 0x20) + [0xbe], ends: true))
    let analysis = Self.analysis(dialogue)
    #expect(analysis.requests.map(\.path) == ["/a", "/a"])
    #expect(analysis.anomalies[.hpackMalformed] == 1)
    #expect(analysis.requests.last?.flags == .fieldBlockMalformed)
  }

  // MARK: Upgrade

  @Test func upgradeFromHTTP1() throws {
    var server = Writer()
    var dialogue = Dialogue.opened()
    let request =
      "GET /a HTTP/1.1\r\nHost: h.example\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
      + "HTTP2-Settings: AAEAABAAAAQAAP__\r\n\r\n"
    dialogue.send(.client, request)
    let answer = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
    dialogue.send(
      .server,
      Array(answer.utf8) + Writer.settings() + Writer.headers(1, server.block(Writer.response()))
        + Writer.data(1, [1, 2], ends: true))
    var client = Writer()
    dialogue.send(.client, Writer.preface + Writer.settings())
    dialogue.send(.client, Writer.headers(3, fields(&client, "/b"), ends: true))
    dialogue.send(.server, Writer.headers(3, server.block(Writer.response(204)), ends: true))
    let analysis = Self.analysis(dialogue)
    #expect(analysis.requests.map(\.version) == ["HTTP/1.1", "HTTP/2"])
    #expect(analysis.requests.map(\.stream) == [nil, 3])
    #expect(analysis.responses.map(\.kind) == [.interim, .response, .response])
    #expect(analysis.responses.map(\.stream) == [nil, 1, 3])
    #expect(analysis.responses.map(\.status) == [101, 200, 204])
    #expect(analysis.responses.map(\.path) == ["/a", "/a", "/b"])
    #expect(analysis.exchanges.map(\.exchange.stream) == [1, 3])
    #expect(analysis.messages.allSatisfy { $0.exactness == .exact })
    #expect(analysis.connections.first?.applicationProtocol == .http2)
    #expect(analysis.ledger[.tunnel] == 0)
  }

  /// A server that does not know it answers as always.
  @Test func upgradeThatIsRefused() {
    var dialogue = Dialogue.opened()
    let settings = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n"
    dialogue.send(.client, "GET /a HTTP/1.1\r\nHost: h.example\r\n" + settings)
    dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    dialogue.send(.client, "GET /b HTTP/1.1\r\nHost: h.example\r\n\r\n")
    dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    let analysis = Self.analysis(dialogue)
    #expect(analysis.responses.map(\.path) == ["/a", "/b"])
    #expect(analysis.messages.allSatisfy { $0.version == "HTTP/1.1" && $0.stream == nil })
  }

  // MARK: Content

  @Test func codedContentsInterleave() throws {
    let text = String(repeating: "words and more words. ", count: 200)
    let gzip = StoredGzip.of(Array(text.utf8))
    var (client, server) = (Writer(), Writer())
    var dialogue = Self.opened
    for stream in [UInt32(1), 3] {
      dialogue.send(.client, Writer.headers(stream, fields(&client, "/\(stream)"), ends: true))
      dialogue.send(
        .server, Writer.headers(stream, server.block(Writer.response(200, [("content-encoding", "gzip")]))))
    }
    let half = gzip.count / 2
    for part in [gzip[..<half], gzip[half...]] {
      for stream in [UInt32(1), 3] {
        dialogue.send(.server, Writer.data(stream, Array(part), ends: part.endIndex == gzip.count))
      }
    }
    let analysis = Analysis(dialogue.packets(), decoders: SystemContentDecoders(threads: 0))
    #expect(analysis.violations == [])
    #expect(analysis.responses.map(\.decodedBody) == [text.utf8.count, text.utf8.count])
  }
}

/// gzip without compression (RFC 1951 §3.2.4, RFC 1952).
enum StoredGzip {
  static func of(_ octets: [UInt8]) -> [UInt8] {
    precondition(octets.count < 65_536)
    let length = UInt16(octets.count)
    var crc = UInt32.max
    for octet in octets {
      crc ^= UInt32(octet)
      for _ in 0..<8 { crc = crc & 1 != 0 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1 }
    }
    func little(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(number >> UInt32(8 * $0) & 0xff) } }
    return [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1] + [UInt8(length & 0xff), UInt8(length >> 8)]
      + [UInt8(~length & 0xff), UInt8(~length >> 8)] + octets + little(~crc) + little(UInt32(octets.count))
  }
}
