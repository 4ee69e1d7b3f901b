import Foundation
import Testing

/// The workflows for CI that the pages show: what they run is there, or is the reader's own.
@Suite struct DocumentedWorkflowTests {
  @Test(arguments: ["docs/diff.md", "docs/budget.md"])
  func linesOfWorkflowsAreCommands(_ name: String) throws {
    let page = try #require(Document.page(name))
    try expectSyntax(of: try #require(page.blocks("yaml").first { $0.contains("jobs:") }))
  }

  @Test func theWorkflowAndTheRecorderAreWhole() throws {
    let page = try #require(Document.page("docs/recipes.md"))
    let workflow = try #require(page.blocks("yaml").first { $0.contains("jobs:") })
    let action = try String(contentsOf: Document.root.appendingPathComponent("action.yml"), encoding: .utf8)
    // Each input that it gives to the action is one.
    let given = try #require(workflow.firstMatch(of: #/with: \{ (check: [^}]+) \}/#)).output.1
    for input in given.split(separator: ", ").compactMap({ $0.split(separator: ":").first }) {
      #expect(action.contains("\n  \(input):\n"), "\(input)")
    }
    let recorder = try #require(page.blocks("bash").first)
    #expect(recorder.hasPrefix("#!/usr/bin/env bash\n"))
    #expect(try Command.shell("bash -n -c \"$1\"", [recorder]).status == 0)
  }

  /// Each line that a runner gives to a shell is one, and each run of `sniffer` in it is taken by the program.
  private func expectSyntax(of workflow: String) throws {
    let lines = workflow.matches(of: #/(?m)run: (.+)$/#).map { String($0.output.1) }
    #expect(lines.count >= 2)
    for line in lines {
      let plain = line.replacing(#/\$\{\{[^}]*\}\}/#, with: "x")
      #expect(try Command.shell("bash -n -c \"$1\"", [plain]).status == 0, "\(line)")
      guard plain.hasPrefix("sniffer ") else { continue }
      let folder = try ReadersFolder()
      _ = try folder.outcome(of: "cp capture.pcap capture-new.pcap")
      #expect(try folder.outcome(of: plain).status == 0, "\(line)")
    }
  }
}
