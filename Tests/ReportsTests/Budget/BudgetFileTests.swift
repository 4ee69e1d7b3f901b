import Foundation
import HTTPReassembly
import Testing

@testable import Reports

@Suite struct BudgetFileTests {
  @Test func rulesAreReadAsTheyStand() throws {
    let rules = try BudgetFile.rules(
      """
      # For the release
      limits:
        - host: "*.example.com"
          path: /v1/**
          up_bytes: 20 kB
          down_bytes: 1.5 MiB
          requests: 100
          error_share: 1%
          wait_p95: 300 ms

        - {host: no, method: GET, per: request, header_bytes: 0x10}
      """.replacing("0x10", with: "16"), file: "f")
    #expect(rules.map(\.line) == [3, 11] && rules.map(\.scope) == [.api, .request])
    #expect(rules[0].limits.map(\.most) == [20_000, 1_572_864, 100, 10_000, 300_000_000])
    // A host is a text, also where YAML 1.1 would read a truth value.
    #expect(rules[1].host.text == "no" && rules[1].path.text == "**" && rules[1].method == "GET")
    #expect(rules[1].limits == [try #require(BudgetLimit(.headerBytes, "16"))])
  }

  @Test func valuesAreExact() {
    let values: [(BudgetFigure, String, Int)] = [
      (.ipBytes, "0", 0), (.ipBytes, "1B", 1), (.ipBytes, "0.001 kB", 1), (.ipBytes, "2GiB", 2 << 30),
      (.requests, "7", 7), (.errorShare, "0.5", 500_000), (.errorShare, "100%", 1_000_000),
      (.waitP95, "1.5s", 1_500_000_000),
      (.waitP50, "250us", 250_000), (.waitP95, "300", 300_000_000),
    ]
    for (figure, text, most) in values { #expect(BudgetLimit(figure, text)?.most == most, "\(text)") }
    let wrong: [(BudgetFigure, String)] = [
      (.ipBytes, "-1"), (.ipBytes, "1.5"), (.ipBytes, "1 KB"), (.ipBytes, "0.0001 kB"), (.ipBytes, "lots"),
      (.ipBytes, ""),
      (.ipBytes, "9999999999999999 GB"), (.requests, "1 kB"), (.requests, "1e3"), (.errorShare, "101%"),
      (.waitP95, "1 h"), (.ipBytes, "1_000"), (.ipBytes, "٣"),
    ]
    for (figure, text) in wrong { #expect(BudgetLimit(figure, text) == nil, "\(text)") }
  }

  @Test func mistakesAreNamedWithTheirLine() {
    let wrong = [
      ("", "f: is empty"), ("# nothing", "f: is empty"), ("limits:", "line 1: limits is not a list"),
      ("limits: []", "f: has no limits"), ("- a", "line 1: expected a mapping"),
      ("limit:\n  - host: a", "line 1: unknown key 'limit'"), ("limits:\n  - a", "line 2: expected a rule"),
      ("limits:\n  - host: a\n    ip_byte: 1", "line 3: unknown key 'ip_byte'; known are host"),
      ("limits:\n  - host: a", "line 2: a rule without a limit"),
      ("limits:\n  - ip_bytes: 1", "line 2: a rule needs a host"),
      ("limits:\n  - host: a\n    ip_bytes: 5 apples", "line 3: ip_bytes: expected bytes, as in 4096"),
      ("limits:\n  - host: a\n    ip_bytes: [1]", "line 3: ip_bytes needs a value"),
      ("limits:\n  - host: a\n    ip_bytes:", "line 3: ip_bytes needs a value"),
      (
        "limits:\n  - host: a\n    per: day\n    ip_bytes: 1",
        "per: expected api, request, host, match or step, found 'day'"
      ),
      ("limits:\n  - host: a\n    per: request\n    requests: 1", "line 2: requests is not counted by request"),
      ("limits:\n  - host: a\n    host: b\n    ip_bytes: 1", "the key host twice"),
      ("limits:\n  - host: *.example.com\n    ip_bytes: 1", "needs quotes"), ("limits: {", "f: line "),
      ("limits: &a [*a]", "f: "), ("\u{0}", "f: "), (String(repeating: "[", count: 100_000), "f: "),
      ("a: 1\n---\nb: 2", "f: "),
    ]
    for (text, problem) in wrong {
      let error = #expect(throws: BudgetError.self) { try BudgetFile.rules(text, file: "f") }
      let description = error?.description ?? ""
      #expect(
        description.contains(problem) && description.hasPrefix("f: ") && !description.contains("\n"), "\(description)")
    }
  }

  @Test func filesThatCannotBeReadAreNamed() throws {
    let folder = TemporaryFolder()
    let long = try folder.put("long", "#" + String(repeating: "x", count: 300_000))
    for path in [folder.path + "/none", folder.path, long] {
      let error = #expect(throws: BudgetError.self) { try BudgetFile.read(path) }
      #expect(error?.description.hasPrefix(path) == true)
    }
  }

  @Test func rulesThatTotalsCannotTellAreRefused() throws {
    let method = try BudgetFile.rules("limits:\n  - host: a\n    method: GET\n    ip_bytes: 1", file: "f")
    let path = try BudgetFile.rules("limits:\n  - path: /a\n    ip_bytes: 1", file: "f")
    typealias Grouping = Configuration.Grouping
    #expect(throws: BudgetError.self) {
      try BudgetFile.check(method, of: "f", grouping: Grouping(path: true, method: false), hasMarks: false)
    }
    #expect(throws: BudgetError.self) {
      try BudgetFile.check(path, of: "f", grouping: Grouping(path: false, method: false), hasMarks: false)
    }
    try BudgetFile.check(method + path, of: "f", grouping: Grouping(path: true, method: true), hasMarks: false)
    let step = try BudgetFile.rules("limits:\n  - step: a\n    ip_bytes: 1", file: "f")
    let error = #expect(throws: BudgetError.self) {
      try BudgetFile.check(step, of: "f", grouping: Grouping(path: true, method: true), hasMarks: false)
    }
    #expect(error?.description == "f: line 2: step needs --marks FILE")
    try BudgetFile.check(step, of: "f", grouping: Grouping(path: true, method: true), hasMarks: true)
  }
}
