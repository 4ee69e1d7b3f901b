import Foundation
import Testing

/// The commands of docs/diff.md, taken from it and run.
@Suite struct DiffDocumentationTests {
  private let scratch: Scratch
  private let path: [String: String]

  init() throws {
    scratch = try Scratch()
    path = [
      "PATH": Sniffer.url.deletingLastPathComponent().path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
    ]
  }

  private func put(_ capture: String, as name: String) throws {
    let url = scratch.url.appendingPathComponent(name)
    try? FileManager.default.removeItem(at: url)
    try FileManager.default.copyItem(at: try Corpus.capture(capture).url, to: url)
  }

  private func shell(_ script: String) throws -> Outcome {
    try Command.shell("cd \"$1\"\n" + script, [scratch.url.path], environment: path)
  }

  @Test func commandsRun() throws {
    try put("nginx-keepalive", as: "capture-base.pcap")
    try put("cookies-redirects", as: "capture-new.pcap")
    let blocks = DocumentedQueryTests.blocks("", of: "docs/diff.md")
    let commands = blocks.flatMap { $0.split(separator: "\n") }.filter { $0.hasPrefix("sniffer ") }
    #expect(commands.count == 9)
    for command in commands {
      let outcome = try shell(String(command))
      // With a threshold, because the two captures are of different things.
      #expect(outcome.status == (command.contains("5%") && !command.contains("per-request") ? 2 : 0), "\(command)")
      #expect(
        outcome.error.isEmpty && outcome.output.isEmpty == command.contains(" -q"), "\(command)\n\(outcome.error)")
    }
  }

  @Test func theScriptTellsGrowthFromAMistake() throws {
    let script = try #require(DocumentedQueryTests.blocks("sh", of: "docs/diff.md").first)
    try put("cookies-redirects", as: "capture-new.pcap")
    // Nothing to compare with.
    #expect(try shell(script).status == 1)
    #expect(try shell("sniffer capture-new.pcap --template -q -o base").status == 0)
    let same = try shell(script)
    #expect(same.status == 0 && same.output.contains("✅ **nothing grew beyond 5% and 1,000 bytes"), "\(same.error)")
    try put("nginx-keepalive", as: "capture-new.pcap")
    let grown = try shell(script)
    #expect(grown.status == 2 && grown.output.hasPrefix("### HTTP traffic\n") && grown.output.contains("❌"))
  }
}
