import Foundation
import TestSupport
import Testing

/// All formats of a live run: brought up to date at each interval, started anew when moved away, whole after a crash.
@Suite(
  .enabled(
    if: LiveRun.isPossible && FormatWitness.python != nil, "needs root, Python and the permission to capture on lo"))
struct LiveFormatTests {
  private let scratch: Scratch
  private let server: LocalServer

  init() throws {
    scratch = try Scratch()
    server = try LocalServer()
  }

  @Test func theSameFiguresAtTheEnd() throws {
    let run = try start()
    try server.makeRequests(60)
    #expect(eventually { (try? count(run)) == 60 })
    // Not of one transaction by chance: a ledger and the rows come together.
    let sums = try FormatWitness.query(
      "SELECT sum(message_bytes), (SELECT sum(request_bytes + response_bytes) FROM apis) FROM all_messages",
      of: run.url("report.sqlite"))
    let cells = try #require(sums.first).split(separator: "|")
    #expect(cells.count == 2 && cells[0] == cells[1])
    for name in ["report.sqlite", "report.sqlite-wal", "report.sqlite-shm", "messages.ndjson"] {
      let mode = try FileManager.default.attributesOfItem(atPath: run.url(name).path)[.posixPermissions] as? NSNumber
      #expect(mode?.intValue == 0o600, "\(name)")
    }
    #expect(try run.stop().status == 0)
    #expect(try FormatWitness.differences(in: run.report) == "")
    #expect(
      try FileManager.default.visibleNames(run.report.path)
        == (Report.fileNames + Report.ndjsonNames + ["report.sqlite"]).sorted())
  }

  @Test func whatWasMovedAwayIsStartedAnew() throws {
    let run = try start()
    try server.makeRequests(40)
    #expect(eventually { (try? count(run)) == 40 })
    let moved = run.url("kept.sqlite")
    try FileManager.default.moveItem(at: run.url("report.sqlite"), to: moved)
    try FileManager.default.moveItem(at: run.url("messages.ndjson"), to: run.url("kept.ndjson"))
    run.process.signal(SIGHUP)
    #expect(eventually { (try? FormatWitness.query("PRAGMA user_version", of: run.url("report.sqlite"))) == ["2"] })
    try server.makeRequests(40)
    #expect(try run.stop().status == 0)
    for name in ["kept.sqlite", "report.sqlite"] {
      #expect(try FormatWitness.query("PRAGMA integrity_check", of: run.url(name)) == ["ok"])
    }
    let numbers = "SELECT message FROM messages WHERE type = 'request'"
    let rows = try FormatWitness.query(numbers, of: moved) + FormatWitness.query(numbers, of: run.url("report.sqlite"))
    #expect(rows.count == 80 && Set(rows).count == 80)
    let lines = try ["kept.ndjson", "messages.ndjson"].flatMap {
      try String(contentsOf: run.url($0), encoding: .utf8).split(separator: "\n").filter { $0.contains("\"request\"") }
    }
    #expect(lines.count == 80 && Set(lines).count == 80)
  }

  @Test func killedRunLeavesAllButTheLastInterval() throws {
    let run = try start()
    try server.makeRequests(80)
    #expect(eventually { (try? count(run)) == 80 })
    run.process.signal(SIGKILL)
    #expect(try run.process.wait().wasKilled)
    #expect(try count(run) == 80)
    let database = run.url("report.sqlite")
    #expect(try FormatWitness.query("PRAGMA integrity_check", of: database) == ["ok"])
    #expect(try FormatWitness.query("SELECT value FROM meta WHERE name = 'complete'", of: database) == ["0"])
  }

  @Test func rowsGoToAPipeUntilItsReaderHasEnough() throws {
    // Rows that are final as they come: until somebody writes to it, nobody knows that a pipe has no reader any more.
    let traffic = try InterimTraffic()
    let line = """
      "$1" live -i lo --filter "tcp port $2" --allow-root --duration 1200 -o - --format ndjson -q | head -n 3
      """
    let outcome = try RunningCommand(
      URL(fileURLWithPath: "/bin/sh"), ["-c", line, "sh", Sniffer.url.path, "\(traffic.port)"]
    ).wait()
    #expect(outcome.outputLines.count == 3 && outcome.error.isEmpty && !outcome.wasKilled, "\(outcome.error)")
  }

  private func start() throws -> LiveRun {
    try LiveRun(
      port: server.port, in: scratch, ["--allow-root", "--interval", "0.1", "--format", "csv,ndjson,sqlite"])
  }

  private func count(_ run: LiveRun) throws -> Int? {
    let sql = "SELECT count(DISTINCT message) FROM all_messages WHERE type = 'request'"
    return Int(try FormatWitness.query(sql, of: run.url("report.sqlite")).first ?? "")
  }
}
