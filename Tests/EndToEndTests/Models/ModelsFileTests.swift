import Foundation
import TestSupport
import Testing

/// The files of `sniffer models`, against those of `sniffer analyze`.
@Suite struct ModelsFileTests {
  @Test(arguments: Corpus.captures)
  func columnsAreThoseOfTheDocumentation(_ capture: CaptureFile) throws {
    let run = try ModelsRun.of(capture)
    #expect(run.outcome.status == 0)
    #expect(run.outcome.error.isEmpty)
    let figures = ["bytes", "estimate", "error"].flatMap { figure in ModelsRun.parts.map { "\($0)_\(figure)" } }
    #expect(
      run.messages.header == ["message", "model", "type", "method", "host", "path", "status"] + figures)
    let direction = ["messages", "unknown"] + figures + ["worst_error", "worst_message"]
    #expect(
      run.apis.header == ["host", "path", "model", "requests", "responses", "interim"]
        + direction.map { "request_\($0)" } + direction.map { "response_\($0)" })
  }

  @Test(arguments: Corpus.captures)
  func everyMessageHasARowForEachModel(_ capture: CaptureFile) throws {
    let rows = try ModelsRun.of(capture).messages.rows
    let messages = try FileAnalysis.of(capture).report.messages.rows
    try #require(rows.count == messages.count * ModelsRun.names.count)
    for (index, row) in rows.enumerated() {
      let message = messages[index / ModelsRun.names.count]
      #expect(row["model"] == ModelsRun.names[index % ModelsRun.names.count])
      for column in ["message", "type", "method", "host", "path", "status"] { #expect(row[column] == message[column]) }
      #expect(row["line_bytes"] == message["start_line_bytes"])
      #expect(row["header_bytes"] == message["header_bytes"])
      #expect(row["body_bytes"] == message["body_bytes"])
      #expect(row.integer("framing_bytes") == message.integer("framing_bytes") + message.integer("trailer_bytes"))
      #expect(row["total_bytes"] == message["message_bytes"])
      guard row["total_estimate"] != "" else {
        #expect(ModelsRun.parts.allSatisfy { row["\($0)_estimate"] == "" && row["\($0)_error"] == "" })
        continue
      }
      for part in ModelsRun.parts {
        #expect(row.integer("\(part)_error") == row.integer("\(part)_estimate") - row.integer("\(part)_bytes"))
      }
      #expect(
        row.integer("total_error") == ModelsRun.parts.dropLast().reduce(0) { $0 + row.integer("\($1)_error") })
      if row["type"] == "interim" { #expect(row["total_estimate"] == "0") }
    }
  }

  @Test(arguments: Corpus.captures)
  func apisAreTheSumsOfTheirMessages(_ capture: CaptureFile) throws {
    let run = try ModelsRun.of(capture)
    let apis = try FileAnalysis.of(capture).report.apis.rows
    try #require(run.apis.rows.count == apis.count * ModelsRun.names.count)
    let messages = Dictionary(grouping: run.messages.rows) { [$0["host"], $0["path"], $0["model"]] }
    for (index, row) in run.apis.rows.enumerated() {
      let api = apis[index / ModelsRun.names.count]
      for column in ["host", "path", "requests", "responses"] { #expect(row[column] == api[column]) }
      let own = messages[[row["host"], row["path"], row["model"]]] ?? []
      #expect(row.integer("interim") == own.count { $0["type"] == "interim" })
      for (direction, isOwn) in [("request", { $0 == "request" }), ("response", { $0 != "request" })]
        as [(String, (String) -> Bool)]
      {
        let known = own.filter { isOwn($0["type"]) && $0["total_estimate"] != "" }
        #expect(row.integer("\(direction)_messages") == known.count)
        #expect(row.integer("\(direction)_unknown") == own.count { isOwn($0["type"]) } - known.count)
        for part in ModelsRun.parts {
          for figure in ["bytes", "estimate", "error"] {
            #expect(row.integer("\(direction)_\(part)_\(figure)") == known.sum("\(part)_\(figure)"))
          }
        }
        if row["\(direction)_unknown"] == "0" {
          #expect(row["\(direction)_total_bytes"] == api["\(direction)_bytes"], "what apis.csv says of the wire")
        }
        let worst = known.map { abs($0.integer("total_error")) }.max()
        #expect(worst == (row["\(direction)_worst_error"] == "" ? nil : abs(row.integer("\(direction)_worst_error"))))
        let first = known.first { abs($0.integer("total_error")) == worst }
        #expect((first?["message"] ?? "") == row["\(direction)_worst_message"])
      }
    }
  }

  @Test(arguments: Corpus.captures)
  func endsWithTheLedgersLineAsAnalyzeDoes(_ capture: CaptureFile) throws {
    let run = try ModelsRun.of(capture)
    let analysis = try FileAnalysis.of(capture)
    #expect(run.outcome.outputLines.last == analysis.outcome.outputLines.last)
    #expect(!run.outcome.outputOctets.contains { $0 < 0x20 && $0 != 0x0a || $0 == 0x7f })
    let lines = run.outcome.outputLines.filter { !$0.hasPrefix("messages that") }
    #expect(lines.allSatisfy { $0.unicodeScalars.count <= 200 })
  }
}
