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
              details: "\(api.key.text): \(growth(api))\n\(ComparisonCells.verdict(comparison) ?? "")")
            : .passed)
      },
      note: ([summary] + ComparisonCells.unsure(comparison)).joined(separator: "\n")
    ).text
  }

  /// A line for each API beyond the threshold, and one for all.
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
      ComparisonCells.verdict(comparison),
    ]
    return parts.compactMap(\.self).joined(separator: "; ")
  }

  private func growth(_ api: APIComparison) -> String {
    let change = [Numerals.signed(api.difference(APISum.ip)), ComparisonCells.share(api)].filter { !$0.isEmpty }
    let perRequest = api.perRequestDifference.map { ", \(Numerals.mean($0, of: 1000)) per request" } ?? ""
    return "\(Numerals.grouped(api.base.figures[.ip])) → \(Numerals.grouped(api.new.figures[.ip])) IP bytes "
      + "(\(change.joined(separator: ", "))\(perRequest))"
  }
}
