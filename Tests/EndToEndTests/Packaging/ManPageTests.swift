import Foundation
import Testing

/// The man pages: groff takes them, and their examples run.
@Suite struct ManPageTests {
  private let scratch: Scratch
  private let pages: [String: String]

  /// What no test can run, and why.
  private static let unrun = [
    "sudo ": "captures on an interface of the reader's", "ssh root@": "needs a router",
    "man sniffer": "needs installed pages",
  ]

  init() throws {
    scratch = try Scratch()
    let script = Document.root.appendingPathComponent("packaging/generate")
    let outcome = try Command.run(script, [scratch.path("made"), Sniffer.url.path])
    try #require(outcome.status == 0, "\(outcome.error)")
    let folder = scratch.url.appendingPathComponent("made/man")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    pages = try names.reduce(into: [:]) { pages, name in
      pages[name] = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }
  }

  @Test func everyPageHasExamplesThatRun() throws {
    #expect(pages.count >= 9)
    let folder = try ReadersFolder()
    var count = 0
    for (name, text) in pages.sorted(by: { $0.key < $1.key }) {
      let section = text.components(separatedBy: "\n.SH EXAMPLES\n")
      let examples = Self.examples(of: section.count == 2 ? section[1] : "")
      #expect((2...4).contains(examples.count), "\(name): \(examples.count) examples")
      for example in examples {
        guard !Self.unrun.keys.contains(where: { example.contains($0) }) else { continue }
        let outcome = try folder.outcome(of: example)
        #expect(outcome.status == 0, "\(name): \(example)\n\(outcome.error)")
        count += 1
      }
    }
    #expect(count >= 15)
  }

  /// A page's synopsis is the usage that the command's help shows, and what the help aligns stays aligned.
  @Test func synopsesAreTheUsagesOfTheHelp() throws {
    for (name, text) in pages {
      let command = name.dropLast(2).components(separatedBy: "-")
      let help = try Command.run(Sniffer.url, Array(command.dropFirst()) + ["--help"], environment: ["COLUMNS": "1000"])
      let usage = try #require(help.output.firstMatch(of: #/(?m)^USAGE: (.*(?:\n +\S.*)*)/#)).output.1
      let synopsis = try #require(text.firstMatch(of: #/(?s)\n\.SH SYNOPSIS\n(.*?)\n\.SH /#)).output.1
      let read = synopsis.replacing(#/\\f[BIR]/#, with: "").replacing("\\-", with: "-")
      let expected = usage.split(separator: "\n").map {
        $0.trimmingCharacters(in: .whitespaces).replacing("<", with: "").replacing(">", with: "")
      }
      #expect(read.split(separator: "\n").filter { $0 != ".br" }.map { String($0) } == expected, "\(name)")
    }
    let first = try #require(Self.examples(of: pages["sniffer.1"] ?? "").first)
    let help = try Sniffer.run(["--help"]).output
    for line in first.split(separator: "\n") { #expect(help.contains("  \(line)\n")) }
  }

  @Test(.enabled(if: Environment.tool("groff") != nil, "groff is not installed")) func groffWarnsOfNothing() throws {
    let groff = try #require(Environment.tool("groff"))
    for name in pages.keys.sorted() {
      let outcome = try Command.run(groff, ["-ww", "-man", "-Tutf8", "-z", scratch.path("made/man/\(name)")])
      #expect(outcome.status == 0 && outcome.error.isEmpty, "\(name): \(outcome.error)")
    }
  }

  /// The examples of a page, as they are read and typed.
  private static func examples(of page: String) -> [String] {
    page.components(separatedBy: "\n.EX\n").dropFirst().map { part in
      part.components(separatedBy: "\n.EE\n")[0].replacing("\\-", with: "-").replacing("\\(aq", with: "'")
        .replacing("\\(ga", with: "`").replacing("\\&", with: "").replacing("\\e", with: "\\")
    }
  }
}
