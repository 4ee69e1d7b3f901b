import Foundation
import TestSupport
import Testing

/// `--json`, `--top`, `--sort`, `--where` and `COLUMNS`, held against the rows of the reports of the same run.
@Suite struct SummaryOptionTests {
  private static let capture = "demo"

  private func document(_ outcome: Outcome) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(outcome.outputOctets))
    return try #require(value as? [String: Any])
  }

  private func rows(_ document: [String: Any], _ table: String) throws -> [[String: Any]] {
    try #require((document[table] as? [String: Any])?["rows"] as? [[String: Any]])
  }

  @Test func theDocumentSaysWhatTheFilesSay() throws {
    let capture = try Corpus.capture(Self.capture)
    let analysis = try FileAnalysis(["--json", "--quiet", "--top", "0", "--template", capture.path])
    let document = try document(analysis.outcome)
    #expect(analysis.outcome.status == 0 && analysis.outcome.error.isEmpty)
    let rows = try rows(document, "apis")
    #expect(rows.count > 10 && rows.count == analysis.report.apis.rows.count)
    for row in rows {
      let same = analysis.report.apis.rows.filter { cells in
        row.allSatisfy { name, value in
          value is NSNull
            ? cells[name].isEmpty : (value as? String ?? (value as? NSNumber)?.stringValue) == cells[name]
        }
      }
      #expect(same.count == 1, "\(row)")
    }
    let ledger = try #require(document["ledger"] as? [String: Int])
    #expect(ledger.count == analysis.report.ledger.rows.count)
    for (name, value) in ledger { #expect(analysis.report.ledger(name) == value) }
    let anomalies = try #require(document["anomalies"] as? [[String: Any]])
    #expect(anomalies.compactMap { $0["name"] as? String } == analysis.report.anomalies.rows.map { $0["name"] })
    #expect(document["balanced"] as? Bool == true && document["captures"] as? [String] == [capture.path])
    let files = (document["report"] as? [String: Any])?["files"] as? [String] ?? []
    #expect(Set(files).isSuperset(of: ["apis.csv", "ledger.csv"]))
  }

  /// Whether a condition holds for a row of `exchanges.csv` and the rows of its messages.
  private typealias Holds = @Sendable (CSVFile.Row, _ request: CSVFile.Row?, _ response: CSVFile.Row?) -> Bool

  private static let isError: Holds = { exchange, _, _ in exchange.integer("status") >= 400 }
  private static let isNoGet: Holds = { exchange, _, _ in
    exchange["host"] == "api.example.com" && exchange["method"] != "GET"
  }
  private static let isJSONOrLong: Holds = { _, request, response in
    if response?["content_type"].contains("json") == true { return true }
    return (request?.integer("body_bytes") ?? 0) > 100
  }
  private static let isSlow: Holds = { exchange, _, _ in (Double(exchange["wait_ms"]) ?? 0) > 1.5 }
  private static let hasNone: Holds = { exchange, _, _ in exchange["response"].isEmpty }

  private static let conditions: [(text: String, holds: Holds)] = [
    ("status >= 400", isError), (#"host == "api.example.com" && !(method == "GET")"#, isNoGet),
    (#"response_content_type =~ "JSON" || request_body_bytes > 100"#, isJSONOrLong), ("wait_ms > 1.5", isSlow),
    ("response == unknown", hasNone),
  ]

  @Test(arguments: conditions.indices) func whereSelectsTheRowsForWhichItHolds(_ index: Int) throws {
    let (text, holds) = Self.conditions[index]
    let capture = try Corpus.capture(Self.capture)
    let whole = try FileAnalysis.of(capture).report
    let outcome = try Sniffer.run(["--json", "--top", "0", "--where", text, "--by", "status", capture.path])
    let document = try document(outcome)
    let messages = Dictionary(uniqueKeysWithValues: whole.messages.rows.map { ($0["message"], $0) })
    let selected = whole.exchanges.rows.filter { holds($0, messages[$0["request"]], messages[$0["response"]]) }
    let said = try #require(document["where"] as? [String: Any])
    #expect(said["exchanges"] as? Int == selected.count && said["condition"] as? String == text)
    #expect(said["exchanges_left_out"] as? Int == whole.exchanges.rows.count - selected.count)
    let octets = selected.reduce(0) { $0 + $1.integer("ip_bytes") }
    #expect((document["totals"] as? [String: Any])?["ip_bytes"] as? Int == octets)
    let sum = try rows(document, "groups").reduce(0) { $0 + ($1["ip_bytes"] as? Int ?? 0) }
    #expect(sum == octets)
    let all = whole.messages.rows.reduce(0) { $0 + $1.integer("ip_bytes") }
    #expect(said["ip_bytes_left_out"] as? Int == all - octets)
    // What the condition does not hold for is in the ledger all the same.
    #expect((document["ledger"] as? [String: Int])?["total"] == whole.ledger("total"))
    if index < 3 { #expect(!selected.isEmpty && selected.count < whole.exchanges.rows.count) }
  }

  @Test func reportsStayWhole() throws {
    let capture = try Corpus.capture(Self.capture)
    let selected = try FileAnalysis(["--where", "status == 404", "--top", "1", "--sort", "requests", capture.path])
    #expect(try selected.report.differences(from: FileAnalysis.of(capture).report).isEmpty)
    #expect(selected.outcome.output.contains("\nwhere status == 404: "))
  }

  @Test(arguments: [
    (["--where", "status => 400"], "character 8"), (["--where", "host == 4"], "character 9"),
    (["--where", "nothing == 4"], "no column nothing"), (["--where", ""], "empty"), (["--top", "-1"], "--top"),
    (["--sort", "request_byte"], "did you mean request_bytes?"), (["--sort", "path", "--by", "host"], "up_bytes"),
    (["--sort", "method"], "no column 'method'"), (["--json", "--format", "ndjson", "-o", "-"], "standard output"),
  ])
  func wrongOnesAreUsage(_ options: [String], _ words: String) throws {
    let capture = try Corpus.capture("nginx-keepalive")
    let outcome = try Sniffer.run(options + [capture.path])
    #expect(outcome.status == 64 && outcome.output.isEmpty)
    #expect(outcome.error.contains(words), "\(outcome.error)")
  }

  @Test func modelsWriteADocument() throws {
    let capture = try Corpus.capture("nginx-keepalive")
    let outcome = try Sniffer.run(["models", "--json", "--model", "networkeye,okhttp", capture.path])
    let document = try document(outcome)
    #expect(outcome.status == 0 && document["command"] as? String == "models")
    let models = try #require(document["models"] as? [[String: Any]])
    #expect(models.count == 2)
    let report = try FileAnalysis.of(capture).report
    let wire = try #require(((models.last?["requests"] as? [String: Any])?["wire"] as? [String: Int])?["total_bytes"])
    #expect(wire == report.apis.rows.reduce(0) { $0 + $1.integer("request_bytes") })
  }

  /// `--where` of models leaves messages out of the summary, and of nothing else.
  @Test func modelsKnowConditions() throws {
    let capture = try Corpus.capture(Self.capture)
    let scratch = try Scratch()
    func run(_ options: [String], _ name: String) throws -> [String: Any] {
      let output = scratch.path(name)
      return try document(
        try Sniffer.run(["models", "--json", "--model", "okhttp", capture.path, "-o", output] + options))
    }
    let (all, some) = (try run([], "all"), try run(["--where", "status >= 300"], "some"))
    let none = try run(["--where", "host == 'nowhere.example'"], "none")
    func requests(_ document: [String: Any]) throws -> (messages: Int, wire: Int) {
      let model = try #require((document["models"] as? [[String: Any]])?.first)
      let requests = try #require(model["requests"] as? [String: Any])
      let wire = try #require((requests["wire"] as? [String: Int])?["total_bytes"])
      return (try #require(requests["messages"] as? Int), wire)
    }
    let report = try FileAnalysis.of(capture).report
    let exchanges = Set(
      report.exchanges.rows.filter { $0["status"] != "" && $0.integer("status") >= 300 }.map { $0["exchange"] })
    let rows = report.messages.rows.filter { $0["type"] == "request" && exchanges.contains($0["exchange"]) }
    #expect(!rows.isEmpty && exchanges.count < report.exchanges.rows.count)
    #expect(try requests(some) == (rows.count, rows.reduce(0) { $0 + $1.integer("message_bytes") }))
    #expect(try requests(none) == (0, 0))
    #expect(try requests(all).messages > rows.count && all["where"] is NSNull)
    let selection = try #require(some["where"] as? [String: Any])
    #expect(selection["exchanges"] as? Int == exchanges.count && selection["condition"] as? String == "status >= 300")
    for file in ["models.csv", "model_messages.csv"] {
      let whole = try Data(contentsOf: scratch.url.appendingPathComponent("all/\(file)"))
      #expect(try Data(contentsOf: scratch.url.appendingPathComponent("some/\(file)")) == whole, "\(file)")
    }
  }

  /// The models that are most wrong come first, and both tables have the same order.
  @Test func modelsAreSorted() throws {
    let capture = try Corpus.capture(Self.capture)
    func models(_ options: [String]) throws -> [(name: String, error: Int)] {
      let document = try document(try Sniffer.run(["models", "--json", capture.path] + options))
      return try #require(document["models"] as? [[String: Any]]).map { model in
        let errors = try ["requests", "responses"].map { direction in
          let sums = try #require(model[direction] as? [String: Any])
          return abs(try #require((sums["error"] as? [String: Int])?["total_bytes"]))
        }
        return (try #require(model["model"] as? String), errors[0] + errors[1])
      }
    }
    let (all, sorted) = (try models([]), try models(["--sort", "total_error"]))
    #expect(sorted.map(\.error) == all.map(\.error).sorted(by: >) && Set(sorted.map(\.name)) == Set(all.map(\.name)))
    #expect(try models(["--sort", "total_error", "--top", "2"]).map(\.name) == sorted.prefix(2).map(\.name))
    let outcome = try Sniffer.run(["models", capture.path, "--sort", "total_error", "--top", "2"])
    let rows = outcome.outputLines.compactMap { line in
      line.split(separator: " ").first.flatMap { word in all.map(\.name).first { $0 == word } }
    }
    #expect(rows == Array(repeating: sorted.prefix(2).map(\.name), count: 4).flatMap(\.self))
    #expect(outcome.output.contains("capture: \(capture.path)"))
    let wrong = try Sniffer.run(["models", capture.path, "--sort", "total"])
    #expect(wrong.status == 64 && wrong.error.contains("no column 'total'"), "\(wrong.error)")
  }

  @Test func columnsSaysHowWideTextIs() throws {
    let capture = try Corpus.capture(Self.capture)
    func width(_ environment: [String: String]) throws -> Int {
      let outcome = try Sniffer.run([capture.path], environment: environment)
      return outcome.outputLines.map(\.count).max() ?? 0
    }
    #expect(try width(["COLUMNS": "60"]) <= 60)
    // Through a pipe names are whole, as far as they are of a sensible length.
    let piped = try width([:])
    #expect(piped > 60 && piped <= 200)
    #expect(try width(["COLUMNS": "-3"]) == piped)
  }
}
