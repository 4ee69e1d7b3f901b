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
      ["--allow-root", "--write", scratch.path("saved.pcapng"), "--rotate-interval", "1"])
    let client = try server.startRequests(300, pause: 0.015)
    #expect(try client.wait().output == "300\n")
    #expect(try run.stop().status == 0)
    let live = try Report(folder: run.report)
    let parts = try saved.map(scratch.path)
    #expect(parts.count >= 4)
    for part in parts {
      let rows = try FileAnalysis([part]).report.messages.rows
      let first = try #require(rows.map { $0.integer("first_time") }.min())
      let last = try #require(rows.map { $0.integer("last_time") }.max())
      #expect(last - first <= 1_000_000_000)
    }
    #expect(try FileAnalysis(parts).report.differences(fromLive: live) == [])
  }

  @Test func onlyTheNewestFilesStay() throws {
    let arguments = ["--allow-root", "--write", scratch.path("saved.pcapng"), "--rotate-interval", "0.5"]
    // Of an earlier run under the same name: it counts, and is the first to go.
    _ = try scratch.file("saved_00007.pcapng")
    _ = try scratch.file("saved_but_not_by_sniffer.pcapng")
    let run = try LiveRun(port: server.port, in: scratch, arguments + ["--rotate-files", "3"])
    #expect(try saved.contains("saved_00008.pcapng"))
    let client = try server.startRequests(300, pause: 0.015)
    var most = 0
    while client.isRunning {
      most = max(most, try saved.count)
      Thread.sleep(forTimeInterval: 0.05)
    }
    #expect(try client.wait().output == "300\n")
    #expect(try run.stop().status == 0)
    // A new file is there before the oldest goes.
    #expect(most <= 1 + 3 + 1)
    let kept = try saved
    let numbers = kept.compactMap { Int($0.dropFirst("saved_".count).prefix(5)) }
    #expect(kept.count == 4 && kept.last == "saved_but_not_by_sniffer.pcapng")
    let last = try #require(numbers.last)
    #expect(numbers == [last - 2, last - 1, last] && last > 12)
    // The report has all of the run; the files, what came last of it.
    let live = try Report(folder: run.report)
    #expect(live.messages.rows.count { $0["type"] == "request" } == 300)
    let offline = try FileAnalysis(kept.dropLast().map(scratch.path))
    #expect(offline.outcome.status == 0 && offline.report.ledger("difference") == 0)
    let packets = try #require(offline.report.ledger("packets"))
    #expect(packets > 0 && packets < (live.ledger("packets") ?? 0))
    let paths = Set(live.messages.rows.map { $0["first_time"] })
    // Whole messages in them are messages of the run.
    let whole = offline.report.messages.rows.filter { $0["exactness"] == "exact" && $0["flags"].isEmpty }
    #expect(!whole.isEmpty && whole.allSatisfy { paths.contains($0["first_time"]) })
  }
}
