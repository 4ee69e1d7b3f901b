import Foundation
import TestSupport
import Testing

/// What messages say, in a HAR: as Wireshark and curl saw it.
@Suite struct HARContentTests {
  private static let tshark = Environment.tool("tshark")

  @Test(
    .enabled(if: tshark != nil, "tshark is not installed"),
    arguments: ["nginx-gzip", "cookies-redirects", "nginx-ipv6", "nginx-keepalive"])
  func fieldsAndURLsAreThoseOfTshark(_ name: String) throws {
    let capture = try Corpus.capture(name)
    let archive = try HARArchive(capture.path, "headers,queries")
    let requests = archive.entries.map { Self.lines($0.request.headers) }
    let responses = archive.entries.filter { $0.response.status > 0 }.map { Self.lines($0.response.headers) }
    try expectSame(requests, values(of: capture, "http.request", "http.request.line"))
    try expectSame(responses, values(of: capture, "http.response and http.response.code >= 200", "http.response.line"))
    try expectSame(archive.entries.map(\.request.url), values(of: capture, "http.request", "http.request.full_uri"))
    try expectSame(
      archive.entries.filter { $0.response.status > 0 }.map(\.response.statusText),
      values(of: capture, "http.response and http.response.code >= 200", "http.response.phrase"))
  }

  @Test(
    .enabled(if: tshark != nil, "tshark is not installed"),
    arguments: ["node-chunked", "cookies-redirects", "nginx-ipv6"])
  func bodiesAreThoseOfTshark(_ name: String) throws {
    let capture = try Corpus.capture(name)
    let archive = try HARArchive(capture.path, "bodies")
    let mine = archive.entries.flatMap { [$0.request.postData?.octets, $0.response.content.octets] }
      .compactMap { $0 }.filter { !$0.isEmpty }
    let scratch = try Scratch()
    let outcome = try Command.run(
      try #require(Self.tshark),
      ["-n", "-q", "-r", capture.path, "--export-objects", "http,\(scratch.path("objects"))"]
        + Self.ports)
    try #require(outcome.status == 0, "\(outcome.error)")
    let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path("objects"))
    let theirs = try names.map { try Data(contentsOf: URL(fileURLWithPath: scratch.path("objects/" + $0))) }
      .filter { !$0.isEmpty }
    #expect(!theirs.isEmpty)
    #expect(Self.counted(mine) == Self.counted(theirs))
  }

  @Test func theSameFileIsTheSameBodyWhateverItsCoding() throws {
    let archive = try HARArchive(Corpus.capture("nginx-gzip").path, "bodies")
    var bodies: [String: Set<Data>] = [:]
    var sizes: [String: Set<Int>] = [:]
    for entry in archive.entries where entry.request.method == "GET" && entry.response.status == 200 {
      guard let octets = entry.response.content.octets, entry.request.url.contains("/text/") else { continue }
      #expect(octets.count == entry.response.content.size)
      bodies[entry.request.url, default: []].insert(octets)
      sizes[entry.request.url, default: []].insert(entry.response.bodySize)
    }
    #expect(bodies.values.allSatisfy { $0.count == 1 })
    #expect(sizes.values.contains { $0.count > 1 }, "none came in two codings")
  }

  @Test(arguments: ["nginx-keepalive", "nginx-gzip", "nginx-ipv6", "head-304-204-206"])
  func sizesAreThoseOfCurl(_ name: String) throws {
    let capture = try Corpus.capture(name)
    let archive = try HARArchive(capture.path, "headers")
    let witness = try CSVFile([UInt8](Data(contentsOf: try #require(capture.witness))), lineEnd: .lineFeed)
    var compared = 0
    // With an upload, curl counts interim responses, chunk framing and what it sent along with the header section, too.
    for row in witness.rows where !row["curl_size_header"].isEmpty && row.integer("curl_size_upload") == 0 {
      let entry = archive.entries.first {
        $0.request.headers.contains { $0.name == "X-Request" && $0.value == row["id"] }
      }
      guard let entry else { continue }
      #expect(entry.response.headersSize == row.integer("curl_size_header"), "\(row["id"])")
      #expect(entry.request.headersSize == row.integer("curl_size_request"), "\(row["id"])")
      #expect(entry.response.bodySize == row.integer("curl_size_download"), "\(row["id"])")
      #expect(entry.request.bodySize == 0, "\(row["id"])")
      compared += 1
    }
    #expect(compared > 3)
  }

  private static let ports = ["3000-3001", "8000-8005", "8080"].flatMap { ["-d", "tcp.port==\($0),http"] }

  private static func lines(_ fields: [HARArchive.Pair]) -> String {
    fields.map { "\($0.name): \($0.value)\\r\\n" }.joined(separator: "\u{1f}")
  }

  private func values(of capture: CaptureFile, _ filter: String, _ field: String) throws -> [String] {
    let outcome = try Command.run(
      try #require(Self.tshark),
      ["-n", "-r", capture.path, "-Y", filter, "-T", "fields", "-E", "aggregator=\u{1f}", "-e", field] + Self.ports)
    try #require(outcome.status == 0, "\(outcome.error)")
    return outcome.outputLines
  }

  private func expectSame(_ mine: [String], _ theirs: [String]) throws {
    #expect(!theirs.isEmpty)
    #expect(mine.sorted() == theirs.sorted())
  }

  private static func counted(_ bodies: [Data]) -> [Data: Int] { bodies.reduce(into: [:]) { $0[$1, default: 0] += 1 } }
}
