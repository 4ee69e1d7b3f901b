import Foundation
import TestSupport
import Testing

/// `--marks` and `steps.csv`, as a user has them.
@Suite struct StepFileTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A file of marks at shares of a capture's time, with labels that want to be something else.
  private func marks(_ capture: CaptureFile) throws -> String {
    let times = try FileAnalysis.of(capture).report.timeline.rows
    let (first, last) = (times.map { $0.integer("start") }.min() ?? 0, times.map { $0.integer("end") }.max() ?? 0)
    let labels = ["\"log in, first\"", "=cmd()", "\"<script>alert(\"\"x\"\")</script>\"", "late"]
    let lines = labels.enumerated().map { index, label in
      "\(first + (last - first) * (index * 2 + 1) / 6),\(label)\n"
    }
    return try scratch.file("marks.csv", Array(("time,label\n" + lines.joined()).utf8)).path
  }

  @Test func stepsAreTheLedger() throws {
    let capture = try Corpus.capture("demo")
    let marks = try marks(capture)
    let analyses = try ["1", "2"].map { try FileAnalysis([capture.path, "--marks", marks, "--jobs", $0]) }
    let report = analyses[0].report
    #expect(report.differences(from: analyses[1].report).isEmpty)
    let steps = report.steps.rows
    try #require(steps.map { $0["step"] } == ["0", "1", "2", "3", "4"])
    #expect(steps.map { $0["label"] } == ["", "log in, first", "'=cmd()", "<script>alert(\"x\")</script>", "late"])
    for name in Contract.classes { #expect(steps.sum("\(name)_bytes") == report.ledger(name), "\(name)") }
    #expect(steps.sum("bytes") == report.ledger("total") && steps.sum("packets") == report.ledger("packets"))
    #expect(
      steps.allSatisfy {
        $0.integer("up_bytes") + $0.integer("down_bytes") + $0.integer("unknown_bytes") == $0.integer("bytes")
      })
    #expect(steps[4].integer("packets") == 0)
    let output = analyses[0].outcome.output
    #expect(output.contains("(before the first mark)") && output.contains("log in, first"))
    // Other figures are those without marks.
    #expect(
      Set(report.differences(from: try FileAnalysis.of(capture).report)).isSubset(of: ["steps.csv", "timeline.csv"]))
  }

  /// The step before the first mark has no label in any format.
  @Test(.enabled(if: FormatWitness.python != nil, "needs python3")) func everyFormatHasTheFirstStep() throws {
    let capture = try Corpus.capture("demo")
    let folder = scratch.url.appendingPathComponent("formats")
    let marks = ["--marks", try marks(capture), "--format", "csv,ndjson,sqlite,parquet,html", "-o", folder.path]
    let outcome = try Sniffer.run([capture.path] + marks)
    #expect(outcome.status == 0, "\(outcome.error)")
    #expect(try FormatWitness.differences(in: folder) == "")
    let database = folder.appendingPathComponent("report.sqlite")
    #expect(
      try FormatWitness.query("SELECT step, label FROM steps LIMIT 2", of: database) == ["0|", "1|log in, first"])
  }

  @Test func partialsHaveSteps() throws {
    let capture = try Corpus.capture("cookies-redirects")
    let marks = ["--marks", try marks(capture)]
    let whole = try FileAnalysis([capture.path] + marks).report
    let partial = scratch.path("one.partial")
    #expect(try Sniffer.run([capture.path, "--partial", partial] + marks).status == 0)
    let folder = scratch.path("merged")
    let merged = try Sniffer.run(["merge", partial, "-o", folder] + marks)
    #expect(merged.status == 0, "\(merged.error)")
    #expect(try Report(folder: URL(fileURLWithPath: folder)).differences(from: whole).isEmpty)
    let other = try Sniffer.run(["merge", partial])
    #expect(other.status == 1 && other.error.contains("--marks"), "\(other.error)")
  }

  @Test func budgetsOfSteps() throws {
    let capture = try Corpus.capture("cookies-redirects")
    let marks = try marks(capture)
    let steps = try FileAnalysis([capture.path, "--marks", marks]).report.steps.rows.dropFirst()
    let step = try #require(steps.max { $0.integer("bytes") < $1.integer("bytes") })
    let octets = ["link", "encapsulation", "non_ip"].reduce(step.integer("bytes")) { $0 - step.integer("\($1)_bytes") }
    func budget(_ most: Int, _ more: String = "") throws -> Outcome {
      let file = try scratch.file(
        "budget.yaml", Array("limits:\n  - step: \"**\"\n    ip_bytes: \(most)\n\(more)".utf8))
      return try Sniffer.run(["budget", capture.path, "--marks", marks, "--budget", file.path])
    }
    #expect(try budget(octets).status == 0)
    let exceeded = try budget(octets - 1)
    #expect(exceeded.status == 2 && exceeded.output.contains("budget exceeded: 1 of"), "\(exceeded.output)")
    #expect(try budget(octets, "    path: /a\n").error.contains("a step has all bytes of its time"))
    #expect(try budget(octets, "    requests: 3\n").error.contains("requests is not counted by step"))
  }

  @Test func otherFilesAreRefused() throws {
    let capture = try Corpus.capture("cookies-redirects").path
    for (path, text) in [("/dev/zero", "not a regular file"), ("/nowhere", "no such file")] {
      let outcome = try Sniffer.run([capture, "--marks", path])
      #expect(outcome.status == 64 && outcome.error.contains(text), "\(outcome.error)")
    }
    #expect(try Sniffer.run(["live", "--mark", "a"]).error.contains("--mark needs --marks"))
  }

  @Test func aMarkIsALineOfTheFile() throws {
    let file = try scratch.file("marks.csv")
    for label in ["one", "two, \"three\""] {
      #expect(try Sniffer.run(["live", "--mark", label, "--marks", file.path]).status == 0)
    }
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.wholeMatch(of: #/\d+\.\d{9},"one"\n\d+\.\d{9},"two, ""three"""\n/#) != nil, "\(text)")
    let refused = try Sniffer.run(["live", "--mark", "a\nb", "--marks", file.path])
    #expect(refused.status == 64)
  }
}

/// Marks of a run in progress.
@Suite(.enabled(if: LiveRun.isPossible, "needs root, Python and the permission to capture on lo"))
struct LiveStepTests {
  @Test func marksOfAnotherShell() throws {
    let scratch = try Scratch()
    let server = try LocalServer()
    let marks = try scratch.file("marks.csv").path
    let run = try LiveRun(port: server.port, in: scratch, ["--allow-root", "--interval", "0.1", "--marks", marks])
    for label in ["first", "second"] {
      #expect(try Sniffer.run(["live", "--mark", label, "--marks", marks]).status == 0)
      #expect(
        try eventually {
          try FileManager.default.fileExists(atPath: run.url("steps.csv").path)
            && run.file("steps.csv").rows.contains { $0["label"] == label }
        })
      try server.makeRequests(10)
    }
    #expect(try run.stop().status == 0)
    let report = try Report(folder: run.report)
    let steps = report.steps.rows.filter { $0["step"] != "0" }
    #expect(steps.map { $0["label"] } == ["first", "second"])
    #expect(steps.allSatisfy { $0.integer("body_bytes") > 0 })
    #expect(report.steps.rows.sum("bytes") == report.ledger("total"))
  }
}
