import Estimates
import Reports
import Tabular

extension PageComparison {
  /// The sections of a verification: the app's figures of each part and of each API, and the causes of differences.
  public static func sections(
    _ verification: Verification, _ summary: VerificationSummary, redaction: Redaction? = nil
  ) -> [PageComparison] {
    let known = VerifyCoverage(verification: verification, summary: summary)
    return [
      parts(summary, known), causes(summary, known), apis(summary, redaction: redaction),
    ]
  }

  private static func parts(_ summary: VerificationSummary, _ known: VerifyCoverage) -> PageComparison {
    let balances = [
      ("start-lines", summary.lines), ("header sections", summary.headers), ("bodies", summary.bodies),
      ("requests", summary.requests), ("responses", summary.responses), ("all", summary.matched),
    ].filter { $0.1.count > 0 }
    return PageComparison(
      title: "The app's log compared with the wire", shortTitle: "The app's log",
      note: "Messages that both have; the last three with chunk framing and trailers.",
      facts: (known.verdict.map { [$0] } ?? []) + known.lines + known.phases,
      warnings: known.warning.map { [$0] } ?? [], subject: Subject("part", "parts"), details: matchedDetails,
      isOrdered: true, rows: balances.map { row($0.0, $0.1) })
  }

  private static func causes(_ summary: VerificationSummary, _ known: VerifyCoverage) -> PageComparison {
    PageComparison(
      title: "Why the app differs", shortTitle: "Causes",
      note: "Bytes that each cause explains, in all rows of the log and all messages of its hosts."
        + (known.readings.isEmpty ? "" : " How the app seems to count, of at most 500 rows each:"),
      facts: known.readings,
      subject: Subject("cause", "causes"), details: [Detail("rows")],
      rows: summary.causes.map { Line(name: $0.cause.name, difference: $0.cause.octets, details: [$0.rows]) })
  }

  private static func apis(_ summary: VerificationSummary, redaction: Redaction?) -> PageComparison {
    let wrong = summary.wrongAPIs
    return PageComparison(
      title: "APIs by difference", shortTitle: "APIs that differ",
      note: "Rows of the log and messages on the wire, matched or not: \(Numerals.grouped(wrong.count)) of "
        + "\(Numerals.grouped(summary.apis.count)) APIs differ.",
      subject: Subject("API", "APIs"), details: matchedDetails,
      rows: wrong.map { api in
        let host = Array(api.host.utf8)
        let path = Array(api.path.utf8)
        let name = (redaction?.host(host) ?? host) + (redaction?.path(path) ?? path)
        return row(String(decoding: name, as: UTF8.self), api.balance)
      })
  }

  private static let matchedDetails = [Detail("rows"), Detail("unexplained")]

  private static func row(_ name: String, _ balance: VerificationSummary.Balance) -> Line {
    Line(name: name, app: balance.app, wire: balance.wire, details: [balance.count, balance.unexplained])
  }
}
