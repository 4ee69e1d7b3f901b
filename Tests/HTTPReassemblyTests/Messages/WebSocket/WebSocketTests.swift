import TestSupport
import Testing

@testable import HTTPReassembly

/// The frames of WebSockets over HTTP/1 and HTTP/2.
@Suite struct WebSocketTests {
  private static let request = HTTP.get("/ws", fields: "Connection: Upgrade\r\nUpgrade: websocket\r\n")
  private static let accepted = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n\r\n"

  /// The counts of frames, in the order of `WebSocketWriter.counts`.
  private func counts(_ facts: WebSocketFacts?) -> [Int]? {
    facts.map {
      [
        $0.frames, $0.messages, $0.texts, $0.binaries, $0.pings, $0.pongs, $0.frameLength, $0.keepaliveLength,
        $0.payloadLength, $0.decodedLength ?? -1,
      ]
    }
  }

  private func opened() -> Dialogue {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, Self.request)
    dialogue.send(.server, Self.accepted)
    return dialogue
  }

  private func sockets(seed: Int, messages: Int = 12) -> (client: WebSocketWriter, server: WebSocketWriter) {
    var (client, server) = (
      WebSocketWriter(isMasked: true, seed: seed), WebSocketWriter(isMasked: false, seed: seed + 1)
    )
    client.messages(messages)
    server.messages(messages)
    client.frame(8, [0x03, 0xe8])
    server.frame(8, [0x10, 0xe1] + Array("bye".utf8))
    return (client, server)
  }

  @Test(arguments: RandomCases.seeds(0..<24))
  func framesInAnyPieces(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    let (client, server) = sockets(seed: seed)
    var dialogue = opened()
    var rests: [(peer: Peer, octets: ArraySlice<UInt8>)] = [
      (.client, client.octets[...]), (.server, server.octets[...]),
    ]
    while let index = rests.indices.filter({ !rests[$0].octets.isEmpty }).randomElement(using: &random) {
      let piece = rests[index].octets.prefix(random.number(1..<(random.chance(0.3) ? 4 : 1400)))
      rests[index].octets = rests[index].octets.dropFirst(piece.count)
      dialogue.send(rests[index].peer, Array(piece))
    }
    dialogue.close()
    let analysis = analyze(dialogue)
    let (request, response) = (analysis.requests[0], analysis.responses[0])
    #expect(counts(request.frames) == client.counts && request.frames?.closeCode == 1000)
    #expect(counts(response.frames) == server.counts && response.frames?.closeCode == 4321)
    #expect(request.frames?.exactness == .exact && response.frames?.exactness == .exact)
    #expect(request.tunnel == client.octets.count && response.tunnel == server.octets.count)
    #expect(analysis.ledger.tunnelOther == 0 && analysis.anomalies.all.isEmpty)
    #expect(request.exactness == .exact && response.exactness == .exact)
    for facts in [request.frames, response.frames].compactMap(\.self) {
      #expect(facts.density.frames.reduce(0, +) == facts.frames)
      let span = facts.lastTime - facts.firstTime
      #expect(Int64(facts.density.frames.count - 1) * facts.density.width <= span)
      #expect(facts.text.withOctets { WebSocketFacts(text: $0) } == facts)
    }
  }

  /// Each cut of a stream into two segments gives the same facts, also behind the head in one segment.
  @Test func framesCutAtEveryPosition() {
    var writer = WebSocketWriter(isMasked: false, seed: 3)
    writer.frame(1, Array("hi".utf8), isFinal: false)
    writer.frame(9, [1, 2])
    writer.frame(0, [UInt8](repeating: 7, count: 200))
    writer.frame(8, [0x03, 0xe9])
    let stream = Array(Self.accepted.utf8) + writer.octets
    for cut in 1..<stream.count {
      var dialogue = Dialogue.opened()
      dialogue.send(.client, Self.request)
      dialogue.send(.server, Array(stream[..<cut]))
      dialogue.send(.server, Array(stream[cut...]))
      dialogue.close()
      let analysis = analyze(dialogue)
      let response = analysis.responses[0]
      #expect(counts(response.frames) == writer.counts && response.frames?.closeCode == 1001, "\(cut)")
      #expect(response.frames?.exactness == .exact, "\(cut)")
    }
  }

  /// Some clients do not mask, though they must: the frames say so themselves.
  @Test func aClientThatDoesNotMask() {
    var writer = WebSocketWriter(isMasked: false, seed: 7)
    writer.messages(6)
    var dialogue = opened()
    dialogue.send(.client, writer.octets)
    dialogue.close()
    let request = analyze(dialogue).requests[0]
    #expect(counts(request.frames) == writer.counts && request.frames?.exactness == .exact)
  }

  /// A gap within a payload hides nothing else.
  @Test func aGapInAPayload() {
    var writer = WebSocketWriter(isMasked: true, seed: 5)
    let large = writer.frame(2, [UInt8](repeating: 1, count: 3000))
    writer.frame(1, Array("after".utf8))
    var dialogue = opened()
    dialogue.send(.client, Array(large[..<1000]))
    dialogue.send(.client, Array(large[1000..<2000]), isCaptured: false)
    dialogue.send(.client, Array(writer.octets[2000...]))
    dialogue.close()
    let analysis = analyze(dialogue)
    let request = analysis.requests[0]
    var expected = writer.counts
    expected[8] -= 1000
    expected[9] = -1
    #expect(counts(request.frames) == expected && request.missing == 1000)
    #expect(request.frames?.exactness == .inferred && request.exactness == .inferred)
    #expect(analysis.ledger.tunnelOther == 0)
  }

  /// Behind a gap over headers, frames are found again at the start of a segment. No count is more than was sent.
  @Test(arguments: RandomCases.seeds(0..<24))
  func framesAreFoundBehindAGap(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    var writer = WebSocketWriter(isMasked: seed.isMultiple(of: 2), seed: seed)
    writer.messages(40)
    var dialogue = opened()
    var start = 0
    var lost = 0
    let gaps = Set((0..<3).map { _ in random.number(2..<writer.ends.count - 10) })
    for (index, end) in writer.ends.enumerated() {
      let isLost = gaps.contains(index)
      if isLost { lost += end - start }
      let peer: Peer = seed.isMultiple(of: 2) ? .client : .server
      dialogue.send(peer, Array(writer.octets[start..<end]), isCaptured: !isLost)
      start = end
    }
    dialogue.close()
    let analysis = analyze(dialogue)
    let message = seed.isMultiple(of: 2) ? analysis.requests[0] : analysis.responses[0]
    let found = counts(message.frames) ?? []
    #expect(message.frames?.exactness == .inferred && message.missing == lost)
    #expect(zip(found, writer.counts).dropLast().allSatisfy { $0 <= $1 }, "\(found) of \(writer.counts)")
    // Two frames after each gap tell that there are frames.
    #expect(found[0] >= writer.counts[0] - gaps.count * 4, "\(found[0]) of \(writer.counts[0])")
  }

  /// The answer that opens a WebSocket is lost. The frames of either side show that it was given.
  @Test(arguments: [Peer.client, .server], [true, false])
  func theAnswerIsLost(first: Peer, hasRefusal: Bool) {
    let (client, server) = sockets(seed: 8)
    var dialogue = Dialogue.opened()
    if hasRefusal {
      dialogue.send(.client, Self.request)
      dialogue.send(.server, "HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\n\r\n")
    }
    dialogue.send(.client, Self.request)
    dialogue.send(.server, Self.accepted, isCaptured: false)
    let second: Peer = first == .client ? .server : .client
    for peer in [first, second] { dialogue.send(peer, peer == .client ? client.octets : server.octets) }
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.violations == [])
    let request = analysis.requests[hasRefusal ? 1 : 0]
    #expect(counts(request.frames) == client.counts && request.frames?.closeCode == 1000)
    #expect(request.tunnel == client.octets.count && request.path == "/ws")
    #expect(request.frames?.exactness == .inferred && request.exactness == .inferred)
    // The server's frames have no message: their response was not seen.
    #expect(analysis.ledger.tunnelOther == server.octets.count)
    #expect(analysis.ledger[.stray] == 0 && analysis.anomalies[.httpStartLineMalformed] == 0)
  }

  /// A client that asked for a WebSocket, and goes on with HTTP because the answer was lost, stays with HTTP.
  @Test func theLostAnswerRefused() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, Self.request)
    dialogue.send(.server, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", isCaptured: false)
    dialogue.send(.client, HTTP.get("/next"))
    dialogue.send(.server, HTTP.ok("next"))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.requests.map(\.path) == ["/ws", "/next"] && analysis.requests.allSatisfy { $0.tunnel == 0 })
    #expect(analysis.ledger.tunnelOther == 0 && analysis.violations == [])
  }

  /// Octets that break the rules of frames end the reading, and are counted as other ones.
  @Test func brokenRules() {
    let wrong: [[UInt8]] = [
      [0x83, 0], [0xc1, 1, 9], [0x89, 126, 0, 200], [0x09, 0], [0x80, 1, 9],
      [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0],
    ]
    for octets in wrong {
      var writer = WebSocketWriter(isMasked: false, seed: 1)
      writer.frame(1, Array("fine".utf8))
      var dialogue = opened()
      dialogue.send(.server, writer.octets + octets)
      dialogue.send(.server, [0x81, 2, 9, 9])
      dialogue.close()
      let analysis = analyze(dialogue)
      let response = analysis.responses[0]
      #expect(response.frames?.frames == 1 && response.frames?.exactness == .inferred, "\(octets)")
      #expect(analysis.ledger.tunnelOther == octets.count + 4, "\(octets)")
      #expect(analysis.anomalies.all.map(\.anomaly) == [.webSocketFrameInvalid], "\(octets)")
      #expect(response.exactness == .exact && response.tunnel == 6 + octets.count + 4, "\(octets)")
    }
  }

  @Test func aFrameThatDoesNotEnd() {
    var writer = WebSocketWriter(isMasked: false, seed: 1)
    writer.frame(2, [UInt8](repeating: 1, count: 300))
    for length in 1..<writer.octets.count {
      var dialogue = opened()
      dialogue.send(.server, Array(writer.octets[..<length]))
      dialogue.close()
      let response = analyze(dialogue).responses[0]
      #expect(response.frames?.exactness == .atLeast && response.exactness == .exact, "\(length)")
    }
  }

  /// The capture ends before the WebSocket does. Only a side that has sent a close frame sends no more; the messages themselves are whole.
  @Test(arguments: [false, true]) func aWebSocketThatIsStillOpen(_ isClosed: Bool) {
    var (client, server) = (WebSocketWriter(isMasked: true, seed: 1), WebSocketWriter(isMasked: false, seed: 2))
    client.frame(1, Array("hello".utf8))
    server.frame(2, [1, 2, 3])
    if isClosed { server.frame(8, [0x03, 0xe8]) }
    var dialogue = opened()
    dialogue.send(.client, client.octets)
    dialogue.send(.server, server.octets)
    let analysis = analyze(dialogue)
    #expect(analysis.requests[0].frames?.exactness == .atLeast)
    #expect(analysis.responses[0].frames?.exactness == (isClosed ? .exact : .atLeast))
    #expect(analysis.messages.allSatisfy { $0.exactness == .exact })
  }

  /// The sender of a 101 may speak another protocol than it says.
  @Test func aTunnelThatIsNoWebSocket() {
    var dialogue = opened()
    dialogue.send(.client, HTTP.get("/inside"))
    dialogue.send(.server, HTTP.ok("inside"))
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.pairs == ["GET /ws 101", "GET /inside 200"])
    #expect(analysis.requests[0].frames?.frames == 0 && analysis.requests[0].frames?.exactness == .inferred)
    #expect(analysis.anomalies.all.isEmpty)
  }

  /// Extended CONNECT over HTTP/2 (RFC 8441): several WebSockets and other requests on one connection.
  @Test(arguments: RandomCases.seeds(0..<16))
  func webSocketsOverHTTP2(seed: Int) {
    typealias Writer = HTTP2Writer
    var random = SeededRandom(seed: UInt64(seed))
    var dialogue = Dialogue.opened()
    HTTP2Tests.opened(&dialogue)
    var (client, server) = (Writer(), Writer())
    let sockets = (0..<3).map { self.sockets(seed: 10 * seed + $0) }
    var rests: [(peer: Peer, stream: UInt32, octets: ArraySlice<UInt8>)] = []
    for (index, socket) in sockets.enumerated() {
      let stream = UInt32(2 * index + 1)
      let fields = Writer.request("/ws/\(index)", method: "CONNECT", [(":protocol", "websocket")])
      let pseudo = fields.filter { $0.0.hasPrefix(":") }
      dialogue.send(.client, Writer.headers(stream, client.block(pseudo)))
      dialogue.send(.server, Writer.headers(stream, server.block(Writer.response())))
      rests.append((.client, stream, socket.client.octets[...]))
      rests.append((.server, stream, socket.server.octets[...]))
    }
    while let index = rests.indices.filter({ !rests[$0].octets.isEmpty }).randomElement(using: &random) {
      let piece = rests[index].octets.prefix(random.number(1..<1200))
      rests[index].octets = rests[index].octets.dropFirst(piece.count)
      let frame = Writer.data(
        rests[index].stream, Array(piece), ends: rests[index].octets.isEmpty, padding: random.chance(0.1) ? 9 : nil)
      dialogue.send(rests[index].peer, frame)
    }
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(analysis.requests.count == 3 && analysis.ledger.tunnelOther == 0)
    for (index, socket) in sockets.enumerated() {
      let request = analysis.requests.first { $0.path == "/ws/\(index)" }
      let response = analysis.responses.first { $0.path == "/ws/\(index)" }
      #expect(counts(request?.frames) == socket.client.counts && counts(response?.frames) == socket.server.counts)
      #expect(request?.tunnel == socket.client.octets.count && response?.tunnel == socket.server.octets.count)
      #expect(request?.exactness == .exact && response?.exactness == .exact)
      #expect(request?.frames?.exactness == .exact && response?.frames?.exactness == .exact)
    }
  }
}
