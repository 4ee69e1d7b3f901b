import Foundation
import TestSupport
import Testing

/// The options of `sniffer models`, and what it does when something is wrong.
@Suite struct ModelsOptionTests {
  @Test func choosesModels() throws {
    let capture = try Corpus.capture("node-chunked")
    let run = try ModelsRun(["--model", "trafficprobe,hertz", capture.path])
    #expect(run.outcome.status == 0)
    #expect(Set(run.messages.rows.map { $0["model"] }) == ["trafficprobe", "hertz"])
    #expect(run.messages.rows.first?["model"] == "trafficprobe")
    let all = try ModelsRun.of(capture)
    #expect(
      run.messages.rows.filter { $0["model"] == "hertz" }.map(\.cells)
        == all.messages.rows.filter { $0["model"] == "hertz" }.map(\.cells))
  }

  @Test func takesOtherThingsForGranted() throws {
    let scratch = try Scratch()
    let capture = try scratch.file(
      "capture.pcap",
      HandMadeCapture.octets(
        request: "PUT /a?b HTTP/1.1\r\nHost: h.example\r\nX-A: 1\r\nContent-Length: 3\r\n\r\nabc",
        response: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nz\r\n0\r\n\r\n"))
    func figures(_ model: String, _ arguments: [String], _ type: String) throws -> [Int] {
      let run = try ModelsRun(["--model", model] + arguments + [capture.path])
      let row = try #require(run.messages.rows.first { $0["type"] == type })
      return ModelsRun.parts.map { row.integer("\($0)_estimate") }
    }
    // Path line 3 + 1 + 2 + 1 + 8 + 1; X-A alone 3 + 1 + 3, or Host 13 + 3 and Content-Length 15 + 3 as well.
    #expect(try figures("dogger", [], "request") == [16, 7, 3, 0, 26])
    #expect(try figures("dogger", ["--invisible-fields", "none"], "request") == [16, 41, 3, 0, 60])
    #expect(try figures("dogger", ["--invisible-fields", "X-A,content-length"], "request") == [16, 16, 3, 0, 35])
    #expect(try figures("dogger", ["--stream-bodies", "all"], "request") == [16, 7, 0, 0, 23])
    // Status-line; Transfer-Encoding 17 + 8 + 3, or with chunked one less.
    #expect(try figures("dogger", [], "response") == [15, 28, 1, 0, 44])
    #expect(try figures("dogger", ["--chunked-as-sent"], "response") == [15, 27, 1, 0, 43])
    // The whole header section of 17 + 17 + ..., or two octets less.
    let whole = try figures("urlsession_metrics", [], "request")
    let without = try figures("urlsession_metrics", ["--metrics-without-empty-line"], "request")
    #expect(whole[1] - without[1] == 2)
  }

  @Test(arguments: [
    (["--model", "hertz,nonsense"], "nonsense"), (["--model", ""], "--model"),
    (["--invisible-fields", "host,"], "--invisible-fields"), (["--invisible-fields", "a b"], "a b"),
    (["--stream-bodies", "some"], "some"), (["--format", "xml"], "xml"),
  ])
  func wrongUsageExitsWith64(_ arguments: [String], _ word: String) throws {
    let scratch = try Scratch()
    let capture = try Corpus.capture("nginx-keepalive")
    let outcome = try Sniffer.run(["models"] + arguments + ["-o", scratch.path("models"), capture.path])
    #expect(outcome.status == 64)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errorLines.first?.hasPrefix("Error: ") == true)
    #expect(outcome.errorLines.first?.contains(word) == true)
    #expect(!FileManager.default.fileExists(atPath: scratch.path("models")), "nothing is written")
  }

  @Test func readsStandardInputAndIsQuiet() throws {
    let capture = try Corpus.capture("nginx-keepalive")
    let run = try ModelsRun(["-q", "-"], input: capture.url)
    #expect(run.outcome.status == 0)
    #expect(run.outcome.output.isEmpty)
    #expect(try run.messages.rows.map(\.cells) == ModelsRun.of(capture).messages.rows.map(\.cells))
  }

  @Test func whatWasReadOfADamagedCaptureIsReported() throws {
    let scratch = try Scratch()
    let capture = try Corpus.capture("nginx-keepalive")
    let octets = try [UInt8](Data(contentsOf: capture.url))
    let cut = try scratch.file("cut.pcap", Array(octets[..<(octets.count - 7)]))
    let run = try ModelsRun([cut.path])
    #expect(run.outcome.status == 1)
    #expect(run.outcome.errorLines.count == 1)
    #expect(run.messages.rows.count > ModelsRun.names.count * 30)
    #expect(run.outcome.outputLines.last?.hasPrefix("ledger balanced: ") == true)
  }

  @Test func aFolderThatCannotBeMadeLeavesTheSummary() throws {
    let scratch = try Scratch()
    let file = try scratch.file("file", [1])
    let capture = try Corpus.capture("nginx-keepalive")
    let outcome = try Sniffer.run(["models", capture.path, "-o", file.path + "/models"])
    #expect(outcome.status == 1)
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.outputOctets.isEmpty)
  }

  @Test func filesAreTheirOwnersAlone() throws {
    let scratch = try Scratch()
    let capture = try Corpus.capture("nginx-keepalive")
    #expect(try Sniffer.run(["models", "-q", capture.path, "-o", scratch.path("models")]).status == 0)
    let names = try FileManager.default.visibleNames(scratch.path("models"))
    #expect(names == ["model_messages.csv", "models.csv"])
    for name in names {
      let attributes = try FileManager.default.attributesOfItem(atPath: scratch.path("models/\(name)"))
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test func groupsAndRedactsAsAnalyzeDoes() throws {
    let capture = try Corpus.capture("demo")
    let options = ["--template", "--group-by", "host,path,method", "--redact"]
    let run = try ModelsRun(["--model", "hertz"] + options + [capture.path])
    let apis = try FileAnalysis(options + [capture.path]).report.apis.rows
    #expect(
      run.apis.rows.map { [$0["host"], $0["path"], $0["method"]] }
        == apis.map { [$0["host"], $0["path"], $0["method"]] })
    #expect(run.apis.rows.map { $0["request_total_bytes"] } == apis.map { $0["request_bytes"] })
    #expect(run.outcome.output.contains("/~"), "paths beyond the first segment are hashed")
  }

  @Test func detailsTellEachPart() throws {
    let capture = try Corpus.capture("node-chunked")
    let outcome = try Sniffer.run(["models", "--details", "--model", "ep", capture.path])
    let parts = outcome.outputLines.filter { $0.hasPrefix("ep") }.compactMap { line in
      line.split(separator: " ").dropFirst().first.map(String.init)
    }
    #expect(parts.filter { ModelsRun.parts.contains($0) } == ModelsRun.parts + ModelsRun.parts)
  }

  /// What comes off the wire cannot do anything to a terminal or a table.
  @Test func hostileNamesAreEscaped() throws {
    let scratch = try Scratch()
    let request = Array("GET /\u{1b}[2J\u{202e}".utf8) + [0xff] + Array(" HTTP/1.1\r\nHost: =1+1\r\n\r\n".utf8)
    let capture = try scratch.file(
      "capture.pcap", HandMadeCapture.octets(request, Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)))
    let run = try ModelsRun([capture.path])
    let analysis = try FileAnalysis([capture.path])
    #expect(!run.outcome.outputOctets.contains { $0 < 0x20 && $0 != 0x0a })
    #expect(run.messages.rows.first?["path"] == analysis.report.messages.rows.first?["path"])
    #expect(run.apis.rows.first?["host"] == analysis.report.apis.rows.first?["host"])
  }
}
