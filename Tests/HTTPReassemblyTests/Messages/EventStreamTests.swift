import ContentCodings
import TestSupport
import Testing

@testable import HTTPReassembly

/// Events of `text/event-stream` are counted while they pass, and exchanges that last show their octets in each interval.
@Suite struct EventStreamTests {
  typealias Writer = HTTP2Writer

  private static let second: Int64 = 1_000_000_000
  private static let type = "text/event-stream"

  /// The streams, and how many events each has.
  private static let streams: [(text: String, events: Int)] = [
    ("", 0), ("\n\n\n", 0), ("data: a\n\n", 1), ("data\n\n", 1), ("data:\r\r", 1), ("data: a\r\n\r\n", 1),
    ("data: a\ndata: b\n\ndata: c\n\n", 2), (": ping\n\n", 0), ("id: 1\nevent: x\n\n", 0),
    ("id: 1\r\ndata: x\r\n\r\n: ping\r\n\r\n\r\ndata: y\r\n\r\n", 2), ("data: a\n", 0), ("datas: a\n\n", 0),
    (" data: a\n\n", 0), ("Data: a\n\n", 0), ("dat\n\ndata: 1\r\n\ndata: 2\n\r\n", 2), ("\u{feff}data: a\n\n", 1),
    ("x\u{feff}data: a\n\ndata: b\n\n", 1), ("\u{fefe}data: a\n\n", 0),
  ]

  private static func pieces(_ octets: [UInt8], _ length: Int) -> [[UInt8]] {
    stride(from: 0, to: octets.count, by: length).map { Array(octets[$0..<min($0 + length, octets.count)]) }
  }

  /// An exchange over HTTP/1 whose content comes in pieces, one a second.
  private static func overHTTP1(
    _ content: [[UInt8]], type: String = Self.type, coding: String? = nil, isWhole: Bool = true,
    _ configuration: Configuration = Configuration()
  ) -> Analysis {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "GET /feed HTTP/1.1\r\nHost: h\r\n\r\n")
    let fields = "Content-Type: \(type)\r\n" + (coding.map { "Content-Encoding: \($0)\r\n" } ?? "")
    dialogue.send(.server, "HTTP/1.1 200 OK\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n")
    for piece in content {
      dialogue.wait(Self.second)
      dialogue.send(.server, Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8))
    }
    if isWhole { dialogue.send(.server, "0\r\n\r\n") }
    dialogue.close(.server)
    return analysis(dialogue, configuration)
  }

  /// The same over HTTP/2.
  private static func overHTTP2(_ content: [[UInt8]], coding: String? = nil) -> Analysis {
    var (client, server) = (Writer(), Writer())
    var dialogue = HTTP2Tests.opened
    dialogue.send(.client, Writer.headers(1, client.block(Writer.request("/feed")), ends: true))
    let fields = [("content-type", Self.type)] + (coding.map { [("content-encoding", $0)] } ?? [])
    dialogue.send(.server, Writer.headers(1, server.block(Writer.response(200, fields))))
    for piece in content {
      dialogue.wait(Self.second)
      dialogue.send(.server, Writer.data(1, piece))
    }
    dialogue.send(.server, Writer.data(1, [], ends: true))
    return analysis(dialogue)
  }

  private static func analysis(_ dialogue: Dialogue, _ configuration: Configuration = Configuration()) -> Analysis {
    var configuration = configuration
    configuration.timelineInterval = Self.second
    let analysis = Analysis(
      dialogue.packets(), configuration: configuration, decoders: SystemContentDecoders(threads: 0))
    #expect(analysis.violations == [])
    return analysis
  }

  private static func events(_ analysis: Analysis) -> Int? { analysis.exchanges.first?.exchange.events }

  @Test(arguments: [1, 2, 3, 7, 100])
  func eventsAreCountedHoweverTheyAreCut(_ length: Int) {
    for (text, events) in Self.streams {
      let octets = Array(text.utf8)
      #expect(Self.events(Self.overHTTP1(Self.pieces(octets, length))) == events, "\(text.debugDescription)")
      #expect(Self.events(Self.overHTTP2(Self.pieces(octets, length))) == events, "\(text.debugDescription)")
      guard !octets.isEmpty else { continue }
      let gzip = Self.pieces(StoredGzip.of(octets), length)
      #expect(Self.events(Self.overHTTP1(gzip, coding: "gzip")) == events, "\(text.debugDescription)")
      #expect(Self.events(Self.overHTTP2(gzip, coding: "gzip")) == events, "\(text.debugDescription)")
    }
  }

  @Test func onlyEventStreamsHaveEvents() {
    let event = [Array("data: a\n\n".utf8)]
    for type in ["text/event-stream;charset=utf-8", "Text/Event-Stream ; x=y", "text/event-stream"] {
      #expect(Self.events(Self.overHTTP1(event, type: type)) == 1, "\(type)")
    }
    for type in ["text/event-streams", "text/event", "text/plain", "application/grpc", "text/html; charset=utf-8"] {
      let analysis = Self.overHTTP1(event, type: type)
      #expect(Self.events(analysis) == nil && analysis.exchanges.count == 1, "\(type)")
    }
  }

  /// A stream that is cut has the events that were seen. One whose content is not known has none.
  @Test func unknownEventsAreNotCounted() {
    let event = Array("data: a\n\n".utf8)
    #expect(Self.events(Self.overHTTP1([event, event], isWhole: false)) == 2)
    let gzip = StoredGzip.of(event)
    #expect(Self.events(Self.overHTTP1([Array(gzip.dropLast(8))], coding: "gzip", isWhole: false)) == 1)
    #expect(Self.events(Self.overHTTP1([Array(gzip.dropLast(1)) + [0xff]], coding: "gzip")) == nil)
    #expect(Self.events(Self.overHTTP1([gzip], coding: "unheard-of")) == nil)
    var configuration = Configuration()
    configuration.decodesContent = false
    #expect(Self.events(Self.overHTTP1([gzip], coding: "gzip", configuration)) == nil)
    #expect(Self.events(Self.overHTTP1([event], configuration)) == 1)
    // A lost segment may have had events.
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "GET /feed HTTP/1.1\r\nHost: h\r\n\r\n")
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 27\r\n\r\n"
    dialogue.send(.server, head + "data: a\n\n")
    dialogue.send(.server, "data: b\n\n")
    dialogue.segments.removeLast()
    dialogue.send(.server, "data: c\n\n")
    dialogue.close()
    let analysis = Self.analysis(dialogue)
    #expect(analysis.responses.first?.missing == 9 && Self.events(analysis) == nil)
  }

  /// Octets are in the interval in which they came, long before their exchange is final.
  @Test func lastingExchangesAreInEachInterval() throws {
    let content = (0..<10).map { Array("data: \($0)\n\n".utf8) }
    for analysis in [Self.overHTTP1(content), Self.overHTTP2(content)] {
      let down = analysis.totals.timeline.filter { $0.direction == .down && $0[.body] > 0 }
      #expect(down.map { $0[.body] } == Array(repeating: 9, count: 10))
      #expect(zip(down, down.dropFirst()).allSatisfy { $1.start - $0.start == Self.second })
      #expect(analysis.responses.first?.octets.body == 90)
    }
    var dialogue = Dialogue.opened()
    let upgrade = "Connection: Upgrade\r\nUpgrade: odd\r\n"
    dialogue.send(.client, "GET /ws HTTP/1.1\r\nHost: h\r\n\(upgrade)\r\n")
    dialogue.send(.server, "HTTP/1.1 101 Switching Protocols\r\n\(upgrade)\r\n")
    for _ in 0..<10 {
      dialogue.wait(Self.second)
      dialogue.send(.server, "\u{1}data")
    }
    dialogue.close()
    let tunnel = Self.analysis(dialogue).totals.timeline.filter { $0.direction == .down && $0[.tunnel] > 0 }
    #expect(tunnel.map { $0[.tunnel] } == Array(repeating: 5, count: 10))
  }

  /// A look at a run in progress sees the octets of an exchange that lasts.
  @Test func lastingExchangesAreInSnapshots() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "GET /feed HTTP/1.1\r\nHost: h\r\n\r\n")
    dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
    let opening = dialogue.segments.count
    for _ in 0..<5 { dialogue.send(.server, "data: a\n\n") }
    var pipeline = Pipeline(sink: CollectingSink())
    var bodies: [Int] = []
    for (index, packet) in dialogue.packets().enumerated() {
      packet.octets.withOctets { pipeline.process(packet.facts, $0) }
      if index >= opening { bodies.append(pipeline.snapshot.apis.reduce(0) { $0 + $1.response.octets.body }) }
    }
    #expect(bodies == [9, 18, 27, 36, 45])
  }
}
