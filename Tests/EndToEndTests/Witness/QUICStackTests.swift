import Foundation
import TestSupport
import Testing

/// QUIC of stacks that others wrote.
@Suite(.timeLimit(.minutes(10))) struct QUICStackTests {
  /// A host with segmentation offload (`captures/quic-segments`): several packets are in one datagram. libcurl and Caddy say how long each
  /// content was.
  @Test func contentsAreAsLongAsBothEndsSay() throws {
    let name = Corpus.folder.appendingPathComponent("quic-segments").path
    let analysis = try FileAnalysis(["\(name).pcap.gz", "--keys", "\(name).keys"])
    #expect(analysis.outcome.status == 0)
    let said = try CSVFile.rows(of: URL(fileURLWithPath: "\(name).contents.csv"))
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

  /// ngtcp2 as client and server (`captures/quic-ngtcp2`): greased packets, a preferred address, early data, key updates, Retry and loss. The
  /// client says how long each content was. tshark says how many octets of streams there are in all.
  @Test func anotherStackIsExact() throws {
    let name = Corpus.folder.appendingPathComponent("quic-ngtcp2").path
    let analysis = try FileAnalysis(["\(name).pcap.gz", "--keys", "\(name).keys"])
    #expect(analysis.outcome.status == 0)
    let report = analysis.report
    let messages = report.messages.rows
    func kinds(_ rows: [CSVFile.Row], _ columns: [String]) -> [[String]] {
      rows.map { row in columns.map { row[$0] } }.sorted { $0.lexicographicallyPrecedes($1) }
    }
    let said = try CSVFile.rows(of: URL(fileURLWithPath: "\(name).contents.csv"))
    #expect(said.count == 14)
    for (type, length) in [("request", "request_body_bytes"), ("response", "response_body_bytes")] {
      let found = kinds(messages.filter { $0["type"] == type }, ["connection", "method", "path", "body_bytes"])
      #expect(found == kinds(said, ["connection", "method", "path", length]))
    }
    #expect(messages.allSatisfy { $0["exactness"] == "exact" && $0["pairing"] == "exact" })
    let classes = ["start_line", "header", "body", "framing", "trailer", "control", "retransmitted"]
    let opened = try CSVFile.rows(of: URL(fileURLWithPath: "\(name).opened.csv"))
    let streams = opened.reduce(0) { $0 + $1.integer("stream_bytes") }
    #expect(classes.reduce(0) { $0 + (report.ledger($1) ?? 0) } == streams && streams > 240_000)
    for name in ["quic_protected", "stray", "missing", "udp", "pending"] {
      #expect(report.ledger(name) == 0, "\(name)")
    }
    // The times of its packets go back a few times, and it has no other anomaly.
    #expect(report.anomalies.rows.allSatisfy { $0["name"] == "timestamp_backwards" })
  }
}
