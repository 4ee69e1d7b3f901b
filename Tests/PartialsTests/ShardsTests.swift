import Foundation
import HTTPReassembly
import Packets
import TestSupport
import Testing

/// Shards of an analysis, put together, find what one analysis finds.
@Suite struct ShardsTests {
  /// Names and counts of anomalies, without the first time and connection.
  private static func counts(_ anomalies: [String]) -> [Substring] { anomalies.map { $0.prefix { $0 != "," } } }

  @Test(arguments: OwnCaptures.names)
  func findWhatOneAnalysisFinds(_ name: String) throws {
    let trial = try OwnCaptures.trial(name)
    let packets = Array(trial.packets.prefix(3000))
    for timeout: Int64 in [50_000_000, 600_000_000_000] {
      let configuration = OwnCaptures.configuration(timeout)
      let whole = Findings(ofOneRun: packets, configuration)
      for (shards, length) in [(1, 1), (2, 7), (3, 500), (5, 64)] {
        let found = Findings(ofShards: shards, packets, chunks: length, configuration)
        #expect(found == whole, "\(shards) shards, chunks of \(length), time-out \(timeout)")
      }
    }
  }

  /// Whatever happens to a capture: what its packets are changed to is a capture, too. In one that is damaged, the direction of octets that no
  /// message has, and when an anomaly was seen first, may be told in another way: rows, totals and counts are the same.
  @Test(arguments: OwnCaptures.names)
  func findSoForMutants(_ name: String) throws {
    let trial = try OwnCaptures.trial(name)
    for number in 0..<Mutation.allCases.count + 2 {
      let packets = Array(trial.mutant(number).prefix(2000))
      let configuration = OwnCaptures.configuration([20_000_000, 500_000_000][number % 2])
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
    let trial = try OwnCaptures.trial(name)
    let packets = trial.packets.prefix(3000).map { packet in
      var packet = packet
      packet.timestamp = packet.timestamp / 10_000_000 * 10_000_000
      return packet
    }
    let configuration = OwnCaptures.configuration(30_000_000)
    #expect(
      Findings(ofShards: 4, packets, chunks: 50, configuration, isOrdered: true)
        == Findings(ofOneRun: packets, configuration, isOrdered: true))
  }

  /// Numbers that no open row refers to are forgotten, and those of a connection that is open for long are not.
  @Test func numbersOfOpenRowsAreKept() throws {
    let trial = try OwnCaptures.trial("mixed-2000.pcap.gz")
    let configuration = OwnCaptures.configuration(600_000_000_000)
    #expect(
      Findings(ofShards: 2, trial.packets, chunks: 20, configuration)
        == Findings(ofOneRun: trial.packets, configuration))
  }
}
