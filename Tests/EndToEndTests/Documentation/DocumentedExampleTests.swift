import Foundation
import TestSupport
import Testing

/// The examples of the pages, made anew.
@Suite struct DocumentedExampleTests {
  /// What the page of `verify` shows is what it prints for the log that the page describes.
  @Test func outputOfVerifyIsAsShown() throws {
    let page = try #require(Document.page("docs/verify.md"))
    let section = Document(name: "", text: try #require(page.section("3. Read the answer")))
    let capture = try Corpus.capture("nginx-keepalive")
    #expect(section.text.contains("captures/nginx-keepalive.pcap"))
    let scratch = try Scratch()
    #expect(try Sniffer.run([capture.path, "-q", "-o", scratch.path("report")]).status == 0)
    let messages = try Report(folder: scratch.url.appendingPathComponent("report")).messages
    var log = AppLogFile(messages)
    let rows = messages.rows.filter { $0["type"] != "interim" }
    try #require(rows.count == log.rows.count)
    for index in log.rows.indices {
      // No query, a line feed for CR LF, no empty line.
      let query = rows[index]["query_bytes"]
      log.rows[index].line -= 1 + (rows[index]["type"] == "request" && !query.isEmpty ? 1 + (Int(query) ?? 0) : 0)
      log.rows[index].header -= 2
    }
    let file = try scratch.file("app.csv", Array(log.text.utf8))
    let outcome = try Sniffer.run(["verify", capture.path, "--log", file.path, "--no-progress"])
    #expect(outcome.status == 0, "\(outcome.error)")
    let blocks = section.blocks("text")
    #expect(blocks.count == 7)
    for block in blocks { #expect(("\n" + outcome.output).contains("\n" + block + "\n"), "\(block)") }
  }

  /// The rows of the ledger's example are what its messages come to.
  @Test func exampleOfTheLedgerAddsUp() throws {
    let page = try #require(Document.page("docs/ledger.md"))
    var shown: [String: Int] = [:]
    for match in page.text.matches(of: #/(?m)^\| ([0-9 +]+) \| .* \| `([a-z_]+)` \|$/#) {
      let octets = match.output.1.split(separator: "+").reduce(0) {
        $0 + (Int($1.trimmingCharacters(in: .whitespaces)) ?? 0)
      }
      shown[String(match.output.2), default: 0] += octets
    }
    let scratch = try Scratch()
    let capture = try scratch.file(
      "capture.pcap",
      HandMadeCapture.octets(
        request: "GET /v1/items HTTP/1.1\r\nHost: api.example.com\r\n\r\n",
        response: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"))
    #expect(try Sniffer.run([capture.path, "-q", "-o", scratch.path("report")]).status == 0)
    let report = try Report(folder: scratch.url.appendingPathComponent("report"))
    for name in ["start_line", "header", "body", "framing"] {
      #expect(shown[name] == report.ledger(name) && shown[name] != nil, "\(name)")
    }
  }

  /// The first lines of the quick start are the summary of the demo capture.
  @Test func quickStartShowsTheDemo() throws {
    let blocks = try #require(Document.page("docs/quick-start.md")).blocks("text")
    let outcome = try Sniffer.run([try Corpus.capture("demo").path, "--template", "--no-progress"])
    #expect(blocks.count == 2)
    for block in blocks { #expect(("\n" + outcome.output).contains("\n" + block + "\n"), "\(block)") }
  }

  /// What the README shows is what its commands print.
  @Test func readmeShowsTheDemo() throws {
    let page = try #require(Document.page("README.md"))
    let blocks = page.blocks("text")
    #expect(blocks.count >= 3)
    let runs = [
      ["captures/demo.pcapng.gz", "--template"],
      ["verify", "captures/verify/requests/capture.pcap.gz", "--log", "captures/verify/requests/log.csv"],
    ]
    let outputs = try runs.map { words in
      #expect(page.text.contains("sniffer " + words.joined(separator: " ")))
      let arguments = words.map { $0.replacing(#/^captures/#, with: Corpus.folder.path) }
      return "\n" + (try Sniffer.run(arguments + ["--no-progress"]).output)
    }
    for block in blocks { #expect(outputs.contains { $0.contains("\n" + block + "\n") }, "\(block)") }
  }

  /// The pictures of the README are there, and small enough to be loaded with it.
  @Test(arguments: ["docs/images/page.png", "docs/images/live.svg"])
  func picturesAreSmall(_ name: String) throws {
    let octets = try Data(contentsOf: Document.root.appendingPathComponent(name))
    #expect((1000...300_000).contains(octets.count))
    #expect(try #require(Document.page("README.md")).text.contains("](\(name))"))
  }
}
