import Foundation
import TestSupport
import Testing

/// QUIC of a host with segmentation offload (`captures/quic-segments`): several packets are in one datagram. libcurl and Caddy say how long
/// each content was.
@Suite(.timeLimit(.minutes(10))) struct QUICSegmentsTests {
  @Test func contentsAreAsLongAsBothEndsSay() throws {
    let name = Corpus.folder.appendingPathComponent("quic-segments").path
    let analysis = try FileAnalysis(["\(name).pcap.gz", "--keys", "\(name).keys"])
    #expect(analysis.outcome.status == 0)
    let said = try CSVFile(
      Array(Data(contentsOf: URL(fileURLWithPath: "\(name).contents.csv"))), lineEnd: .lineFeed
    ).rows
    let messages = analysis.report.messages.rows
    #expect(said.count == 6 && messages.count == 12)
    let requests = messages.filter { $0["type"] == "request" }
    let responses = messages.filter { $0["type"] == "response" }
    for (index, row) in said.enumerated() {
      let (request, response) = (requests[index], responses[index])
      #expect([request["method"], request["path"]] == [row["method"], row["path"]])
      #expect(response["status"] == row["status"])
      #expect(request["body_bytes"] == row["request_body_bytes"])
      #expect(
        response["body_bytes"] == row["response_body_bytes"] && row["server_body_bytes"] == response["body_bytes"])
    }
    #expect(messages.allSatisfy { $0["exactness"] == "exact" && $0["pairing"] == "exact" })
    #expect(analysis.report.ledger("quic_protected") == 0 && analysis.report.ledger("stray") == 0)
    #expect(analysis.report.connections.rows.map { $0["tls_opened"] } == ["yes"])
  }
}
