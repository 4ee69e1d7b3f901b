import Foundation
import Shared
import TestSupport
import Testing

/// The estimate that TrafficProbe makes of field compression, against programs over HTTP/2.
@Suite(.timeLimit(.minutes(10))) struct FieldCompressionTests {
  private struct Log: Decodable {
    struct Field: Decodable {
      let name: String
      let value: String
    }
    struct Message: Decodable {
      let method: String?
      let url: String?
      let status: Int?
      let httpVersion: String
      let headers: [Field]
      let line: Int?
      let header: Int?
      let expandedLine: Int?
      let expandedHeader: Int?

      enum CodingKeys: String, CodingKey {
        case method, url, status, httpVersion, headers
        case line = "_wireStartLineBytes"
        case header = "_wireHeaderBytes"
        case expandedLine = "_wireExpandedStartLineBytes"
        case expandedHeader = "_wireExpandedHeaderBytes"
      }

      var wire: Int? { line.flatMap { line in header.map { line + $0 } } }
      var text: Int { (expandedLine ?? 0) + (expandedHeader ?? 0) }
      var fields: [(name: String, value: String)] { headers.map { ($0.name, $0.value) } }
    }
    struct Entry: Decodable {
      let request: Message
      let response: Message
      let connection: String
    }
    struct Content: Decodable { let entries: [Entry] }
    let log: Content
  }

  /// Octets of lines and header sections: on the wire, as text, and as estimated.
  private struct Sums: CustomStringConvertible {
    var (wire, text, estimate) = (0, 0, 0)

    private func error(_ figure: Int) -> Double { Double(figure - wire) / Double(max(1, wire)) }
    var estimateError: Double { error(estimate) }
    var textError: Double { error(text) }

    var description: String {
      "wire \(wire), text \(text) (\(percent(textError))), estimate \(estimate) (\(percent(estimateError)))"
    }
    private func percent(_ share: Double) -> String { String(format: "%+.1f %%", share * 100) }
  }

  /// The sums of a capture's messages over HTTP/2. Entries with the same `key` share their tables.
  private func sums(_ name: String, key: (Log.Entry) -> String) throws -> (sent: Sums, received: Sums) {
    let folder = try Scratch()
    let capture = Corpus.folder.appendingPathComponent("verify/\(name)-h2/capture.pcapng.gz")
    let outcome = try Sniffer.run([
      capture.path, "-q", "-o", folder.path("report"), "--format", "har", "--har-content", "headers,queries",
    ])
    try #require(outcome.status == 0)
    let file = URL(fileURLWithPath: folder.path("report/report.har"))
    let log = try JSONDecoder().decode(Log.self, from: Data(contentsOf: file))
    var tables: [String: (client: FieldCompression, server: FieldCompression)] = [:]
    var (sent, received) = (Sums(), Sums())
    for entry in log.log.entries where entry.request.httpVersion == "HTTP/2" {
      var (client, server) = tables[key(entry)] ?? (FieldCompression(), FieldCompression())
      let url = entry.request.url ?? ""
      if let wire = entry.request.wire {
        sent.estimate += client.request(
          method: entry.request.method ?? "", scheme: "https",
          authority: entry.request.headers.first { $0.name == "host" }?.value ?? "",
          target: String(url.dropFirst("https://".count).drop { $0 != "/" }), fields: entry.request.fields)
        sent.wire += wire
        sent.text += entry.request.text
      }
      if let wire = entry.response.wire {
        received.estimate += server.response(status: entry.response.status ?? 0, fields: entry.response.fields)
        received.wire += wire
        received.text += entry.response.text
      }
      tables[key(entry)] = (client, server)
    }
    return (sent, received)
  }

  /// libcurl is what FoundationNetworking sends with. Each run of curl has a connection of its own.
  @Test func curlIsExactWhereConnectionsAreKnown() throws {
    let (sent, received) = try sums("curl") { $0.connection }
    #expect(sent.wire > 10_000 && sent.estimate == sent.wire, "\(sent)")
    #expect(abs(received.estimateError) < 0.015 && received.textError > 0.5, "\(received)")
  }

  /// As in an app: hosts are known, and no connections. docs/traffic-probe.md has the figures.
  @Test(arguments: ["chromium", "curl", "firefox", "httpx", "mitmproxy", "netlog", "okhttp", "playwright"])
  func othersAreNear(_ name: String) throws {
    let (sent, received) = try sums(name) { $0.request.headers.first { $0.name == "host" }?.value ?? "" }
    print("\(name): requests \(sent); responses \(received)")
    #expect(abs(sent.estimateError) < 0.35 && sent.textError > 2, "\(sent)")
    // mitmproxy passes nginx's Server field on, and compresses otherwise.
    if name != "mitmproxy" {
      #expect(abs(received.estimateError) < 0.015 && received.textError > 0.7, "\(received)")
    }
    let page = try String(
      contentsOf: Corpus.folder.appendingPathComponent("../docs/traffic-probe.md").standardizedFileURL, encoding: .utf8)
    for figure in [sent.wire, sent.estimate, received.wire, received.estimate] {
      #expect(page.contains(Self.grouped(figure)), "docs/traffic-probe.md lacks \(figure) of \(name)")
    }
  }

  private static func grouped(_ figure: Int) -> String {
    figure < 1000 ? "\(figure)" : grouped(figure / 1000) + "," + String(format: "%03d", figure % 1000)
  }
}
