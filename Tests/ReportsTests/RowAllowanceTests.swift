import Foundation
import GRDB
import HTTPReassembly
import Testing

@testable import Reports
@testable import Tabular

/// Rows end where the allowance of a run does: whole, counted, in every format.
@Suite struct RowAllowanceTests {
  private let folder = TemporaryFolder()

  @Test func closedForGood() {
    let allowance = RowAllowance(100)
    #expect(allowance.take(60) && allowance.hasRoom(for: 40) && !allowance.hasRoom(for: 41))
    #expect(!allowance.take(41) && !allowance.isOpen)
    #expect(!allowance.take(1))
    allowance.giveBack(60)
    #expect(!allowance.take(1))
    allowance.renew(10)
    #expect(allowance.take(10) && !allowance.take(1))
    #expect(RowAllowance().take(.max))
  }

  @Test(arguments: [
    ("4096", 4096), ("20 kB", 20_000), ("1.5MiB", 1_572_864), ("2GiB", 2 << 30), ("0", 0), ("0.5 kB", 500),
  ])
  func amounts(_ text: String, _ octets: Int) { #expect(OctetAmount(text)?.octets == octets) }

  @Test(arguments: ["", "x", "-1", "1 k", "1.0001 kB", "1,5 MiB", "99999999999999999999", "9999999999 GiB", "1 MiB "])
  func noAmounts(_ text: String) { #expect(OctetAmount(text) == nil) }

  /// Exchanges of one request and one response each, and then their connection.
  private func write(_ count: Int, _ formats: [ReportFormat], _ octets: Int?, to name: String) throws -> ReportSet {
    var texts = TextPool()
    let path = texts.intern(Array("/a/path".utf8))
    let context = ReportContext(
      grouping: .init(path: true, method: false), toolVersion: "1", allowance: RowAllowance(octets))
    var reports = try ReportSet(formats, folder: folder.path + "/" + name, context)
    for number in 1...count {
      for (kind, message) in [(MessageKind.request, number * 2 - 1), (.response, number * 2)] {
        var row = Message()
        row.number = message
        row.exchange = number
        row.connection = 7
        row.kind = kind
        row.firstTime = Int64(message)
        row.path = path
        row.client = client
        row.server = server
        try reports.message(row, texts: texts)
      }
      var exchange = Exchange()
      exchange.number = number
      exchange.request = number * 2 - 1
      exchange.response = number * 2
      try reports.exchange(exchange, texts: texts)
    }
    var connection = Connection()
    connection.number = 7
    try reports.connection(connection, texts: texts)
    try reports.finish(emptyTotals())
    return reports
  }

  private func length(_ name: String) throws -> Int {
    try #require(try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)[.size] as? Int)
  }

  @Test func csvAndNDJSONEndWithWholeRows() throws {
    let all = try write(500, [.csv, .ndjson], nil, to: "all")
    #expect(all.leftOut.count == 0)
    let reports = try write(500, [.csv, .ndjson], 100_000, to: "some")
    let names = ["messages.csv", "exchanges.csv", "connections.csv", "messages.ndjson"]
    let lengths = try names.map { try length("some/" + $0) }
    // Beside the rows there are headers. A quarter is kept for totals.
    #expect(lengths.reduce(0, +) <= 75_000 + 2000 && lengths.reduce(0, +) > 70_000)
    for name in names {
      #expect(folder.text("all/" + name).utf8.starts(with: folder.text("some/" + name).utf8), "\(name)")
      #expect(folder.text("some/" + name).utf8.last == UInt8(ascii: "\n"), "\(name)")
    }
    let messages = folder.rows("some/messages.csv").count
    let exchanges = folder.rows("some/exchanges.csv").count
    #expect(abs(reports.leftOut.messages - (1000 - messages)) <= 1)
    #expect(abs(reports.leftOut.exchanges - (500 - exchanges)) <= 1)
    #expect(reports.leftOut.connections == 1 && folder.rows("some/connections.csv").isEmpty)
    #expect(folder.rows("some/anomalies.csv").count == 1)
    #expect(folder.rows("some/anomalies.csv")[0].hasPrefix("report_full,\(reports.leftOut.count),"))
    #expect(folder.rows("all/anomalies.csv").isEmpty)
  }

  @Test func databaseSaysIt() throws {
    let reports = try write(500, [.sqlite], 60_000, to: "some")
    let database = try DatabaseQueue(path: folder.path + "/some/report.sqlite")
    let (messages, said) = try database.read { database in
      (
        try Int.fetchOne(database, sql: "SELECT count(*) FROM messages") ?? 0,
        try Int.fetchOne(database, sql: "SELECT count FROM anomalies WHERE name = 'report_full'")
      )
    }
    #expect(messages > 100 && messages + reports.leftOut.messages == 1000)
    #expect(said == reports.leftOut.count)
  }

  /// Rows of totals count, all formats together. APIs, hosts, the ledger and anomalies are whole all the same.
  @Test(arguments: [[ReportFormat.csv, .ndjson, .sqlite, .parquet], [.parquet, .sqlite, .ndjson, .csv]])
  func totalsCount(_ formats: [ReportFormat]) throws {
    var totals = emptyTotals()
    totals.apis = (0..<50).map { api("/\($0)", up: 10, down: 10, in: &totals.texts) }
    totals.fields = (0..<1000).map { number in
      var field = FieldTotals()
      field.name = Array("x-\(number)".utf8)
      return field
    }
    func write(_ octets: Int?, to name: String) throws -> ReportSet {
      let context = ReportContext(
        grouping: .init(path: true, method: false), toolVersion: "1", allowance: RowAllowance(octets))
      var reports = try ReportSet(formats, folder: folder.path + "/" + name, context)
      // Twice, as in a live run: what was replaced does not count.
      try reports.flush(totals) { _ in }
      try reports.finish(totals)
      return reports
    }
    #expect(try write(nil, to: "all").leftOut == LeftOutRows())
    let reports = try write(100_000, to: "some")
    let leftOut = reports.leftOut
    #expect(leftOut.totals > 1000 && leftOut.totals < 4000 && leftOut.count == 0)
    #expect(leftOut.text?.contains("timeline, contents and fields") == true)
    func rows(_ name: String) throws -> (fields: Int, apis: Int, said: Int) {
      let database = try DatabaseQueue(path: folder.path + "/" + name + "/report.sqlite")
      return try database.read { database in
        (
          try Int.fetchOne(database, sql: "SELECT count(*) FROM fields") ?? 0,
          try Int.fetchOne(database, sql: "SELECT count(*) FROM apis") ?? 0,
          try Int.fetchOne(database, sql: "SELECT count FROM anomalies WHERE name = 'report_full'") ?? 0
        )
      }
    }
    #expect(try rows("all") == (1000, 50, 0))
    let database = try rows("some")
    #expect(database.apis == 50 && database.fields + database.said == 1000)
    let fields = folder.rows("some/fields.csv").count
    let lines = folder.text("some/fields.ndjson").utf8.split(separator: UInt8(ascii: "\n")).count
    #expect(folder.rows("some/apis.csv").count == 50)
    let said = folder.rows("some/anomalies.csv").first { $0.hasPrefix("report_full,") } ?? "report_full,0,"
    #expect(said.hasPrefix("report_full,\(1000 - fields),"))
    // The first format is served first, and all together keep to it; each table has its header besides.
    #expect(formats[0] == .csv ? fields == 1000 : fields == 0)
    // What the summary says is what is missing in these and in Parquet's table.
    let missing = (1000 - fields) + (1000 - lines) + database.said
    #expect(missing <= leftOut.totals && leftOut.totals <= missing + 1000)
    #expect(folder.text("all/fields.csv").utf8.starts(with: folder.text("some/fields.csv").utf8))
    let lengths = try ["fields.csv", "apis.csv", "fields.ndjson"].map { try length("some/" + $0) }
    #expect(lengths.reduce(0, +) <= 100_000 + 2000)
  }

  /// Entries are there as a whole or not at all, however little is allowed, and the file is JSON.
  @Test(arguments: [0, 1, 5000, 20_000, 77_777, 1 << 30])
  func archiveIsWhole(_ octets: Int) throws {
    _ = try write(60, [.har], octets, to: "har")
    let data = try #require(FileManager.default.contents(atPath: folder.path + "/har/report.har"))
    let root = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let log = try #require(root["log"] as? [String: Any])
    let entries = try #require(log["entries"] as? [[String: Any]])
    for entry in entries {
      #expect((entry["request"] as? [String: Any])?["_wireMessage"] != nil)
      #expect((entry["response"] as? [String: Any])?["_wireMessage"] != nil)
      #expect(entry["connection"] != nil)
    }
    #expect(entries.count + (log["_wireEntriesLeftOut"] as? Int ?? 0) == 60)
    #expect(octets < 1 << 30 ? entries.count < 60 : entries.count == 60)
    // The first entry is there in any case.
    #expect(!entries.isEmpty && data.count < octets + 8192)
  }

  /// An exchange that begins first and ends last, when there is no room any more, is completed without its content.
  @Test func entriesThatHaveBegunAreCompleted() throws {
    let allowance = RowAllowance(12_000)
    let report = try HARReport(folder: folder.path, allowance: allowance)
    let texts = TextPool()
    func message(_ number: Int, _ exchange: Int, _ kind: MessageKind) -> Message {
      var message = Message()
      message.number = number
      message.exchange = exchange
      message.kind = kind
      return message
    }
    func exchange(_ number: Int) -> Exchange {
      var exchange = Exchange()
      exchange.number = number
      exchange.request = 1
      exchange.response = 2
      return exchange
    }
    for number in 2...40 { try report.message(message(number, number, .request), texts: texts) }
    #expect(!allowance.isOpen)
    for number in (2...40).reversed() {
      try report.message(message(100 + number, number, .interim), texts: texts)
      try report.message(message(200 + number, number, .response), texts: texts)
      try report.exchange(exchange(number), texts: texts)
    }
    try report.message(message(41, 1, .request), texts: texts)
    try report.message(message(42, 1, .response), texts: texts)
    try report.exchange(exchange(1), texts: texts)
    try report.finish(emptyTotals())
    let root = try JSONSerialization.jsonObject(with: Data(folder.text("report.har").utf8)) as? [String: Any]
    let log = try #require(root?["log"] as? [String: Any])
    let entries = try #require(log["entries"] as? [[String: Any]])
    let numbers = entries.compactMap { ($0["request"] as? [String: Any])?["_wireExchange"] as? Int }
    #expect(numbers == Array(1...entries.count) && entries.count > 1)
    #expect(log["_wireEntriesLeftOut"] as? Int == 40 - entries.count)
    let interims = entries.dropFirst().compactMap { ($0["response"] as? [String: Any])?["_wireInterim"] }
    #expect(interims.count == entries.count - 1)
  }

  @Test func renewedAllowanceTakesRowsAgain() throws {
    let context = ReportContext(
      grouping: .init(path: true, method: false), toolVersion: "1", allowance: RowAllowance(300))
    var reports = try ReportSet([.csv], folder: folder.path, context, isLive: true)
    for number in 1...10 {
      var message = Message()
      message.number = number
      try reports.message(message, texts: TextPool())
      if number == 5 { reports.renewAllowance(300) }
    }
    try reports.finish(emptyTotals())
    let rows = folder.rows("messages.csv").map { $0.prefix { $0 != "," } }
    #expect(rows.contains("1") && rows.contains("6") && !rows.contains("5") && !rows.contains("10"))
    #expect(rows.count + reports.leftOut.messages == 10)
  }
}
