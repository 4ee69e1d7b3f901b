import Tabular

/// A comparison as checks for CI systems: as JUnit XML, and as annotations of GitHub Actions.
struct ComparisonChecks {
  private let comparison: ReportComparison
  /// The largest number of annotations: GitHub shows ten of a step, and its log has them all.
  private static let annotationLimit = 200

  init(_ comparison: ReportComparison) { self.comparison = comparison }

  /// JUnit XML: a test case for each API of both reports.
  var junit: String {
    JUnitDocument(
      name: "sniffer diff",
      cases: comparison.apis.map { api in
        JUnitDocument.Case(
          group: TextEscaping.string(api.key.host.isEmpty ? Array("(unknown)".utf8) : api.key.host), name: api.key.text,
          outcome: api.isBeyond
            ? .failed(
              message: growth(api),
              details: ([api.key.text + ": " + growth(api)] + ComparisonCells.verdicts(comparison).map(\.text))
                .joined(separator: "\n"))
            : .passed)
      } + trafficCases
        + comparison.gaps.map {
          JUnitDocument.Case(group: "sniffer diff", name: "not checked", outcome: .broken(message: $0))
        },
      note: ([summary] + ComparisonCells.unsure(comparison) + comparison.gaps).joined(separator: "\n")
    ).text
  }

  /// A failed test case for each host beyond its threshold, and for the total.
  private var trafficCases: [JUnitDocument.Case] {
    var cases = comparison.beyondHosts.map { host in
      JUnitDocument.Case(
        group: host.name, name: "all connections", outcome: .failed(message: host.text, details: host.text))
    }
    if comparison.isTotalBeyond, let text = ComparisonCells.verdicts(comparison).last?.text {
      cases.append(
        JUnitDocument.Case(group: "sniffer diff", name: "total", outcome: .failed(message: text, details: text)))
    }
    return cases
  }

  /// A line for each API and host beyond its threshold, for the total, for each gap, and one for all.
  var annotations: String {
    let beyond = comparison.beyond
    var lines = beyond.prefix(Self.annotationLimit).map { api in
      WorkflowCommand(level: .error, title: "API traffic grew", message: "\(api.key.text): \(growth(api))").text
    }
    if beyond.count > Self.annotationLimit {
      lines.append(
        WorkflowCommand(
          level: .error, title: "API traffic grew",
          message: "and \(Numerals.grouped(beyond.count - Self.annotationLimit)) more APIs"
        ).text)
    }
    for host in comparison.beyondHosts.prefix(Self.annotationLimit) {
      lines.append(WorkflowCommand(level: .error, title: "Host traffic grew", message: host.text).text)
    }
    if comparison.isTotalBeyond, let text = ComparisonCells.verdicts(comparison).last?.text {
      lines.append(WorkflowCommand(level: .error, title: "Traffic grew", message: text).text)
    }
    for line in comparison.gaps {
      lines.append(WorkflowCommand(level: .error, title: "Traffic was not checked", message: line).text)
    }
    for line in ComparisonCells.unsure(comparison) {
      lines.append(WorkflowCommand(level: .warning, title: "API traffic", message: line).text)
    }
    lines.append(WorkflowCommand(level: .notice, title: "API traffic", message: summary).text)
    return lines.joined(separator: "\n") + "\n"
  }

  /// The whole result in one line.
  private var summary: String {
    let (old, new) = (comparison.total.base.figures[.ip], comparison.total.new.figures[.ip])
    let parts = [
      "\(Numerals.grouped(old)) → \(Numerals.grouped(new)) IP bytes (\(Numerals.signed(new - old)))",
      "APIs: \(ComparisonCells.census(comparison))", ComparisonCells.handshakes(comparison),
    ]
    return (parts.compactMap(\.self) + ComparisonCells.verdicts(comparison).map(\.text)).joined(separator: "; ")
  }

  private func growth(_ api: APIComparison) -> String {
    let change = [Numerals.signed(api.difference(APISum.ip)), ComparisonCells.share(api)].filter { !$0.isEmpty }
    let perRequest = api.perRequestDifference.map { ", \(Numerals.mean($0, of: 1000)) per request" } ?? ""
    let wait =
      api.isSlower
      ? api.difference(\.waitP95).map { ", wait p95 \(Numerals.mean(Int($0), of: 1_000_000)) ms" } ?? "" : ""
    return "\(Numerals.grouped(api.base.figures[.ip])) → \(Numerals.grouped(api.new.figures[.ip])) IP bytes "
      + "(\(change.joined(separator: ", "))\(perRequest))\(wait)"
  }
}
