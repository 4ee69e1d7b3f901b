import ContentCodings
import TestSupport
import Testing

@testable import HTTPReassembly

/// Contents and fields that a thread of its own counts: what comes out is what the analysis counts itself.
@Suite struct TableThreadTests {
  /// Connections with so many messages that there are several rounds, of all kinds: many fields, samples, contents that come again.
  private static func packets(seed: UInt64) -> [TestPacket] {
    var random = SeededRandom(seed: seed)
    var packets: [TestPacket] = []
    for port in 0..<8 {
      var dialogue = Dialogue()
      dialogue.client.port += UInt16(port)
      dialogue.open()
      for _ in 0..<500 {
        let path = Int.random(in: 0..<60, using: &random)
        let names = (0..<Int.random(in: 0..<12, using: &random)).map { _ in Int.random(in: 0..<40, using: &random) }
        let lines = names.map { "X-\($0): \(Int.random(in: 0..<3, using: &random))\r\n" }.joined()
        dialogue.send(.client, "GET /api/\(path) HTTP/1.1\r\nHost: h\(path % 3).example\r\n\(lines)\r\n")
        let length = Int.random(in: 0..<3, using: &random) == 0 ? 9_000 : 40
        let body = String(repeating: "ab", count: length + path)
        dialogue.send(
          .server, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      }
      dialogue.close()
      packets += dialogue.packets()
    }
    return packets
  }

  private struct Counted: Equatable {
    var contents: [ContentTotals]
    var fields: [FieldTotals]
    var anomalies: AnomalyLog

    init(_ packets: [TestPacket], _ configuration: Configuration, onThread: Bool) {
      var pipeline = Pipeline(configuration: configuration, compressor: GzipEstimate(), sink: CollectingSink())
      if onThread { pipeline.countTablesConcurrently() }
      for packet in packets { packet.octets.withOctets { pipeline.process(packet.facts, $0) } }
      pipeline.finishConnections()
      let totals = pipeline.takeTotals()
      (contents, fields, anomalies) = (totals.contents, totals.fields, totals.anomalies)
      anomalies.now = 0
    }
  }

  private enum Bound: CaseIterable {
    case none, fields, contents, memory
  }

  @Test(arguments: Bound.allCases)
  private func threadCountsTheSame(_ bound: Bound) {
    let seed: UInt64 = 11
    let packets = Self.packets(seed: seed)
    var configuration = Configuration()
    configuration.tables = [.contents, .fields]
    switch bound {
    case .none: break
    case .fields: configuration.fieldLimit = 100
    case .contents:
      configuration.contentLimit = 10
      configuration.knownContentLimit = 20
    case .memory: configuration.tableMemoryLimit = 200_000
    }
    let own = Counted(packets, configuration, onThread: false)
    #expect(!own.contents.isEmpty && !own.fields.isEmpty)
    #expect(own.contents.reduce(0) { $0 + $1.sampled } > TableRounds.sampleLimit, "more than one round of samples")
    let isFull = own.anomalies[.fieldTableFull] + own.anomalies[.contentTableFull] > 0
    #expect(isFull == (bound != .none), "\(bound), seed \(seed)")
    for _ in 0..<5 { #expect(Counted(packets, configuration, onThread: true) == own, "\(bound), seed \(seed)") }
  }

  /// An analysis that is given up ends the thread.
  @Test func analysisThatIsGivenUpEndsTheThread() {
    var configuration = Configuration()
    configuration.tables = .fields
    let packets = Self.packets(seed: 1).prefix(3_000)
    for _ in 0..<20 {
      var pipeline = Pipeline(configuration: configuration, sink: CollectingSink())
      pipeline.countTablesConcurrently()
      for packet in packets {
        packet.octets.withOctets { pipeline.process(packet.facts, $0) }
      }
    }
  }
}
