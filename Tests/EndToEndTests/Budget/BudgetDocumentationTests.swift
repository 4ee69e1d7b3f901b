import Foundation
import Testing

/// The file and the commands of docs/budget.md, taken from it and run.
@Suite struct BudgetDocumentationTests {
  @Test func theFileIsReadAndTheCommandsRun() throws {
    let scratch = try Scratch()
    let path = Sniffer.url.deletingLastPathComponent().path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
    let example = try #require(DocumentedQueryTests.blocks("yaml", of: "docs/budget.md").first)
    _ = try scratch.file("budget.yaml", Array(example.utf8))
    let capture = scratch.url.appendingPathComponent("capture.pcap")
    let commands = try #require(DocumentedQueryTests.blocks("", of: "docs/budget.md").first).split(separator: "\n")
    let script = try #require(DocumentedQueryTests.blocks("sh", of: "docs/budget.md").first)
    for (name, status) in [("nginx-keepalive", 0 as Int32), ("swift-urlsession", 2)] {
      try? FileManager.default.removeItem(at: capture)
      try FileManager.default.copyItem(at: try Corpus.capture(name).url, to: capture)
      for command in commands.map(String.init) + [script] {
        let outcome = try Command.shell("cd \"$1\"\n" + command, [scratch.url.path], environment: ["PATH": path])
        #expect(outcome.status == status && outcome.error.isEmpty, "\(name): \(command)\n\(outcome.error)")
        #expect(outcome.output.contains(status == 0 ? "budget kept: " : "budget exceeded: "))
        // The script's run writes CSV alone, and takes the database of the run before away.
        if command.contains("sqlite") {
          #expect(FileManager.default.fileExists(atPath: scratch.path("report/report.sqlite")))
        }
      }
    }
    #expect(FileManager.default.fileExists(atPath: scratch.path("report/budget.csv")))
  }

  /// Every limit that the program knows is on the page.
  @Test func everyKeyIsExplained() throws {
    let scratch = try Scratch()
    let file = try scratch.file("budget.yaml", Array("limits:\n  - nosuch: 1".utf8))
    let outcome = try Sniffer.run(
      ["budget", try Corpus.capture("cookies-redirects").path, "--budget", file.path])
    let known = try #require(outcome.error.components(separatedBy: "known are ").last)
      .trimmingCharacters(in: .newlines).components(separatedBy: ", ")
    #expect(known.count > 20)
    let folder = Corpus.folder.deletingLastPathComponent().appendingPathComponent("docs/budget.md")
    let page = try String(contentsOf: folder, encoding: .utf8)
    for key in known { #expect(page.contains("`\(key)`"), "\(key)") }
  }
}
