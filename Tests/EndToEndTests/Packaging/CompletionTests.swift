import Foundation
import Testing

/// What shells offer, with the completions that `packaging/generate` makes: each is asked as somebody who types asks it.
@Suite(.enabled(if: Environment.tool("python3") != nil, "needs python3")) struct CompletionTests {
  /// A line with the cursor at its end, what is to be offered, and what is not.
  struct Line: Sendable, CustomTestStringConvertible {
    let line: String
    let offers: Set<String>
    var others: Set<String> = []

    var testDescription: String { line }
  }

  private static let lines = [
    // The default subcommand needs no name.
    Line(line: "sniffer ", offers: ["analyze", "live", "top", "models", "capture.pcap", "folder"]),
    Line(line: "sniffer a", offers: ["analyze", "another.pcap"], others: ["live", "capture.pcap"]),
    Line(line: "sniffer --wh", offers: ["--where"], others: ["--json"]),
    Line(
      line: "sniffer --format ", offers: ["csv", "ndjson", "sqlite", "har", "html", "parquet"], others: ["capture.pcap"]
    ),
    Line(line: "sniffer --format csv,h", offers: ["csv,har", "csv,html"], others: ["csv,csv", "h"]),
    Line(line: "sniffer capture.pcap --by do", offers: ["domain"], others: ["host"]),
    Line(line: "sniffer capture.pcap --sort status_", offers: ["status_4xx", "status_5xx"]),
    Line(line: "sniffer capture.pcap ano", offers: ["another.pcap"], others: ["analyze"]),
    Line(line: "sniffer -o fo", offers: ["folder"], others: ["capture.pcap"]),
    // Subcommands that are named.
    Line(line: "sniffer models --model ok", offers: ["okhttp"], others: ["hertz"]),
    Line(line: "sniffer analyze cap", offers: ["capture.pcap"], others: ["another.pcap"]),
    Line(line: "sniffer top --dur", offers: ["--duration"], others: ["--follow"]),
  ]

  @Test(arguments: ["bash", "zsh", "fish"]) func offersWhatCanComeNext(_ shell: String) throws {
    guard Environment.tool(shell) != nil else {
      return Environment.skip("offersWhatCanComeNext", because: "\(shell) is not installed")
    }
    let python = try #require(Environment.tool("python3"))
    let scratch = try Scratch()
    let folder = scratch.url.appendingPathComponent("work/folder")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for name in ["work/capture.pcap", "work/another.pcap"] { _ = try scratch.file(name, []) }
    let bin = scratch.url.appendingPathComponent("bin")
    try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: bin.appendingPathComponent("sniffer"), withDestinationURL: Sniffer.url)
    let repository = Corpus.folder.deletingLastPathComponent()
    let made = try Command.run(
      repository.appendingPathComponent("packaging/generate"), [scratch.path("out"), Sniffer.url.path])
    try #require(made.status == 0, "\(made.error)")
    let ask = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("completions.py")
    let interfaces = try Sniffer.run(["interfaces"]).output.matches(of: #/(?m)^([a-z0-9]+): /#).map {
      String($0.output.1)
    }
    for line in Self.lines + [Line(line: "sniffer live -i ", offers: Set(interfaces), others: ["capture.pcap"])] {
      let outcome = try Command.shell(
        "cd \"$1\" && PATH=\"$2:$PATH\" exec \"$3\" \"$4\" \"$5\" \"$6\" \"$7\"",
        [
          scratch.path("work"), bin.path, python.path, ask.path, shell,
          scratch.path("out/completions/sniffer.\(shell)"),
          line.line,
        ])
      // Shells write a slash after a folder, or do not.
      let offers = Set(outcome.outputLines.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 })
      #expect(offers.isSuperset(of: line.offers), "\(shell): \(line.line): \(outcome.output) \(outcome.error)")
      #expect(offers.isDisjoint(with: line.others), "\(shell): \(line.line): \(outcome.output)")
    }
  }
}
