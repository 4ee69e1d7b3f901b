import TestSupport
import Testing

@testable import HTTPReassembly

/// What is cut, lost, flooded or made of anything: the ledger balances, and no row says what it does not know.
@Suite struct HTTP2RobustnessTests {
  typealias Writer = HTTP2Writer

  /// What both sides send of a dialogue with several streams.
  private static let script: (client: [UInt8], server: [UInt8]) = {
    var (client, server) = (Writer(), Writer())
    var (asked, answered) = (Writer.preface + Writer.settings([(3, 100)]), Writer.settings())
    asked += Writer.headers(1, client.block(Writer.request("/a?q", [("cookie", "a=1")])), ends: true, parts: 3)
    answered += Writer.settingsAcknowledgment + Writer.headers(1, server.block(Writer.response(103, [("link", "x")])))
    asked += Writer.settingsAcknowledgment
    asked += Writer.headers(3, client.block(Writer.request("/b", method: "POST")), padding: 3, hasPriority: true)
    answered += Writer.headers(1, server.block(Writer.response(200, [("content-type", "text/plain")])))
    asked +=
      Writer.data(3, Array("question".utf8), padding: 2) + Writer.windowUpdate(1) + Writer.data(3, [], ends: true)
    answered += Writer.data(1, Array("one".utf8)) + Writer.windowUpdate(3)
    answered += Writer.headers(3, server.block(Writer.response(404))) + Writer.data(1, Array("two".utf8))
    answered += Writer.data(3, Array("answer".utf8), ends: true)
    answered += Writer.headers(1, server.block([("x-sum", "6")]), ends: true) + Writer.windowUpdate(0)
    return (asked, answered)
  }()

  /// What the messages say, in the order of each side.
  private static func summary(_ analysis: Analysis) -> [String] {
    func text(_ message: SeenMessage) -> String {
      let octets = message.octets
      return "\(message.kind.name) \(message.stream ?? 0) \(message.method) \(message.host)\(message.path)"
        + " \(message.status) \(octets.startLine)+\(octets.header)+\(octets.body)+\(octets.framing)+\(octets.trailer)"
        + " \(message.decodedBody ?? -1) \(message.exactness.name) \(message.flags.rawValue) \(message.control)"
        + " \(message.expandedStartLine ?? -1) \(message.expandedHeader ?? -1)"
    }
    return (analysis.requests.map(text) + analysis.responses.map(text)).sorted()
      + ["control \(analysis.ledger[.control]) stray \(analysis.ledger[.stray]) opaque \(analysis.ledger[.opaque])"]
  }

  private static func dialogue(client: [Int], server: [Int]) -> Dialogue {
    var dialogue = Dialogue.opened()
    for (peer, octets, cuts) in [(Peer.client, script.client, client), (Peer.server, script.server, server)] {
      for (start, end) in zip(cuts, cuts.dropFirst()) where end > start {
        dialogue.send(peer, Array(octets[start..<end]))
      }
    }
    return dialogue
  }

  @Test func everySplitGivesTheSame() {
    let (client, server) = (Self.script.client.count, Self.script.server.count)
    let whole = HTTP2Tests.analysis(Self.dialogue(client: [0, client], server: [0, server]))
    #expect(whole.messages.count == 5 && whole.messages.allSatisfy { $0.exactness == .exact })
    let expected = Self.summary(whole)
    for cut in 1..<client {
      let analysis = HTTP2Tests.analysis(Self.dialogue(client: [0, cut, client], server: [0, server]))
      #expect(Self.summary(analysis) == expected, "client cut at \(cut)")
    }
    for cut in 1..<server {
      let analysis = HTTP2Tests.analysis(Self.dialogue(client: [0, client], server: [0, cut, server]))
      #expect(Self.summary(analysis) == expected, "server cut at \(cut)")
    }
    let octetByOctet = HTTP2Tests.analysis(Self.dialogue(client: Array(0...client), server: Array(0...server)))
    #expect(Self.summary(octetByOctet) == expected)
  }

  /// A server that sends its settings before the client's preface came.
  @Test func theServerIsFirst() {
    var dialogue = Dialogue.opened()
    dialogue.send(.server, Array(Self.script.server[..<9]), isReceived: false)
    dialogue.send(.client, Self.script.client)
    dialogue.send(.server, Array(Self.script.server[9...]))
    let analysis = HTTP2Tests.analysis(dialogue)
    #expect(analysis.messages.count == 5 && analysis.ledger[.opaque] == 0)
    #expect(analysis.connections.first?.applicationProtocol == .http2)
  }

  /// What only begins as HTTP/2 does is what it was.
  @Test(arguments: ["P", "PR", "PRI * HTTP/2.0\r\n\r\nSM\r\n"])
  func almostThePreface(_ start: String) {
    var dialogue = Dialogue.opened()
    for octet in start.utf8 { dialogue.send(.client, [octet]) }
    dialogue.send(.client, "OST /a HTTP/1.1\r\nHost: h.example\r\nContent-Length: 0\r\n\r\n")
    dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    let analysis = HTTP2Tests.analysis(dialogue)
    #expect(analysis.requests.first?.method == (start == "P" ? "POST" : start == "PR" ? "PROST" : nil))
    #expect(analysis.connections.first?.applicationProtocol == .http1)
  }

  // MARK: Retransmissions

  @Test func copiesAreChargedToTheirMessages() throws {
    var dialogue = Self.dialogue(client: [0, Self.script.client.count], server: [0])
    for octet in stride(from: 0, to: Self.script.server.count, by: 40) {
      dialogue.send(.server, Array(Self.script.server[octet..<min(octet + 40, Self.script.server.count)]))
      dialogue.repeatSegment(-1)
    }
    let analysis = HTTP2Tests.analysis(dialogue)
    #expect(analysis.ledger[.retransmitted] == Self.script.server.count)
    for response in analysis.responses { #expect(response.retransmitted == response.octets.total) }
  }

  // MARK: Loss

  /// A download in many frames, of which some segments are lost.
  private static func download(lose: (Int) -> Bool, segment: Int = 100) -> Dialogue {
    var (client, server) = (Writer(), Writer())
    var dialogue = HTTP2Tests.opened
    dialogue.send(.client, Writer.headers(1, client.block(Writer.request("/big")), ends: true))
    var octets = Writer.headers(1, server.block(Writer.response(200, [("x-first", "1")])))
    for _ in 0..<10 { octets += Writer.data(1, [UInt8](repeating: 7, count: 500)) }
    for start in stride(from: 0, to: octets.count, by: segment) {
      let piece = Array(octets[start..<min(start + segment, octets.count)])
      dialogue.send(.server, piece, isCaptured: !lose(start / segment))
      dialogue.acknowledge(.client)
    }
    dialogue.send(.server, Writer.data(1, [], ends: true))
    dialogue.send(.client, Writer.headers(3, client.block(Writer.request("/next")), ends: true))
    dialogue.send(.server, Writer.headers(3, server.block(Writer.response(201, [("x-first", "1")])), ends: true))
    dialogue.close()
    return dialogue
  }

  /// The third segment is wholly within the first DATA frame.
  @Test func aHoleInContentIsBridged() throws {
    let analysis = HTTP2Tests.analysis(Self.download { $0 == 2 })
    let response = try #require(analysis.responses.first)
    #expect(response.octets.body == 4900 && response.missing == 100 && response.exactness == .inferred)
    #expect(response.flags == .contentNotSeen && response.decodedBody == nil)
    #expect(analysis.responses.last?.exactness == .exact && analysis.responses.last?.status == 201)
  }

  /// A hole that hides frame headers: the message in progress is a lower bound, and frames are found again.
  @Test func aHoleThatHidesHeaders() throws {
    let analysis = HTTP2Tests.analysis(Self.download(lose: { $0 == 5 }))
    let response = try #require(analysis.responses.first)
    #expect(response.exactness == .atLeast && response.octets.body < 5000 && response.stream == 1)
    #expect(analysis.anomalies[.http2Resynchronized] == 1)
    let next = try #require(analysis.responses.last)
    #expect(next.stream == 3 && next.status == 201 && next.path == "/next" && next.pairing == .exact)
    // `x-first: 1` was inserted before the hole. Its octets are known all the same.
    #expect(next.exactness == .exact)
    #expect(next.octets.startLine + next.octets.header == 1 + Writer.string("201").count + 1)
  }

  /// Whatever is lost: nothing is exact that is not, and no figure is larger than in truth.
  @Test(arguments: RandomCases.seeds(0..<200))
  func anyLoss(_ seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    let probability = [0.02, 0.1, 0.3][seed % 3]
    var lost: [Bool] = []
    for _ in 0..<300 { lost.append(random.chance(probability)) }
    let segment = [40, 100, 530][seed / 3 % 3]
    let truth = HTTP2Tests.analysis(Self.download(lose: { _ in false }, segment: segment))
    let analysis = HTTP2Tests.analysis(Self.download(lose: { lost[$0] }, segment: segment))
    for message in analysis.messages {
      let sent = try #require(
        truth.messages.first { $0.stream == message.stream && ($0.kind == .request) == (message.kind == .request) })
      if message.exactness == .exact {
        #expect(message.octets == sent.octets && message.path == sent.path && message.status == sent.status)
      }
      #expect(message.octets.body <= sent.octets.body)
      if message.pairing == .exact, message.kind == .response { #expect(message.path == sent.path) }
    }
  }

  /// A capture that begins in the middle of a connection, at any frame.
  @Test func fromTheMiddle() throws {
    var (client, server) = (Writer(), Writer())
    _ = client.block(Writer.request("/before"))
    _ = server.block(Writer.response(200, [("server", "s")]))
    var dialogue = Dialogue()
    let asked = [UInt32(7), 9, 11].map { Writer.headers($0, client.block(Writer.request("/\($0)")), ends: true) }
    dialogue.send(.client, asked.flatMap(\.self))
    var answered: [UInt8] = []
    for stream in [UInt32(7), 9, 11] {
      answered += Writer.headers(stream, server.block(Writer.response(200, [("server", "s"), ("x-new", "n")])))
      answered += Writer.data(stream, [1, 2, 3], ends: true)
    }
    dialogue.send(.server, answered)
    let analysis = HTTP2Tests.analysis(dialogue)
    #expect(analysis.connections.first?.applicationProtocol == .http2)
    #expect(analysis.responses.count == 3 && analysis.responses.allSatisfy { $0.octets.body == 3 })
    #expect(analysis.messages.allSatisfy { $0.exactness != .exact && $0.flags.contains(.fieldUnknown) })
    #expect(analysis.messages.allSatisfy { $0.expandedHeader == nil })
  }

  @Test func snapLengths() throws {
    for captured in 54..<200 {
      let dialogue = Self.download(lose: { _ in false })
      var packets = dialogue.packets()
      for index in packets.indices where packets[index].octets.count > captured {
        packets[index].octets.removeLast(packets[index].octets.count - captured)
      }
      let analysis = Analysis(packets)
      #expect(analysis.violations == [])
    }
  }

  // MARK: Floods

  private static func flood(
    _ frames: [UInt8], from peer: Peer = .client, configuration: Configuration = Configuration()
  )
    -> Analysis
  {
    var dialogue = HTTP2Tests.opened
    for start in stride(from: 0, to: frames.count, by: 1400) {
      dialogue.send(peer, Array(frames[start..<min(start + 1400, frames.count)]))
    }
    return HTTP2Tests.analysis(dialogue, configuration: configuration)
  }

  @Test func rapidResets() {
    var client = Writer()
    var frames: [UInt8] = []
    for number in 0..<2000 {
      let stream = UInt32(2 * number + 1)
      frames += Writer.headers(stream, client.block(Writer.request("/a")), ends: true)
      frames += Writer.reset(stream)
    }
    let analysis = Self.flood(frames)
    #expect(analysis.anomalies[.http2RapidReset] == 1 && analysis.requests.count == 2000)
    #expect(analysis.requests.allSatisfy { $0.exactness == .exact })
    #expect(analysis.mostConnectionOctets < 1 << 20)
  }

  @Test func streamsWithoutEnd() {
    var client = Writer()
    var frames: [UInt8] = []
    for number in 0..<9000 {
      frames += Writer.headers(UInt32(2 * number + 1), client.block(Writer.request("/a", method: "POST")))
    }
    let analysis = Self.flood(frames)
    #expect(analysis.anomalies[.http2StreamsFull] == 9000 - 4096 && analysis.requests.count == 9000)
  }

  /// A frame, again and again.
  private static func repeated(_ frame: [UInt8], _ count: Int) -> [UInt8] {
    var frames: [UInt8] = []
    for _ in 0..<count { frames += frame }
    return frames
  }

  @Test func settingsAndPings() {
    let settings = Self.flood(Self.repeated(Writer.settings([(1, 4096)]), 500))
    #expect(settings.anomalies[.http2SettingsFlood] == 1 && settings.ledger[.stray] == 0)
    let pings = Self.flood(Self.repeated(Writer.frame(6, stream: 0, [UInt8](repeating: 0, count: 8)), 500))
    #expect(pings.anomalies[.http2PingFlood] == 1)
    let empty = Self.flood(Writer.headers(1, [0x82, 0x84, 0x86]) + Self.repeated(Writer.data(1, []), 500))
    #expect(empty.anomalies[.http2EmptyFrameFlood] == 1)
    #expect(empty.requests.first?.octets.framing == 501 * 9)
  }

  @Test func continuationsWithoutEnd() throws {
    var frames = Writer.frame(1, flags: 1, stream: 1, [0x82, 0x84, 0x86])
    for _ in 0..<400 { frames += Writer.frame(9, stream: 1, [UInt8](repeating: 0x84, count: 1000)) }
    let analysis = Self.flood(frames)
    #expect(analysis.anomalies[.http2ContinuationFlood] == 1)
    #expect(analysis.anomalies[.http2FrameIncomplete] == 1)
    let request = try #require(analysis.requests.first)
    #expect(request.octets.startLine + request.octets.header == 400_003 && request.exactness == .atLeast)
    #expect(analysis.mostConnectionOctets < 2 << 20)
  }

  /// An octet that stands for four kilobytes, again and again.
  @Test func aFieldBlockBomb() throws {
    let field: [UInt8] = [0x40] + Writer.string("x") + Writer.string(String(repeating: "v", count: 4000))
    let block: [UInt8] = [0x82, 0x84, 0x86] + field + [UInt8](repeating: 0xbe, count: 12_000)
    let analysis = Self.flood(Writer.headers(1, block, ends: true))
    let request = try #require(analysis.requests.first)
    #expect(request.expandedHeader == 12_001 * (1 + 4000 + 4) + 2 && request.exactness == .exact)
    #expect(analysis.mostConnectionOctets < 1 << 20)
  }

  @Test func aBlockThatIsTooLong() throws {
    var configuration = Configuration()
    configuration.fieldBlockLimit = 1000
    let field: [UInt8] = [0x00] + Writer.string("name") + Writer.string("value of it")
    let block: [UInt8] = [0x82, 0x84, 0x86] + Self.repeated(field, 100)
    let analysis = Self.flood(Writer.headers(1, block, ends: true, parts: 3), configuration: configuration)
    #expect(analysis.anomalies[.http2FieldBlockTooLong] == 1)
    let request = try #require(analysis.requests.first)
    #expect(request.octets.startLine + request.octets.header == block.count && request.expandedHeader == nil)
  }

  // MARK: Errors

  @Test func malformedFrames() {
    let frames =
      Writer.frame(0, stream: 0, [1, 2, 3]) + Writer.frame(9, flags: 4, stream: 1, [0x82])
      + Writer.frame(6, stream: 0, [1]) + Writer.frame(1, flags: 4, stream: 2, [0x82, 0x84])
      + Writer.frame(0, flags: 8, stream: 5, [200, 1, 2])
    let analysis = Self.flood(frames)
    #expect(analysis.anomalies[.http2FrameMalformed] == 4)
    #expect(analysis.anomalies[.http2PaddingMalformed] == 1)
    #expect(analysis.anomalies[.http2StreamIdle] == 1)
    #expect(
      analysis.requests.first?.octets.framing == 12 && analysis.requests.first?.flags.contains(.headerNotSeen) == true)
  }

  @Test func aFrameThatIsTooLong() {
    var dialogue = HTTP2Tests.opened
    dialogue.send(.client, [1, 0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 100))
    let analysis = HTTP2Tests.analysis(dialogue)
    #expect(analysis.anomalies[.http2FrameTooLong] == 1 && analysis.ledger[.stray] == 109)
  }

  @Test func blocksThatAreInterrupted() throws {
    var client = Writer()
    let block = client.block(Writer.request("/a"))
    let frames = Writer.frame(1, flags: 1, stream: 1, block) + Writer.frame(6, stream: 0, [0, 0, 0, 0, 0, 0, 0, 0])
    let analysis = Self.flood(frames)
    #expect(analysis.anomalies[.http2FieldBlockInterrupted] == 1)
    let request = try #require(analysis.requests.first)
    #expect(request.path == "/a" && request.octets.startLine + request.octets.header == block.count)
    #expect(request.exactness == .atLeast)
  }

  /// Any octets after the openings: everything is counted.
  @Test(arguments: RandomCases.seeds(0..<300))
  func anyOctets(_ seed: Int) {
    var random = SeededRandom(seed: UInt64(seed) &* 77)
    var dialogue = HTTP2Tests.opened
    for _ in 0..<30 {
      let peer: Peer = Bool.random(using: &random) ? .client : .server
      let length = Int.random(in: 0...60, using: &random)
      let payload = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      let type = UInt8.random(in: 0...11, using: &random)
      let stream = UInt32.random(in: 0...6, using: &random)
      var frame = Writer.frame(type, flags: UInt8.random(in: 0...63, using: &random), stream: stream, payload)
      if random.chance(0.05) { frame[Int.random(in: 0..<frame.count, using: &random)] ^= 0x41 }
      dialogue.send(peer, frame, isCaptured: !random.chance(0.05))
      if random.chance(0.1) { dialogue.repeatSegment(-1) }
    }
    dialogue.close()
    _ = HTTP2Tests.analysis(dialogue)
  }
}
