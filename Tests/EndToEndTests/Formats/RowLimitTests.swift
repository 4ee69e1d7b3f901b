import Foundation
import TestSupport
import Testing

/// How much a run writes: in proportion to its capture, and no more than `--max-report`. The totals are exact all the same.
@Suite struct RowLimitTests {
  private let scratch: Scratch
  private let capture: URL
  private static let interims = 2000
  private static let pathLength = 30_000

  init() throws {
    scratch = try Scratch()
    let request = "GET /\(String(repeating: "p", count: Self.pathLength - 1)) HTTP/1.1\r\nHost: a.example\r\n\r\n"
    let interim = String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: Self.interims)
    capture = try scratch.file("capture.pcap")
    // One packet takes 64 KiB at most.
    try Data(
      HandMadeCapture.octets(request: request, response: interim + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    ).write(to: capture)
  }

  private func length(_ name: String, in folder: String) throws -> Int {
    let path = scratch.path(folder) + "/" + name
    return try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
  }

  private func run(_ formats: String, _ options: [String], to folder: String) throws -> Outcome {
    try Sniffer.run([capture.path, "-o", scratch.path(folder), "--format", formats] + options)
  }

  @Test(.enabled(if: FormatWitness.python != nil, "needs Python"))
  func aReportIsInProportionToItsCapture() throws {
    #expect(try run("csv,ndjson,sqlite,har,html", [], to: "all").status == 0)
    // A whole path in every row, twice, would be 120 MB.
    let limits = [
      "messages.csv": 2_900_000, "messages.ndjson": 4_500_000, "report.sqlite": 5_500_000, "report.har": 200_000,
    ]
    for (name, limit) in limits { #expect(try length(name, in: "all") < limit, "\(name)") }
    #expect(try FormatWitness.differences(in: scratch.url.appendingPathComponent("all")) == "")
    let report = try Report(folder: scratch.url.appendingPathComponent("all"))
    #expect(report.messages.rows.count == Self.interims + 2)
    for row in report.messages.rows {
      #expect(
        row["type"] == "interim"
          ? row["path"].hasSuffix("p\\+\(Self.pathLength - 256)") : row["path"].utf8.count == Self.pathLength)
    }
    // The totals go by the whole path: one API.
    #expect(report.apis.rows.count == 1 && report.apis.rows[0]["path"].utf8.count == Self.pathLength)
    #expect(
      report.apis.rows[0].integer("response_bytes") == report.messages.rows.dropFirst().map { $0 }.sum("message_bytes"))
  }

  /// The totals of an API's fields have a row for each field, and its name once.
  @Test func totalsAreInProportionToTheirCapture() throws {
    let fields = (0..<200).map { "f\($0):\r\n" }.joined()
    let path = "/" + String(repeating: "p", count: Self.pathLength - 1)
    try Data(
      HandMadeCapture.octets(
        request: "GET \(path) HTTP/1.1\r\nHost: a.example\r\n\(fields)\r\n",
        response: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
    ).write(to: capture)
    #expect(try run("csv,ndjson,sqlite,har,html,parquet", [], to: "all").status == 0)
    #expect(try length("fields.csv", in: "all") < Self.pathLength + 100_000)
    #expect(try length("fields.ndjson", in: "all") < Self.pathLength + 150_000)
    #expect(try length("report.sqlite", in: "all") < 1_000_000)
    let rows = try CSVFile([UInt8](Data(contentsOf: URL(fileURLWithPath: scratch.path("all") + "/fields.csv")))).rows
    #expect(rows.count > 200 && rows.filter { $0["path"] == path }.count == 1)
    #expect(rows.dropFirst().allSatisfy { $0["path"].hasSuffix("p\\+\(Self.pathLength - 256)") })
    #expect(
      try FormatWitness.python == nil || FormatWitness.differences(in: scratch.url.appendingPathComponent("all")) == "")
  }

  @Test(arguments: ["csv", "ndjson", "sqlite", "har", "csv,ndjson,sqlite,har,html"], [0, 1000, 100_000, 300_000])
  func rowsEndAtTheLimit(_ formats: String, _ limit: Int) throws {
    let outcome = try run(formats, ["--max-report", "\(limit)"], to: "some")
    #expect(outcome.status == 0 && outcome.outputLines.last?.hasPrefix("ledger balanced: ") == true)
    // An archive has one entry, which fits into the larger ones of these limits.
    let isSaid = outcome.output.contains("rows left out of the reports, beyond --max-report: messages")
    #expect(isSaid == (formats != "har" || limit < 100_000))
    var written = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: scratch.path("some")) {
      switch name {
      case "messages.csv", "exchanges.csv", "connections.csv", "messages.ndjson":
        let octets = try [UInt8](Data(contentsOf: URL(fileURLWithPath: scratch.path("some") + "/" + name)))
        written += octets.count
        #expect(octets.isEmpty || octets.last == UInt8(ascii: "\n"))
        if name.hasSuffix(".csv") { _ = try CSVFile(octets) }
        if name.hasSuffix("json") {
          for line in octets.split(separator: UInt8(ascii: "\n")) {
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line)) }
          }
        }
      case "report.har":
        let data = try Data(contentsOf: URL(fileURLWithPath: scratch.path("some") + "/report.har"))
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: data) }
      default: break
      }
    }
    // Beside rows there are headers.
    #expect(written <= limit + 2000)
    guard formats.contains("csv") else { return }
    let report = try Report(folder: scratch.url.appendingPathComponent("some"))
    #expect(try run("csv", [], to: "all").status == 0)
    let all = try Report(folder: scratch.url.appendingPathComponent("all"))
    #expect(report.octets("apis.csv") == all.octets("apis.csv"))
    #expect(report.octets("ledger.csv") == all.octets("ledger.csv"))
    let anomaly = try #require(report.anomalies.rows.first { $0["name"] == "report_full" })
    // These tables end with the limit. All others count and stay whole.
    let missing = [
      (report.messages, all.messages), (report.exchanges, all.exchanges), (report.connections, all.connections),
      (report.timeline, all.timeline), (report.contents, all.contents), (report.fields, all.fields),
    ]
    .reduce(0) { $0 + $1.1.rows.count - $1.0.rows.count }
    #expect((0...1).contains(anomaly.integer("count") - missing))
    #expect(all.anomalies.rows.allSatisfy { $0["name"] != "report_full" })
  }

  /// However many threads there are, the same rows are left out.
  @Test func theSameRowsWithEveryNumberOfThreads() throws {
    let lines = try ["1", "2", "4"].map { jobs in
      let options = ["--max-report", "200kB", "--jobs", jobs]
      #expect(try run("csv", options, to: jobs).status == 0)
      return try Report(folder: scratch.url.appendingPathComponent(jobs))
    }
    #expect(lines[0].messages.rows.count > 100 && lines[0].messages.rows.count < Self.interims)
    #expect(lines[0].differences(from: lines[1]).isEmpty && lines[0].differences(from: lines[2]).isEmpty)
  }

  @Test func messagesOfModelsAndRowsOfVerifyKeepToIt() throws {
    let outcome = try Sniffer.run(["models", capture.path, "-o", scratch.path("models"), "--max-report", "100 kB"])
    #expect(outcome.status == 0 && outcome.error.contains("model_messages.csv lacks "))
    #expect(try length("model_messages.csv", in: "models") < 102_000)
    #expect(try Sniffer.run(["models", capture.path, "-o", scratch.path("models")]).status == 0)
    #expect(try length("model_messages.csv", in: "models") < 14 * Self.interims * 600)
    let log = try scratch.file("log.csv")
    try "host,path,type,occur_time,length\na.example,/x,request,1700000000000,10\n".write(
      to: log, atomically: true, encoding: .utf8)
    let verified = try Sniffer.run([
      "verify", capture.path, "--log", log.path, "-o", scratch.path("verified"), "--max-report", "50kB",
    ])
    #expect(verified.error.contains("verify.csv lacks "), "\(verified.error)")
    #expect(try length("verify.csv", in: "verified") < 52_000)
  }

  @Test(arguments: ["", "x", "-1", "10 %", "1e9"])
  func wrongAmounts(_ text: String) throws {
    #expect(try run("csv", ["--max-report=\(text)"], to: "none").status == 64)
  }

  @Test func thereHasToBeAFolder() throws {
    #expect(try Sniffer.run([capture.path, "--max-report", "1GiB"]).status == 64)
    #expect(try Sniffer.run([capture.path, "-o", "-", "--format", "ndjson", "--max-report", "1GiB"]).status == 64)
  }
}
