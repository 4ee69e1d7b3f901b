import Foundation
import Testing

/// Where captures come from: files, standard input, parts of a rotated capture.
@Suite struct InputTests {
  @Test func standardInput() throws {
    let capture = try Corpus.capture("nginx-keepalive")
    try expectSameReport(try FileAnalysis(["-"], input: capture.url), capture)
  }

  /// The name of a compressed capture, a program that compresses one anew, or nothing.
  @Test(arguments: ["apache-logio", "nginx-gzip", "nginx-ipv6", "mixed-2000"])
  func standardInputWithEveryFormat(_ name: String) throws {
    let capture = try Corpus.capture(name)
    try expectSameReport(try FileAnalysis(["-"], input: capture.url), capture)
  }

  @Test(
    .enabled(if: Environment.tool("gzip") != nil, "gzip is not installed"),
    .enabled(if: Environment.tool("zstd") != nil, "zstd is not installed"), arguments: ["cat", "gzip -c", "zstd -qc"])
  func pipe(_ filter: String) throws {
    let capture = try Corpus.capture("nginx-keepalive")
    let scratch = try Scratch()
    let folder = scratch.path("report")
    let outcome = try Command.shell(
      "\(filter) \"$1\" | \"$2\" - -o \"$3\"", [capture.path, Sniffer.url.path, folder])
    #expect(outcome.status == 0)
    #expect(outcome.error.isEmpty)
    let report = try Report(folder: URL(fileURLWithPath: folder))
    #expect(try report.differences(from: FileAnalysis.of(capture).report).isEmpty)
  }

  @Test(arguments: ["nginx-keepalive", "node-chunked", "python-http10", "sll-any", "fragments", "snaplen-96"])
  func partsInAnyOrderAreTheWhole(_ name: String) throws {
    let capture = try Corpus.capture(name)
    let packets = try PcapOctets(capture.url)
    let scratch = try Scratch()
    let third = packets.records.count / 3
    let ranges = [0..<third, third..<2 * third, 2 * third..<packets.records.count]
    // The names sort in the wrong order too.
    let parts = try zip(ranges, ["c", "a", "b"]).map { try scratch.file("\($1).pcap", packets.part($0)).path }
    for order in [[0, 1, 2], [2, 0, 1], [2, 1, 0]] {
      try expectSameReport(try FileAnalysis(order.map { parts[$0] }), capture)
    }
  }

  @Test func partsOfDifferentFormatsAreTheWhole() throws {
    let capture = try Corpus.capture("nginx-keepalive")
    let packets = try PcapOctets(capture.url)
    let scratch = try Scratch()
    let half = packets.records.count / 2
    let second = try scratch.file("2.pcap", packets.part(half..<packets.records.count))
    let first = try scratch.file("1.pcap", packets.part(0..<half))
    let gzip = try Command.shell("gzip \"$1\"", [first.path])
    try #require(gzip.status == 0, "\(gzip.error)")
    try expectSameReport(try FileAnalysis([second.path, first.path + ".gz"]), capture)
  }

  @Test func connectionsDoNotReachFromOneCaptureIntoAnother() throws {
    // Two captures of other days: the figures add up.
    let captures = try ["nginx-keepalive", "python-http10"].map { try Corpus.capture($0) }
    let both = try FileAnalysis(captures.map(\.path))
    let each = try captures.map { try FileAnalysis.of($0).report }
    #expect(both.outcome.status == 0)
    for row in both.report.ledger.rows {
      let name = row["class"]
      #expect(both.report.ledger(name) == each.reduce(0) { $0 + ($1.ledger(name) ?? 0) }, "\(name)")
    }
    #expect(both.report.messages.rows.count == each.reduce(0) { $0 + $1.messages.rows.count })
    #expect(both.report.connections.rows.count == each.reduce(0) { $0 + $1.connections.rows.count })
  }

  private func expectSameReport(_ analysis: FileAnalysis, _ capture: CaptureFile) throws {
    let whole = try FileAnalysis.of(capture)
    #expect(analysis.outcome.status == 0)
    #expect(analysis.outcome.error.isEmpty)
    #expect(analysis.outcome.summary == whole.outcome.summary)
    #expect(analysis.report.differences(from: whole.report).isEmpty)
  }
}
