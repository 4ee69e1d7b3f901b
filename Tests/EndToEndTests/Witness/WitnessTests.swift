import Foundation
import TestSupport
import Testing

/// What sniffer says of real traffic, against what the servers and clients that made it say.
@Suite struct WitnessTests {
  /// Fewer rows than this would prove little.
  private static let leastRows = 2000

  @Test func everyCaptureAgreesWithItsWitness() throws {
    var tallies: [WitnessTally] = []
    for capture in Corpus.witnessed {
      let analysis = try FileAnalysis.of(capture)
      #expect(analysis.outcome.status == 0)
      tallies.append(try Self.tally(capture.name, try #require(capture.witness), analysis.report))
    }
    Self.show(tallies)
    for difference in tallies.flatMap(\.unexplained) { Issue.record("\(difference)") }
    #expect(tallies.reduce(0) { $0 + $1.rows } >= Self.leastRows)
  }

  @Test(.enabled(if: Environment.isRoot, "recording traffic needs root"), .timeLimit(.minutes(10)))
  func freshTrafficAgreesWithItsWitness() throws {
    let scratch = try Scratch()
    let recorder = Corpus.folder.appendingPathComponent("record/live-witness")
    let recording = try Self.record(recorder, into: scratch.path("live"))
    if recording.status == 77 {
      let reason = recording.errorLines.last ?? recording.outputLines.last ?? "live-witness exits with 77"
      return Environment.skip("freshTrafficAgreesWithItsWitness", because: reason)
    }
    try #require(recording.status == 0, "\(recording.error)")
    let analysis = try FileAnalysis([scratch.path("live/capture.pcap")])
    #expect(analysis.outcome.status == 0)
    let witness = scratch.url.appendingPathComponent("live/witness.csv")
    let tally = try Self.tally("live", witness, analysis.report)
    Self.show([tally])
    for difference in tally.unexplained { Issue.record("\(difference)") }
    #expect(tally.rows >= Self.leastRows)
    #expect(tally.rowsWithout == 0)
  }

  /// Records; once more if the machine was too busy for tcpdump to keep up, or if two connections had the same ports. The logs of both sides
  /// cannot tell their requests apart then.
  private static func record(_ recorder: URL, into folder: String) throws -> Outcome {
    let outcome = try Command.run(recorder, [folder])
    let isAgain = ["packets were dropped", "for one side and"].contains { outcome.error.contains($0) }
    guard outcome.status != 0, isAgain else { return outcome }
    print("live-witness: \(outcome.errorLines.last ?? ""); again")
    return try Command.run(recorder, [folder])
  }

  private static func tally(_ name: String, _ witness: URL, _ report: Report) throws -> WitnessTally {
    let file = try CSVFile([UInt8](Data(contentsOf: witness)), lineEnd: .lineFeed)
    return WitnessTally(name: name, join: WitnessJoin(witness: file, report: report))
  }

  private static func show(_ tallies: [WitnessTally]) {
    print(WitnessTally.heading)
    for tally in tallies { print(tally.line) }
    let used = Set(tallies.flatMap(\.explained.keys))
    for rule in WitnessRule.all where used.contains(rule.name) { print("  \(rule.name): \(rule.reason)") }
  }
}
