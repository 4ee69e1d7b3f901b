import Foundation
import HTTPReassembly
import Packets
import TestSupport
import Testing

/// Shards of an analysis, put together, find what one analysis finds.
@Suite struct ShardsTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("captures")
  private static let captures: [String] = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.contains(".pcap") }.sorted()

  /// Time-outs in nanoseconds: short ones run out while other shards' packets come.
  private static func configuration(_ timeout: Int64) -> Configuration {
    var configuration = Configuration()
    configuration.idleTimeout = timeout
    configuration.closedTimeout = min(timeout, configuration.closedTimeout)
    return configuration
  }

  /// Names and counts of anomalies, without the first time and connection.
  private static func counts(_ anomalies: [String]) -> [Substring] { anomalies.map { $0.prefix { $0 != "," } } }

  @Test func thereAreCaptures() { #expect(Self.captures.count >= 30) }

  @Test(arguments: captures)
  func findWhatOneAnalysisFinds(_ name: String) throws {
    let trial = try MutationTrial(path: Self.folder.appendingPathComponent(name).path)
    let packets = Array(trial.packets.prefix(3000))
    for timeout: Int64 in [50_000_000, 600_000_000_000] {
      let configuration = Self.configuration(timeout)
      let whole = Findings(ofOneRun: packets, configuration)
      for (shards, length) in [(1, 1), (2, 7), (3, 500), (5, 64)] {
        let found = Findings(ofShards: shards, packets, chunks: length, configuration)
        #expect(found == whole, "\(shards) shards, chunks of \(length), time-out \(timeout)")
      }
    }
  }

  /// Whatever happens to a capture: what its packets are changed to is a capture, too. In one that is damaged, the direction of octets that no
  /// message has, and when an anomaly was seen first, may be told in another way: rows, totals and counts are the same.
  @Test(arguments: captures)
  func findSoForMutants(_ name: String) throws {
    let trial = try MutationTrial(path: Self.folder.appendingPathComponent(name).path)
    for number in 0..<Mutation.allCases.count + 2 {
      let packets = Array(trial.mutant(number).prefix(2000))
      let configuration = Self.configuration([20_000_000, 500_000_000][number % 2])
      let found = Findings(ofShards: 3, packets, chunks: [3, 100][number % 2], configuration)
      let whole = Findings(ofOneRun: packets, configuration)
      #expect(found.messages == whole.messages, "mutant \(number)")
      #expect(found.exchanges == whole.exchanges, "mutant \(number)")
      #expect(found.connections == whole.connections, "mutant \(number)")
      #expect(found.apis == whole.apis && found.ledger == whole.ledger, "mutant \(number)")
      #expect(Self.counts(found.anomalies) == Self.counts(whole.anomalies), "mutant \(number)")
    }
  }

  /// Times of which many are the same: what is due at once is done in the order of one analysis.
  @Test(arguments: ["errors-aborts.pcap.gz", "loss-reorder.pcap.gz", "mixed-2000.pcap.gz", "wrk-short.pcap.gz"])
  func keepOrderWhereTimesAreEqual(_ name: String) throws {
    let trial = try MutationTrial(path: Self.folder.appendingPathComponent(name).path)
    let packets = trial.packets.prefix(3000).map { packet in
      var packet = packet
      packet.timestamp = packet.timestamp / 10_000_000 * 10_000_000
      return packet
    }
    let configuration = Self.configuration(30_000_000)
    #expect(
      Findings(ofShards: 4, packets, chunks: 50, configuration, isOrdered: true)
        == Findings(ofOneRun: packets, configuration, isOrdered: true))
  }

  /// Numbers that no open row refers to are forgotten, and those of a connection that is open for long are not.
  @Test func numbersOfOpenRowsAreKept() throws {
    let trial = try MutationTrial(path: Self.folder.appendingPathComponent("mixed-2000.pcap.gz").path)
    let configuration = Self.configuration(600_000_000_000)
    #expect(
      Findings(ofShards: 2, trial.packets, chunks: 20, configuration)
        == Findings(ofOneRun: trial.packets, configuration))
  }
}
