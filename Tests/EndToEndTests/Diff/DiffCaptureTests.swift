import Foundation
import TestSupport
import Testing

/// `sniffer diff` on captures: what it says is what it says of their reports.
@Suite struct DiffCaptureTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func report(_ capture: String, _ name: String, _ options: [String]) throws -> String {
    let path = scratch.path(name)
    let outcome = try Sniffer.run(
      [try Corpus.capture(capture).path, "-q", "-o", path, "--format", "csv,sqlite"] + options)
    try #require(outcome.status == 0, "\(outcome.error)")
    return path
  }

  @Test(arguments: [
    [], ["--template", "--group-by", "host,path,method"], ["--filter", "tcp port 443", "--redact"], ["--keys"],
  ])
  func capturesAreComparedAsTheirReports(_ given: [String]) throws {
    let options = given == ["--keys"] ? ["--keys", Corpus.folder.appendingPathComponent("demo.keys").path] : given
    let base = try report("cookies-redirects", "base", options)
    let new = try report("demo", "new", options)
    let captures = [try Corpus.capture("cookies-redirects").path, try Corpus.capture("demo").path]
    let expected = try Sniffer.run(["diff", base, new, "--format", "csv"])
    try #require(expected.status == 0, "\(expected.error)")
    #expect(try CSVFile(expected.outputOctets).rows.count > 1 || given.contains("--filter"))
    for pair in [captures, [base, captures[1]], [captures[0], new]] {
      let outcome = try Sniffer.run(["diff"] + pair + ["--format", "csv"] + options)
      #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.error)")
      #expect(outcome.outputOctets == expected.outputOctets, "\(pair)")
    }
  }

  @Test func handshakesAreCompared() throws {
    let base = try report("cookies-redirects", "base", [])
    let new = try report("demo", "new", [])
    let hosts = try CSVFile([UInt8](Data(contentsOf: URL(fileURLWithPath: new + "/hosts.csv"))))
    let sum = hosts.rows.sum("handshake_bytes")
    #expect(sum > 1000)
    let captures = [try Corpus.capture("cookies-redirects").path, try Corpus.capture("demo").path]
    for pair in [captures, [base, new], ["\(base)/apis.csv", "\(new)/apis.csv"]] {
      let json = try Sniffer.run(["diff"] + pair + ["--format", "json"])
      let object = try JSONSerialization.jsonObject(with: Data(json.outputOctets)) as? [String: Any]
      let found = try #require(object?["handshake_bytes"] as? [String: Int])
      #expect(found == ["base": 0, "new": sum], "\(pair)")
      #expect(try Sniffer.run(["diff"] + pair).output.contains("handshakes: 0 → "))
    }
  }

  @Test func whatWasNotMadeAlikeIsNamed() throws {
    let plain = try report("cookies-redirects", "plain", [])
    let other = try report("cookies-redirects", "other", ["--template", "--no-decode"])
    let capture = try Corpus.capture("cookies-redirects").path
    for pair in [[plain, other], [other, capture]] {
      let refused = try Sniffer.run(["diff"] + pair)
      #expect(refused.status == 1 && refused.output.isEmpty && refused.errorLines.count == 1)
      #expect(
        refused.error.contains("template (") && refused.error.contains("options (")
          && refused.error.contains("--allow-unlike"), "\(refused.error)")
      #expect(try Sniffer.run(["diff"] + pair + ["--allow-unlike"]).status == 0)
    }
    let byHost = try report("cookies-redirects", "by-host", ["--group-by", "host"])
    #expect(try Sniffer.run(["diff", plain, byHost, "--allow-unlike"]).status == 0)
  }

  /// What was damaged is said, and what was read is compared all the same.
  @Test func damagedCapturesAreAFailure() throws {
    let whole = try [UInt8](Data(contentsOf: Corpus.capture("cookies-redirects").url))
    let cut = try scratch.file("cut.pcap", Array(whole.dropLast(10))).path
    let outcome = try Sniffer.run(["diff", try Corpus.capture("cookies-redirects").path, cut])
    #expect(outcome.status == 1 && outcome.errorLines.count == 1 && outcome.output.contains("APIs: "))
    let text = try scratch.file("note.txt", Array("not a capture".utf8)).path
    let refused = try Sniffer.run(["diff", cut, text])
    #expect(refused.status == 1 && refused.output.isEmpty && refused.errorLines.count == 1, "\(refused.error)")
    #expect(try Sniffer.run(["diff", cut, cut, "--filter", "no such filter"]).status == 64)
  }
}
