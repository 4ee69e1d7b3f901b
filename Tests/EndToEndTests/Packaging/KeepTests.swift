import Foundation
import TestSupport
import Testing

/// `sniffer-keep`, which moves the tables of a live run's report away.
@Suite struct KeepTests {
  private let scratch: Scratch
  private let program = Corpus.folder.deletingLastPathComponent().appendingPathComponent("packaging/sniffer-keep")

  init() throws { scratch = try Scratch() }

  private func keep(_ count: Int, _ folder: String? = nil) throws -> Outcome {
    try Command.run(program, [folder ?? scratch.url.path, "\(count)"])
  }

  private func names(_ path: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: scratch.path(path)).sorted()
  }

  private func write(_ name: String, _ text: String) throws { _ = try scratch.file(name, Array(text.utf8)) }

  private func writeReport(_ number: Int) throws {
    for name in Report.fileNames { try write(name, "header\r\n\(number),\(name)\r\n") }
  }

  @Test func aReportWithoutRowsStays() throws {
    #expect(try keep(3).status == 0)
    #expect(try names() == [])
    for name in Report.fileNames { try write(name, "header\r\n") }
    // Totals have rows from the start.
    try write("ledger.csv", "class,bytes\r\nlink,0\r\n")
    #expect(try keep(3).status == 0)
    #expect(try names() == Report.fileNames)
  }

  @Test func tablesAreMovedAndTotalsCopied() throws {
    try writeReport(1)
    try write("messages.open.csv", "header\r\n2,open\r\n")
    try write("saved.pcapng", "packets")
    let outcome = try keep(3)
    #expect(outcome.status == 0 && outcome.error.isEmpty)
    let moved = ["messages.csv", "exchanges.csv", "connections.csv", "grpc.csv", "websockets.csv"]
    let stay = Report.fileNames.filter { !moved.contains($0) } + ["kept", "messages.open.csv", "saved.pcapng"]
    #expect(try names() == stay.sorted())
    let kept = try #require(try names("kept").first)
    #expect(kept.wholeMatch(of: /\d{8}T\d{6}Z/) != nil)
    #expect(try names("kept/\(kept)") == (Report.fileNames + ["messages.open.csv"]).sorted())
    let text = try String(contentsOfFile: scratch.path("kept/\(kept)/messages.csv"), encoding: .utf8)
    #expect(text == "header\r\n1,messages.csv\r\n")
    // Nothing but an open message is worth keeping, too.
    #expect(try keep(3).status == 0)
    #expect(try names("kept").count == 2)
  }

  @Test func onlyTheNewestSetsStay() throws {
    for name in ["20200101T000000Z", "20210101T000000Z", "20220101T000000Z"] {
      try FileManager.default.createDirectory(
        atPath: scratch.path("kept/\(name)"), withIntermediateDirectories: true)
    }
    // Two within a second get times of their own.
    for number in 1...2 {
      try writeReport(number)
      #expect(try keep(3).status == 0)
    }
    let kept = try names("kept")
    #expect(kept.count == 3 && kept.first == "20220101T000000Z")
    let numbers = try kept.dropFirst().map {
      try String(contentsOfFile: scratch.path("kept/\($0)/messages.csv"), encoding: .utf8).contains("\r\n1,") ? 1 : 2
    }
    #expect(numbers == [1, 2])
  }

  @Test func aFolderThatIsNotThere() throws {
    let outcome = try keep(3, scratch.path("nowhere"))
    #expect(outcome.status != 0 && outcome.errorLines.count == 1)
  }

  /// As the unit reloads: the tables are moved, then SIGHUP starts new ones. No row is lost, none is there twice.
  @Test(.enabled(if: LiveRun.isPossible, "needs root, Python and the permission to capture on lo"))
  func aRunningReport() throws {
    let server = try LocalServer()
    let run = try LiveRun(port: server.port, in: scratch, ["--allow-root", "--interval", "0.1"])
    func folders() throws -> [String] {
      let path = run.url("kept").path
      guard FileManager.default.fileExists(atPath: path) else { return [] }
      return try FileManager.default.contentsOfDirectory(atPath: path).map { "kept/\($0)/" }
    }
    var rows: [CSVFile.Row] = []
    for round in 1...3 {
      try server.makeRequests(40)
      let hasAll = try eventually {
        // What became final in the rounds before was moved away; the open ones first, as `requests` has them.
        let now = try run.requests().map { $0.cells[0] }
        let kept = try folders().flatMap { try run.file("\($0)messages.csv").rows }.filter { $0["type"] == "request" }
        return Set(now + kept.map { $0.cells[0] }).count == 40 * round
      }
      #expect(hasAll)
      #expect(try keep(5, run.report.path).status == 0)
      run.process.signal(SIGHUP)
      #expect(eventually { FileManager.default.fileExists(atPath: run.url("messages.csv").path) })
    }
    #expect(try run.stop().status == 0)
    #expect(try folders().count == 3)
    for folder in try folders() + [""] { rows += try run.file("\(folder)messages.csv").rows }
    #expect(rows.count { $0["type"] == "request" } == 120)
    #expect(Set(rows.map { $0.cells[0] }).count == rows.count)
  }
}
