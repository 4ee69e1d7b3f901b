import Foundation
import Testing

/// Every command of the pages, run where the files that it names are.
@Suite struct DocumentedCommandTests {
  private static let hasTools = Environment.tool("sqlite3") != nil && Environment.tool("jq") != nil

  @Test(.enabled(if: hasTools, "needs the sqlite3 tool and jq"), arguments: Document.pages)
  func commandsRun(_ page: Document) throws {
    let commands = DocumentedCommand.all(of: page).filter { command in
      !UnrunCommand.all.contains { command.line.contains($0.part) }
    }
    // Scripts of several lines, some of which are to fail: tests of their own run them whole.
    let hasTestsOfItsOwn = ["docs/diff.md", "docs/budget.md"].contains(page.name)
    guard !commands.isEmpty, !hasTestsOfItsOwn else { return }
    let folder = try ReadersFolder()
    for command in commands {
      // A form of usage names no file.
      let line = command.line.replacing("CAPTURE...", with: "capture.pcap")
      let outcome = try folder.outcome(of: line)
      #expect(outcome.status == 0, "\(page.name): \(command.line)\n\(outcome.error)")
    }
  }

  /// A list that has more than it needs hides what could be run.
  @Test func whatIsNotRunIsThere() {
    let commands = Document.pages.flatMap(DocumentedCommand.all)
    #expect(commands.count > 80)
    for unrun in UnrunCommand.all {
      #expect(commands.contains { $0.line.contains(unrun.part) }, "no page has \(unrun.part)")
    }
    let run = commands.filter { command in !UnrunCommand.all.contains { command.line.contains($0.part) } }
    #expect(run.count * 2 > commands.count, "\(run.count) of \(commands.count)")
  }

  @Test func queriesOfTheRecipesGiveRows() throws {
    let queries = try #require(Document.page("docs/recipes.md")).blocks("sql")
    #expect(queries.count >= 4)
    let scratch = try Scratch()
    let demo = try Corpus.capture("demo")
    #expect(try Sniffer.run([demo.path, "-q", "-o", scratch.path("report"), "--format", "sqlite"]).status == 0)
    for query in queries {
      let rows = try FormatWitness.query(query, of: scratch.url.appendingPathComponent("report/report.sqlite"))
      #expect(!rows.isEmpty, "\(query)")
    }
  }

  private static let duckdb = PythonPackages(
    "duckdb-witness", ["duckdb==1.4.2", "pytz"], modules: ["duckdb", "pytz"])

  @Test(.enabled(if: duckdb.python != nil, "\(duckdb.reason)")) func queriesOfDuckDBGiveRows() throws {
    let python = try #require(Self.duckdb.python)
    let queries = try #require(Document.page("docs/recipes.md")).blocks("duckdb")
    #expect(queries.count >= 4)
    let scratch = try Scratch()
    let demo = try Corpus.capture("demo")
    #expect(
      try Sniffer.run([demo.path, "-q", "-o", scratch.path("report"), "--format", "csv,ndjson,parquet"]).status == 0)
    let script = "import duckdb, os, sys; os.chdir(sys.argv[1]); print(len(duckdb.sql(sys.argv[2]).fetchall()))"
    for query in queries {
      let outcome = try Command.run(python, ["-c", script, scratch.path("report"), query])
      #expect(outcome.status == 0, "\(query)\n\(outcome.error)")
      #expect(Int(outcome.outputLines.first ?? "") ?? 0 > 0, "\(query)")
    }
  }

  @Test(.enabled(if: ParquetWitness.python != nil, "\(ParquetWitness.reason)")) func scriptsOfPolarsRun() throws {
    let scripts = try #require(Document.page("docs/recipes.md")).blocks("python")
    #expect(!scripts.isEmpty)
    let scratch = try Scratch()
    let demo = try Corpus.capture("demo")
    #expect(try Sniffer.run([demo.path, "-q", "-o", scratch.path("report"), "--format", "parquet"]).status == 0)
    for script in scripts {
      let outcome = try ParquetWitness.run("import os, sys; os.chdir(sys.argv[1])\n" + script, [scratch.path("report")])
      #expect(outcome.status == 0 && outcome.outputLines.count > 3, "\(script)\n\(outcome.error)")
    }
  }
}
