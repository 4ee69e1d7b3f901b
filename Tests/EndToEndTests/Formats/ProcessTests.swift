import Foundation
import TestSupport
import Testing

/// Processes that captures name, in each of the ways in which programs do that. `captures/record/check_processes.py` has the table from readers
/// of other people.
@Suite struct ProcessTests {
  private static let folder = Document.root.appendingPathComponent("captures/processes")
  private static let files = (try? expected().map { $0["file"] }).map { Set($0).sorted() } ?? []
  private static let columns = ["process", "pid", "app", "process_source"]
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static func expected() throws -> [CSVFile.Row] {
    let data = try Data(contentsOf: folder.appendingPathComponent("expected.csv"))
    return try CSVFile([UInt8](data), lineEnd: .lineFeed).rows
  }

  private func report(_ file: String, _ options: [String] = []) throws -> Report {
    let path = scratch.path("report-\(UUID().uuidString)")
    let outcome = try Sniffer.run([Self.folder.appendingPathComponent(file).path, "-q", "-o", path] + options)
    #expect(outcome.status == 0, "\(outcome.error)")
    return try Report(folder: URL(fileURLWithPath: path))
  }

  @Test func thereAreFiles() { #expect(Self.files.count == 8) }

  @Test(arguments: files) func everyConnectionAndMessage(_ file: String) throws {
    let report = try report(file)
    let expected = try Self.expected().filter { $0["file"] == file }
    #expect(expected.count >= 4 && expected.contains { $0["process"] == "" && $0["pid"] == "" })
    #expect(report.ledger("difference") == 0)
    for row in expected {
      let connection = try #require(report.connections.rows.first { $0["client"] == row["client"] })
      let cells = Self.columns.map { row[$0] }
      #expect(Self.columns.map { connection[$0] } == cells, "\(row["client"])")
      let messages = report.messages.rows.filter { $0["connection"] == connection["connection"] }
      #expect(!messages.isEmpty && messages.allSatisfy { message in Self.columns.map { message[$0] } == cells })
      let exchanges = report.exchanges.rows.filter { $0["connection"] == connection["connection"] }
      #expect(!exchanges.isEmpty && exchanges.allSatisfy { $0["process"] == row["process"] })
    }
  }

  /// The same traffic costs the same, whoever says whose it is: what the formats add is in `link` and `synthetic` alone.
  @Test(arguments: files) func theFormatCostsNothing(_ file: String) throws {
    let (report, plain) = (try report(file), try report("rustnet.pcapng"))
    for name in ["network", "transport", "start_line", "header", "body", "framing", "opaque"] {
      #expect(report.ledger(name) == plain.ledger(name), "\(name)")
    }
    #expect(report.messages.rows.map { $0["ip_bytes"] } == plain.messages.rows.map { $0["ip_bytes"] })
    let dropped = file == "apple.pcapng" ? 3 : 0
    #expect(report.anomalies.rows.first { $0["name"] == "packet_dropped_by_system" }?.integer("count") ?? 0 == dropped)
    let synthetic = try #require(report.ledger("synthetic"))
    switch file {
    case "pktap-v1.pcap", "pktap-v2.pcapng", "pcapdroid.pcap", "apple.pcapng": #expect(synthetic > 0)
    default: #expect(synthetic == 0)
    }
  }

  @Test(arguments: files) func totalsByProcessAddUp(_ file: String) throws {
    let report = try report(file, ["--group-by", "process,host,path"])
    for column in ["request_ip_bytes", "response_ip_bytes", "requests", "responses"] {
      let isRequest = column.hasPrefix("request")
      for process in Set(report.messages.rows.map { $0["process"] }) {
        let messages = report.messages.rows.filter {
          $0["process"] == process && ($0["type"] == "request") == isRequest
        }
        let sum =
          column.hasSuffix("_ip_bytes") ? messages.sum("ip_bytes") : messages.filter { $0["type"] != "interim" }.count
        #expect(report.apis.rows.filter { $0["process"] == process }.sum(column) == sum, "\(process) \(column)")
      }
    }
  }

  @Test(arguments: files) func groupsByProcessAddUp(_ file: String) throws {
    let report = try report(file)
    try GroupSums.check(report, [Self.folder.appendingPathComponent(file).path])
    #expect(Set(report.messages.rows.map { $0["process"] }).count > 1 || file == "etl2pcapng.pcapng")
  }

  /// Rows join with the totals that they are counted under, whatever these are grouped by.
  @Test(
    .enabled(if: FormatWitness.python != nil, "needs python3"),
    arguments: [
      ["--template"], ["--group-by", "host"], ["--group-by", "process,host,path"],
      ["--group-by", "host,path,method,process", "--template"],
    ])
  func messagesJoinWithAPIs(_ options: [String]) throws {
    let path = scratch.path("joined")
    let capture = Self.folder.appendingPathComponent("apple.pcapng").path
    #expect(try Sniffer.run([capture, "-q", "-o", path, "--format", "sqlite"] + options).status == 0)
    let database = URL(fileURLWithPath: path).appendingPathComponent("report.sqlite")
    let wrong = try FormatWitness.query(
      """
      SELECT a.host, a.path, a.method, a.process FROM apis AS a LEFT JOIN api_messages AS m
      ON m.api_host IS a.host AND m.api_path IS a.path AND m.api_method IS a.method AND m.api_process IS a.process
      GROUP BY a.rowid HAVING sum(m.ip_bytes) IS NOT a.request_ip_bytes + a.response_ip_bytes
        OR sum(m.type = 'request') <> a.requests
      """, of: database)
    #expect(wrong == [])
    #expect(
      try FormatWitness.query(
        "SELECT (SELECT sum(ip_bytes) FROM api_messages) = (SELECT sum(request_ip_bytes + response_ip_bytes) FROM apis)",
        of: database) == ["1"])
    #expect(
      try FormatWitness.query(
        "SELECT sum(connections) = (SELECT count(*) FROM connections) FROM processes", of: database)
        == ["1"])
  }

  /// What a report says of how it was made.
  @Test(.enabled(if: FormatWitness.python != nil, "needs python3"))
  func metaSaysHowItWasMade() throws {
    let path = scratch.path("meta")
    let capture = Self.folder.appendingPathComponent("rustnet.pcapng").path
    let arguments = [
      capture, "-q", "-o", path, "--format", "sqlite,csv", "--template", "--filter", "tcp port 80", "--no-decode",
      "--idle-timeout", "30", "--group-by", "host,path,process",
    ]
    #expect(try Sniffer.run(arguments).status == 0)
    let database = URL(fileURLWithPath: path).appendingPathComponent("report.sqlite")
    func meta(_ name: String) throws -> String? {
      try FormatWitness.query("SELECT value FROM meta WHERE name = '\(name)'", of: database).first
    }
    #expect(try meta("template") == "identifiers" && meta("filter") == "tcp port 80")
    #expect(try meta("options") == "--no-decode --idle-timeout 30.0" && meta("grouping") == "host,path,process")
    let report = try Report(folder: URL(fileURLWithPath: path))
    let opened = report.connections.rows.map { $0.integer("opened") }.min()
    let closed = report.connections.rows.map { $0.integer("closed") }.max()
    #expect(try meta("first_time").flatMap(Int.init) == opened && meta("last_time").flatMap(Int.init) == closed)
  }

  /// Two reports by process compare by it.
  @Test func comparedByProcess() throws {
    let (base, new) = (scratch.path("base"), scratch.path("new"))
    for (folder, file) in [(base, "rustnet.pcapng"), (new, "apple.pcapng")] {
      let capture = Self.folder.appendingPathComponent(file).path
      #expect(try Sniffer.run([capture, "-q", "-o", folder, "--group-by", "process,host,path"]).status == 0)
    }
    let outcome = try Sniffer.run(["diff", base, new])
    #expect(outcome.status == 0, "\(outcome.error)")
    // One process has a space in its name, for which rustnet writes a line.
    #expect(outcome.output.contains("weather app: ") && outcome.output.contains("weather_app: "))
  }
}
