import Foundation
import TestSupport
import Testing

/// Multipath TCP of the Linux kernel over two paths, one of them down on the way (`captures/mptcp`), in clear and with TLS. The client says
/// how long each message was.
@Suite(.timeLimit(.minutes(10))) struct MultipathCaptureTests {
  private static let name = Corpus.folder.appendingPathComponent("mptcp").path
  private static let columns = ["method", "path", "message_bytes", "body_bytes"]

  @Test func messagesAreAsLongAsTheClientSays() throws {
    let analysis = try FileAnalysis(["\(Self.name).pcap.gz", "--keys", "\(Self.name).keys"])
    #expect(analysis.outcome.status == 0)
    let said = try CSVFile.rows(of: URL(fileURLWithPath: "\(Self.name).contents.csv"))
    let messages = analysis.report.messages.rows
    #expect(said.count == 13 && messages.count == 26)
    for (type, columns) in [
      ("request", ["method", "path", "request_bytes", "request_body_bytes"]),
      ("response", ["method", "path", "response_bytes", "response_body_bytes"]),
    ] {
      let found = messages.filter { $0["type"] == type }.map { row in Self.columns.map { row[$0] } }
      #expect(found == said.map { row in columns.map { row[$0] } })
    }
    #expect(messages.allSatisfy { $0["exactness"] == "exact" && $0["pairing"] == "exact" })
    // Each connection has two subflows, and its messages belong to the first one.
    let connections = analysis.report.connections.rows
    #expect(connections.map { $0["mptcp"] }.count == 4 && Set(connections.map { $0["mptcp"] }).count == 2)
    #expect(Set(messages.map { $0["connection"] }) == ["1", "3"])
    for name in ["stray", "missing", "pending", "opaque"] { #expect(analysis.report.ledger(name) == 0, "\(name)") }
    // The second path has the octets again that were on the way on the first one.
    #expect((analysis.report.ledger("retransmitted") ?? 0) > 0 && analysis.report.anomalies.rows.isEmpty)
  }
}
