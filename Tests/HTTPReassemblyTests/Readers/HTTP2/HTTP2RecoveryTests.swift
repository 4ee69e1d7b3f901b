import TestSupport
import Testing

@testable import HTTPReassembly

/// How HTTP/2 goes on behind a gap, and from the middle of a connection (MEASURES §7, §10).
@Suite struct HTTP2RecoveryTests {
  typealias Writer = HTTP2Writer

  /// `count` exchanges, one at a time. Requests in `lost` lack their packet.
  private static func dialogue(_ count: Int, lost: Set<Int> = []) -> Dialogue {
    var (client, server) = (Writer(), Writer())
    var dialogue = Dialogue.opened()
    dialogue.send(.client, Writer.preface + Writer.settings())
    dialogue.send(.server, Writer.settings() + Writer.settingsAcknowledgment)
    for number in 0..<count {
      let stream = UInt32(2 * number + 1)
      let request = Writer.headers(stream, client.block(Writer.request("/a/\(number)")), ends: true)
      dialogue.send(.client, request, isCaptured: !lost.contains(number))
      let fields = server.block(Writer.response(200, [("server", "s")]))
      dialogue.send(.server, Writer.headers(stream, fields) + Writer.data(stream, [0x78, 0x79], ends: true))
    }
    return dialogue
  }

  @Test(arguments: [[5], [5, 6], [3, 9, 15]])
  func requestsBehindALostOneAreExact(_ lost: [Int]) {
    let analysis = HTTP2Tests.analysis(Self.dialogue(20, lost: Set(lost)))
    let requests = analysis.requests
    #expect(requests.map(\.path) == (0..<20).filter { !lost.contains($0) }.map { "/a/\($0)" })
    #expect(requests.allSatisfy { $0.exactness == .exact && $0.host == "h.example" })
    let unasked = analysis.responses.filter { $0.exactness != .exact }
    #expect(unasked.map { $0.stream.map { Int($0) } } == lost.map { 2 * $0 + 1 })
    #expect(unasked.allSatisfy { $0.exactness == .inferred && $0.host.isEmpty })
  }

  /// The handshake was captured, and the preface lost: a server's frames from its first octet on show HTTP/2.
  @Test func aLostPreface() {
    let segments = Self.dialogue(12).segments
    var cut = Self.dialogue(12)
    cut.segments.remove(at: 3)
    let (whole, found) = (HTTP2Tests.analysis(Self.dialogue(12)), HTTP2Tests.analysis(cut))
    #expect(segments.count == cut.segments.count + 1)
    #expect(found.connections.first?.applicationProtocol == .http2)
    #expect(found.ledger[.opaque] == 0 && found.responses.count == 12)
    #expect(found.requests.map(\.octets) == whole.requests.map(\.octets))
  }

  /// HTTP/1 asks for HTTP/2. The request or the answer is lost.
  @Test(arguments: [true, false]) func aLostUpgrade(_ isRequest: Bool) {
    var (client, server) = (Writer(), Writer())
    var dialogue = Dialogue.opened()
    let settings = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n"
    dialogue.send(.client, "GET /a HTTP/1.1\r\nHost: h.example\r\n" + settings, isCaptured: !isRequest)
    let answer = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
    dialogue.send(.server, Array(answer.utf8) + Writer.settings(), isCaptured: isRequest)
    dialogue.send(.client, Writer.preface + Writer.settings() + Writer.settingsAcknowledgment)
    let first = Writer.headers(1, server.block(Writer.response(200, [("server", "s")])))
    dialogue.send(.server, Writer.settingsAcknowledgment + first + Writer.data(1, [1, 2], ends: true))
    for stream in stride(from: UInt32(3), to: 15, by: 2) {
      dialogue.send(.client, Writer.headers(stream, client.block(Writer.request("/\(stream)")), ends: true))
      let fields = server.block(Writer.response(200, [("server", "s")]))
      dialogue.send(.server, Writer.headers(stream, fields) + Writer.data(stream, [1], ends: true))
    }
    let analysis = HTTP2Tests.analysis(dialogue)
    #expect(analysis.connections.first?.applicationProtocol == .http2)
    #expect(analysis.requests.filter { $0.version == "HTTP/2" }.map(\.path) == (1...6).map { "/\(2 * $0 + 1)" })
    #expect(analysis.responses.filter { $0.version == "HTTP/2" }.map(\.octets.body) == [2, 1, 1, 1, 1, 1, 1])
    #expect(analysis.ledger[.tunnel] == 0)
  }

  /// The lost packet named another host. The table tells that only where its bytes cannot have held one.
  @Test func anEntryOfAnotherHostIsNotTakenForTheOld() {
    var client = Writer()
    var dialogue = Dialogue.opened()
    dialogue.send(.client, Writer.preface + Writer.settings())
    dialogue.send(.client, Writer.headers(1, client.block(Writer.request("/1")), ends: true))
    let other = [(":method", "GET"), (":scheme", "http"), (":authority", "other.example"), (":path", "/2")]
    dialogue.send(.client, Writer.headers(3, client.block(other), ends: true), isCaptured: false)
    for stream in [UInt32(5), 7, 9] {
      dialogue.send(.client, Writer.headers(stream, client.block(other), ends: true))
    }
    let found = HTTP2Tests.analysis(dialogue).requests
    #expect(found.count == 4 && found.dropFirst().allSatisfy { $0.host != "h.example" || $0.exactness != .exact })
    #expect(found.dropFirst().allSatisfy { $0.host.isEmpty && $0.exactness == .inferred })
  }

  /// Its fields `:protocol` and `:path` were inserted in the lost packet, so it looks like a CONNECT without them.
  @Test func aConnectWithUnknownFieldsMayBeExtended() throws {
    var client = Writer()
    func block(_ stream: UInt32) -> [UInt8] {
      var block: [UInt8] = []
      for (name, value) in [
        (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "http"), (":path", "/chat"),
        (":authority", "h.example"), ("accept", "*/*"),
      ] {
        client.isIndexing = name == ":protocol" || name == ":path"
        block += client.block([(name, value)])
      }
      return Writer.headers(stream, block)
    }
    var dialogue = Dialogue.opened()
    dialogue.send(.client, Writer.preface + Writer.settings())
    dialogue.send(.client, block(1), isCaptured: false)
    dialogue.send(.client, block(3) + Writer.data(3, [1], ends: true))
    let request = try #require(HTTP2Tests.analysis(dialogue).requests.first { $0.stream == 3 })
    #expect(request.method == "CONNECT" && request.host == "h.example" && request.path.isEmpty)
    #expect(request.exactness != .exact)
  }

  /// The first of three responses is lost, with the entries of the interim and final ones that follow.
  @Test func anInterimResponseOfUnknownStatusIsNotTheFinalOne() {
    var (client, server) = (Writer(), Writer())
    var dialogue = Dialogue.opened()
    dialogue.send(.client, Writer.preface + Writer.settings())
    dialogue.send(.server, Writer.settings())
    for stream in [UInt32(1), 3, 5] {
      dialogue.send(.client, Writer.headers(stream, client.block(Writer.request("/b", method: "HEAD")), ends: true))
      let interim = server.block(Writer.response(103, [("link", "x")]))
      dialogue.send(.server, Writer.headers(stream, interim), isCaptured: stream > 1)
      let final = server.block(Writer.response(200, [("x-n", "\(stream)")]))
      dialogue.send(.server, Writer.headers(stream, final, ends: true))
    }
    let analysis = HTTP2Tests.analysis(dialogue)
    let responses = analysis.messages.filter { $0.kind == .response }
    #expect(responses.map(\.status) == [200, 200, 200] && responses.allSatisfy { $0.exactness == .exact })
    let interim = analysis.messages.filter { $0.kind == .interim }
    #expect(interim.map(\.stream) == [3, 5] && interim.allSatisfy { $0.status == 0 && $0.exactness == .inferred })
  }

  /// Octets in the fields of an interim response are lost, and maybe the first ones of the final response's.
  @Test(arguments: 0..<16) func anInterimResponseMayBeCut(_ start: Int) {
    var (client, server) = (Writer(), Writer())
    let request = Writer.headers(1, client.block(Writer.request("/b", method: "HEAD")), ends: true)
    let interim = Writer.headers(1, server.block(Writer.response(103, [("link", "</style.css>")])))
    let final = Writer.headers(1, server.block(Writer.response(200, [("x-n", "1")])), ends: true)
    for (count, isFinalCut) in [(1, false), (5, false), (interim.count, false), (1, true)] {
      let lost = 9 + start..<min(9 + start + count, interim.count)
      guard !lost.isEmpty else { continue }
      var dialogue = Dialogue.opened()
      dialogue.send(.client, Writer.preface + Writer.settings())
      dialogue.send(.server, Writer.settings())
      dialogue.send(.client, request)
      dialogue.send(.server, Array(interim[..<lost.lowerBound]))
      dialogue.send(.server, Array(interim[lost]), isCaptured: false)
      dialogue.send(.server, Array(interim[lost.upperBound...] + final[..<9]))
      dialogue.send(.server, Array(final[9..<10]), isCaptured: !isFinalCut)
      dialogue.send(.server, Array(final[10...]))
      let rows = HTTP2Tests.analysis(dialogue).messages.filter { $0.kind != .request }
      let knowsStatus = start > 4
      guard !isFinalCut || knowsStatus else {
        // Nothing tells whether the second section is a response or trailer fields.
        #expect(rows.map(\.exactness) == [.atLeast] && rows[0].octets.total < interim.count, "lost \(lost)")
        continue
      }
      #expect(rows.map(\.kind) == [.interim, .response], "lost \(lost)")
      guard rows.count == 2 else { continue }
      #expect(rows[0].octets.total == interim.count - lost.count && rows[0].exactness == .inferred, "lost \(lost)")
      #expect(rows[1].octets.total == final.count - (isFinalCut ? 1 : 0), "lost \(lost)")
      #expect(rows[1].status == (isFinalCut ? 0 : 200) && rows[1].exactness == (isFinalCut ? .inferred : .exact))
    }
  }

  /// No packet has more than one frame.
  @Test func aConnectionThatIsJoinedInItsMiddleIsFound() {
    var client = Writer()
    client.isIndexing = false
    var dialogue = Dialogue.opened()
    for stream in stride(from: UInt32(41), to: 61, by: 2) {
      dialogue.send(.client, Writer.headers(stream, client.block(Writer.request("/\(stream)")), ends: true))
      dialogue.send(.server, Writer.headers(stream, client.block(Writer.response())))
      dialogue.send(.server, Writer.data(stream, [1, 2, 3], ends: true))
    }
    let segments = Array(dialogue.segments.dropFirst(3))
    let analysis = Analysis(segments.map { $0.packet() })
    #expect(analysis.violations == [])
    #expect(analysis.requests.map(\.path) == stride(from: 41, to: 61, by: 2).map { "/\($0)" })
    #expect(analysis.responses.map(\.octets.body) == [Int](repeating: 3, count: 10))
  }

  /// Octets that begin like one frame, and go on otherwise.
  @Test func otherProtocolsAreNotTakenForHTTP2() {
    var dialogue = Dialogue.opened()
    for number in 0..<8 {
      dialogue.send(.client, Writer.frame(1, flags: 4, stream: 5, [UInt8(number)]) + [0xff, 0xff, 0xff])
      dialogue.send(.server, [UInt8](repeating: 0, count: 64))
    }
    let analysis = Analysis(dialogue.segments.dropFirst(3).map { $0.packet() })
    #expect(analysis.violations == [] && analysis.messages.isEmpty)
    #expect(analysis.ledger[.opaque] > 0)
  }
}
