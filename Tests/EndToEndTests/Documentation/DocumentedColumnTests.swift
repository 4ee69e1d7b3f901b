import Foundation
import TestSupport
import Testing

/// Every column of every file is explained on its page.
@Suite struct DocumentedColumnTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    let folder = try ReadersFolder()
    for command in [
      "sniffer budget capture.pcap --budget budget.yaml -q -o csv --group-by host,path,method --format csv,sqlite",
      "sniffer verify capture.pcap --log app.csv -q -o csv", "sniffer models capture.pcap -q -o csv",
    ] {
      let outcome = try folder.outcome(of: command)
      try #require(outcome.status == 0, "\(command): \(outcome.error)")
    }
    try FileManager.default.moveItem(
      at: folder.scratch.url.appendingPathComponent("csv"), to: scratch.url.appendingPathComponent("csv"))
  }

  private func columns(_ file: String) throws -> [String] {
    let text = try String(contentsOf: scratch.url.appendingPathComponent("csv/\(file)"), encoding: .utf8)
    return text.prefix { $0 != "\r" && $0 != "\n" && $0 != "\r\n" }.split(separator: ",").map(String.init)
  }

  @Test(arguments: [
    ("messages.csv", "docs/reports.md", "messages.csv"), ("exchanges.csv", "docs/reports.md", "exchanges.csv"),
    ("apis.csv", "docs/reports.md", "apis.csv"), ("connections.csv", "docs/reports.md", "connections.csv"),
    ("hosts.csv", "docs/reports.md", "hosts.csv"), ("timeline.csv", "docs/reports.md", "timeline.csv"),
    ("steps.csv", "docs/reports.md", "steps.csv"),
    ("contents.csv", "docs/reports.md", "contents.csv"), ("fields.csv", "docs/reports.md", "fields.csv"),
    ("grpc.csv", "docs/reports.md", "grpc.csv"), ("websockets.csv", "docs/reports.md", "websockets.csv"),
    ("anomalies.csv", "docs/reports.md", "anomalies.csv"), ("ledger.csv", "docs/reports.md", "The ledger"),
    ("verify.csv", "docs/verify.md", "verify.csv"), ("budget.csv", "docs/budget.md", "budget.csv"),
  ])
  func columnsAreExplained(_ file: String, _ page: String, _ heading: String) throws {
    let section = try #require(Document.page(page)?.section(heading), "\(page) has no section \(heading)")
    let columns = try columns(file)
    #expect(columns.count >= 2)
    #expect(columns.filter { !section.contains("`\($0)`") } == [], "columns of \(file) that \(page) does not explain")
  }

  /// The pages of the ledger have every row of it.
  @Test(arguments: ["docs/reports.md", "docs/ledger.md"])
  func rowsOfTheLedgerAreExplained(_ page: String) throws {
    let text = try #require(Document.page(page)).text
    let ledger = try CSVFile([UInt8](Data(contentsOf: scratch.url.appendingPathComponent("csv/ledger.csv"))))
    #expect(ledger.rows.count >= 30)
    #expect(ledger.rows.map { $0["class"] }.filter { !text.contains("`\($0)`") } == [])
  }

  /// The page of the models has the first and the last of columns that are alike, and requests for both.
  @Test(arguments: ["models.csv", "model_messages.csv"])
  func columnsOfTheModelsAreExplained(_ file: String) throws {
    let section = try #require(Document.page("docs/models.md")?.section("Files"))
    let missing = try columns(file).filter { column in
      let ofRequests = column.hasPrefix("response_") ? "request_" + column.dropFirst("response_".count) : column
      let first = ofRequests.replacing(#/(header|body|framing|total)_(?=bytes|estimate|error)/#, with: "line_")
      return !section.contains("`\(column)`") && !section.contains("`\(first)`")
    }
    #expect(missing == [], "columns of \(file) that docs/models.md does not explain")
    #expect(section.contains("`response_…`"))
  }

  @Test(.enabled(if: FormatWitness.python != nil, "needs python3"))
  func columnsOfTheDatabaseAreExplained() throws {
    let pages = ["docs/reports.md", "docs/sqlite.md"].compactMap { Document.page($0)?.text }.joined()
    let names = try FormatWitness.query(
      "SELECT DISTINCT t.name || '.' || c.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type IN "
        + "('table', 'view') AND t.name NOT LIKE 'sqlite_%'",
      of: scratch.url.appendingPathComponent("csv/report.sqlite"))
    #expect(names.count > 100)
    let missing = names.filter { name in
      let parts = name.split(separator: ".")
      // The columns of `meta` and `captures` are said in words.
      let isInWords = parts[0] == "meta" || parts[0] == "captures"
      return !pages.contains("`\(parts[0])`") || !isInWords && !pages.contains("`\(parts[1])`")
    }
    #expect(missing == [])
  }

  @Test(arguments: ["node-chunked", "nginx-gzip", "errors-aborts", "snaplen-96", "one-sided"])
  func fieldsOfTheHARAreExplained(_ capture: String) throws {
    let page = try #require(Document.page("docs/har.md")).text
    let folder = try Scratch()
    let file = try Corpus.capture(capture)
    let arguments = [file.path, "-q", "--format", "har", "--har-content", "headers,queries,bodies"]
    #expect(try Sniffer.run(arguments + ["-o", folder.path("har")]).status == 0)
    let text = try String(contentsOf: folder.url.appendingPathComponent("har/report.har"), encoding: .utf8)
    let names = Set(text.matches(of: #/"(_[A-Za-z]+)":/#).map { String($0.output.1) })
    #expect(names.count > 10)
    #expect(names.filter { !page.contains("`\($0)`") } == [], "fields that docs/har.md does not explain")
  }
}
