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
    let run = try LiveRun(port: server.port, in: scratch, ["--allow-root", "--interval", "0.1"])
    let appended = ["messages.csv", "exchanges.csv", "connections.csv"]
    var ledgers: Set<[[String]]> = []
    // Brought up to date at least once in each round, with new figures.
    for round in 1...5 {
      let client = try server.startRequests(80)
      let isUpToDate = try eventually {
        for name in Report.fileNames where FileManager.default.fileExists(atPath: run.url(name).path) {
          let file = try appended.contains(name) ? run.table(name) : run.file(name)
          #expect(!file.header.isEmpty)
          guard name == "ledger.csv" else { continue }
          expectConsistent(file)
          ledgers.insert(file.rows.map(\.cells))
        }
        return try !client.isRunning && run.requests().count == 80 * round
      }
      #expect(isUpToDate)
    }
    #expect(ledgers.count >= 4)
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
    #expect(!FileManager.default.fileExists(atPath: run.url("ledger.csv").path))
    // One after another, since the first may come before the packets do.
    var asked = 0
    let hasAll = try eventually {
      asked += 1
      run.process.signal(SIGUSR1)
      return try eventually { run.intervals.count >= asked } && run.requests().count == 20
    }
    #expect(hasAll && FileManager.default.fileExists(atPath: run.url("ledger.csv").path))
    // Each asked for one, and nothing else brought anything up to date.
    #expect(run.intervals.count == asked)
    #expect(try run.stop().status == 0)
  }

  @Test func filesThatWereMovedAwayAreStartedAnew() throws {
    let run = try LiveRun(port: server.port, in: scratch, ["--allow-root", "--interval", "0.1"])
    try server.makeRequests(40)
    #expect(try run.hasRequests(40))
    let header = try run.file("messages.csv").header
    let moved = run.url("messages.1.csv")
    try FileManager.default.moveItem(at: run.url("messages.csv"), to: moved)
    run.process.signal(SIGHUP)
    #expect(eventually { (try? run.file("messages.csv").header) == header })
    try server.makeRequests(40)
    #expect(try run.stop().status == 0)
    // What was open then is in the new file; no row is lost, and none is there twice.
    let rows = try CSVFile([UInt8](Data(contentsOf: moved))).rows + run.file("messages.csv").rows
    #expect(rows.count { $0["type"] == "request" } == 80)
    #expect(Set(rows.map { $0.cells[0] }).count == rows.count)
  }

  @Test func killedRunLeavesAllButTheLastInterval() throws {
    let saved = scratch.path("saved.pcapng")
    let run = try LiveRun(port: server.port, in: scratch, ["--allow-root", "--interval", "0.1", "--write", saved])
    try server.makeRequests(80)
    #expect(try run.hasRequests(80))
    // The files of an interval come one after another, so the first interval may not have written all of them.
    #expect(eventually { Report.fileNames.allSatisfy { FileManager.default.fileExists(atPath: run.url($0).path) } })
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
      dd if=/dev/zero of="$2/pipe" bs=4096 oflag=nonblock 2>/dev/null
      exec "$1" live -i lo --filter "tcp port $3" --allow-root --duration 1200 -o "$2/live" >&3
      """
    let process = try RunningCommand(
      URL(fileURLWithPath: "/bin/sh"), ["-c", line, "sh", Sniffer.url.path, scratch.url.path, "\(server.port)"])
    try #require(process.says("capturing on lo"), "\(process.error)")
    process.signal(SIGINT)
    // Its system call, the first argument of which is the descriptor of standard output (proc_pid_syscall(5)).
    let isWriting = eventually {
      let call = try? String(contentsOfFile: "/proc/\(process.identifier)/syscall", encoding: .utf8)
      return call?.split(separator: " ").dropFirst().first == "0x1"
    }
    #expect(isWriting && FileManager.default.fileExists(atPath: scratch.path("live/ledger.csv")))
    process.signal(SIGINT)
    let outcome = try process.wait()
    #expect(!outcome.wasKilled && outcome.status == 128 + SIGINT)
  }

  @Test func interruptEndsCleanly() throws {
    let run = try LiveRun(port: server.port, in: scratch)
    try server.makeRequests(8)
    run.process.signal(SIGINT)
    let outcome = try run.process.wait()
    #expect(outcome.status == 0 && outcome.outputLines.last?.hasPrefix("ledger balanced: ") == true)
    #expect(try run.requests().count == 8)
  }

  /// From the first instructions of a live run to its reports, with traffic all the while. Half of the runs are ended before anything is
  /// captured, or about then, the others at once and a little later.
  @Test(arguments: [false, true]) func terminationAtAnyMoment(captures: Bool) throws {
    let client = try server.startRequests(1_000_000, pause: 0.01)
    let folders = (0..<8).map { scratch.path("moment-\($0)") }
    let start = { (folder: String) in
      try RunningCommand(
        Sniffer.url,
        [
          "live", "-i", "lo", "--filter", "tcp port \(server.port)", "-o", folder, "--allow-root", "--duration", "1200",
          "--buffer", "4",
        ])
    }
    var runs: [RunningCommand] = []
    if captures {
      runs = try folders.map(start)
      for run in runs { try #require(run.says("capturing on lo\n"), "\(run.error)") }
    }
    for (moment, folder) in folders.enumerated() {
      if !captures { runs.append(try start(folder)) }
      // No event is waited for: any moment is a good one.
      Thread.sleep(forTimeInterval: captures ? 0.02 : 0.02 * Double(moment))
      // Before there is a handler, SIGINT is ignored by programs that a shell has started in the background, and so by theirs.
      runs[moment].signal(captures && !moment.isMultiple(of: 2) ? SIGINT : SIGTERM)
    }
    for (run, folder) in zip(runs, folders) {
      let outcome = try run.wait()
      // Before the handlers are there the signal does what it does by itself.
      if outcome.wasKilled {
        #expect(!captures && outcome.status == SIGTERM, "\(outcome.error)")
        continue
      }
      #expect(outcome.status == 0, "\(outcome.error)")
      #expect(outcome.outputLines.last?.hasPrefix("ledger balanced: ") == true)
      #expect(try Report(folder: URL(fileURLWithPath: folder)).ledger("difference") == 0)
    }
    #expect(client.isRunning)
  }
}
