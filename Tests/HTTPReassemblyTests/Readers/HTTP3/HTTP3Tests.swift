import TestSupport
import Testing

@testable import HTTPReassembly

/// HTTP/3 is read as RFC 9114 says, however its streams are cut, mixed and damaged.
@Suite struct HTTP3Tests {
  /// Pieces of one octet cost much more than their octets while they wait.
  private static var patient: Configuration {
    var configuration = Configuration()
    configuration.blockedOctetLimit = 64 << 20
    return configuration
  }

  private static func texts(_ rows: [HTTP3Reading.Row]) -> [String] { rows.map(\.text).sorted() }

  private static func expectTruth(
    _ dialogue: HTTP3Dialogue, _ reading: inout HTTP3Reading, _ comment: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let (rows, faults) = reading.close()
    #expect(faults == [], "\(comment)", sourceLocation: sourceLocation)
    #expect(texts(rows) == dialogue.sent.map(\.text).sorted(), "\(comment)", sourceLocation: sourceLocation)
    let odd = rows.filter {
      $0.message.exactness != .exact || $0.message.pairing != .exact || !$0.message.flags.isSubset(of: .pushed)
    }
    #expect(odd.map(\.text) == [], "\(comment)", sourceLocation: sourceLocation)
    #expect(rows.allSatisfy { reading.run.texts.string($0.message.version) == "HTTP/3" })
  }

  @Test(arguments: RandomCases.seeds(0..<40).map { UInt64($0) })
  func everyOrderOfStreamsGivesTheSameRows(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let dialogue = HTTP3Dialogue.random(&random, exchanges: 12)
    var reading = HTTP3Reading(Self.patient)
    for (stream, range) in Self.mixed(dialogue, longest: Int.random(in: 1...120, using: &random), &random) {
      reading.give(dialogue.streams[stream], range)
    }
    Self.expectTruth(dialogue, &reading, "seed \(seed)")
  }

  /// Pieces of the streams, in a random order in which each stream's pieces keep theirs.
  private static func mixed(
    _ dialogue: HTTP3Dialogue, longest: Int, _ random: inout SeededRandom
  ) -> [(stream: Int, range: Range<Int>)] {
    var positions = dialogue.streams.map { _ in 0 }
    var open = Array(dialogue.streams.indices)
    var pieces: [(Int, Range<Int>)] = []
    while let place = open.indices.randomElement(using: &random) {
      let stream = open[place]
      let start = positions[stream]
      let end = min(start + Int.random(in: 1...longest, using: &random), dialogue.streams[stream].octets.count)
      pieces.append((stream, start..<end))
      positions[stream] = end
      if end == dialogue.streams[stream].octets.count { open.remove(at: place) }
    }
    return pieces
  }

  /// Each stream is cut at each position, and the rest of it comes behind all others.
  @Test func everyCutGivesTheSameRows() {
    var random = SeededRandom(seed: 3)
    let dialogue = HTTP3Dialogue.random(&random, exchanges: 3)
    for (index, cutStream) in dialogue.streams.enumerated() {
      for cut in 0...cutStream.octets.count {
        var reading = HTTP3Reading()
        if cut > 0 { reading.give(cutStream, 0..<cut) }
        for (other, stream) in dialogue.streams.enumerated() where other != index {
          reading.give(stream, 0..<stream.octets.count)
        }
        if cut < cutStream.octets.count { reading.give(cutStream, cut..<cutStream.octets.count) }
        Self.expectTruth(dialogue, &reading, "stream \(cutStream.number) of side \(cutStream.side) at \(cut)")
      }
    }
  }

  /// A row that says that it is exact has the figures, the host, the path and the status of its message (MEASURES §10).
  @Test(arguments: RandomCases.seeds(0..<400).map { UInt64($0) })
  func noRowIsExactAndWrong(_ seed: UInt64) {
    var random = SeededRandom(seed: seed &+ 1000)
    let dialogue = HTTP3Dialogue.random(&random, exchanges: 12)
    let share = [20, 60, 200].randomElement(using: &random) ?? 20
    var areFieldsWhole = true
    var reading = HTTP3Reading()
    for (stream, range) in Self.mixed(dialogue, longest: 100, &random) {
      let fate: HTTP3Reading.Fate =
        Int.random(in: 0..<share, using: &random) > 0 ? .whole : Bool.random(using: &random) ? .unseen : .missing
      if fate != .whole, dialogue.streams[stream].number & 2 != 0 { areFieldsWhole = false }
      reading.give(dialogue.streams[stream], range, fate)
    }
    let (rows, faults) = reading.close()
    #expect(faults == [])
    let wrong = rows.filter { row in row.message.exactness == .exact && !dialogue.sent.contains { row.isTold($0) } }
    #expect(wrong.map(\.text) == [])
    #expect(!areFieldsWhole || rows.contains { $0.message.exactness == .exact })
  }

  /// Whatever the streams hold, every octet has one class.
  @Test(arguments: RandomCases.seeds(0..<400).map { UInt64($0) })
  func changedOctetsAddUp(_ seed: UInt64) {
    var random = SeededRandom(seed: seed &+ 5000)
    let dialogue = HTTP3Dialogue.random(&random, exchanges: 6)
    var streams = dialogue.streams
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      guard let index = streams.indices.randomElement(using: &random),
        let place = streams[index].octets.indices.randomElement(using: &random)
      else { continue }
      switch Int.random(in: 0..<3, using: &random) {
      case 0: streams[index].octets[place] = UInt8.random(in: 0...255, using: &random)
      case 1: streams[index].octets.remove(at: place)
      default: streams[index].octets.insert(UInt8.random(in: 0...255, using: &random), at: place)
      }
    }
    var reading = HTTP3Reading()
    for stream in streams.shuffled(using: &random) {
      let end = stream.octets.count
      let cut = Int.random(in: 0...end, using: &random)
      reading.give(stream, 0..<cut)
      if cut < end { reading.give(stream, cut..<end) }
      if Int.random(in: 0..<10, using: &random) == 0 {
        reading.session.reset(stream.side, stream: stream.number, &reading.run)
      }
    }
    #expect(reading.close().faults == [])
  }

  // MARK: Waiting

  @Test func sectionsWaitForTheirFields() {
    var random = SeededRandom(seed: 8)
    var dialogue = HTTP3Dialogue(capacity: 4096)
    for number in 0..<4 { dialogue.exchange(4 * UInt64(number), &random) }
    dialogue.addControl(&random)
    // Octet by octet, and the encoder streams last.
    let streams = dialogue.streams.filter { $0.octets.first != 2 } + dialogue.streams.filter { $0.octets.first == 2 }
    var reading = HTTP3Reading(Self.patient)
    for stream in streams {
      for offset in stream.octets.indices { reading.give(stream, offset..<offset + 1) }
    }
    Self.expectTruth(dialogue, &reading, "encoder streams last")
  }

  @Test func waitingIsLimited() {
    var configuration = Configuration()
    configuration.blockedOctetLimit = 4096
    var reading = HTTP3Reading(configuration)
    let settings = HTTP3Dialogue.Stream(side: 1, number: 3, octets: [0, 4, 3, 1, 0x50, 0], ends: false)
    reading.give(settings, 0..<6)
    // It needs a field that never comes.
    let section: [UInt8] = [2, 0, 0x80]
    var octets = HTTP3Dialogue.frame(1, section)
    for _ in 0..<1000 { octets += HTTP3Dialogue.frame(0, [UInt8](repeating: 7, count: 40)) }
    let stream = HTTP3Dialogue.Stream(side: 0, number: 0, octets: octets)
    for start in stride(from: 0, to: octets.count, by: 100) {
      reading.give(stream, start..<min(start + 100, octets.count))
      #expect(reading.session.heldOctets <= 4096 + 1000)
    }
    let (rows, faults) = reading.close()
    #expect(faults == [])
    #expect(reading.run.anomalies[.http3FieldSectionsWaiting] == 1)
    #expect(rows.map(\.message.octets.body) == [40_000])
    #expect(rows.map(\.message.exactness) == [.inferred])
    #expect(rows.allSatisfy { $0.message.flags.contains(.fieldUnknown) })
  }

  @Test func waitingStreamsAreLimited() {
    var configuration = Configuration()
    configuration.blockedStreamLimit = 8
    var reading = HTTP3Reading(configuration)
    for number in 0..<100 {
      let octets = HTTP3Dialogue.frame(1, [2, 0, 0x80])
      reading.give(HTTP3Dialogue.Stream(side: 0, number: UInt64(4 * number), octets: octets), 0..<octets.count)
      #expect(reading.session.waiting[0].count <= 9)
    }
    let (rows, faults) = reading.close()
    #expect(faults == [])
    #expect(rows.count == 100)
    #expect(rows.allSatisfy { $0.message.exactness != .exact })
  }

  // MARK: Frames

  private static func read(_ streams: [HTTP3Dialogue.Stream]) -> (
    HTTP3Reading, rows: [HTTP3Reading.Row], faults: [String]
  ) {
    var reading = HTTP3Reading()
    for stream in streams { reading.give(stream, 0..<stream.octets.count) }
    let (rows, faults) = reading.close()
    return (reading, rows, faults)
  }

  static func head(_ fields: [(String, String)], _ writer: inout QPACKWriter) -> [UInt8] {
    HTTP3Dialogue.frame(1, writer.section(fields.map { ($0.0, $0.1, .staticTable) }).octets)
  }

  private static let request = [
    (":method", "GET"), (":scheme", "https"), (":authority", "api.example"), (":path", "/a?b=c"),
  ]

  @Test func theFirstRequestIsOnStream0() {
    var writer = QPACKWriter(capacity: 0)
    let (_, rows, faults) = Self.read([
      .init(side: 0, number: 0, octets: Self.head(Self.request, &writer)),
      .init(side: 1, number: 0, octets: Self.head([(":status", "404")], &writer)),
    ])
    #expect(faults == [])
    #expect(rows.map(\.stream) == [0, 0])
    #expect(rows.map(\.message.status) == [0, 404])
    #expect(rows.map(\.message.expandedStartLine) == [21, 15])
    #expect(rows.map(\.message.expandedHeader) == [21, 2])
    #expect(rows.map(\.message.queryLength) == [3, nil])
  }

  @Test func extendedConnectIsATunnel() {
    var writer = QPACKWriter(capacity: 0)
    let fields = [
      (":method", "CONNECT"), (":protocol", "connect-udp"), (":scheme", "https"), (":authority", "proxy.example"),
      (":path", "/.well-known/masque/udp/192.0.2.6/443/"),
    ]
    let capsules = HTTP3Dialogue.frame(0, [UInt8](repeating: 5, count: 90))
    let (reading, rows, faults) = Self.read([
      .init(side: 0, number: 0, octets: Self.head(fields, &writer) + capsules),
      .init(side: 1, number: 0, octets: Self.head([(":status", "200")], &writer) + capsules),
    ])
    #expect(faults == [])
    #expect(reading.run.ledger[.tunnel] == 180)
    #expect(rows.map(\.message.octets.body) == [0, 0])
    #expect(rows.map { reading.run.texts.string($0.message.host) } == ["proxy.example", "proxy.example"])
  }

  @Test func streamsOfWebTransportAreTunnels() {
    let signal = HTTP3Dialogue.integer(0x41) + HTTP3Dialogue.integer(0)
    let text = Array("hello".utf8)
    let (reading, rows, faults) = Self.read([
      .init(side: 0, number: 4, octets: signal + text), .init(side: 1, number: 4, octets: text),
      .init(side: 1, number: 1, octets: signal + text), .init(side: 0, number: 1, octets: text),
      .init(side: 0, number: 14, octets: HTTP3Dialogue.integer(0x54) + [0] + text),
    ])
    #expect(faults == [])
    #expect(rows.isEmpty)
    #expect(reading.run.ledger[.tunnel] == 2 * (3 + 5 + 5) + 3 + 5)
  }

  /// The octets of a session's streams belong to the messages that opened it, whichever side opens a stream.
  @Test func streamsBelongToTheirSession() {
    var writer = QPACKWriter(capacity: 0)
    let fields = [
      (":method", "CONNECT"), (":protocol", "webtransport"), (":scheme", "https"), (":authority", "a.example"),
      (":path", "/wt"),
    ]
    let text = Array("hello".utf8)
    let signal = HTTP3Dialogue.integer(0x41) + [0]
    var request = HTTP3Dialogue.Stream(side: 0, number: 0, octets: Self.head(fields, &writer))
    var response = HTTP3Dialogue.Stream(side: 1, number: 0, octets: Self.head([(":status", "200")], &writer))
    (request.ends, response.ends) = (false, false)
    let (reading, rows, faults) = Self.read([
      request, response, .init(side: 0, number: 4, octets: signal + text), .init(side: 1, number: 4, octets: text),
      .init(side: 1, number: 1, octets: signal + text), .init(side: 0, number: 1, octets: text),
      .init(side: 0, number: 14, octets: HTTP3Dialogue.integer(0x54) + [0] + text),
      // Nobody opened this session.
      .init(side: 1, number: 15, octets: HTTP3Dialogue.integer(0x54) + [8] + text),
    ])
    #expect(faults == [])
    #expect(rows.map(\.message.tunnel) == [3 + 5 + 5 + 3 + 5, 5 + 3 + 5])
    #expect(rows.allSatisfy { $0.message.exactness != .exact })
    #expect(reading.run.ledger[.tunnel] == 21 + 13 + 8)
  }

  /// A push, whose stream may come before its promise (RFC 9114 §4.6).
  @Test(arguments: [false, true]) func pushes(_ comesFirst: Bool) {
    var writer = QPACKWriter(capacity: 0)
    let promise = writer.section(
      Self.request.map { ($0.0, $0.0 == ":path" ? "/pushed" : $0.1, .staticTable) }
    ).octets
    let request = HTTP3Dialogue.Stream(side: 0, number: 0, octets: Self.head(Self.request, &writer))
    let response = HTTP3Dialogue.Stream(
      side: 1, number: 0,
      octets: HTTP3Dialogue.frame(5, [9] + promise) + Self.head([(":status", "200")], &writer))
    let push = HTTP3Dialogue.Stream(
      side: 1, number: 15, octets: [1, 9] + Self.head([(":status", "200")], &writer) + HTTP3Dialogue.frame(0, [1, 2]))
    let (reading, rows, faults) = Self.read(comesFirst ? [request, push, response] : [request, response, push])
    #expect(faults == [])
    #expect(rows.count == 4)
    let pushed = rows.filter { reading.run.texts.string($0.message.path) == "/pushed" }
    #expect(pushed.map(\.message.kind) == [.request, .response])
    #expect(pushed.first?.message.flags.contains(.pushed) == true)
    #expect(pushed.last?.stream == 15)
    #expect(pushed.last?.message.octets.body == 2)
    #expect(rows.allSatisfy { $0.message.exactness == .exact && $0.message.pairing == .exact })
  }

  @Test func resetEndsAMessage() {
    var writer = QPACKWriter(capacity: 0)
    var reading = HTTP3Reading()
    let request = HTTP3Dialogue.Stream(side: 0, number: 0, octets: Self.head(Self.request, &writer))
    let response = HTTP3Dialogue.Stream(
      side: 1, number: 0, octets: Self.head([(":status", "200")], &writer) + HTTP3Dialogue.frame(0, [1, 2, 3]))
    reading.give(request, 0..<request.octets.count)
    reading.give(response, 0..<response.octets.count - 1)
    reading.session.reset(1, stream: 0, &reading.run)
    let (rows, faults) = reading.close()
    #expect(faults == [])
    #expect(rows.map(\.message.exactness) == [.exact, .atLeast])
    #expect(rows.last?.message.flags.contains(.streamReset) == true)
    #expect(rows.last?.message.octets.body == 2)
  }

  @Test func framesInWrongPlaces() {
    var writer = QPACKWriter(capacity: 0)
    let head = Self.head(Self.request, &writer)
    let (reading, rows, faults) = Self.read([
      // DATA before HEADERS, SETTINGS on a request's stream, a frame behind trailers.
      .init(side: 0, number: 0, octets: HTTP3Dialogue.frame(0, [1, 2]) + head + HTTP3Dialogue.frame(4, [1, 2])),
      .init(side: 0, number: 4, octets: head + head + HTTP3Dialogue.frame(0, [1])),
    ])
    #expect(faults == [])
    #expect(reading.run.anomalies[.http3FrameUnexpected] == 3)
    #expect(rows.map(\.message.octets.body) == [0, 0])
  }
}
