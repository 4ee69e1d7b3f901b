import Foundation
import Testing

/// The same figures in every format, by readers that share no code with this project.
@Suite(.enabled(if: FormatWitness.python != nil, "needs python3"))
struct FormatEqualityTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(arguments: Corpus.captures)
  func everyCapture(_ capture: CaptureFile) throws {
    let folder = try analysis([capture.path])
    #expect(try FormatWitness.differences(in: folder) == "")
    let csv = try FileAnalysis.of(capture).report
    #expect(try Report(folder: folder).differences(from: csv).isEmpty)
    #expect(try names(folder) == (Report.fileNames + Report.ndjsonNames + ["report.sqlite"]).sorted())
  }

  @Test(arguments: [
    ["--redact"], ["--group-by", "host,path,method"], ["--group-by", "host"], ["--template"],
    ["--group-by", "process,host,path"],
  ])
  func everyOption(_ options: [String]) throws {
    let folder = try analysis([try Corpus.capture("mixed-2000").path] + options)
    #expect(try FormatWitness.differences(in: folder) == "")
  }

  @Test func redactionLeavesNothingInTheFile() throws {
    let capture = try Corpus.capture("apache-logio")
    let paths = try FileAnalysis.of(capture).report.messages.rows.map { $0["path"] }
    let long = Set(paths.filter { $0.split(separator: "/").count > 1 })
    try #require(!long.isEmpty)
    let folder = try analysis([capture.path, "--redact"])
    for name in ["report.sqlite", "messages.ndjson"] {
      let octets = try Data(contentsOf: folder.appendingPathComponent(name))
      for path in long { #expect(octets.range(of: Data(path.utf8)) == nil, "\(path) in \(name)") }
      #expect(octets.range(of: Data("192.0.2.".utf8)) == nil && octets.range(of: Data("apache-logio".utf8)) == nil)
    }
  }

  @Test func hostileTexts() throws {
    let hostile: [UInt8] =
      Array("GET /a\"b\\c,'\u{202e}\u{1f600}%00".utf8) + [0xff, 0xc0, 0x80, 0x01, 0x7f, 0x1b, 0x5b]
      + Array("</script>?q HTTP/1.1\r\nHost: =cmd|'x'!A1\"\r\nContent-Type: {\"a\":\"\\u0000\"}\t".utf8) + [
        0xed, 0xa0, 0x80,
      ]
      + Array("\r\n folded\r\n\r\n".utf8)
    let response: [UInt8] =
      Array("HTTP/1.1 200 OK\r\nContent-Type: @'\"\\".utf8) + [0, 8, 0xfe] + Array("\r\nContent-Length: 0\r\n\r\n".utf8)
    let capture = try scratch.file("hostile.pcap", HandMadeCapture.octets(hostile, response))
    let folder = try analysis([capture.path])
    #expect(try FormatWitness.differences(in: folder) == "")
    let database = folder.appendingPathComponent("report.sqlite")
    let rows = try FormatWitness.query("SELECT path FROM messages WHERE message = 1", of: database)
    #expect(rows == [#"/a"b\\c,'\xe2\x80\xae😀%00\xff\xc0\x80\x01\x7f\x1b[</script>"#])
    let lines = try String(contentsOf: folder.appendingPathComponent("messages.ndjson"), encoding: .utf8)
    #expect(lines.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0.value != 0x7f })
  }

  @Test func theSameCaptureGivesTheSameDatabase() throws {
    let capture = try Corpus.capture("loss-reorder")
    let first = try FormatWitness.dump(analysis([capture.path]).appendingPathComponent("report.sqlite"))
    let second = try FormatWitness.dump(analysis([capture.path]).appendingPathComponent("report.sqlite"))
    #expect(first.contains("INSERT INTO \"messages\""))
    #expect(first == second)
  }

  /// What the queries of an app's own traffic table give is what the CSV files say.
  @Test func theLogOfAnApp() throws {
    let capture = try Corpus.capture("node-chunked")
    let rows = try FileAnalysis.of(capture).report.messages.rows.filter { $0["type"] != "interim" }
    try #require(rows.contains { $0.integer("framing_bytes") > 0 && $0.integer("trailer_bytes") > 0 })
    let database = try analysis([capture.path]).appendingPathComponent("report.sqlite")
    #expect(
      try FormatWitness.query("SELECT name FROM pragma_table_info('app_log')", of: database) == [
        "host", "path", "type", "occur_time", "length", "line_length", "header_length", "body_length",
      ])
    for type in ["request", "response"] {
      let mine = rows.filter { $0["type"] == type }
      let sums = try FormatWitness.query(
        """
        SELECT count(*), sum(length), sum(line_length), sum(header_length), sum(body_length), min(occur_time)
        FROM app_log WHERE type = '\(type)'
        """, of: database)
      let expected = [
        mine.count, mine.sum("message_bytes"), mine.sum("start_line_bytes"), mine.sum("header_bytes"),
        mine.sum("body_bytes"), mine.map { $0.integer("first_time") }.min() ?? 0,
      ]
      #expect(sums == [expected.map(String.init).joined(separator: "|")])
    }
  }

  private func analysis(_ arguments: [String]) throws -> URL {
    let folder = scratch.path("report-\(UUID().uuidString)")
    let outcome = try Sniffer.run(arguments + ["-q", "-o", folder, "--format", "csv,ndjson,sqlite"])
    // Some captures are damaged, and the status says so for CSV alone, too.
    #expect(outcome.status != 2 && !outcome.wasKilled, "\(outcome.error)")
    return URL(fileURLWithPath: folder)
  }

  private func names(_ folder: URL) throws -> [String] {
    try FileManager.default.visibleNames(folder.path)
  }
}
