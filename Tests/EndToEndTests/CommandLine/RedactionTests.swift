import Foundation
import TestSupport
import Testing

/// `--redact`: no address, no query, and nothing of a path beyond its first segment in anything that is written.
@Suite struct RedactionTests {
  @Test(arguments: Corpus.captures)
  func noAddressAndNoPathBeyondItsFirstSegment(_ capture: CaptureFile) throws {
    let usual = try FileAnalysis.of(capture).report
    let redacted = try FileAnalysis(["--redact", capture.path])
    #expect(redacted.outcome.status == 0)
    let text = everything(redacted)
    for address in Self.addresses(usual) {
      let isThere = text.contains(address)
      #expect(!isThere, "\(address)")
    }
    for row in redacted.report.messages.rows + redacted.report.exchanges.rows + redacted.report.apis.rows {
      #expect(row["path"].wholeMatch(of: #/(/[^/]*(/(~[0-9a-f]{8})?)?|\*|~[0-9a-f]{8})?/#) != nil, "\(row["path"])")
    }
    for row in redacted.report.anomalies.rows { #expect(row["example"].isEmpty) }
  }

  @Test func figuresStayTheSame() throws {
    let capture = try Corpus.capture("mixed-2000")
    let usual = try FileAnalysis.of(capture).report
    let redacted = try FileAnalysis(["--redact", capture.path]).report
    #expect(redacted.octets("ledger.csv") == usual.octets("ledger.csv"))
    let named: Set = ["client", "server", "host", "path", "api_path"]
    #expect(redacted.messages.rows.count == usual.messages.rows.count)
    for (row, other) in zip(redacted.messages.rows, usual.messages.rows) {
      #expect(named.isSuperset(of: Contract.messages.filter { row[$0] != other[$0] }))
    }
    #expect(redacted.apis.rows.count == usual.apis.rows.count, "what was told apart still is")
  }

  @Test(arguments: [true, false])
  func queriesAreNeverWrittenAndFieldValuesNotWhenRedacted(_ isRedacted: Bool) throws {
    let scratch = try Scratch()
    let request =
      "GET /users/private-person-42/inbox?token=hunter2secret HTTP/1.1\r\nHost: 198.51.100.88\r\n"
      + "Authorization: Bearer bearersecret\r\nBroken-Field hiddenvalue\r\nCookie: cookiesecret\r\n\r\n"
    let response =
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\nanother broken hiddenvalue line\r\n\r\nok"
    let file = try scratch.file("capture.pcap", HandMadeCapture.octets(request: request, response: response))
    let analysis = try FileAnalysis((isRedacted ? ["--redact"] : []) + [file.path])
    #expect(analysis.outcome.status == 0)
    #expect(analysis.report.messages.rows.count == 2)
    #expect(analysis.report.messages.rows.first?["query_bytes"] == "19")
    let text = everything(analysis)
    for secret in ["hunter2secret", "bearersecret", "cookiesecret"] { #expect(!text.contains(secret), "\(secret)") }
    guard isRedacted else { return #expect(text.contains("private-person-42")) }
    for secret in ["private-person-42", "inbox", "203.0.113.77", "198.51.100.88", "hiddenvalue"] {
      #expect(!text.contains(secret), "\(secret)")
    }
  }

  /// All that a run wrote, wherever.
  private func everything(_ analysis: FileAnalysis) -> String {
    Report.fileNames.reduce(analysis.outcome.output + analysis.outcome.error) {
      $0 + String(decoding: analysis.report.octets($1), as: UTF8.self)
    }
  }

  private static func addresses(_ report: Report) -> Set<String> {
    let endpoints = (report.messages.rows + report.connections.rows).flatMap { [$0["client"], $0["server"]] }
    return Set(
      endpoints.compactMap { endpoint in
        endpoint.lastIndex(of: ":").map { String(endpoint[..<$0]).filter { !"[]".contains($0) } }
      })
  }
}
