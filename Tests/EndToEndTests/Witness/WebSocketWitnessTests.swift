import Foundation
import TestSupport
import Testing

/// WebSockets over HTTP/1 and HTTP/2 (`captures/record/record-websockets`), against what their client counted in its octets.
@Suite struct WebSocketWitnessTests {
  private static let folder = Corpus.folder.appendingPathComponent("websockets")
  private static let figures = [
    "frames", "messages", "text", "binary", "pings", "pongs", "frame_bytes", "keepalive_bytes", "payload_bytes",
    "decoded_bytes", "tunnel_bytes", "close_code",
  ]

  @Test func framesAreThoseOfTheClient() throws {
    let capture = Self.folder.appendingPathComponent("sockets.pcapng.gz")
    let scratch = try Scratch()
    let arguments = [
      capture.path, "-q", "-o", scratch.path("report"), "--format", "csv", "--format", "ndjson", "--format", "sqlite",
    ]
    #expect(try Sniffer.run(arguments).status == 0)
    let report = scratch.url.appendingPathComponent("report")
    let rows = try CSVFile(Array(Data(contentsOf: report.appendingPathComponent("websockets.csv")))).rows
    let witness = Self.folder.appendingPathComponent("sockets.witness.csv")
    let counted = try CSVFile.rows(of: witness)
    #expect(counted.count == 30 && rows.count == 30)
    for expected in counted {
      let found = try #require(
        rows.first { $0["path"] == expected["path"] && $0["direction"] == expected["direction"] })
      for figure in Self.figures {
        #expect(found[figure] == expected[figure], "\(expected["path"]) \(expected["direction"]) \(figure)")
      }
      #expect(found["exactness"] == "exact", "\(expected["path"]) \(expected["direction"])")
    }
    // The sums are the ledger's sub-classes, and nothing of the tunnels is left.
    let ledger = try Report(folder: report)
    func sum(_ column: String) -> Int { rows.reduce(0) { $0 + (Int($1[column]) ?? 0) } }
    #expect(sum("frame_bytes") == ledger.ledger("websocket_frame"))
    #expect(sum("payload_bytes") == ledger.ledger("websocket_payload"))
    #expect(ledger.ledger("tunnel_other") == 0 && sum("tunnel_bytes") == ledger.ledger("tunnel"))
    // Nobody waits from the end of a tunnel on, which is the end of its request over HTTP/2.
    for exchange in ledger.exchanges.rows {
      #expect(exchange["wait_ms"].isEmpty == (exchange["method"] == "CONNECT"), "\(exchange["path"])")
    }
    // Other formats have the same rows.
    let lines = try String(contentsOf: report.appendingPathComponent("websockets.ndjson"), encoding: .utf8)
    #expect(lines.split(separator: "\n").count == 30)
  }
}
