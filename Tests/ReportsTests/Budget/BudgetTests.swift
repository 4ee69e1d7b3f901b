import HTTPReassembly
import TestSupport
import Testing

@testable import Reports

@Suite struct BudgetTests {
  /// Two APIs of one host: 100 octets up and 1,000 down in 4 requests; 50 and 500 in one, of whose two responses one is an
  /// error.
  private func totals() -> Totals {
    var texts = TextPool()
    var first = api("/a", up: 100, down: 1000, requests: 4, in: &texts)
    for wait in 1...4 { first.wait.record(Int64(wait) * 1_000_000) }
    var second = api("/b", up: 50, down: 500, requests: 1, in: &texts)
    second.responses = 2
    second.status4xx = 1
    second.wait.record(100_000_000)
    var totals = emptyTotals()
    totals.apis = [first, second]
    totals.texts = texts
    return totals
  }

  private func breaches(_ rule: String) throws -> [String] {
    let budget = Budget(try BudgetFile.rules("limits:\n  - {\(rule)}", file: "f"), totals())
    return budget.breaches.map { "\($0.name) \($0.actual?.text ?? "") over \($0.excess?.text ?? "")" }
  }

  @Test func exactlyAtTheLimitIsKept() throws {
    #expect(try breaches("host: '*.example.com', up_bytes: 100, down_bytes: 1000, requests: 4, error_share: 50%") == [])
    #expect(try breaches("path: /a, up_bytes: 99") == ["up_bytes 100 over 1"])
    #expect(try breaches("path: /*, ip_bytes: 1099") == ["ip_bytes 1,100 over 1"])
    #expect(try breaches("path: /**, requests: 0") == ["requests 4 over 4", "requests 1 over 1"])
    #expect(try breaches("path: /b, error_share: 49.9999%") == ["error_share 50.0% over <0.1%"])
    #expect(
      try breaches("path: /b, status_4xx: 0, status_5xx: 0, errors: 0") == ["status_4xx 1 over 1", "errors 1 over 1"])
    #expect(try breaches("path: /a, wait_p95: 4 ms, wait_p50: 2 ms") == [])
    #expect(try breaches("path: /a, wait_p95: 3.999 ms") == ["wait_ms_p95 4.0 ms over <0.1 ms"])
  }

  @Test func averagesAreByRequest() throws {
    // 1,100 / 4 is 275, 550 / 1 is 550.
    #expect(try breaches("path: /*, per: request, ip_bytes: 275") == ["ip_bytes per request 550.0 over 275.0"])
    #expect(try breaches("path: /a, per: request, ip_bytes: 274").first == "ip_bytes per request 275.0 over 1.0")
  }

  @Test func togetherEverythingThatMatchesCounts() throws {
    #expect(try breaches("path: /*, per: match, ip_bytes: 1650, requests: 5, wait_p50: 3 ms, wait_p95: 100 ms") == [])
    // 1 of 6 responses; the percentiles of all five waits.
    #expect(
      try breaches("path: /*, per: match, ip_bytes: 1649, error_share: 16%, wait_p50: 2 ms")
        == ["ip_bytes 1,650 over 1", "error_share 16.7% over 0.7%", "wait_ms_p50 3.0 ms over 1.0 ms"])
  }

  /// The first API has 600 inferred octets, and 77 octets of messages have no API.
  private func unsureTotals() -> Totals {
    var totals = totals()
    totals.apis[0].inferred = 600
    var unknown = APITotals()
    unknown.response.octets.body = 77
    totals.apis.append(unknown)
    return totals
  }

  @Test func whatIsOnlyInferredIsToldApart() throws {
    let totals = unsureTotals()
    func text(_ rule: String) throws -> BudgetText {
      BudgetText(Budget(try BudgetFile.rules("limits:\n  - {\(rule)}", file: "f"), totals), totals, redaction: nil)
    }
    // 1,000 octets down, of which 600 may be another API's.
    #expect(try text("path: /a, down_bytes: 400").lines.first?.contains("only with inferred bytes") == true)
    #expect(try text("path: /a, down_bytes: 399").lines.first?.contains("inferred") == false)
    #expect(
      try text("path: /a, per: request, down_bytes: 100").lines.first?.contains("only with inferred bytes") == true)
    #expect(try text("path: /a, requests: 0").lines.first?.contains("inferred") == false)
    #expect(try text("path: /a, inferred_bytes: 599").lines.first?.contains("inferred_bytes is 600") == true)
    let shown = try text("path: /**, down_bytes: 450").text(width: 120, colour: false)
    #expect(shown.contains("budget exceeded: 2 of 2 checks, 1 only with bytes assigned by inference\n"))
    #expect(
      shown.contains(
        "600 bytes were assigned to an API by inference\n77 bytes of messages could not be assigned to an API\n"))
  }

  @Test func rulesAboutNothingAreKnown() throws {
    let rules = try BudgetFile.rules(
      "limits:\n  - {path: /none, ip_bytes: 0}\n  - {path: /a, ip_bytes: 9999}\n  - {path: /none, per: match, requests: 0}",
      file: "f")
    let budget = Budget(rules, totals())
    #expect(budget.unmatched.map(\.line) == [2, 4] && budget.checks.count == 1 && budget.breaches.isEmpty)
  }

  @Test func whatIsPrintedFitsAndNamesEverything() throws {
    let rules = try BudgetFile.rules("limits:\n  - {host: '*.example.com', path: /**, ip_bytes: 1000}", file: "f")
    let totals = totals()
    let text = BudgetText(Budget(rules, totals), totals, redaction: nil)
    for width in [40, 80, 120] {
      let lines = text.text(width: width, colour: false).split(separator: "\n")
      #expect(lines.allSatisfy { DisplayWidth.of(String($0)) <= width })
      #expect(lines.last == "ledger balanced: 0 bytes" && lines.contains("budget exceeded: 1 of 2 checks"))
      #expect(lines.contains { $0.contains("ip_bytes") && $0.contains("1,100") })
    }
    #expect(
      text.lines == [
        "api.example.com/a: ip_bytes is 1,100, the limit 1,000 (over by 100; line 2: *.example.com /**)"
      ])
  }

  /// Where several rules limit one figure of one API, the strictest limit is named, once.
  @Test func eachExcessIsPrintedOnce() throws {
    let rules = try BudgetFile.rules(
      """
      limits:
        - {path: '/**', ip_bytes: 1000, requests: 9}
        - {path: /a, ip_bytes: 500}
        - {path: '/a*', ip_bytes: 800}
        - {path: /a, per: request, ip_bytes: 1}
        - {path: /b, ip_bytes: 100}
      """, file: "f")
    let totals = totals()
    let budget = Budget(rules, totals)
    #expect(budget.breaches.count == 5 && budget.excesses.count == 3)
    let text = BudgetText(budget, totals, redaction: nil)
    #expect(
      text.lines == [
        "api.example.com/a: ip_bytes is 1,100, the limit 500 (over by 600; line 3: ** /a, and line 2, 4)",
        "api.example.com/a: ip_bytes per request is 275.0, the limit 1.0 (over by 274.0; line 5: ** /a)",
        "api.example.com/b: ip_bytes is 550, the limit 100 (over by 450; line 6: ** /b)",
      ])
    let table = text.text(width: 120, colour: false)
    #expect(table.contains("budget exceeded: 5 of 8 checks") && table.split(separator: "\n").count == 1 + 3 + 2)
    #expect(text.text(.markdown, file: "f", isStrict: false, for: .standardOutput).split(separator: "\n").count == 7)
  }

  @Test func tlsAndHandshakesHaveLimits() throws {
    var totals = totals()
    totals.apis[0].request.tls = 29
    totals.apis[0].response.tls = 71
    var host = HostTotals()
    host.host = totals.apis[0].host
    host.handshake = 4000
    totals.hosts = [host]
    func lines(_ rule: String) throws -> [String] {
      let budget = Budget(try BudgetFile.rules("limits:\n  - {\(rule)}", file: "f"), totals)
      return budget.breaches.map { "\($0.name) \($0.actual?.text ?? "") over \($0.excess?.text ?? "")" }
    }
    #expect(
      try lines("path: /a, tls_bytes: 99, request_tls_bytes: 28, response_tls_bytes: 71")
        == ["tls_bytes 100 over 1", "request_tls_bytes 29 over 1"])
    #expect(try lines("host: '**', per: match, handshake_bytes: 3999") == ["handshake_bytes 4,000 over 1"])
    #expect(try lines("host: '**', per: match, handshake_bytes: 4000") == [])
    for rule in [
      "host: a, handshake_bytes: 1", "host: a, path: /, per: match, handshake_bytes: 1",
      "host: a, per: request, handshake_bytes: 1",
    ] {
      let error = #expect(throws: BudgetError.self) { try lines(rule) }
      #expect(error?.description.contains("handshake_bytes is counted by host") == true)
    }
  }

  /// Merged distributions have the percentiles of one that has all values, whichever of them had folded its values.
  @Test(arguments: [(3, 5), (3, 2000), (2000, 3), (2000, 3000), (400, 400), (0, 5), (5, 0)])
  func distributionsMerge(_ sizes: (Int, Int)) {
    var generator = SeededRandom(seed: 7)
    var (first, second, all) = (LatencyDistribution(), LatencyDistribution(), LatencyDistribution())
    for index in 0..<sizes.0 + sizes.1 {
      let value = Int64.random(in: 0...1_000_000_000, using: &generator)
      if index < sizes.0 { first.record(value) } else { second.record(value) }
      all.record(value)
    }
    first.merge(second)
    #expect(first.count == all.count)
    for percent in [0, 1, 50, 95, 100] as [Double] { #expect(first.percentile(percent) == all.percentile(percent)) }
  }
}
