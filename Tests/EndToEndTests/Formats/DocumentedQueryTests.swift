import Foundation
import Testing

/// Every query, filter and command of the user's pages, taken from them and run.
@Suite struct DocumentedQueryTests {
  private static let queries = blocks("sql", of: "docs/sqlite.md")
  private static let filters = blocks("sh", of: "docs/ndjson.md")
  private let scratch: Scratch
  private let report: URL

  init() throws {
    scratch = try Scratch()
    report = scratch.url.appendingPathComponent("report")
    let capture = try Corpus.capture("demo")
    let outcome = try Sniffer.run([capture.path, "-q", "-o", report.path, "--format", "sqlite,ndjson"])
    try #require(outcome.status == 0, "\(outcome.error)")
  }

  @Test(.enabled(if: FormatWitness.python != nil, "needs python3"))
  func queriesGiveRows() throws {
    #expect(Self.queries.count >= 10)
    for query in Self.queries {
      let rows = try FormatWitness.query(query, of: database)
      // The one that looks for connections whose sum does not hold.
      #expect(rows.isEmpty == query.hasPrefix("SELECT connection FROM connections"), "\(query)")
    }
    #expect(try FormatWitness.query(try #require(Self.queries.last), of: database) == ["1"])
  }

  /// An index that no query uses costs time and space for nothing.
  @Test(.enabled(if: FormatWitness.python != nil, "needs python3"))
  func everyIndexIsUsed() throws {
    let indexes = try FormatWitness.query(
      "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL", of: database)
    #expect(indexes.count >= 5)
    let plans = try Self.queries.flatMap { try FormatWitness.query("EXPLAIN QUERY PLAN " + $0, of: database) }
    for index in indexes {
      #expect(plans.contains { $0.contains("INDEX \(index) ") || $0.hasSuffix("INDEX \(index)") }, "\(index)")
    }
  }

  /// What is looked for by a name, a number or a time is found by an index or a key.
  @Test(.enabled(if: FormatWitness.python != nil, "needs python3"))
  func namesAndTimesAreFoundByIndexes() throws {
    let looking = (Self.queries + Self.blocks("sql", of: "docs/recipes.md")).filter {
      $0.contains(#/WHERE (host|field|start|first_time|class|e\.exchange) (=|>=|IN) /#)
    }
    #expect(looking.count >= 10)
    for query in looking {
      let plan = try FormatWitness.query("EXPLAIN QUERY PLAN " + query, of: database)
      #expect(plan.contains { $0.contains("SEARCH ") && $0.contains(#/INDEX |PRIMARY KEY/#) }, "\(query)\n\(plan)")
      #expect(!plan.contains { $0.contains(#/SCAN (messages|exchanges|connections|fields|timeline)/#) }, "\(query)")
    }
  }

  @Test(.enabled(if: Environment.tool("sqlite3") != nil, "needs the sqlite3 tool"))
  func theToolReadsIt() throws {
    let outcome = try Command.run(
      try #require(Environment.tool("sqlite3")), ["-readonly", database.path, "SELECT sum(requests) FROM hosts"])
    #expect(outcome.status == 0 && Int(outcome.outputLines.first ?? "").map { $0 > 800 } == true, "\(outcome.error)")
  }

  @Test(.enabled(if: Environment.tool("jq") != nil, "needs jq"))
  func filtersRun() throws {
    #expect(Self.filters.count == 3)
    for filter in Self.filters {
      let outcome = try Command.shell("cd \"$1\" && " + filter, [report.path])
      #expect(outcome.status == 0 && outcome.error.isEmpty, "\(filter)\n\(outcome.error)")
    }
    let sums = try Command.shell("cd \"$1\" && " + Self.filters[0], [report.path]).outputLines
    let hosts = try FormatWitness.query(
      "SELECT host || char(9) || sum(message_bytes) FROM messages WHERE type = 'response' GROUP BY host", of: database)
    #expect(sums.sorted() == hosts.sorted() && !sums.isEmpty)
  }

  @Test(
    .enabled(if: Environment.tool("sqlite3") != nil && Environment.tool("jq") != nil, "needs the sqlite3 tool and jq"),
    arguments: ["docs/sqlite.md", "docs/ndjson.md"])
  func commandsRun(_ page: String) throws {
    let block = try #require(Self.blocks("", of: page).first)
    let capture = try Corpus.capture("nginx-keepalive")
    try FileManager.default.copyItem(at: capture.url, to: scratch.url.appendingPathComponent("capture.pcap"))
    let path = Sniffer.url.deletingLastPathComponent().path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
    for command in block.split(separator: "\n") {
      let outcome = try Command.shell(
        "cd \"$1\" && " + command, [scratch.url.path], environment: ["PATH": path])
      #expect(outcome.status == 0 && outcome.error.isEmpty && !outcome.output.isEmpty, "\(command)\n\(outcome.error)")
    }
  }

  private var database: URL { report.appendingPathComponent("report.sqlite") }

  /// The blocks of code in a language, as they stand on a page.
  static func blocks(_ language: String, of page: String) -> [String] {
    Document.page(page)?.blocks(language) ?? []
  }
}
