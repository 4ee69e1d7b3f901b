import Foundation
import Testing

/// A live run reports what the same packets give when they are read from the saved file: octet for octet.
@Suite(.enabled(if: LiveRun.isPossible, "needs root, Python and the permission to capture on lo"))
struct LiveEqualityTests {
  private let scratch: Scratch
  private let server: LocalServer

  init() throws {
    scratch = try Scratch()
    server = try LocalServer()
  }

  @Test func liveIsOffline() throws {
    let saved = scratch.path("saved.pcapng")
    let run = try LiveRun(port: server.port, in: scratch, ["--allow-root", "--interval", "0.1", "--write", saved])
    // It has been brought up to date in between.
    try server.makeRequests(100)
    #expect(try run.hasRequests(100))
    try server.makeRequests(100)
    let live = try conclude(run)
    #expect(live.exchanges.rows.count == 200)
    #expect(live.ledger("difference") == 0 && live.ledger("dropped_packets") == 0)
    #expect(!FileManager.default.fileExists(atPath: run.url("messages.open.csv").path))
    let offline = try FileAnalysis([saved])
    #expect(offline.outcome.status == 0)
    #expect(offline.report.differences(fromLive: live) == [])
  }

  @Test func rotatedFilesTogetherAreTheRun() throws {
    let saved = scratch.path("saved.pcapng")
    let run = try LiveRun(port: server.port, in: scratch, ["--allow-root", "--write", saved, "--rotate-size", "1"])
    try server.makeRequests(400)
    let live = try conclude(run)
    let parts = try FileManager.default.contentsOfDirectory(atPath: scratch.url.path)
      .filter { $0.hasPrefix("saved_") }.sorted().map(scratch.path)
    #expect(parts.count >= 3)
    let offline = try FileAnalysis(parts)
    #expect(offline.outcome.status == 0)
    #expect(offline.report.differences(fromLive: live) == [])
  }

  @Test func packetsAreAtMostThoseAskedFor() throws {
    let saved = scratch.path("saved.pcapng")
    let run = try LiveRun(port: server.port, in: scratch, ["--allow-root", "--write", saved, "--packets", "50"])
    let client = try server.startRequests(200)
    let outcome = try run.process.wait()
    #expect(outcome.status == 0)
    _ = try client.wait()
    let live = try Report(folder: run.report)
    #expect(live.ledger("packets") == 50)
    #expect(try FileAnalysis([saved]).report.differences(fromLive: live) == [])
  }

  @Test func durationEndsTheRun() throws {
    let folder = scratch.path("report")
    let begin = ContinuousClock.now
    let outcome = try Sniffer.run([
      "live", "-i", "lo", "--filter", "tcp port \(server.port)", "--allow-root", "--duration", "1", "-o", folder,
    ])
    #expect(ContinuousClock.now - begin >= .seconds(1))
    #expect(outcome.status == 0)
    #expect(outcome.outputLines.last == "ledger balanced: 0 bytes")
    #expect(try Report(folder: URL(fileURLWithPath: folder)).messages.rows.isEmpty)
  }

  private func conclude(_ run: LiveRun) throws -> Report {
    let outcome = try run.stop()
    let report = try Report(folder: run.report)
    #expect(outcome.status == 0 && !outcome.wasKilled, "\(outcome.error)")
    let octets = try #require(report.ledger("original"))
    #expect(outcome.outputLines.last == "ledger balanced: \(octets) bytes")
    return report
  }
}
