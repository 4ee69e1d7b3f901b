import Foundation
import TestSupport
import Testing

/// What the options of an analysis change, and what they leave as it is.
@Suite struct OptionTests {
  @Test(
    .enabled(if: Environment.tool("tcpdump") != nil, "tcpdump is not installed"),
    arguments: [
      "tcp port 80", "udp", "host 192.0.2.10 and not tcp", "tcp[tcpflags] & tcp-syn != 0", "less 70", "ip6",
    ])
  func filterKeepsWhatTcpdumpKeeps(_ expression: String) throws {
    let tcpdump = try #require(Environment.tool("tcpdump"))
    let capture = try Corpus.capture("nginx-keepalive")
    let scratch = try Scratch()
    let kept = scratch.path("kept.pcap")
    let outcome = try Command.run(
      tcpdump, ["-n", "--time-stamp-precision=nano", "-r", capture.path, "-w", kept, expression])
    try #require(outcome.status == 0, "\(outcome.error)")
    let filtered = try FileAnalysis(["--filter", expression, capture.path])
    #expect(filtered.outcome.status == 0)
    #expect(try filtered.report.differences(from: FileAnalysis([kept]).report).isEmpty)
  }

  /// What has a row for each API, and beside it what says of each row which API it is counted for.
  private static let filesOfAPIs: Set = ["apis.csv", "contents.csv", "fields.csv"]
  private static let filesWithAPIPaths = filesOfAPIs.union(["messages.csv", "exchanges.csv", "websockets.csv"])

  @Test(arguments: ["mixed-2000", "demo", "one-sided"])
  func groupedByHost(_ name: String) throws {
    let capture = try Corpus.capture(name)
    let report = try FileAnalysis(["--group-by", "host", capture.path]).report
    let usual = try FileAnalysis.of(capture).report
    #expect(report.apis.header == usual.apis.header)
    #expect(report.apis.rows.allSatisfy { $0["path"].isEmpty })
    let hosts = Set(usual.messages.rows.map { $0["host"] })
    #expect(report.apis.rows.map { $0["host"] } == hosts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    try expectSameSums(report, usual)
    #expect(Set(report.differences(from: usual)).isSubset(of: Self.filesWithAPIPaths))
  }

  @Test(arguments: ["mixed-2000", "demo", "one-sided"])
  func groupedByMethodToo(_ name: String) throws {
    let capture = try Corpus.capture(name)
    let report = try FileAnalysis(["--group-by", "host,path,method", capture.path]).report
    let usual = try FileAnalysis.of(capture).report
    #expect(report.apis.header == Contract.apisByMethod)
    let keys = ["host", "path", "method"]
    let byName = Dictionary(grouping: usual.messages.rows.filter { $0["type"] == "request" }) { row in
      keys.map { row[$0] }
    }
    for row in report.apis.rows {
      let requests = byName[keys.map { row[$0] }] ?? []
      #expect(requests.count == row.integer("requests"))
      #expect(requests.sum("message_bytes") == row.integer("request_bytes"))
    }
    try expectSameSums(report, usual)
    #expect(Set(report.differences(from: usual)).isSubset(of: Self.filesOfAPIs))
  }

  @Test func template() throws {
    let capture = try Corpus.capture("mixed-2000")
    let report = try FileAnalysis(["--template", capture.path]).report
    let usual = try FileAnalysis.of(capture).report
    #expect(report.apis.rows.contains { $0["path"].contains("{id}") })
    #expect(report.apis.rows.count < usual.apis.rows.count)
    try expectSameSums(report, usual)
    #expect(Set(report.differences(from: usual)).isSubset(of: Self.filesWithAPIPaths))
  }

  /// A body of 2 MiB, which is within a limit of 2 and not within one of 1: a skippable frame of zstd, which makes it long enough
  /// for so much, and 16 blocks of 131,072 times the same octet (RFC 8878).
  @Test(arguments: [(nil, "2097152"), ("2", "2097152"), ("1", "")] as [(String?, String)])
  func decodeLimitIsHowMuchIsDecoded(_ limit: String?, _ decoded: String) throws {
    let skipped: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 0, 4, 0, 0] + [UInt8](repeating: 0, count: 1024)
    let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, 0x38] + (0..<16).flatMap { [$0 == 15 ? 3 : 2, 0, 0x10, 0] }
    let body = skipped + frame
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\nContent-Length: \(body.count)\r\n\r\n"
    let scratch = try Scratch()
    let capture = try scratch.file(
      "body.pcap", HandMadeCapture.octets(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8), Array(head.utf8) + body))
    let options = limit.map { ["--decode-limit", $0] } ?? []
    let report = try FileAnalysis(options + [capture.path]).report
    let row = try #require(report.messages.rows.first { $0["type"] == "response" })
    #expect(row["decoded_body_bytes"] == decoded && row.integer("body_bytes") == body.count)
    #expect(row["flags"] == (decoded.isEmpty ? "coding_beyond_limit" : ""))
    #expect(report.anomalies.rows.map { $0["name"] } == (decoded.isEmpty ? ["content_beyond_limit"] : []))
  }

  @Test func withoutDecodingNothingButDecodedLengthsChanges() throws {
    let capture = try Corpus.capture("nginx-gzip")
    let report = try FileAnalysis(["--no-decode", capture.path]).report
    let usual = try FileAnalysis.of(capture).report
    let depending: Set = ["decoded_body_bytes", "flags"]
    #expect(usual.messages.rows.contains { !$0["content_encoding"].isEmpty && $0.integer("decoded_body_bytes") > 0 })
    #expect(report.messages.rows.count == usual.messages.rows.count)
    for (row, other) in zip(report.messages.rows, usual.messages.rows) {
      if !row["content_encoding"].isEmpty, row.integer("body_bytes") > 0 {
        #expect(row["decoded_body_bytes"].isEmpty)
      }
      let differing = Contract.messages.filter { row[$0] != other[$0] }
      #expect(depending.isSuperset(of: differing))
    }
    #expect(report.octets("ledger.csv") == usual.octets("ledger.csv"))
    #expect(report.octets("connections.csv") == usual.octets("connections.csv"))
  }

  /// The totals over all APIs do not depend on how they are grouped.
  private func expectSameSums(_ report: Report, _ usual: Report) throws {
    for column in Contract.apis.dropFirst(2) where !column.hasPrefix("wait_") {
      #expect(report.apis.rows.sum(column) == usual.apis.rows.sum(column), "\(column)")
    }
  }
}
