import HTTPReassembly
import TestSupport
import Testing

/// Connections end by time alone: whether that is seen with the next packet or before, the rows are the same.
@Suite struct PassingTimeTests {
  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.idleTimeout = 5_000_000_000
    configuration.closedTimeout = 2_000_000_000
    return configuration
  }

  /// Everything that a run says, in words.
  private struct Said: Equatable {
    var rows: [String] = []
    var anomalies: AnomalyLog
    var ledger: Ledger
  }

  /// Runs packets; `passed` gives the times that are said to have passed before a packet, the last one before the end.
  private func said(_ packets: [TestPacket], passed: (_ from: Int64?, _ to: Int64?) -> [Int64]) -> Said {
    var pipeline = Pipeline(configuration: Self.configuration, sink: CollectingSink())
    var before: Int64?
    for packet in packets {
      for time in passed(before, packet.timestamp) { pipeline.pass(to: time) }
      packet.octets.withOctets { pipeline.process(packet.facts, $0) }
      before = max(before ?? packet.timestamp, packet.timestamp)
      #expect(pipeline.ledger.isBalancedSoFar)
    }
    for time in passed(before, nil) { pipeline.pass(to: time) }
    pipeline.finishConnections()
    let sink = pipeline.sink
    let rows =
      sink.messages.map { "\($0.method) \($0.host)\($0.path) \($0.version) \($0.message.withoutTexts)" }
      + sink.exchanges.map { "\($0.method) \($0.host)\($0.path) \($0.exchange.withoutTexts)" }
      + sink.connections.map { "\($0)" }
    return Said(rows: rows, anomalies: pipeline.totals.anomalies, ledger: pipeline.ledger)
  }

  /// Several connections with pauses between their packets, some with holes that only their end gives up: what is behind
  /// those becomes messages, and gets numbers, when the connection is finished.
  private func packets(_ random: inout SeededRandom) -> [TestPacket] {
    var segments: [Segment] = []
    for number in 0..<8 {
      var dialogue = Dialogue()
      dialogue.client.port += UInt16(number)
      dialogue.now += Int64.random(in: 0..<20_000_000_000, using: &random)
      dialogue.open()
      for request in 0..<Int.random(in: 1..<4, using: &random) {
        dialogue.send(.client, HTTP.get("/\(number)/\(request)"))
        dialogue.send(.server, HTTP.ok("hello"), isCaptured: Bool.random(using: &random))
        dialogue.wait(Int64.random(in: 0..<8_000_000_000, using: &random))
      }
      // A hole that nobody acknowledged, and a request behind it.
      if Bool.random(using: &random) {
        dialogue.send(.client, HTTP.get("/lost"), isCaptured: false, isReceived: false)
        dialogue.send(.client, HTTP.get("/behind"), isReceived: false)
      }
      if Bool.random(using: &random) { dialogue.close() }
      segments += dialogue.segments
    }
    return segments.sorted { $0.time < $1.time }.map { $0.packet() }
  }

  @Test func rowsDoNotDependOnWhenTimeIsSeenToPass() {
    var hadExpiry = 0
    var hadAnomalies = 0
    let seeds = RandomCases.seeds(0..<200)
    for seed in seeds {
      var random = SeededRandom(seed: UInt64(seed))
      let packets = packets(&random)
      let plain = said(packets) { _, _ in [] }
      let timed = said(packets) { from, to in
        guard let from, let to, to > from else { return [] }
        return (0..<3).map { _ in Int64.random(in: from...to, using: &random) }.sorted()
      }
      #expect(timed == plain, "seed \(seed)")
      hadExpiry += plain.rows.contains { $0.contains("idle") } ? 1 : 0
      hadAnomalies += plain.anomalies[.tcpHole] > 0 ? 1 : 0
    }
    // Otherwise this would prove nothing.
    #expect(hadExpiry > seeds.count / 4 && hadAnomalies > seeds.count / 4)
  }

  /// The end of a capture, at which no packet tells the time: whoever says the same gets the same, in however many steps.
  @Test func timeAfterTheLastPacket() {
    var isTold = 0
    for seed in 0..<20 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      let packets = packets(&random)
      let inSteps = said(packets) { from, to in
        to == nil ? stride(from: from ?? 0, through: (from ?? 0) + 9_000_000_000, by: 100_000_000).map { $0 } : []
      }
      let atOnce = said(packets) { from, to in to == nil ? [(from ?? 0) + 9_000_000_000] : [] }
      #expect(inSteps == atOnce)
      #expect(!atOnce.rows.contains { $0.contains("captureEnd") })
      if said(packets, passed: { _, _ in [] }) != atOnce { isTold += 1 }
    }
    #expect(isTold > 5)
  }

  @Test func rowsComeWithoutAPacket() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.send(.server, HTTP.ok("hello"))
    var pipeline = Pipeline(configuration: Self.configuration, sink: CollectingSink())
    #expect(pipeline.nextDeadline == nil)
    for packet in dialogue.packets() { packet.octets.withOctets { pipeline.process(packet.facts, $0) } }
    let last = dialogue.now - dialogue.step
    #expect(pipeline.nextDeadline == last + 5_000_000_000)
    pipeline.pass(to: last + 5_000_000_000)
    #expect(pipeline.connectionCount == 1)
    pipeline.pass(to: last + 5_000_000_001)
    #expect(pipeline.connectionCount == 0 && pipeline.nextDeadline == nil)
    #expect(pipeline.sink.connections.map(\.end) == [.idle])
    #expect(pipeline.sink.connections.map(\.closed) == [last])
    #expect(pipeline.sink.messages.count == 2)
    // A packet that was captured before that is no step back, and opens a connection of its own.
    dialogue.now = last + 1
    dialogue.send(.client, HTTP.get("/b"))
    for packet in dialogue.packets().suffix(1) { packet.octets.withOctets { pipeline.process(packet.facts, $0) } }
    pipeline.finishConnections()
    #expect(pipeline.totals.anomalies[.timestampBackwards] == 0)
    #expect(pipeline.sink.connections.map(\.number) == [1, 2])
    #expect(pipeline.ledger.difference == 0)
  }

  /// A live run shows an exchange within two seconds of its last packet, whatever was lost before it: a second and a quarter of that is the
  /// analysis, the rest is for the kernel's ring, the clock, and the interval.
  @Test(arguments: [false, true]) func exchangesBehindALoss(aPacketComes: Bool) {
    var dialogue = Dialogue.opened()
    for number in 0..<4 {
      dialogue.send(.client, HTTP.get("/\(number)"))
      dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n" + String(repeating: "x", count: 1000))
      dialogue.send(.server, String(repeating: "x", count: 1000), isCaptured: number != 1)
      dialogue.acknowledge(.client)
    }
    let last = dialogue.now - dialogue.step
    var pipeline = Pipeline(sink: CollectingSink())
    for packet in dialogue.packets() { packet.octets.withOctets { pipeline.process(packet.facts, $0) } }
    #expect(whole(pipeline).isDisjoint(with: ["/2", "/3"]))
    if aPacketComes {
      dialogue.wait(1_000_000_000)
      dialogue.acknowledge(.client)
      for packet in dialogue.packets().suffix(1) { packet.octets.withOctets { pipeline.process(packet.facts, $0) } }
    } else {
      pipeline.pass(to: last + 1_250_000_000)
    }
    #expect(whole(pipeline).isSuperset(of: ["/0", "/2", "/3"]))
    #expect(pipeline.connectionCount == 1)
  }

  /// The paths of exchanges of which both messages are known, and not final.
  private func whole(_ pipeline: borrowing Pipeline<CollectingSink>) -> Set<String> {
    var paths: [MessageKind: Set<String>] = [:]
    pipeline.forEachOpenMessage { message, texts in
      paths[message.kind, default: []].insert(texts.string(message.path))
    }
    return paths[.request, default: []].intersection(paths[.response, default: []])
  }

  @Test func endlessTimeouts() {
    var configuration = Configuration()
    configuration.idleTimeout = .max
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    var pipeline = Pipeline(configuration: configuration, sink: CollectingSink())
    for packet in dialogue.packets() { packet.octets.withOctets { pipeline.process(packet.facts, $0) } }
    pipeline.pass(to: .max)
    #expect(pipeline.connectionCount == 1)
  }
}

// Handles of texts are used again, which is another matter.

extension Message {
  fileprivate var withoutTexts: Message {
    var message = self
    message.method = .none
    message.host = .none
    message.path = .none
    message.version = .none
    message.contentType = .none
    message.contentEncoding = .none
    message.transferEncoding = .none
    message.process = .none
    message.apiPath = .none
    return message
  }
}

extension Exchange {
  fileprivate var withoutTexts: Exchange {
    var exchange = self
    exchange.method = .none
    exchange.host = .none
    exchange.path = .none
    exchange.process = .none
    exchange.apiPath = .none
    return exchange
  }
}
