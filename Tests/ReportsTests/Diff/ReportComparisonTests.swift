import Foundation
import HTTPReassembly
import TableReading
import Testing

@testable import Reports

@Suite struct ReportComparisonTests {
  private func example(_ order: ComparisonOrder = .ip, threshold: String? = nil) throws -> ReportComparison {
    let base = try report(
      "base",
      [
        ("/grew", [.requests: 2, .requestIP: 100, .responseIP: 900, .responseBody: 700, .status5xx: 1], 5_000_000),
        ("/same", [.requests: 1, .responseIP: 500], 1_000_000),
        ("/gone", [.requests: 4, .requestIP: 400, .responseIP: 3600], nil),
        ("/slower", [.requests: 1, .responseIP: 70], 1_000_000),
      ])
    let new = try report(
      "new",
      [
        ("/grew", [.requests: 3, .requestIP: 150, .responseIP: 1350, .responseBody: 1000, .status4xx: 1], 2_500_000),
        ("/same", [.requests: 1, .responseIP: 500], 1_000_000),
        ("/new", [.requests: 1, .requestIP: 10, .requestHeader: 5, .responseHeader: 7], 9_000_000),
        ("/slower", [.requests: 1, .responseIP: 70], 3_000_000),
      ])
    return try ReportComparison(
      base, new, thresholds: .init(apis: threshold.flatMap(Proportion.init).map { GrowthThreshold(share: $0) }),
      order: order)
  }

  private func paths(_ comparison: ReportComparison) -> [String] {
    comparison.apis.map { String(decoding: $0.key.path, as: UTF8.self) }
  }

  @Test func figuresAreThoseComputedByHand() throws {
    let comparison = try example()
    #expect(paths(comparison) == ["/gone", "/grew", "/new", "/same", "/slower"])
    #expect(comparison.apis.map(\.change) == [.vanished, .grew, .new, .same, .changed])
    let grew = comparison.apis[1]
    #expect(grew.difference(APISum.ip) == 500 && grew.difference(APIColumn.requestIP) == 50)
    #expect(grew.difference(APISum.body) == 300 && grew.difference(APISum.errors) == 0)
    #expect(grew.difference(APIColumn.status4xx) == 1 && grew.difference(APIColumn.status5xx) == -1)
    // 1000 / 2 and 1500 / 3.
    #expect(grew.perRequestDifference == 0 && grew.difference(\.waitP95) == -2_500_000)
    #expect(comparison.apis[2].difference(APISum.header) == 12 && comparison.apis[2].perRequestDifference == nil)
    #expect(comparison.apis[0].difference(\.waitP95) == nil)
    #expect(comparison.total.base.figures[.ip] == 5570 && comparison.total.new.figures[.ip] == 2080)
  }

  @Test func whatIsNotSureIsSaid() throws {
    let base = try report(
      "base", [("/a", [.requests: 1, .responseIP: 500, .responseMessage: 400, .inferred: 30], nil)])
    let new = try report("new", [("/a", [.requests: 1, .responseIP: 900, .responseMessage: 800], nil)])
    let comparison = try ReportComparison(base, new, order: .ip)
    let line = "base: 30 bytes were assigned to an API by inference"
    #expect(ComparisonTable(comparison, limit: 9).text(width: 100, colour: false).contains(line + "\n"))
    #expect(ComparisonMarkdown(comparison, limit: 9).text.hasSuffix("- ⚠️ \(line)\n"))
    #expect(!ComparisonMarkdown(try example(), limit: 9).text.contains("inferred"))
  }

  @Test func theOrderIsAChoice() throws {
    #expect(paths(try example(.requests)) == ["/gone", "/grew", "/new", "/same", "/slower"])
    #expect(paths(try example(.waitP95)).prefix(2) == ["/grew", "/slower"])
    #expect(paths(try example(.header)).first == "/new")
    #expect(paths(try example(.name)) == ["/gone", "/grew", "/new", "/same", "/slower"])
  }

  @Test func onlyWhatGrewBeyondTheThresholdIsNamed() throws {
    // 50% more; what is new grew from nothing.
    #expect(try example(threshold: "49.9%").beyond.map(\.change) == [.grew, .new])
    #expect(try example(threshold: "50%").beyond.map(\.change) == [.new])
    #expect(try example().beyond.isEmpty)
  }

  @Test func apisWithOneNameAreOne() throws {
    let twice = try report("twice", [("/a", [.requestIP: 1], 5), ("/a", [.requestIP: 2], 6)])
    let comparison = try ReportComparison(twice, twice)
    #expect(comparison.apis.count == 1 && comparison.apis[0].base.figures[.ip] == 3)
    #expect(comparison.apis[0].base.waitP95 == nil)
  }

  @Test func otherGroupingsAreRefused() throws {
    let byPath = try report("a", [("/a", [:], nil)])
    let byHost = try report("b", [("", [:], nil)])
    var byMethod = byPath
    byMethod.isByMethod = true
    var redacted = byPath
    redacted.isRedacted = true
    var plain = byPath
    plain.isRedacted = false
    for (base, new) in [(byPath, byHost), (byHost, byPath), (byPath, byMethod), (redacted, plain)] {
      #expect(throws: ReadingError.self) { try ReportComparison(base, new) }
    }
    // Nothing in it, so nothing against it.
    _ = try ReportComparison(byPath, try report("empty", []))
    _ = try ReportComparison(byHost, try report("empty", []))
  }

  @Test func aTableFitsItsWidth() throws {
    for width in [40, 60, 80, 100, 200] {
      let lines = ComparisonTable(try example(threshold: "5%"), limit: 1).text(width: width, colour: false)
        .split(separator: "\n")
      #expect(lines.allSatisfy { DisplayWidth.of(String($0)) <= width }, "\(width)")
      // Beyond the limit, but what is beyond the threshold is there.
      #expect(lines.contains { $0.hasPrefix("! ") && $0.contains("+500") } && lines.contains { $0.contains("/new") })
      #expect(lines.contains { $0.contains("1 more") })
      #expect(lines.last == "2 APIs grew beyond 5% (IP bytes of an API)" || width == 40)
    }
    let coloured = ComparisonTable(try example(threshold: "5%"), limit: 9).text(width: 100, colour: true)
    #expect(coloured.contains("\u{1b}[31m2 APIs") && !coloured.contains("/same"))
  }

  @Test func unlikeOptionsAreNamed() throws {
    var base = try report("old", [("/a", [.requestIP: 1], nil)])
    var new = try report("young", [("/a", [.requestIP: 1], nil)])
    base.choices = RunChoices(template: "identifiers", filter: "tcp", options: "--no-decode")
    new.choices = RunChoices(template: "", filter: "tcp", options: "")
    let error = #expect(throws: ReadingError.self) { try ReportComparison(base, new) }
    let text = error?.description ?? ""
    #expect(
      text.contains("old and young were not made alike: template (identifiers and none), options (--no-decode and"))
    #expect(!text.contains("filter") && text.contains("--allow-unlike"))
    #expect(try ReportComparison(base, new, allowsUnlike: true).apis.count == 1)
    // A report that does not say how it was made is compared with any other.
    new.choices = nil
    #expect(try ReportComparison(base, new).apis.count == 1)
  }

  /// Waits have a threshold of their own; where a side has none, nothing is slower.
  @Test func slowerAPIsAreBeyond() throws {
    let base = try report(
      "base", [("/a", [.requestIP: 1], 10_000_000), ("/b", [.requestIP: 1], 10_000_000), ("/c", [.requestIP: 1], nil)])
    let new = try report(
      "new",
      [("/a", [.requestIP: 1], 12_000_000), ("/b", [.requestIP: 1], 12_000_001), ("/c", [.requestIP: 1], 99_000_000)])
    let comparison = try ReportComparison(base, new, thresholds: .init(p95: try share("20%")))
    #expect(comparison.beyond.map(\.key.path) == [Array("/b".utf8)] && comparison.isBeyond && !comparison.isUnchecked)
    let text = ComparisonTable(comparison, limit: 9).text(width: 120, colour: false)
    #expect(text.contains("1 API became slower beyond 20% (wait p95)"))
  }
}
