import Foundation
import Testing

/// Every option of a command on a page is there, and every one that is there is on a page.
@Suite struct DocumentedOptionTests {
  /// What `--help` of each subcommand lists.
  private let options: [String: Set<String>]
  private var subcommands: Set<String> { Set(options.keys) }

  init() throws {
    let help = try Sniffer.run(["--help"]).output
    let list = try #require(help.components(separatedBy: "SUBCOMMANDS:\n").last)
    let names = list.matches(of: #/(?m)^  ([a-z]+)\b/#).map { String($0.output.1) }
    var options: [String: Set<String>] = [:]
    for name in names where name != "help" {
      let text = try Sniffer.run([name, "--help"]).output
      // An option may have several names.
      let lines = text.matches(of: #/(?m)^  (?:-\w, )?((?:--[a-z0-9-]+(?:, )?)+)/#).map(\.output.1)
      options[name] = Set(lines.flatMap { $0.split(separator: ", ").map(String.init) })
    }
    try #require(options.count >= 5 && options["analyze"]?.contains("--output") == true, "\(help)")
    self.options = options
  }

  @Test func everyOptionOfACommandIsItsOwn() {
    for page in Document.pages {
      for run in DocumentedCommand.all(of: page).map(\.line).flatMap({
        DocumentedCommand.runs(in: $0, subcommands: subcommands)
      }) {
        for word in run.words where word.hasPrefix("--") && word.count > 2 {
          let option = String(word.prefix { $0 != "=" })
          #expect(options[run.subcommand]?.contains(option) == true, "\(page.name): \(run.subcommand) has no \(option)")
        }
      }
    }
  }

  @Test func everyOptionIsOnAPage() {
    let text = Document.pages.map(\.text).joined()
    // What says itself in `--help`, and nowhere else.
    let plain: Set<String> = [
      "--help", "--version", "--no-progress", "--jobs", "--log-level", "--quiet", "--snapshot-length", "--packets",
      "--interface", "--log-format", "--output",
    ]
    let missing = options.values.reduce(into: Set<String>()) { $0.formUnion($1) }.subtracting(plain)
      .filter { !text.contains($0) }
    #expect(missing == [])
  }
}
