import Foundation
import TestSupport
import Testing

/// What the documentation shows is what the program does.
@Suite struct ModelsDocumentationTests {
  private static let docs = Corpus.folder.deletingLastPathComponent().appendingPathComponent("docs")

  private func text(_ name: String) throws -> String {
    try String(contentsOf: Self.docs.appendingPathComponent(name), encoding: .utf8)
  }

  /// What stands in the blocks of code that start with `mark`.
  private func blocks(_ text: String, _ mark: String) -> [String] {
    text.components(separatedBy: mark).dropFirst().compactMap { $0.components(separatedBy: "\n```").first }
  }

  @Test func tablesAreWhatTheCommandsPrint() throws {
    let shown = blocks(try text("models.md"), "```\n$ sniffer ")
    #expect(shown.count == 2)
    for block in shown {
      let lines = block.components(separatedBy: "\n")
      let outcome = try Command.shell(
        "cd \"$1\" && exec \"$2\" \(lines[0])", [Self.docs.deletingLastPathComponent().path, Sniffer.url.path])
      #expect(outcome.status == 0)
      #expect(outcome.outputLines == Array(lines.dropFirst()), "\(lines[0])")
    }
  }

  @Test func everyModelAndColumnIsThere() throws {
    let models = try text("models.md")
    for name in ModelsRun.names {
      #expect(models.contains("| [`\(name)`](models/\(name).md) |"))
      #expect(try text("models/\(name).md").contains("`--model \(name)`"))
    }
    let help = try Sniffer.run(["models", "--help"]).output
    for option in ["--invisible-fields", "--stream-bodies", "--chunked-as-sent", "--metrics-without-empty-line"] {
      #expect(models.contains(option))
      #expect(help.contains(option))
    }
  }

  /// Each page's table of the example: every figure, and that the octets that it names add up to the error.
  @Test func pagesAccountForEveryOctetOfTheExample() throws {
    let scratch = try Scratch()
    let messages = blocks(try text("models.md"), "```http\n")
    try #require(messages.count == 2)
    let request = Array(messages[0].replacing("\n", with: "\r\n").utf8)
    // "hello" as a gzip member of one stored block.
    let content: [UInt8] = [
      0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 5, 0, 0xfa, 0xff, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x86, 0xa6, 0x10, 0x36, 5,
      0, 0, 0,
    ]
    let halves = (messages[1] + "\n").replacing("\n", with: "\r\n").components(separatedBy: "(28 bytes)")
    try #require(halves.count == 2)
    let capture = try scratch.file(
      "capture.pcap", HandMadeCapture.octets(request, Array(halves[0].utf8) + content + Array(halves[1].utf8)))
    let run = try ModelsRun([capture.path])
    try #require(run.messages.rows.count == 2 * ModelsRun.names.count)
    for row in run.messages.rows {
      let page = try text("models/\(row["model"]).md").components(separatedBy: "\n")
      for part in ModelsRun.parts {
        let start = "| \(row["type"]) | \(part) |"
        let line = try #require(page.first { $0.hasPrefix(start) }, "\(row["model"]) has no \(start)")
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        let error = row.integer("\(part)_error")
        let expected = [row["\(part)_bytes"], row["\(part)_estimate"], error > 0 ? "+\(error)" : "\(error)"]
        #expect(Array(cells[2..<5]) == expected, "\(row["model"]): \(line)")
        guard part != "total" else { continue }
        let octets = cells[5].matches(of: #/ ([+-][0-9]+)/#).reduce(0) { $0 + (Int($1.output.1) ?? 0) }
        #expect(octets == error, "\(row["model"]): \(line)")
      }
    }
  }
}
