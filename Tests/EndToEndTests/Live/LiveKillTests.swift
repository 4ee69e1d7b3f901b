import Foundation
import TestSupport
import Testing

/// The tables of a live run as others see them meanwhile, and as they are after SIGKILL at any moment: no message twice, though
/// thousands of rows become final in each interval.
@Suite(
  .enabled(
    if: LiveRun.isPossible && FormatWitness.python != nil, "needs root, Python and the permission to capture on lo"))
struct LiveKillTests {
  private let scratch: Scratch
  private let traffic: InterimTraffic

  init() throws {
    scratch = try Scratch()
    traffic = try InterimTraffic()
  }

  @Test func killedAtAnyMoment() throws {
    var generator = SystemRandomNumberGenerator()
    var rows = 0
    for round in 0..<8 {
      let folder = try Scratch()
      let run = try LiveRun(
        port: traffic.port, in: folder,
        ["--allow-root", "--interval", "0.15", "--format", "csv,ndjson"])
      let hasRows = eventually {
        let size = try? run.url("messages.csv").resourceValues(forKeys: [.fileSizeKey]).fileSize
        return size ?? 0 > 400_000 && FileManager.default.fileExists(atPath: run.url("messages.open.ndjson").path)
      }
      try #require(hasRows, "\(run.process.error)")
      // No event is waited for: any moment of an interval is a good one.
      Thread.sleep(forTimeInterval: .random(in: 0...0.3, using: &generator))
      run.process.signal(SIGKILL)
      #expect(try run.process.wait().wasKilled)
      var final: [String] = []
      for name in ["messages.csv", "exchanges.csv", "connections.csv"] {
        // Read strictly: every row that has its line end has all its cells.
        let file = try run.table(name)
        if name == "messages.csv" { final = file.rows.map { $0["message"] } }
      }
      // What is replaced is whole.
      let open = try run.file("messages.open.csv").rows.map { $0["message"] }
      #expect(
        try Set(final + open).count == final.count + open.count
          || isMoving(run.url("messages.csv"), run.url("messages.open.csv")), "round \(round)")
      rows += final.count
      var numbers: [Int] = []
      let openLines = try [UInt8](Data(contentsOf: run.url("messages.open.ndjson")))
      #expect(openLines.isEmpty || openLines.last == UInt8(ascii: "\n"))
      for line in (try run.lines("messages.ndjson") + openLines).split(separator: UInt8(ascii: "\n")) {
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
        numbers.append(try #require(object["message"] as? Int))
      }
      #expect(
        try Set(numbers).count == numbers.count
          || isMoving(run.url("messages.ndjson"), run.url("messages.open.ndjson")), "round \(round)")
    }
    #expect(rows > 10_000, "too little traffic to say anything")
  }

  /// Whether the kill came at the one moment in which messages are in both files: the table has them, and the file of open messages is not
  /// replaced yet. The name of a file is younger than the rows of another then.
  private func isMoving(_ table: URL, _ open: URL) throws -> Bool {
    let outcome = try Command.shell("find \"$1\" -newercm \"$2\"", [open.path, table.path])
    return outcome.status == 0 && outcome.outputLines.isEmpty
  }

  /// Whoever reads the database sees each message once, and the totals of the same moment.
  @Test func aReaderOfTheDatabaseSeesEachMessageOnce() throws {
    let run = try LiveRun(
      port: traffic.port, in: scratch, ["--allow-root", "--interval", "0.2", "--format", "sqlite"])
    var last = 0
    var moments: Set<Int> = []
    let sql = """
      SELECT count(*), count(DISTINCT message), sum(message_bytes),
        (SELECT sum(request_bytes + response_bytes) FROM apis) FROM all_messages
      """
    let hasSeenEnough = try eventually {
      let row = try FormatWitness.query(sql, of: run.url("report.sqlite")).first ?? ""
      let cells = row.split(separator: "|", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
      try #require(cells.count == 4)
      #expect(cells[0] == cells[1], "\(cells[0] - cells[1]) messages twice")
      #expect(cells[2] == cells[3])
      #expect(cells[0] >= last)
      last = cells[0]
      moments.insert(last)
      return moments.count > 5 && last > 10_000
    }
    #expect(hasSeenEnough)
    let outcome = try run.stop()
    #expect(outcome.status == 0, "\(outcome.error)")
  }
}
