import Foundation
import Testing

/// A folder with every file that the commands of the pages name.
struct ReadersFolder {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    let capture = try Corpus.capture("nginx-keepalive")
    for name in ["capture", "before", "after", "iphone", "app"] {
      try FileManager.default.copyItem(at: capture.url, to: scratch.url.appendingPathComponent("\(name).pcap"))
    }
    let octets = try PcapOctets(capture.url)
    let half = octets.records.count / 2
    _ = try scratch.file("part-1.pcap", octets.part(0..<half))
    _ = try scratch.file("part-2.pcap", octets.part(half..<octets.records.count))
    try FileManager.default.createSymbolicLink(
      at: scratch.url.appendingPathComponent("captures"), withDestinationURL: Corpus.folder)
    try run("gzip part-2.pcap")
    // A page may go on with what another page's command has written.
    try run("sniffer capture.pcap -q -o report --format csv,ndjson,sqlite,har,parquet")
    try run("cp -r report base && cp -r report new")
    try run("cp report/messages.ndjson . && cp report/report.har app.har")
    try run(
      "sqlite3 app.sqlite \"ATTACH 'report/report.sqlite' AS r; CREATE TABLE traffic AS SELECT * FROM r.app_log\"")
    _ = try scratch.file("marks.csv", Array("time,label\n1700000000,start\n".utf8))
    _ = try scratch.file("keys.log", Array("# secrets of nothing\n".utf8))
    let budget = try #require(Document.page("docs/budget.md")?.blocks("yaml").first)
    _ = try scratch.file("budget.yaml", Array(budget.utf8))
    _ = try scratch.file("paths.txt", Array("/users/{id}\n".utf8))
    _ = try scratch.file("openapi.yaml", Array("paths:\n  /users/{id}: {}\n".utf8))
    let log = AppLogFile(try Report(folder: scratch.url.appendingPathComponent("report")).messages)
    _ = try scratch.file("app.csv", Array(log.text.utf8))
    _ = try scratch.file(
      "monitor.csv", Array(log.text.replacingOccurrences(of: "host,path,type", with: "Domain,Uri,Kind").utf8))
    _ = try scratch.file("metrics.json", [UInt8](try Self.taskMetrics(log)))
  }

  /// Runs a command there, with the `sniffer` under test.
  func outcome(of command: String) throws -> Outcome {
    let path = Sniffer.url.deletingLastPathComponent().path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
    return try Command.shell("cd \"$1\" && " + command, [scratch.url.path], environment: ["PATH": path])
  }

  private func run(_ command: String) throws {
    let outcome = try outcome(of: command)
    try #require(outcome.status == 0, "\(command): \(outcome.error)")
  }

  /// The requests of a log as the system's metrics: the start-line counts into the header.
  private static func taskMetrics(_ log: AppLogFile) throws -> Data {
    let tasks = log.rows.filter { $0.type == "request" }.map { row in
      let sent: [String: Any] = [
        "request": ["url": "http://\(row.host)\(row.path)", "httpMethod": "GET"],
        "countOfRequestHeaderBytesSent": row.line + row.header, "countOfRequestBodyBytesSent": row.body,
        "requestStartDate": Double(row.time) / 1e9 - 978_307_200,
      ]
      return ["transactionMetrics": [sent]]
    }
    return try JSONSerialization.data(withJSONObject: tasks)
  }
}
