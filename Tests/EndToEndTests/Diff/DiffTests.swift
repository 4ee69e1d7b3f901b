import Foundation
import TestSupport
import Testing

/// `sniffer diff`, as scripts use it.
@Suite struct DiffTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Analyses a capture into a folder and returns its path.
  private func report(_ capture: String, _ name: String, _ options: [String] = []) throws -> String {
    let path = scratch.path(name)
    let outcome = try Sniffer.run(
      [try Corpus.capture(capture).path, "-q", "-o", path, "--format", "csv,sqlite"] + options)
    try #require(outcome.status == 0, "\(outcome.error)")
    return path
  }

  @Test(
    .enabled(if: FormatWitness.python != nil, "needs python3"),
    arguments: [[], ["--group-by", "host,path,method"], ["--template"], ["--group-by", "host"]])
  func everyFigureIsThatOfTheWitness(_ options: [String]) throws {
    let base = try report("demo", "base", options)
    let new = try report("swift-urlsession", "new", options)
    for (share, floor, isPerRequest) in [("1/20", 0, false), ("1/20", 100, true), ("0", 1000, false)] {
      let percent = share == "0" ? "0%" : "5%"
      let arguments =
        ["diff", base, new, "--threshold", percent, "--threshold-bytes", "\(floor)"]
        + (isPerRequest ? ["--per-request"] : [])
      let csv = try Sniffer.run(arguments + ["--format", "csv"])
      let json = try Sniffer.run(arguments + ["--format", "json"])
      #expect([0, 2].contains(csv.status) && csv.status == json.status && csv.error.isEmpty, "\(csv.error)")
      // The strict reader of these tests takes it, too.
      let file = try CSVFile(csv.outputOctets)
      #expect(csv.status == (file.rows.contains { $0["beyond_threshold"] == "1" } ? 2 : 0))
      let folder = { (path: String) in URL(fileURLWithPath: path).appendingPathComponent("apis.csv") }
      let differences = try DiffWitness.differences(
        base: folder(base), new: folder(new), csv: csv.output, json: json.output, share: share, floor: floor,
        isPerRequest: isPerRequest)
      #expect(differences.isEmpty, "\(differences)")
    }
  }

  @Test func databasesAndFoldersGiveTheSame() throws {
    let base = try report("mixed-2000", "base")
    let new = try report("demo", "new")
    let kinds = { (path: String) in [path, "\(path)/", "\(path)/apis.csv", "\(path)/report.sqlite"] }
    let expected = try Sniffer.run(["diff", base, new, "--format", "csv"])
    let rows = try CSVFile(expected.outputOctets).rows
    #expect(expected.status == 0 && rows.count > 900)
    for (first, second) in zip(kinds(base), kinds(new).reversed()) {
      let outcome = try Sniffer.run(["diff", first, second, "--format", "csv"])
      #expect(outcome.status == 0 && outcome.outputOctets == expected.outputOctets, "\(first) \(second)")
    }
    // A folder that has a database only; and nothing of it is changed.
    try FileManager.default.removeItem(atPath: "\(base)/apis.csv")
    let before = try Data(contentsOf: URL(fileURLWithPath: "\(base)/report.sqlite"))
    let names = try FileManager.default.contentsOfDirectory(atPath: base).sorted()
    #expect(try Sniffer.run(["diff", base, new, "--format", "csv"]).outputOctets == expected.outputOctets)
    #expect(try Data(contentsOf: URL(fileURLWithPath: "\(base)/report.sqlite")) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: base).sorted() == names)
  }

  @Test func theStatusTellsOfGrowthOnly() throws {
    let small = try report("cookies-redirects", "small")
    let large = try report("mixed-2000", "large")
    let statuses: [([String], Int32)] = [
      ([small, large], 0), ([small, large, "--threshold", "5%"], 2), ([small, small, "--threshold", "0%"], 0),
      ([small, large, "--threshold", "5%", "--threshold-bytes", "100000000"], 0),
      ([small, large, "--threshold-bytes", "1000"], 2), ([small, large, "--threshold", "5%", "-q"], 2),
    ]
    for (arguments, status) in statuses {
      let outcome = try Sniffer.run(["diff"] + arguments)
      #expect(outcome.status == status && outcome.error.isEmpty, "\(arguments) \(outcome.error)")
      #expect(outcome.output.isEmpty == arguments.contains("-q"))
    }
    for arguments in [
      ["diff", small], ["diff", small, large, "--threshold", "five"], ["diff", small, large, "--per-request"],
      ["diff", small, large, "--threshold-bytes", "-1"], ["diff", small, large, "--sort", "size"],
      ["diff", small, large, "--limit", "-1"],
    ] { #expect(try Sniffer.run(arguments).status == 64, "\(arguments)") }
  }

  @Test func whatCannotBeComparedIsSaidInOneLine() throws {
    let plain = try report("cookies-redirects", "plain")
    let byHost = try report("cookies-redirects", "by-host", ["--group-by", "host"])
    let byMethod = try report("cookies-redirects", "by-method", ["--group-by", "host,path,method"])
    let redacted = try report("cookies-redirects", "redacted", ["--redact"])
    let wrong: [(String, String, String)] = [
      (plain, byHost, "is grouped by host,path and"), (plain, byMethod, "by host,path,method"),
      ("\(byHost)/report.sqlite", plain, "is grouped by host and"),
      ("\(plain)/report.sqlite", "\(redacted)/report.sqlite", "has hashed paths"),
      (plain, scratch.path("none"), "no such file"), (plain, "\(plain)/messages.csv", "capture"),
      ("/dev/null", plain, "is not a regular file"),
    ]
    for (base, new, problem) in wrong {
      let outcome = try Sniffer.run(["diff", base, new])
      #expect(outcome.status == 1 && outcome.output.isEmpty, "\(base) \(new)")
      #expect(outcome.errorLines.count == 1 && outcome.error.contains(problem), "\(outcome.error)")
    }
  }

  @Test(.enabled(if: FormatWitness.python != nil, "needs python3"))
  func otherDatabasesAreRefused() throws {
    let plain = try report("cookies-redirects", "plain")
    let changes = [
      ("PRAGMA user_version = 3", "its schema has version 3"), ("PRAGMA application_id = 7", "but no report"),
      ("DROP TABLE meta", "has no table meta"),
      (
        "DROP TABLE meta; CREATE TABLE meta (name, value GENERATED ALWAYS AS (hex(name)))",
        "table meta lacks its columns"
      ),
      ("ALTER TABLE apis DROP COLUMN missing_bytes", "no column missing_bytes"),
      ("ALTER TABLE apis RENAME TO x; CREATE VIEW apis AS SELECT * FROM x", "has no table apis"),
      ("UPDATE apis SET requests = -1", "requests is not between"),
    ]
    for (statement, problem) in changes {
      let path = scratch.path("changed.sqlite")
      try? FileManager.default.removeItem(atPath: path)
      try FileManager.default.copyItem(atPath: "\(plain)/report.sqlite", toPath: path)
      let script = """
        import sqlite3, sys
        database = sqlite3.connect(sys.argv[1])
        views = database.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall()
        for (view,) in views: database.execute("DROP VIEW " + view)
        database.executescript(sys.argv[2])
        database.commit()
        """
      let changed = try Command.run(try #require(FormatWitness.python), ["-c", script, path, statement])
      try #require(changed.status == 0, "\(changed.error)")
      let outcome = try Sniffer.run(["diff", plain, path])
      #expect(
        outcome.status == 1 && outcome.errorLines.count == 1 && outcome.error.contains(problem), "\(outcome.error)")
    }
  }
}
