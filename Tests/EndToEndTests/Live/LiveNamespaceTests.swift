import Foundation
import TestSupport
import Testing

/// Live runs on a wire of 1,500-octet frames between a real server and real clients, in network namespaces that
/// `captures/record/live-equality` makes and removes: what a run reports is what its saved packets give, file by file
/// and octet by octet, and agrees with the server's own log.
@Suite struct LiveNamespaceTests {
  @Test(.enabled(if: Environment.isRoot, "network namespaces need root"))
  func liveIsOfflineAndAgreesWithTheServer() throws {
    let scratch = try Scratch()
    let script = Corpus.folder.appendingPathComponent("record/live-equality")
    let outcome = try RunningCommand(script, [Sniffer.url.path, scratch.url.path]).wait(upTo: 1200)
    if outcome.status == 77 {
      let reason = outcome.errorLines.last ?? outcome.outputLines.last ?? "live-equality exits with 77"
      return Environment.skip("liveIsOfflineAndAgreesWithTheServer", because: reason)
    }
    try #require(outcome.status == 0, "\(outcome.error)")
    print(WitnessTally.heading)
    // The script goes on until there are so many.
    for (run, leastRows) in [("mixed", 2000), ("rotated", 1000), ("several", 500)] {
      try check(run, in: scratch.url, leastRows: leastRows)
    }
  }

  private func check(_ run: String, in folder: URL, leastRows: Int) throws {
    func text(_ kind: String) throws -> String {
      try String(contentsOf: folder.appendingPathComponent("\(run).\(kind)"), encoding: .utf8)
    }
    let error = try text("err")
    #expect(try text("status") == "0\n", "\(run): \(error)")
    let live = try Report(folder: folder.appendingPathComponent(run))
    #expect(live.ledger("dropped_packets") == 0 && live.ledger("difference") == 0 && live.ledger("pending") == 0)
    let octets = try #require(live.ledger("original"))
    #expect(try text("out").hasSuffix("ledger balanced: \(octets) bytes\n"))

    let saved = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasPrefix(run) && $0.hasSuffix(".pcapng") }.sorted()
    #expect(run == "rotated" ? saved.count >= 3 : saved == ["\(run).pcapng"], "\(saved)")
    let offline = try FileAnalysis(saved.map { folder.appendingPathComponent($0).path })
    #expect(offline.outcome.status == 0, "\(offline.outcome.error)")
    #expect(offline.report.differences(fromLive: live) == [], "\(run)")

    let witness = try CSVFile(
      [UInt8](Data(contentsOf: folder.appendingPathComponent("\(run).witness.csv"))), lineEnd: .lineFeed)
    let tally = WitnessTally(name: run, join: WitnessJoin(witness: witness, report: live))
    print(tally.line)
    for difference in tally.unexplained { Issue.record("\(difference)") }
    #expect(tally.rows >= leastRows && tally.rowsWithout == 0)
    #expect(tally.rows == live.messages.rows.count { $0["type"] == "request" })
  }
}
