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
    // One of the two has no packet that passes the filter.
    let isEmpty = given.contains("--filter")
    try #require(expected.status == (isEmpty ? 1 : 0), "\(expected.error)")
    #expect(try CSVFile(expected.outputOctets).rows.count > 1 || isEmpty)
    for pair in [captures, [base, captures[1]], [captures[0], new]] {
      let outcome = try Sniffer.run(["diff"] + pair + ["--format", "csv"] + options)
      // A capture that is analyzed says what the key log opened, which a report does not.
      let errors = outcome.errorLines.filter { !$0.contains(": 16 secrets, ") }
      #expect(outcome.status == expected.status && errors == expected.errorLines, "\(outcome.error)")
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

  /// Where TLS is closed, or a side has nothing, the comparison is not a good one.
  @Test func closedTrafficIsNotCompared() throws {
    let closed = try Corpus.capture("tls-closed").path
    let open = try Corpus.capture("tls-nginx").path
    let demo = try Corpus.capture("demo").path
    for (pair, sides) in [
      ([closed, closed], ["base", "new"]), ([open, closed], ["new"]), ([closed, demo], ["base"]),
    ] {
      for arguments in [[], ["--threshold", "5%"]] {
        let outcome = try Sniffer.run(["diff"] + pair + arguments)
        let isLarger = !arguments.isEmpty && pair[1] == demo
        #expect(outcome.status == (isLarger ? 2 : 1), "\(pair) \(arguments)")
        for side in ["base", "new"] {
          let hasLine = outcome.output.contains("\(side): no HTTP message was counted;")
          #expect(hasLine == sides.contains(side), "\(outcome.output)")
        }
      }
      let quiet = try Sniffer.run(["diff", "-q"] + pair)
      #expect(quiet.status == 1 && quiet.output.isEmpty && quiet.errorLines.count == sides.count)
      let json = try Sniffer.run(["diff"] + pair + ["--format", "json"])
      let object = try JSONSerialization.jsonObject(with: Data(json.outputOctets)) as? [String: Any]
      #expect((object?["not_checked"] as? [String])?.count == sides.count)
      #expect(try Sniffer.run(["diff"] + pair + ["--format", "junit"]).output.contains("name=\"not checked\""))
    }
    // A third party's closed connection beside much that is open does not count.
    #expect(try Sniffer.run(["diff", demo, demo]).status == 0)
    // An API that is gone where its host is closed may be there: one key less, and the demo's pay host is closed.
    let keys = Corpus.folder.appendingPathComponent("demo.keys").path
    let opened = try report("demo", "opened", ["--keys", keys])
    let hidden = try Sniffer.run(["diff", opened, demo])
    #expect(hidden.status == (hidden.output.contains("are missing, where closed TLS") ? 1 : 0))
  }

  /// Closed connections have exact octets: hosts and the total can have thresholds of their own.
  @Test func hostsAndTotalsHaveThresholds() throws {
    let closed = try Corpus.capture("tls-closed").path
    let demo = try Corpus.capture("demo").path
    let small = try Corpus.capture("cookies-redirects").path
    for (arguments, status) in [
      ([closed, closed, "--threshold-total", "0%"], 0), ([closed, closed, "--threshold-hosts", "0%"], 0),
      ([closed, closed, "--threshold-total", "0%", "--threshold", "0%"], 1),
      ([small, demo, "--threshold-total", "5%"], 2), ([demo, small, "--threshold-total", "5%"], 0),
      ([small, demo, "--threshold-hosts", "5%"], 2), ([small, demo, "--threshold-total", "100000%"], 0),
      ([small, demo, "--threshold-total", "5%", "--threshold-bytes", "10000000"], 0),
    ] as [([String], Int32)] {
      let outcome = try Sniffer.run(["diff"] + arguments)
      #expect(outcome.status == status, "\(arguments): \(outcome.output.suffix(400))")
    }
    let report = try report("cookies-redirects", "alone", [])
    try FileManager.default.removeItem(atPath: report + "/hosts.csv")
    try FileManager.default.removeItem(atPath: report + "/report.sqlite")
    let outcome = try Sniffer.run(["diff", report, small, "--threshold-total", "5%"])
    #expect(outcome.status == 1 && outcome.output.contains("base: there is no table of hosts"))
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
