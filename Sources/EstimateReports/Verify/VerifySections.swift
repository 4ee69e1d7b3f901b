import Estimates
import Reports
import Tabular

extension PageComparison {
  /// The sections of a verification: the app's figures of each part and of each API, and the causes of differences.
  public static func sections(
    _ verification: Verification, _ summary: VerificationSummary, redaction: Redaction? = nil
  ) -> [PageComparison] {
    let known = VerifyCoverage(verification: verification, summary: summary)
    return [parts(known), causes(summary, known), apis(summary, redaction: redaction)]
      + [unexplained(known, redaction)].filter { !$0.rows.isEmpty }
  }

  private static func parts(_ known: VerifyCoverage) -> PageComparison {
    PageComparison(
      title: "The app's log compared with the wire", shortTitle: "The app's log",
      note: "Messages that both have; the last three with chunk framing and trailers.",
      facts: [known.verdict] + known.lines + known.phases,
      warnings: known.warnings, subject: Subject("part", "parts"), details: matchedDetails,
      isOrdered: true, rows: known.balances.map { row($0.name, $0.balance) })
  }

  private static func causes(_ summary: VerificationSummary, _ known: VerifyCoverage) -> PageComparison {
    PageComparison(
      title: "Why the app differs", shortTitle: "Causes",
      note: "Bytes that each cause explains, in all rows of the log and all messages of its hosts."
        + (known.readings.isEmpty ? "" : " How the app seems to count, of at most 500 messages each, and what to do:"),
      facts: known.readings + known.remedies,
      subject: Subject("cause", "causes"), details: [Detail("messages")],
      rows: summary.causes.map { Line(name: $0.cause.name, difference: $0.cause.octets, details: [$0.rows]) })
  }

  private static func apis(_ summary: VerificationSummary, redaction: Redaction?) -> PageComparison {
    let wrong = summary.wrongAPIs
    return PageComparison(
      title: "APIs by difference", shortTitle: "APIs that differ",
      note: "Messages in the log and on the wire, matched or not: \(Numerals.grouped(wrong.count)) of "
        + "\(Numerals.grouped(summary.apis.count)) APIs differ.",
      subject: Subject("API", "APIs"), details: matchedDetails,
      rows: wrong.map { api in
        let host = Array(api.host.utf8)
        let path = Array(api.path.utf8)
        let name = (redaction?.host(host) ?? host) + (redaction?.path(path) ?? path)
        return row(String(decoding: name, as: UTF8.self), api.balance)
      })
  }

  private static func unexplained(_ known: VerifyCoverage, _ redaction: Redaction?) -> PageComparison {
    PageComparison(
      title: "Figures without a cause", shortTitle: "Unexplained",
      note: "The first messages of \(Numerals.grouped(known.summary.unexplainedRows.count)) that have any.",
      subject: Subject("figure", "figures"), details: [Detail("unexplained", isDifference: true)], isOrdered: true,
      rows: known.unexplainedFigures(redaction).compactMap { figure in
        guard let app = figure.app, let wire = figure.wire else { return nil }
        let place = figure.row.map { "\(known.verification.rowNoun.one) \($0), " } ?? ""
        let name = String(decoding: figure.host + figure.path, as: UTF8.self)
        return Line(
          name: "\(place)\(figure.type) \(name), \(figure.figure)", app: app, wire: wire, details: [figure.unexplained])
      })
  }

  private static let matchedDetails = [Detail("messages"), Detail("unexplained")]

  private static func row(_ name: String, _ balance: VerificationSummary.Balance) -> Line {
    Line(name: name, app: balance.app, wire: balance.wire, details: [balance.count, balance.unexplained])
  }
}
