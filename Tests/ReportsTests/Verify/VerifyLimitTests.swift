import Foundation
import HTTPReassembly
import TestSupport
import Testing

@testable import EstimateReports
@testable import Estimates
@testable import Reports

/// A comparison that a limit has made incomplete says so, wherever it is told.
@Suite struct VerifyLimitTests {
  /// Ten requests of which the first `limit` are compared with a log of all.
  private func verification(limit: Int) -> Verification {
    var table = WireTable(memoryLimit: limit * WireMessage(row: Message()).memory)
    var entries: [LogEntry] = []
    for number in 1...10 {
      var row = Message()
      row.number = number
      row.kind = .request
      row.firstTime = Int64(number) * 60_000_000_000
      row.lastTime = row.firstTime
      row.octets.startLine = 1000
      var message = WireMessage(row: row)
      message.host = "a.example"
      message.path = "/\(number)"
      table.take(message)
      var entry = LogEntry(row: number, kind: .request, host: "a.example", path: message.path, time: row.firstTime)
      entry.length = 1000
      entries.append(entry)
    }
    return Verification(AppLog(dialect: .monitor, entries: entries), table.messages, leftOut: table.leftOut)
  }

  @Test func theTerminalSaysIt() {
    let whole = verification(limit: 10)
    #expect(!VerifyText(whole, VerificationSummary(whole)).text().contains("incomplete"))
    let cut = verification(limit: 7)
    for width in [60, 100] {
      let text = VerifyText(cut, VerificationSummary(cut)).text(width: width)
      #expect(text.contains("incomplete: messages of the capture"))
      #expect(text.replacing("\n", with: " ").contains("too many to be compared: 3, 3,000 bytes"))
      #expect(text.contains("message left out of the comparison         3  +3,000"))
      let warning = text.components(separatedBy: "\n\n").filter { $0.hasPrefix("incomplete") }.joined()
      #expect(warning.contains("--filter it") && warning.split(separator: "\n").allSatisfy { $0.count <= width })
    }
  }

  @Test func theFileSaysItRowByRow() throws {
    let folder = TemporaryFolder()
    try VerifyCSV.write(verification(limit: 7), folder: folder.path)
    let rows = try CSVFile(Array(folder.text("verify.csv").utf8)).rows
    #expect(rows.count { $0["causes"] == "message left out of the comparison=1000" } == 3)
  }

  @Test func thePageSaysIt() throws {
    let cut = verification(limit: 7)
    let sections = PageComparison.sections(cut, VerificationSummary(cut))
    #expect(sections.map(\.warnings.count) == [1, 0, 0])
    #expect(sections[0].warnings.first?.contains("too many to be compared: 3, 3,000 bytes") == true)
    let whole = verification(limit: 10)
    #expect(PageComparison.sections(whole, VerificationSummary(whole)).allSatisfy { $0.warnings.isEmpty })
  }

  /// `models` keeps no messages, but has limits of its own: what they leave out is said there, too.
  @Test func modelsSayWhatTheyLeaveOut() {
    var errors = ModelErrors([.hertz, .ep], configuration: Configuration(), limit: 2)
    for number in 1...5 {
      var row = Message()
      row.number = number
      row.kind = .request
      var message = WireMessage(row: row)
      message.hostOctets = Array("a.example".utf8)
      message.pathOctets = Array("/\(number)".utf8)
      errors.add(message, [PartLengths(line: 1), number == 5 ? nil : PartLengths(line: 1)])
    }
    let lines = [
      "messages that a model can say nothing of: ep 1",
      "messages counted under their host alone, as there are too many APIs: 3",
    ]
    let text = ModelSummary(errors, totals: emptyTotals()).text()
    for line in lines { #expect(text.contains(line + "\n")) }
    #expect(PageComparison.sections(errors).map(\.warnings) == [lines, lines])
  }
}
