import Foundation
import TestSupport
import Testing

/// Every stream of browsers over HTTP/3 (`captures/verify/*-h3`), against what their server counted of it (aioquic and pylsqpack, which
/// share nothing with the program).
@Suite(.timeLimit(.minutes(10))) struct HTTP3StreamsTests {
  private static let columns = ["message_bytes", "body_bytes", "expanded_header_bytes"]

  @Test(arguments: ["chromium", "firefox", "netlog"])
  func octetsAreThoseThatTheServerCounted(_ name: String) throws {
    let folder = Corpus.folder.appendingPathComponent("verify/\(name)-h3")
    let analysis = try FileAnalysis([folder.appendingPathComponent("capture.pcapng.gz").path])
    #expect(analysis.outcome.status == 0)
    let streams = folder.appendingPathComponent("capture.streams.csv")
    let expected = try CSVFile.rows(of: streams)
    func place(_ port: some StringProtocol, _ stream: String, _ type: String) -> String { "\(port) \(stream) \(type)" }
    var found: [String: CSVFile.Row] = [:]
    for row in analysis.report.messages.rows where row["type"] != "interim" {
      #expect(row["version"] == "HTTP/3")
      found[place(row["client"].split(separator: ":").last ?? "", row["stream"], row["type"])] = row
    }
    #expect(expected.count >= 64 && found.count == expected.count)
    for row in expected {
      let what = place(row["connection"], row["stream"], row["type"])
      let removed = found.removeValue(forKey: what)
      let message = try #require(removed, "\(what)")
      #expect((message["exactness"] == "exact") == (row["whole"] == "1"), "\(what)")
      guard row["whole"] == "1" else { continue }
      for column in Self.columns { #expect(message[column] == row[column], "\(what): \(column)") }
      if row["type"] == "response" { #expect(message["status"] == row["status"], "\(what)") }
    }
    #expect(analysis.report.ledger("opaque") == 0 && analysis.report.ledger("stray") == 0)
    #expect(analysis.report.ledger("quic_protected") == 0)
  }
}
