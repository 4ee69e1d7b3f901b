import Foundation
import TestSupport
import Testing

/// `sniffer verify` on logs whose every difference is known.
@Suite struct VerifyTests {
  private let scratch: Scratch
  private let capture: CaptureFile
  private let log: AppLogFile

  init() throws {
    scratch = try Scratch()
    capture = try Corpus.capture("nginx-keepalive")
    let report = scratch.url.appendingPathComponent("report")
    let outcome = try Sniffer.run([capture.path, "-q", "-o", report.path])
    try #require(outcome.status == 0, "\(outcome.error)")
    log = AppLogFile(try Report(folder: report).messages)
    try #require(log.rows.count > 30)
  }

  private func write(_ text: String, _ name: String = "app.csv") throws -> String {
    let url = scratch.url.appendingPathComponent(name)
    try Data(text.utf8).write(to: url)
    return url.path
  }

  private func verify(_ log: String, _ options: [String] = []) throws -> (outcome: Outcome, rows: CSVFile?) {
    let folder = scratch.url.appendingPathComponent("verified")
    try? FileManager.default.removeItem(at: folder)
    let outcome = try Sniffer.run(["verify", capture.path, "--log", log, "-o", folder.path] + options)
    let file = try? Data(contentsOf: folder.appendingPathComponent("verify.csv"))
    return (outcome, try file.map { try CSVFile([UInt8]($0)) })
  }

  /// Whether every row has its message, and every message that an app can see its row.
  private func isWhole(_ rows: CSVFile?) -> Bool {
    rows?.rows.allSatisfy { $0["status"] == "matched" || $0["type"] == "interim" } == true
  }

  private func sum(_ rows: CSVFile?, _ column: String) -> Int {
    var sum = 0
    for row in rows?.rows ?? [] { sum += Int(row[column]) ?? 0 }
    return sum
  }

  /// A format says itself whether a start-line counts. A log of few rows tells it by nothing else.
  @Test(arguments: [1, 2, 4]) func shortLogsMeanTheirFormat(_ count: Int) throws {
    let folder = scratch.url.appendingPathComponent("archive")
    #expect(try Sniffer.run([capture.path, "-q", "--format", "har", "-o", folder.path]).status == 0)
    let archive = try Data(contentsOf: folder.appendingPathComponent("report.har"))
    var document = try #require(try JSONSerialization.jsonObject(with: archive) as? [String: Any])
    var content = try #require(document["log"] as? [String: Any])
    content["entries"] = Array(try #require(content["entries"] as? [Any]).prefix(count))
    document["log"] = content
    let text = String(decoding: try JSONSerialization.data(withJSONObject: document), as: UTF8.self)
    let (outcome, _) = try verify(try write(text, "short.har"))
    #expect(outcome.output.contains("unexplained 0 bytes"), "\(outcome.output)")
  }

  @Test func aTrueLogIsTrue() throws {
    let (outcome, rows) = try verify(try write(log.text), ["--tolerance", "5%"])
    #expect(outcome.status == 0, "\(outcome.error)")
    #expect(outcome.output.hasSuffix("bytes\n") && outcome.output.contains("unexplained 0 bytes\nwrote "))
    #expect(outcome.outputLines.last?.hasPrefix("ledger balanced: ") == true)
    #expect(rows?.rows.count { $0["status"] == "matched" } == log.rows.count)
    #expect(isWhole(rows))
    for column in ["line_difference", "header_difference", "body_difference", "unexplained_bytes"] {
      #expect(sum(rows, column) == 0, "\(column)")
    }
    // No row of such a log has chunk framing, and none is an interim response.
    let matched = rows?.rows.filter { $0["status"] == "matched" } ?? []
    #expect(matched.reduce(0) { $0 + $1.integer("difference") } == -log.rows.reduce(0) { $0 + $1.framing })
  }

  @Test func whatAMonitorLeavesOutIsNamed() throws {
    var wrong = log
    for index in wrong.rows.indices {
      // The empty line, CR of the start-line, and the bodies.
      wrong.rows[index].header -= 2
      wrong.rows[index].line -= 1
      wrong.rows[index].body = 0
    }
    let (outcome, rows) = try verify(try write(wrong.text))
    #expect(outcome.status == 0)
    #expect(sum(rows, "unexplained_bytes") == 0)
    let bodies = log.rows.reduce(0) { $0 + $1.body }
    #expect(sum(rows, "body_difference") == -bodies)
    let causes = (rows?.rows ?? []).map { $0["causes"] }.joined(separator: "; ")
    for cause in ["empty line missing=-2", "line terminator=-1", "body not counted=-"] {
      #expect(causes.contains(cause), "\(cause)")
    }
    #expect(outcome.output.contains("body not counted"))
  }

  /// Text, JSON and the page have one verdict, the same unexplained figures, and a remedy for each cause that has one.
  @Test func theVerdictComesFirst() throws {
    let exact = try Sniffer.run(["verify", capture.path, "--log", try write(log.text)])
    #expect(
      exact.outputLines.first == "The log is exact: each figure of its \(log.rows.count) messages is the wire's.")

    var wrong = log
    for index in wrong.rows.indices { wrong.rows[index].header -= 2 }
    let odd = [3, 8, 21]
    for (index, rest) in zip(odd, [101, -7, 1009]) { wrong.rows[index].body += rest }
    let file = try write(wrong.text)
    let text = try Sniffer.run(["verify", capture.path, "--log", file])
    let verdict = text.output.components(separatedBy: "\n\n")[0].replacing("\n", with: " ")
    let lines = odd.map { "\($0 + 2)" }.joined(separator: ", ")
    #expect(verdict.hasPrefix("The app's log is "))
    #expect(verdict.contains("100.0% of the log's \(log.rows.count) lines were found on the wire."))
    #expect(verdict.hasSuffix("3 messages are unexplained: lines \(lines)."))
    #expect(text.output.contains("- empty line missing: add 2 for the empty line\n"))

    let json = try Sniffer.run(["verify", capture.path, "--log", file, "--json", "--quiet"])
    #expect(json.status == 0 && json.error.isEmpty, "\(json.error)")
    let document = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    #expect(document["verdict"] as? String == verdict)
    #expect(document["exact"] as? Bool == false && document["balanced"] as? Bool == true)
    let figures = try #require(document["unexplained"] as? [[String: Any]])
    #expect(figures.map { $0["row"] as? Int } == odd.map { $0 + 2 })
    #expect(figures.map { $0["figure"] as? String } == ["body", "body", "body"])
    #expect(figures.map { $0["unexplained_bytes"] as? Int } == [101, -7, 1009])
    #expect(figures.map { $0["app_bytes"] as? Int } == odd.map { wrong.rows[$0].body })
    #expect(figures.map { $0["wire_bytes"] as? Int } == odd.map { log.rows[$0].body })
    let causes = try #require(document["causes"] as? [[String: Any]])
    #expect(causes.contains { $0["cause"] as? String == "empty line missing" && $0["remedy"] is String })
  }

  /// Rows whose messages are inside closed TLS are not called missed by the wire, and no tolerance is judged.
  @Test func closedConnectionsComeFirst() throws {
    let closed = try Corpus.capture("tls-closed")
    let folder = scratch.url.appendingPathComponent("closed")
    #expect(try Sniffer.run([closed.path, "-q", "-o", folder.path]).status == 0)
    let host = try #require(
      try CSVFile([UInt8](Data(contentsOf: folder.appendingPathComponent("connections.csv")))).rows.map { $0["sni"] }
        .first { !$0.isEmpty })
    let file = try write(
      "host,path,type,occur_time,length\n\(host),/a,request,1772359200,100\n\(host),/a,response,1772359201,200\n")
    let outcome = try Sniffer.run(["verify", closed.path, "--log", file, "-o", folder.path, "--tolerance", "2%"])
    #expect(outcome.status == 1)
    #expect(outcome.outputLines.first?.hasPrefix("closed: ") == true)
    #expect(outcome.outputLines.first?.contains("of TLS to \(host) (") == true)
    #expect(outcome.errorLines.last?.contains("closed: give the key log with --keys") == true)
    let rows = try CSVFile([UInt8](Data(contentsOf: folder.appendingPathComponent("verify.csv")))).rows
    #expect(rows.map { $0["causes"] } == ["closed connection=100", "closed connection=200"])
  }

  @Test func toleranceDecides() throws {
    var wrong = log
    let whole = log.rows.reduce(0) { $0 + $1.length + $1.framing }
    wrong.rows[0].body += whole / 20
    let file = try write(wrong.text)
    #expect(try verify(file, ["--tolerance", "20%"]).outcome.status == 0)
    let strict = try verify(file, ["--tolerance", "2%"]).outcome
    #expect(strict.status == 2)
    #expect(strict.errorLines.count == 1)
    #expect(strict.error.hasPrefix("sniffer: the app's total differs from the wire by "))
    #expect(strict.error.hasSuffix("%, over 2%\n"))
    #expect(try verify(file).outcome.status == 0)
  }

  @Test func aLogInLocalTimeIsMatchedAndSaidToBe() throws {
    var late = log
    for index in late.rows.indices { late.rows[index].time += 8 * 3_600_000_000_000 }
    let (outcome, rows) = try verify(try write(late.text))
    #expect(outcome.status == 0)
    #expect(isWhole(rows))
    #expect(outcome.output.contains("8 h 0 min 0.000 s ahead of the capture"))
    #expect(outcome.output.contains("that is about UTC+8"))
  }

  @Test func missingRowsAreOnEitherSide() throws {
    var partial = log
    partial.rows.removeFirst(10)
    var extra = log.rows[0]
    extra.path = "/never/sent"
    partial.rows.append(extra)
    let (_, rows) = try verify(try write(partial.text))
    #expect(rows?.rows.count { $0["status"] == "wire_only" && $0["type"] != "interim" } == 10)
    #expect(rows?.rows.count { $0["status"] == "app_only" } == 1)
    #expect(rows?.rows.filter { $0["status"] == "app_only" }.first?["causes"] == "missed by the wire=\(extra.length)")
  }

  @Test func anotherAppsLogMatchesNothing() throws {
    var other = log
    for index in other.rows.indices { other.rows[index].host = "other.example" }
    let (outcome, _) = try verify(try write(other.text))
    #expect(outcome.status == 1)
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.errorLines.first?.contains("nothing matches") == true)
    #expect(outcome.errorLines.first?.contains("other.example") == true)
  }

  /// Nothing was compared: that is no success, and nothing is explained.
  @Test func aLogWithoutFiguresIsNotVerified() throws {
    let rows = log.rows.map { "\($0.host),\($0.path),\($0.type),\($0.time / 1_000_000_000),-1\n" }
    let (outcome, _) = try verify(try write("host,path,type,occur_time,length\n" + rows.joined()))
    #expect(outcome.status == 1)
    #expect(outcome.error.contains("nothing to verify"), "\(outcome.error)")
    #expect(!outcome.output.contains("Every difference is explained"), "\(outcome.output)")
  }

  @Test(arguments: [
    ("", "app.csv"), ("host,path\na,/\n", "type"), ("%PDF-1.4\n", "app.csv"),
    ("host,path,type,occur_time,length\na,/,request,now,1\n", "now"),
    ("host,path,type,occur_time,length\na,/,request,1700000000,many\n", "many"),
  ])
  func aWrongLogIsOneClearLine(_ text: String, _ word: String) throws {
    let (outcome, rows) = try verify(try write(text))
    #expect(outcome.status == 1)
    #expect(outcome.errorLines.count == 1, "\(outcome.error)")
    #expect(outcome.error.contains(word), "\(outcome.error)")
    #expect(outcome.output.isEmpty)
    #expect(rows == nil)
  }

  @Test func columnsCanBeMappedAndTimesHaveAZone() throws {
    let text = log.text.replacingOccurrences(of: "host,path,type", with: "Domain,Uri,Kind")
    let (outcome, rows) = try verify(try write(text), ["--columns", "host=Domain,path=Uri,type=Kind"])
    #expect(outcome.status == 0, "\(outcome.error)")
    #expect(isWhole(rows))
    #expect(try verify(try write(text), ["--columns", "hots=Domain"]).outcome.status == 64)
    #expect(try verify(try write(text), ["--time-zone", "Nowhere/At_All"]).outcome.status == 64)
  }

  /// Our own HAR, and our own database, are logs like any other.
  @Test(.enabled(if: Environment.tool("sqlite3") != nil, "needs the sqlite3 tool"))
  func ourOwnReportsAreTrue() throws {
    let report = scratch.url.appendingPathComponent("own")
    #expect(try Sniffer.run([capture.path, "-q", "-o", report.path, "--format", "har,sqlite"]).status == 0)
    let har = try verify(report.appendingPathComponent("report.har").path)
    #expect(har.outcome.status == 0, "\(har.outcome.error)")
    #expect(har.outcome.output.contains("unexplained 0 bytes"))

    let table = scratch.url.appendingPathComponent("app.sqlite")
    let made = try Command.run(
      try #require(Environment.tool("sqlite3")),
      [table.path, "ATTACH '\(report.path)/report.sqlite' AS r; CREATE TABLE traffic AS SELECT * FROM r.app_log;"])
    #expect(made.status == 0, "\(made.error)")
    let sqlite = try verify(table.path)
    #expect(sqlite.outcome.status == 0, "\(sqlite.outcome.error)")
    #expect(sqlite.outcome.output.contains("unexplained 0 bytes"))
    #expect(isWhole(sqlite.rows))
    #expect(sqlite.rows?.rows.allSatisfy { $0["status"] != "matched" || $0["difference"] == "0" } == true)
  }

  @Test func usage() throws {
    #expect(try Sniffer.run(["verify", capture.path]).status == 64)
    #expect(try Sniffer.run(["verify", capture.path, "--log", "x", "--tolerance", "much"]).status == 64)
    #expect(try Sniffer.run(["verify", capture.path, "--log", "x", "--no-decode"]).status == 64)
    let missing = try Sniffer.run(["verify", capture.path, "--log", scratch.url.path + "/none"])
    #expect(missing.status == 1 && missing.errorLines.count == 1)
  }
}
