import Foundation
import TestSupport
import Testing

/// `sniffer budget`, as CI uses it.
@Suite struct BudgetTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Holds a capture against a budget.
  private func budget(_ text: String, _ capture: String, _ options: [String] = []) throws -> Outcome {
    let file = try scratch.file("budget.yaml", Array(text.utf8))
    return try Sniffer.run(["budget", try Corpus.capture(capture).path, "--budget", file.path] + options)
  }

  /// A budget that nothing was compared with is not kept, and neither is one whose hosts are closed.
  @Test func nothingCheckedIsNotKept() throws {
    let rule = "limits:\n  - host: nowhere.example\n    ip_bytes: 1 MB\n"
    let none = try budget(rule, "cookies-redirects")
    #expect(none.status == 1 && none.output.contains("budget not checked: no limit applies"), "\(none.output)")
    let everywhere = "limits:\n  - host: \"**\"\n    per: match\n    ip_bytes: 1 GB\n"
    let closed = try budget(everywhere, "tls-closed")
    #expect(closed.status == 1 && closed.output.contains("line 2: most of ** ** is closed TLS or QUIC"))
    let quiet = try budget(everywhere, "tls-closed", ["-q"])
    #expect(quiet.status == 1 && quiet.output.isEmpty && quiet.error.contains("is closed TLS or QUIC"))
    #expect(try budget(everywhere, "tls-closed", ["--print", "junit"]).output.contains("name=\"closed TLS\""))
    // In the demo few connections are closed.
    #expect(try budget(everywhere, "demo").status == 0)
  }

  /// Closed hosts have exact octets: those of hosts.csv.
  @Test func hostsHaveLimits() throws {
    func rule(_ most: Int) -> String {
      "limits:\n  - host: six.example.com\n    per: host\n    ip_bytes: \(most)\n    handshake_bytes: 1 MB\n"
    }
    let report = try FileAnalysis.of(Corpus.capture("tls-closed")).report
    let octets = try #require(report.hosts.rows.first { $0["host"] == "six.example.com" }).integer("ip_bytes")
    #expect(try budget(rule(octets), "tls-closed").status == 0)
    let folder = scratch.path("report")
    let outcome = try budget(rule(octets - 1), "tls-closed", ["-o", folder])
    #expect(outcome.status == 2 && outcome.output.contains("six.example.com"), "\(outcome.output)")
    let rows = try CSVFile([UInt8](Data(contentsOf: URL(fileURLWithPath: folder + "/budget.csv")))).rows
    #expect(rows.map { $0["host"] } == ["six.example.com", "six.example.com"] && rows[0]["over"] == "1")
    for wrong in ["body_bytes: 1", "ip_bytes: 1\n    path: /a"] {
      #expect(try budget("limits:\n  - host: a\n    per: host\n    \(wrong)\n", "demo").status == 1)
    }
  }

  private static let everything = """
    limits:
      - host: "*"
        path: /**
        up_bytes: 1 kB
        down_bytes: 10 kB
        ip_bytes: 9999
        message_bytes: 8 KiB
        requests: 3
        responses: 2
        errors: 1
        status_4xx: 0
        status_5xx: 1
        error_share: 12.5%
        wait_ms_p50: 1 ms
        wait_ms_p95: 0.5 ms
        wait_ms_p99: 2 ms
      - host: API.example.com
        path: /*/items*
        per: request
        start_line_bytes: 50
        header_bytes: 300
        body_bytes: 120
        framing_bytes: 1
        trailer_bytes: 0
        request_header_bytes: 100
        response_body_bytes: 60
        missing_bytes: 0
      - path: /?**
        per: match
        ip_bytes: 1 MB
        requests: 10000
        error_share: 0.05
        wait_ms_p50: 1 ms
        wait_ms_p95: 1 s
        request_body_bytes: 2 GB
        response_header_bytes: 1
    """

  @Test(
    .enabled(if: FormatWitness.python != nil, "needs python3"), arguments: ["mixed-2000", "demo", "errors-aborts"])
  func everyCheckIsThatOfTheWitness(_ capture: String) throws {
    let folder = scratch.path("report")
    let outcome = try budget(Self.everything, capture, ["-o", folder])
    #expect(outcome.status == 2, "\(outcome.error)")
    #expect(outcome.outputLines.last?.hasPrefix("ledger balanced: ") == true)
    let differences = try BudgetWitness.differences(in: URL(fileURLWithPath: folder))
    #expect(differences.isEmpty, "\(differences)")
    // The other reports are those of an analysis.
    let report = try Report(folder: URL(fileURLWithPath: folder))
    #expect(report.differences(from: try FileAnalysis([try Corpus.capture(capture).path]).report) == [])
    let checks = try CSVFile([UInt8](Data(contentsOf: URL(fileURLWithPath: folder + "/budget.csv")))).rows
    let exceeded = checks.filter { $0["exceeded"] == "1" }.count
    #expect(exceeded > 0 && exceeded < checks.count)
  }

  @Test func theEdgeIsWithinTheLimit() throws {
    let report = try FileAnalysis.of(try Corpus.capture("cookies-redirects")).report
    let total = report.apis.rows.sum("request_ip_bytes") + report.apis.rows.sum("response_ip_bytes")
    let rule = "limits:\n  - host: '**'\n    per: match\n    ip_bytes: "
    let kept = try budget("\(rule)\(total)", "cookies-redirects")
    #expect(kept.status == 0 && kept.outputLines.first == "budget kept: 1 check" && kept.error.isEmpty)
    let exceeded = try budget("\(rule)\(total - 1)", "cookies-redirects")
    #expect(exceeded.status == 2 && exceeded.output.contains("budget exceeded: 1 of 1 check"))
    #expect(exceeded.outputLines[1].hasPrefix("(all that match)") && exceeded.outputLines[1].hasSuffix(" 1"))
  }

  @Test func eachBreachIsNamedWithoutASummaryToo() throws {
    let rule = "limits:\n  - host: img.example.com\n    path: /img/**\n    requests: 0\n    up_bytes: 1 GB"
    for options in [["-q"], ["-q", "-o", scratch.path("quiet")]] {
      let outcome = try budget(rule, "nginx-keepalive", options)
      try #require(outcome.status == 2, "\(outcome.output)\(outcome.error)")
      #expect(outcome.output.isEmpty && !outcome.errorLines.isEmpty)
      #expect(
        outcome.errorLines.allSatisfy {
          $0.hasPrefix("sniffer: img.example.com/img/") && $0.contains(": requests is ")
            && $0.contains("; line 2: img.example.com /img/**)")
        }, "\(outcome.error)")
    }
  }

  @Test func aRuleAboutNothingIsNamed() throws {
    let rule = "limits:\n  - host: nosuch.example.com\n    ip_bytes: 1"
    let lenient = try budget(rule, "cookies-redirects")
    #expect(lenient.status == 1 && lenient.errorLines.count == 1)
    #expect(lenient.error.contains("line 2: no API matches nosuch.example.com **"))
    let strict = try budget(rule, "cookies-redirects", ["--strict", "-q"])
    #expect(strict.status == 1 && strict.errorLines.count == 2)
    // With another rule that matches, only --strict makes a failure of it.
    let two = rule + "\n  - host: \"**\"\n    ip_bytes: 1 GB"
    #expect(try budget(two, "cookies-redirects").status == 0)
    #expect(try budget(two, "cookies-redirects", ["--strict"]).status == 1)
  }

  @Test func mistakesAreOneLineAndNothingIsAnalysed() throws {
    let mistakes = [
      ("limits:\n  - host: a\n    ip_byte: 1", "line 3: unknown key 'ip_byte'"), ("", "is empty"),
      ("limits:\n  - host: *.com\n    ip_bytes: 1", "needs quotes"),
      ("limits:\n  - host: a\n    method: GET\n    ip_bytes: 1", "needs --group-by host,path,method"),
      ("limits:\n  - host: \"\\e[31m\"\n    per: \"\\e[31m\"\n    ip_bytes: 1", "found '\\x1b[31m'"),
      (String(repeating: "[", count: 200_000), "line 1: "),
    ]
    for (text, problem) in mistakes {
      let outcome = try budget(text, "cookies-redirects", ["-o", scratch.path("none")])
      #expect(outcome.status == 1 && outcome.output.isEmpty && outcome.errorLines.count == 1, "\(outcome.error)")
      #expect(outcome.error.contains(problem) && outcome.error.contains("budget.yaml: "), "\(outcome.error)")
      #expect(!FileManager.default.fileExists(atPath: scratch.path("none")))
    }
    let capture = try Corpus.capture("cookies-redirects").path
    #expect(try Sniffer.run(["budget", capture, "--budget", scratch.path("missing")]).status == 1)
    #expect(try Sniffer.run(["budget", capture]).status == 64)
    #expect(try budget("limits: []", "cookies-redirects", ["-o", "-", "--format", "ndjson"]).status == 64)
  }

  /// What was damaged is said first: a budget that seems kept may not be.
  @Test func damagedInputIsAFailure() throws {
    let rules = try scratch.file("budget.yaml", Array("limits:\n  - host: '**'\n    requests: 0".utf8))
    let whole = try [UInt8](Data(contentsOf: Corpus.capture("cookies-redirects").url))
    let cut = try scratch.file("cut.pcap", Array(whole.dropLast(10)))
    let outcome = try Sniffer.run(["budget", cut.path, "--budget", rules.path])
    #expect(outcome.status == 1 && outcome.output.contains("budget exceeded: "))
  }

  @Test func hashedPathsStayHashed() throws {
    let rule = "limits:\n  - path: /img/**\n    requests: 0"
    let folder = scratch.path("redacted")
    let outcome = try budget(rule, "nginx-keepalive", ["--redact", "-o", folder])
    try #require(outcome.status == 2, "\(outcome.output)\(outcome.error)")
    let checks = try CSVFile([UInt8](Data(contentsOf: URL(fileURLWithPath: folder + "/budget.csv")))).rows
    #expect(!checks.isEmpty && checks.allSatisfy { $0["path"].hasPrefix("/img/~") })
    #expect(outcome.output.contains("/img/~") && !outcome.output.contains(".png"))
  }
}
