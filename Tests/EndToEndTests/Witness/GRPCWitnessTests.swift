import Foundation
import TestSupport
import Testing

/// Calls of gRPC by grpcio, and of gRPC-Web before it (`captures/record/record-grpc`), against what their client knows.
@Suite struct GRPCWitnessTests {
  private static let folder = Corpus.folder.appendingPathComponent("grpc")

  @Test func messagesAndStatusesAreThoseOfTheClient() throws {
    let analysis = try FileAnalysis([Self.folder.appendingPathComponent("calls.pcapng.gz").path])
    #expect(analysis.outcome.status == 0)
    let witness = Self.folder.appendingPathComponent("calls.witness.csv")
    let calls = try CSVFile.rows(of: witness)
    let details = Dictionary(grouping: analysis.report.grpc.rows) { $0["message"] }
    #expect(analysis.report.grpc.rows.contains { $0["compressed"] == "yes" })
    var kinds: [String: Int] = [:]
    for call in calls {
      let rows = analysis.report.messages.rows.filter { $0["path"] == call["path"] && $0["type"] != "interim" }
      try #require(rows.count == 2, "\(call["path"])")
      let (request, response) = (rows[0], rows[1])
      let what = "\(call["path"])"
      #expect(request["grpc_messages"] == call["request_messages"], "\(what)")
      #expect(response["grpc_messages"] == call["response_messages"], "\(what)")
      #expect(request["grpc_status"] == "" && response["grpc_status"] == call["status"], "\(what)")
      #expect(request["decoded_body_bytes"] == call["request_octets"], "\(what)")
      #expect(response["decoded_body_bytes"] == call["response_octets"], "\(what)")
      #expect(rows.allSatisfy { $0["exactness"] == "exact" && $0["flags"] == "" }, "\(what)")
      for (row, count, octets) in [
        (request, "request_messages", "request_octets"), (response, "response_messages", "response_octets"),
      ] {
        let messages = details[row["message"]] ?? []
        #expect(messages.map { $0.integer("number") } == Array(1..<messages.count + 1))
        #expect("\(messages.count)" == call[count] && "\(messages.sum("decoded_bytes"))" == call[octets], "\(what)")
        #expect(messages.allSatisfy { $0["exchange"] == row["exchange"] && $0["direction"] == row["type"] })
        if call["how"].hasPrefix("grpc") { #expect(messages.sum("wire_bytes") == row.integer("body_bytes")) }
      }
      // Over HTTP/1 there is no stream.
      #expect((request["stream"] == "") == ["web", "web-text"].contains(call["how"]), "\(what)")
      kinds[call["how"], default: 0] += 1
    }
    #expect(kinds == ["grpc": 16, "grpc-gzip": 16, "web": 16, "web-text": 16, "web-h2": 16, "web-text-h2": 16])
    #expect(!analysis.report.anomalies.rows.contains { $0["name"].hasPrefix("grpc") })
  }
}
