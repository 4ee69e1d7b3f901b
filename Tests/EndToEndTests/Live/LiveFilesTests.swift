import Foundation
import TestSupport
import Testing

/// What is on disk while a run goes on, and after it was killed.
@Suite(.enabled(if: LiveRun.isPossible, "needs root, Python and the permission to capture on lo"))
struct LiveFilesTests {
  private let scratch: Scratch
  private let server: LocalServer

  init() throws {
    scratch = try Scratch()
    server = try LocalServer()
  }

  @Test func filesAreWholeAtAnyMoment() throws {
    let run = try LiveRun(port: server.port, in: scratch, ["--allow-root", "--interval", "0.2"])
    let client = try server.startRequests(400, pause: 0.005)
    var reads = 0
    while client.isRunning, reads < 5000 {
      reads += 1
      for name in Report.fileNames where FileManager.default.fileExists(atPath: run.url(name).path) {
        let file = try run.file(name)
        #expect(!file.header.isEmpty)
        if name == "ledger.csv" { expectConsistent(file) }
      }
      Thread.sleep(forTimeInterval: 0.005)
    }
    #expect(reads > 10)
    #expect(try run.hasRequests(400))
    #expect(try run.stop().status == 0)
    #expect(try run.requests().count == 400)
  }

  /// What has no class yet is pending, and no difference.
  private func expectConsistent(_ ledger: CSVFile) {
    var figures: [String: Int] = [:]
    for row in ledger.rows { figures[row["class"]] = row.integer("bytes") }
    let sum = ledger.rows.prefix { $0["class"] != "total" }.sum("bytes")
    let total = figures["total"] ?? -1
    #expect(sum == total)
    let pending = figures["pending"] ?? -1
    #expect(figures["difference"] == 0)
    #expect(pending >= 0 && total + pending == figures["original"])
  }

  @Test func snapshotOnRequest() throws {
    let run = try LiveRun(port: server.port, in: scratch, ["--allow-root", "--interval", "3600"])
    try server.makeRequests(20)
    Thread.sleep(forTimeInterval: 0.5)
    #expect(!FileManager.default.fileExists(atPath: run.url("ledger.csv").path))
    run.process.signal(SIGUSR1)
    #expect(eventually(within: 5) { FileManager.default.fileExists(atPath: run.url("ledger.csv").path) })
    #expect(try run.hasRequests(20))
    #expect(try run.stop().status == 0)
  }

  @Test func filesThatWereMovedAwayAreStartedAnew() throws {
    let run = try LiveRun(port: server.port, in: scratch, ["--allow-root", "--interval", "0.2"])
    try server.makeRequests(40)
    #expect(try run.hasRequests(40))
    let header = try run.file("messages.csv").header
    let moved = run.url("messages.1.csv")
    try FileManager.default.moveItem(at: run.url("messages.csv"), to: moved)
    run.process.signal(SIGHUP)
    #expect(eventually(within: 5) { (try? run.file("messages.csv").header) == header })
    try server.makeRequests(40)
    #expect(try run.stop().status == 0)
    // What was open then is in the new file; no row is lost, and none is there twice.
    let rows = try CSVFile([UInt8](Data(contentsOf: moved))).rows + run.file("messages.csv").rows
    #expect(rows.count { $0["type"] == "request" } == 80)
    #expect(Set(rows.map { $0.cells[0] }).count == rows.count)
  }

  @Test func killedRunLeavesAllButTheLastInterval() throws {
    let saved = scratch.path("saved.pcapng")
    let run = try LiveRun(port: server.port, in: scratch, ["--allow-root", "--interval", "1", "--write", saved])
    try server.makeRequests(80)
    Thread.sleep(forTimeInterval: 2.5)
    run.process.signal(SIGKILL)
    let outcome = try run.process.wait()
    #expect(outcome.wasKilled && outcome.status == SIGKILL)
    let left = try run.requests()
    #expect(left.count == 80)
    for name in Report.fileNames { #expect(try !run.file(name).header.isEmpty) }
    let offline = try FileAnalysis([saved])
    #expect(offline.outcome.status == 0, "\(offline.outcome.error)")
    #expect(offline.report.messages.rows.count { $0["type"] == "request" } == 80)
  }

  /// Standard output is a pipe that is full and that nobody reads: after the first interrupt the summary cannot be
  /// written, so the run does not come to its end; the second one must not wait for that.
  @Test func secondInterruptStopsAtOnce() throws {
    let line = """
      mkfifo "$2/pipe" && exec 3<>"$2/pipe" || exit 99
      timeout 2 head -c 1048576 /dev/zero >&3
      exec "$1" live -i lo --filter "tcp port $3" --allow-root --duration 60 -o "$2/live" >&3
      """
    let process = try RunningCommand(
      URL(fileURLWithPath: "/bin/sh"), ["-c", line, "sh", Sniffer.url.path, scratch.url.path, "\(server.port)"])
    try #require(eventually { process.error.contains("capturing on lo") }, "\(process.error)")
    process.signal(SIGINT)
    let ledger = scratch.path("live/ledger.csv")
    #expect(eventually { FileManager.default.fileExists(atPath: ledger) })
    Thread.sleep(forTimeInterval: 0.5)
    #expect(process.isRunning)
    process.signal(SIGINT)
    let outcome = try process.wait(upTo: 40)
    #expect(!outcome.wasKilled && outcome.status == 128 + SIGINT)
  }

  @Test func interruptEndsCleanly() throws {
    let run = try LiveRun(port: server.port, in: scratch)
    try server.makeRequests(8)
    Thread.sleep(forTimeInterval: 0.5)
    run.process.signal(SIGINT)
    let outcome = try run.process.wait()
    #expect(outcome.status == 0 && outcome.outputLines.last?.hasPrefix("ledger balanced: ") == true)
    #expect(try run.requests().count == 8)
  }

  /// From the first instructions of a live run to its reports, with traffic all the while.
  @Test func terminationAtAnyMoment() throws {
    var reported = 0
    for round in 0..<16 {
      let folder = scratch.path("moment-\(round)")
      let process = try RunningCommand(
        Sniffer.url,
        ["live", "-i", "lo", "--filter", "tcp port \(server.port)", "-o", folder, "--allow-root", "--duration", "60"])
      if round.isMultiple(of: 4) { try server.makeRequests(4) }
      // Half of them before anything is captured, the others at once and a little later.
      let captures = round >= 8
      if captures { try #require(eventually { process.error.contains("capturing on lo\n") }, "\(process.error)") }
      Thread.sleep(forTimeInterval: 0.02 * Double(round % 8))
      // Before there is a handler, SIGINT is ignored by programs that a shell has started in the background, and so by theirs.
      process.signal(captures && !round.isMultiple(of: 2) ? SIGINT : SIGTERM)
      let outcome = try process.wait(upTo: 40)
      // Before the handlers are there the signal does what it does by itself.
      if outcome.wasKilled {
        #expect(!captures && [SIGTERM, SIGINT].contains(outcome.status), "\(outcome.error)")
        continue
      }
      reported += 1
      #expect(outcome.status == 0, "\(outcome.error)")
      #expect(outcome.outputLines.last?.hasPrefix("ledger balanced: ") == true)
      #expect(try Report(folder: URL(fileURLWithPath: folder)).ledger("difference") == 0)
    }
    #expect(reported >= 8)
  }
}
