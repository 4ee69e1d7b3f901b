import Foundation
import Testing

/// What a run prints.
@Suite struct SummaryTests {
  @Test(.enabled(if: Capinfos.url != nil, "capinfos is not installed"), arguments: Corpus.captures)
  func lastLineHasTheSumThatCapinfosCounts(_ capture: CaptureFile) throws {
    let analysis = try FileAnalysis.of(capture)
    let counted = try Capinfos.count(capture.url)
    #expect(analysis.outcome.status == 0)
    #expect(analysis.outcome.error.isEmpty)
    #expect(analysis.outcome.outputLines.last == "ledger balanced: \(counted.octets) bytes")
    #expect(analysis.report.ledger("packets") == counted.packets)
    #expect(analysis.report.ledger("original") == counted.octets)
  }

  @Test(arguments: Corpus.plain)
  func lastLineHasTheSumThatThisTestCounts(_ capture: CaptureFile) throws {
    let octets = try PcapOctets(capture.url)
    let analysis = try FileAnalysis.of(capture)
    #expect(analysis.outcome.outputLines.last == "ledger balanced: \(octets.originalLength) bytes")
    #expect(analysis.report.ledger("packets") == octets.records.count)
  }

  @Test(arguments: [["-q"], ["--quiet"], ["--quiet", "--no-progress"]])
  func quietPrintsNothing(_ options: [String]) throws {
    let capture = try Corpus.capture("nginx-keepalive")
    let analysis = try FileAnalysis(options + [capture.path])
    #expect(analysis.outcome.status == 0)
    #expect(analysis.outcome.output.isEmpty)
    #expect(analysis.outcome.error.isEmpty)
    #expect(try analysis.report.differences(from: FileAnalysis.of(capture).report).isEmpty)
  }

  @Test func quietPrintsErrorsAllTheSame() throws {
    let scratch = try Scratch()
    let outcome = try Sniffer.run(["--quiet", scratch.path("missing")])
    #expect(outcome.status == 1)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errorLines.count == 1)
  }

  @Test(arguments: Corpus.captures)
  func noEscapeSequencesAndNoProgressWithoutATerminal(_ capture: CaptureFile) throws {
    let outcome = try FileAnalysis.of(capture).outcome
    #expect(outcome.error.isEmpty)
    #expect(!outcome.outputOctets.contains { $0 < 0x20 && $0 != 0x0a || $0 == 0x7f })
    #expect(String(validating: outcome.outputOctets, as: UTF8.self) != nil)
  }

  @Test(.enabled(if: Environment.tool("script") != nil, "script(1) is not installed"))
  func colourOnATerminalOnlyAndNeverWithNoColor() throws {
    let script = try #require(Environment.tool("script"))
    let capture = try Corpus.capture("nginx-keepalive")
    func output(_ environment: [String: String]) throws -> String {
      let command = "'\(Sniffer.url.path)' '\(capture.path)'"
      let terminal = ["TERM": "xterm-256color"].merging(environment) { $1 }
      return try Command.run(script, ["-qec", command, "/dev/null"], environment: terminal).output
    }
    let coloured = try output(["NO_COLOR": ""])
    #expect(coloured.contains("\u{1b}[32mledger balanced: "))
    let plain = try output(["NO_COLOR": "1"])
    #expect(plain.contains("ledger balanced: "))
    #expect(!plain.contains("\u{1b}"))
    #expect(try !output(["TERM": "dumb"]).contains("\u{1b}"))
  }

  @Test func withoutAFolderNothingIsWritten() throws {
    let scratch = try Scratch()
    let capture = try Corpus.capture("nginx-keepalive")
    let outcome = try Command.shell(
      "cd \"$1\" && exec \"$2\" \"$3\"", [scratch.url.path, Sniffer.url.path, capture.path])
    #expect(outcome.status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.url.path).isEmpty)
    #expect(try outcome.summary == FileAnalysis.of(capture).outcome.summary)
  }
}
