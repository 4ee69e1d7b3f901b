import TestSupport
import Testing

@testable import HTTPReassembly

/// The tables that refine others, each figure worked out by hand. That they add up is held by every test that runs an `Analysis`.
@Suite struct RefiningTablesTests {
  private static let headers = 40

  /// One connection, two hosts, three requests; the last one is asked for again.
  private func twoHosts() -> Dialogue {
    var dialogue = Dialogue.opened()
    for (path, host, body) in [("/a", "a.example", "aaaa"), ("/b", "b.example", "bb"), ("/a", "a.example", "aaaa")] {
      dialogue.send(.client, "GET \(path) HTTP/1.1\r\nHost: \(host)\r\nCookie: x=\(body)\r\nA: b\r\n\r\n")
      dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      dialogue.acknowledge(.client)
    }
    dialogue.close()
    return dialogue
  }

  // MARK: Hosts

  @Test func aConnectionBelongsToTheHostOfItsFirstMessage() throws {
    let analysis = Analysis(twoHosts().packets())
    #expect(analysis.violations == [])
    let hosts = analysis.totals.hosts
    try #require(hosts.map { analysis.totals.texts.string($0.host) } == ["a.example", "b.example"])
    let (a, b) = (hosts[0], hosts[1])
    #expect(a.connections.http1 == 1 && a.connections.total == 1 && b.connections.total == 0)
    #expect(a.reusedConnections == 1 && a.requests == 2 && a.reusingRequests == 1 && a.responses == 2)
    #expect(b.requests == 1 && b.reusingRequests == 1)
    #expect(a.setup == 3 * Self.headers && a.teardown == 3 * Self.headers && b.setup == 0)
    // The client's acknowledgment of the response is charged to it, and went up.
    let request = "GET /b HTTP/1.1\r\nHost: b.example\r\nCookie: x=bb\r\nA: b\r\n\r\n".utf8.count
    let response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nbb".utf8.count
    #expect(b.up == request + 2 * Self.headers && b.down == response + Self.headers)
    #expect(b.overhead == 3 * Self.headers && b.octets.total == request + response && b.unattributed == 0)
    #expect(a.sources == HostSources(.hostField))
  }

  @Test func exchangesByVersionAndOffers() throws {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "GET /a HTTP/1.1\r\nHost: a.example\r\n\r\n")
    dialogue.send(
      .server,
      "HTTP/1.1 200 OK\r\nAlt-Svc: h3-29=\":443\"; ma=60, h2=\"b.example:443\"\r\nContent-Length: 0\r\n\r\n")
    dialogue.close()
    let analysis = Analysis(dialogue.packets())
    #expect(analysis.violations == [])
    let host = try #require(analysis.totals.hosts.first)
    #expect(host.alternatives == [.http3, .http2])
    #expect(host.exchanges.http1.count == 1 && host.exchanges.http2.count == 0 && host.exchanges.http3.count == 0)
    #expect(host.exchanges.http1.octets == analysis.messages.map(\.message.ipLength).reduce(0, +))
  }

  @Test(
    arguments: [
      ("clear", []), ("h3=\":443\"", [.http3]), ("H3-29=\":443\", quic=\":443\"; v=\"46\"", [.http3, .other]),
      ("h2=\"alt.example:8000\"", [.http2]), ("h30=\":1\"", [.other]), ("h3", []), ("", []), ("=\",,\"", [.other]),
    ] as [(String, AlternativeServices)])
  func offersOfAltSvc(_ value: String, _ expected: AlternativeServices) {
    #expect(Array(value.utf8).withOctets { AlternativeServices($0) } == expected)
  }

  @Test func whatNobodyNamesIsAnAddress() throws {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, [UInt8](repeating: 0xfe, count: 50))
    dialogue.send(.server, [UInt8](repeating: 0xfd, count: 70))
    dialogue.close()
    let analysis = Analysis(dialogue.packets())
    #expect(analysis.violations == [])
    let host = try #require(analysis.totals.hosts.first)
    #expect(analysis.totals.texts.string(host.host) == "198.51.100.1" && host.sources == HostSources(.address))
    #expect(host.connections.other == 1 && host.unattributed == 120 + 2 * Self.headers && host.octets.total == 0)
  }

  @Test func beyondTheLimitHostsAreOneWithoutName() {
    var configuration = Configuration()
    configuration.hostLimit = 1
    let analysis = Analysis(twoHosts().packets(), configuration: configuration)
    #expect(analysis.violations == [])
    #expect(analysis.totals.hosts.map { analysis.totals.texts.string($0.host) } == ["", "a.example"])
    #expect(analysis.totals.hosts[0].sources == [] && analysis.anomalies[.hostTableFull] > 0)
  }

  /// More connections than have a slot at once, their messages one after another: the sums hold, and each has its host.
  @Test func manyConnectionsAtOnce() {
    var packets: [TestPacket] = []
    var dialogues = (0..<1500).map { number in
      var dialogue = Dialogue()
      dialogue.client.port = UInt16(10_000 + number)
      dialogue.step = 0
      dialogue.open()
      return dialogue
    }
    for round in 0..<2 {
      for number in dialogues.indices {
        dialogues[number].send(.client, "GET /\(round) HTTP/1.1\r\nHost: h\(number % 7)\r\n\r\n")
        dialogues[number].send(.server, HTTP.ok("x"))
      }
    }
    packets = dialogues.flatMap { $0.packets() }
    var configuration = Configuration()
    configuration.openMessageLimit = 100
    configuration.tables = [.hosts]
    var pipeline = Pipeline(configuration: configuration, sink: CollectingSink())
    // All handshakes, then all first exchanges, then all second ones.
    for part in [0..<3, 3..<5, 5..<7] {
      for number in dialogues.indices {
        for index in part {
          let packet = packets[number * 7 + index]
          packet.octets.withOctets { pipeline.process(packet.facts, $0) }
        }
      }
    }
    pipeline.finishConnections()
    let hosts = pipeline.totals.hosts
    #expect(hosts.count == 7 && hosts.reduce(0) { $0 + $1.connections.total } == 1500)
    #expect(
      hosts.allSatisfy { $0.reusedConnections == $0.connections.total && $0.requests == 2 * $0.connections.total })
    #expect(hosts.reduce(0) { $0 + $1.ipLength } == packets.reduce(0) { $0 + $1.octets.count })
  }

  // MARK: Timeline

  private func timeline(_ packets: [TestPacket], interval: Int64? = nil, limit: Int = 10_000) -> Analysis {
    var configuration = Configuration()
    configuration.timelineInterval = interval
    configuration.timelineLimit = limit
    return Analysis(packets, configuration: configuration)
  }

  @Test func octetsCountInTheirIntervalAndDirection() throws {
    var dialogue = Dialogue.opened()
    dialogue.wait(1_000_000_000)
    let request = HTTP.get("/a")
    dialogue.send(.client, request)
    dialogue.wait(2_000_000_000)
    dialogue.send(.server, HTTP.ok("hello"))
    let analysis = timeline(dialogue.packets(), interval: 1_000_000_000)
    #expect(analysis.violations == [])
    let rows = analysis.totals.timeline
    let first: Int64 = 1_700_000_000_000_000_000
    #expect(rows.map { ($0.start - first) / 1_000_000_000 } == [0, 0, 1, 3])
    #expect(rows.map(\.direction) == [.up, .down, .up, .down] && rows.map(\.packets) == [2, 1, 1, 1])
    #expect(rows.allSatisfy { $0.end - $0.start == 1_000_000_000 })
    #expect(rows[2].total == request.utf8.count + Self.headers && rows[2][.startLine] == 17)
    #expect(rows[3][.body] == 5 && rows[3][.network] == 20 && rows[3][.transport] == 20)
  }

  @Test func withoutAHandshakeTheRequestTellsDirections() {
    var dialogue = Dialogue.opened()
    dialogue.segments.removeAll()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.send(.server, HTTP.ok("hello"))
    let analysis = timeline(dialogue.packets())
    #expect(analysis.violations == [])
    #expect(analysis.totals.timeline.reduce(0) { $0 + ($1.direction == .down ? $1[.body] : 0) } == 5)
    #expect(analysis.totals.timeline.filter { $0.direction == .unknown }.allSatisfy { $0[.body] == 0 })
  }

  /// About a hundred intervals, of 1, 2 or 5 times a power of ten, whatever the span.
  @Test(arguments: [1000, 1_000_000, 77_000_000, 1_000_000_000, 3_600_000_000_000, 4_000_000_000_000_000] as [Int64])
  func aHundredIntervals(_ step: Int64) throws {
    var dialogue = Dialogue.opened()
    dialogue.step = step
    for _ in 0..<500 { dialogue.acknowledge(.client) }
    let analysis = timeline(dialogue.packets())
    #expect(analysis.violations == [])
    let rows = analysis.totals.timeline
    let length = try #require(rows.first.map { $0.end - $0.start })
    #expect(rows.allSatisfy { $0.end - $0.start == length && $0.start % length == 0 })
    var digits = length
    while digits % 10 == 0 { digits /= 10 }
    #expect([1, 2, 5].contains(digits), "\(length)")
    #expect((10...103).contains(Set(rows.map(\.start)).count), "\(Set(rows.map(\.start)).count) of \(length)")
  }

  /// Times that are anything: few intervals are kept, and everything adds up.
  @Test func timesMayBeAnything() {
    var random = SeededRandom(seed: 4021)
    var dialogue = Dialogue.opened()
    for _ in 0..<3000 {
      dialogue.now = Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0...60, using: &random)
      dialogue.acknowledge(.client)
    }
    for interval in [nil, 1000, 1_000_000_000] as [Int64?] {
      let analysis = timeline(dialogue.packets(), interval: interval, limit: 64)
      #expect(analysis.violations == [])
      #expect(Set(analysis.totals.timeline.map(\.start)).count <= 129)
      #expect((analysis.anomalies[.timelineCoarsened] > 0) == (interval != nil))
    }
  }

  // MARK: Contents

  private final class Halves: ContentCompressor {
    func compressedLength(of octets: RawSpan) -> Int { octets.byteCount / 2 }
  }

  private func contents(_ dialogue: Dialogue) throws -> (totals: Totals, rows: [ContentTotals]) {
    var configuration = Configuration()
    configuration.tables = .contents
    var pipeline = Pipeline(configuration: configuration, compressor: Halves(), sink: CollectingSink())
    for packet in dialogue.packets() { packet.octets.withOctets { pipeline.process(packet.facts, $0) } }
    pipeline.finishConnections()
    return (pipeline.totals, pipeline.totals.contents)
  }

  @Test func theSameOctetsAreFetchedAgain() throws {
    let rows = try contents(twoHosts()).rows
    try #require(rows.count == 2)
    #expect(rows[0].contents == 2 && rows[0].octets == 8 && rows[0].uncoded == 2 && rows[0].gzipEstimate == 4)
    #expect(rows[0].repeated == 1 && rows[0].repeatedOctets == 4 && !rows[0].isRequest)
    #expect(rows[1].repeated == 0 && rows[1].octets == 2)
  }

  /// Split anywhere, contents are the same; another client has not had them.
  @Test func piecesAndClients() throws {
    let content = String(repeating: "0123456789", count: 7)
    var packets: [TestPacket] = []
    for (client, cut) in [(1, 1), (1, 13), (1, 40), (2, 5)] {
      var dialogue = Dialogue()
      dialogue.client.address.low += UInt64(client)
      dialogue.client.port += UInt16(cut)
      dialogue.open()
      dialogue.send(.client, HTTP.get("/a"))
      let response = Array(HTTP.ok(content).utf8)
      let start = response.count - content.utf8.count + cut
      dialogue.send(.server, Array(response[..<start]))
      dialogue.send(.server, Array(response[start...]))
      dialogue.close()
      packets += dialogue.packets()
    }
    var configuration = Configuration()
    configuration.tables = .contents
    var pipeline = Pipeline(configuration: configuration, sink: CollectingSink())
    for packet in packets { packet.octets.withOctets { pipeline.process(packet.facts, $0) } }
    pipeline.finishConnections()
    let row = try #require(pipeline.totals.contents.first)
    #expect(row.contents == 4 && row.repeated == 2 && row.repeatedOctets == 140 && row.gzipEstimate == nil)
  }

  @Test func a304SavesWhatWasSentForTheSameTarget() throws {
    var dialogue = Dialogue.opened()
    for (query, answer) in [
      ("?x", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), ("?x", "HTTP/1.1 304 Not Modified\r\n\r\n"),
      ("?y", "HTTP/1.1 304 Not Modified\r\n\r\n"),
    ] {
      dialogue.send(.client, "GET /a\(query) HTTP/1.1\r\nHost: a.example\r\n\r\n")
      dialogue.send(.server, answer)
    }
    let row = try #require(contents(dialogue).rows.first)
    #expect(row.notModified == 2 && row.knownNotModified == 1 && row.savedOctets == 5 && row.contents == 1)
  }

  @Test func aContentWithAHoleIsNoOtherAgain() throws {
    var dialogue = Dialogue.opened()
    for isCaptured in [true, false] {
      dialogue.send(.client, HTTP.get("/a"))
      dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\naaaa")
      dialogue.send(.server, "aaaa", isCaptured: isCaptured)
      dialogue.acknowledge(.client)
    }
    dialogue.close()
    let row = try #require(contents(dialogue).rows.first)
    #expect(row.contents == 2 && row.repeated == 0)
  }

  // MARK: Fields

  private func fields(_ analysis: Analysis) -> [String: FieldTotals] {
    var found: [String: FieldTotals] = [:]
    for field in analysis.totals.fields {
      let path = analysis.totals.texts.string(field.path)
      found["\(path) \(field.isRequest ? ">" : "<") \(String(decoding: field.name, as: UTF8.self))"] = field
    }
    return found
  }

  @Test func fieldsOfHTTP1() throws {
    let analysis = Analysis(twoHosts().packets())
    #expect(analysis.violations == [])
    let fields = fields(analysis)
    let cookie = try #require(fields["/a > cookie"])
    #expect(cookie.messages == 2 && cookie.octets == 2 * 16 && cookie.repeatedOctets == 16)
    #expect(cookie.expandedOctets == cookie.octets)
    #expect(fields["/a > host"]?.octets == 34 && fields["/a > host"]?.repeatedOctets == 17)
    #expect(fields["/a > (start-line)"]?.octets == 34 && fields["/a > (rest)"]?.octets == 4)
    #expect(fields["/b > cookie"]?.repeatedOctets == 0 && fields["/b < content-length"]?.octets == 19)
    #expect(analysis.totals.fields.count == 2 * (5 + 3))
  }

  /// Lines that are folded, bare, repeated, or none: everything is in some row.
  @Test func oddLines() throws {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "GET /a HTTP/1.1\nHost: a\nX-A: 1\nx-a: 2\nno field\n\n")
    dialogue.send(.server, "HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n")
    dialogue.send(.client, "GET /b HTTP/1.1\r\nHost: a\r\n")
    dialogue.close()
    let analysis = Analysis(dialogue.packets())
    #expect(analysis.violations == [])
    let fields = fields(analysis)
    #expect(fields["/a > x-a"]?.messages == 1 && fields["/a > x-a"]?.octets == 14)
    #expect(fields["/a > (rest)"]?.octets == 10)
    #expect(fields["/a < x"]?.messages == 1)
  }

  @Test func fieldsOfHTTP2() throws {
    var writer = HTTP2Writer()
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP2Writer.preface + HTTP2Writer.settings())
    for stream in [1, 3] as [UInt32] {
      let request = HTTP2Writer.request("/a", [("cookie", "a=b"), ("cookie", "c=d"), ("x", "\(stream)")])
      dialogue.send(.client, HTTP2Writer.headers(stream, writer.block(request), ends: true))
    }
    let analysis = Analysis(dialogue.packets())
    #expect(analysis.violations == [])
    let fields = fields(analysis)
    let cookie = try #require(fields["/a > cookie"])
    // Crumbs are one field in HTTP/1.1: `cookie: a=b; c=d` and its end.
    #expect(cookie.messages == 2 && cookie.expandedOctets == 2 * 18)
    #expect(cookie.repeatedOctets == 2 && cookie.octets > 2)
    #expect(fields["/a > :path"]?.messages == 2 && fields["/a > x"]?.repeatedOctets == 0)
  }

  /// Many fields in another order in each message are found as those in the same order are: of HTTP/1, and of HTTP/2 by their places in the table.
  @Test func fieldsInAnyOrder() {
    var random = SeededRandom(seed: 77)
    var writer = HTTP2Writer()
    var (first, second) = (Dialogue.opened(), Dialogue.opened())
    second.send(.client, HTTP2Writer.preface + HTTP2Writer.settings())
    var numbers = Array(0..<60)
    for message in 0..<20 {
      numbers.shuffle(using: &random)
      // Every second field has another value in every message.
      let fields = numbers.map { ("x-\($0)", $0 % 2 == 0 ? "same" : "\(100 + message)") }
      first.send(.client, "GET /a HTTP/1.1\r\nHost: a\r\n" + fields.map { "\($0): \($1)\r\n" }.joined() + "\r\n")
      first.send(.server, HTTP.ok("x"))
      let block = writer.block(HTTP2Writer.request("/a", fields))
      second.send(.client, HTTP2Writer.headers(UInt32(2 * message + 1), block, ends: true))
    }
    for dialogue in [first, second] {
      let analysis = Analysis(dialogue.packets())
      #expect(analysis.violations == [])
      let fields = fields(analysis)
      for number in numbers {
        let field = fields["/a > x-\(number)"]
        #expect(field?.messages == 20)
        #expect(field.map { $0.repeatedOctets > 0 } == (number % 2 == 0))
      }
      #expect(analysis.totals.fields.filter { $0.isRequest && $0.name.starts(with: Array("x-".utf8)) }.count == 60)
    }
    let fields = fields(Analysis(first.packets()))
    // `x-10: same` and its end, in all messages but the first.
    #expect(fields["/a > x-10"]?.octets == 20 * 12 && fields["/a > x-10"]?.repeatedOctets == 19 * 12)
    #expect(fields["/a > x-11"]?.octets == 20 * 11)
  }

  @Test func aFloodOfFieldsIsBounded() {
    var packets: [TestPacket] = []
    for number in 0..<40 {
      var dialogue = Dialogue()
      dialogue.client.port += UInt16(number)
      dialogue.open()
      let lines = (0..<400).map { "n\(number)-\($0): \($0)\r\n" }.joined()
      dialogue.send(.client, "GET /a HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n")
      dialogue.send(.server, HTTP.ok("x"))
      dialogue.close()
      packets += dialogue.packets()
    }
    var configuration = Configuration()
    configuration.fieldLimit = 100
    let analysis = Analysis(packets, configuration: configuration)
    #expect(analysis.violations == [])
    #expect(analysis.totals.fields.count <= 110 && analysis.anomalies[.fieldTableFull] > 0)
    #expect(analysis.totals.fields.contains { $0.name == Array("(others)".utf8) && $0.octets > 10_000 })
  }

  /// More APIs than there is room for have rows together, and nothing is lost.
  @Test func apisBeyondTheLimitShareRows() {
    var dialogue = Dialogue.opened()
    for number in 0..<50 {
      dialogue.send(.client, HTTP.get("/\(number)"))
      dialogue.send(.server, HTTP.ok("hello"))
    }
    var configuration = Configuration()
    configuration.fieldLimit = 30
    configuration.contentLimit = 10
    let analysis = Analysis(dialogue.packets(), configuration: configuration)
    #expect(analysis.violations == [])
    #expect(analysis.totals.apis.count == 50 && analysis.totals.contents.count == 11)
    #expect(analysis.totals.contents[0].host == .none && analysis.totals.contents[0].contents == 40)
    #expect(analysis.totals.fields.count < 45 && analysis.totals.fields[0].path == .none)
    #expect(analysis.anomalies[.fieldTableFull] > 0 && analysis.anomalies[.contentTableFull] == 40)
  }

  // MARK: Groups

  private func groups(_ key: GroupKey, limit: Int = 100) -> (groups: [GroupTotals], anomalies: AnomalyLog) {
    var configuration = Configuration()
    configuration.groupKey = key
    configuration.groupLimit = limit
    var pipeline = Pipeline(configuration: configuration, sink: CollectingSink())
    for packet in twoHosts().packets() { packet.octets.withOctets { pipeline.process(packet.facts, $0) } }
    pipeline.finishConnections()
    return (pipeline.totals.groups, pipeline.totals.anomalies)
  }

  @Test func groupsHaveEverything() {
    let all = twoHosts().packets().reduce(0) { $0 + $1.octets.count }
    let handshakes = 6 * Self.headers
    for (key, names) in [
      (.client, ["192.0.2.1"]), (.server, ["198.51.100.1:80"]), (.method, ["GET"]), (.contentType, [""]),
      (.status, ["", "200"]), (.process, [""]), (.host, ["a.example", "b.example"]),
    ] as [(GroupKey, [String])] {
      let groups = groups(key).groups
      #expect(Set(groups.map { String(decoding: $0.name, as: UTF8.self) }) == Set(names))
      let sum = groups.reduce(0) { $0 + $1.ipLength }
      #expect(sum == all - (key.isOfConnections ? 0 : handshakes), "\(key)")
      #expect(groups.reduce(0) { $0 + $1.requests } == 3 && groups.reduce(0) { $0 + $1.responses } == 3)
    }
    #expect(groups(.status, limit: 1).anomalies[.groupTableFull] > 0)
  }

  /// A response whose start was lost is no request.
  @Test func anUnknownStatusIsAGroup() {
    var configuration = Configuration()
    configuration.groupKey = .status
    var (table, anomalies) = (GroupTable(configuration: configuration), AnomalyLog())
    for (kind, status) in [(.request, 0), (.response, 0), (.response, 204), (.interim, 103)] as [(MessageKind, Int)] {
      var message = Message()
      (message.kind, message.status, message.octets.header) = (kind, status, 10)
      table.add(message, TextPool(), &anomalies)
    }
    let names = table.sorted.map { String(decoding: $0.name, as: UTF8.self) }
    #expect(Set(names) == ["", "(unknown)", "204", "103"] && names.count == 4)
  }
}
