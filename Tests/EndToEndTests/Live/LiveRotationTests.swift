import Foundation
import TestSupport
import Testing

/// Saved packets in files that are started anew by time, of which only the newest stay.
@Suite(.enabled(if: LiveRun.isPossible, "needs root, Python and the permission to capture on lo"))
struct LiveRotationTests {
  private let scratch: Scratch
  private let server: LocalServer

  init() throws {
    scratch = try Scratch()
    server = try LocalServer()
  }

  private var saved: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: scratch.url.path).filter { $0.hasPrefix("saved_") }.sorted()
    }
  }

  @Test func filesByInterval() throws {
    let run = try LiveRun(
      port: server.port, in: scratch,
      [
        "--allow-root", "--write", scratch.path("saved.pcapng"), "--rotate-interval", "0.2", "--rotate-files", "1000",
      ])
    let client = try server.startRequests(1_000_000, pause: 0.002)
    #expect(try eventually { try saved.count >= 5 })
    client.signal(SIGTERM)
    _ = try client.wait()
    #expect(try run.stop().status == 0)
    let live = try Report(folder: run.report)
    let parts = try saved.map(scratch.path)
    for part in parts {
      // From the first packet to the last one.
      let rows = try FileAnalysis([part]).report.connections.rows
      let first = try #require(rows.map { $0.integer("opened") }.min())
      let last = try #require(rows.map { $0.integer("closed") }.max())
      #expect(last - first < 200_000_000)
    }
    #expect(try FileAnalysis(parts).report.differences(fromLive: live) == [])
  }

  /// SIGHUP starts each file, so that it is known what is in them.
  @Test func onlyTheNewestFilesStay() throws {
    // Of an earlier run under the same name: it counts, and is the first to go.
    _ = try scratch.file("saved_00007.pcapng")
    _ = try scratch.file("saved_but_not_by_sniffer.pcapng")
    let run = try LiveRun(
      port: server.port, in: scratch,
      ["--allow-root", "--interval", "0.1", "--write", scratch.path("saved.pcapng"), "--rotate-files", "3"])
    var most = 0
    var kept: [String] = []
    for number in 8...13 {
      #expect(try saved.contains(String(format: "saved_%05d.pcapng", number)))
      try server.makeRequests(48)
      #expect(try run.hasRequests(48 * (number - 7)))
      run.process.signal(SIGHUP)
      let isNext = try eventually {
        kept = try saved
        most = max(most, kept.count)
        return kept.contains(String(format: "saved_%05d.pcapng", number + 1))
          && !kept.contains(String(format: "saved_%05d.pcapng", number - 2))
      }
      #expect(isNext)
    }
    try server.makeRequests(48)
    #expect(try run.stop().status == 0)
    // A new file is there before the oldest goes.
    #expect(most <= 1 + 3 + 1)
    kept = try saved
    #expect(kept == [12, 13, 14].map { String(format: "saved_%05d.pcapng", $0) } + ["saved_but_not_by_sniffer.pcapng"])
    // The report has all of the run; the files, what came last of it.
    let live = try Report(folder: run.report)
    #expect(live.messages.rows.count { $0["type"] == "request" } == 7 * 48)
    let offline = try FileAnalysis(kept.dropLast().map(scratch.path))
    #expect(offline.outcome.status == 0 && offline.report.ledger("difference") == 0)
    let packets = try #require(offline.report.ledger("packets"))
    #expect(packets > 0 && packets < (live.ledger("packets") ?? 0))
    let times = Set(live.messages.rows.map { $0["first_time"] })
    // Whole messages in them are messages of the run.
    let whole = offline.report.messages.rows.filter { $0["exactness"] == "exact" && $0["flags"].isEmpty }
    #expect(!whole.isEmpty && whole.allSatisfy { times.contains($0["first_time"]) })
  }
}
