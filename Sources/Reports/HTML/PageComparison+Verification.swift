import Estimates

extension PageComparison {
  /// The sections of a verification: what the app says of each part and of each API, and why it differs.
  public static func sections(
    _ verification: Verification, _ summary: VerificationSummary, redaction: Redaction? = nil
  ) -> [PageComparison] {
    var parts: [Row] = []
    for (name, balance) in [
      ("start-lines", summary.lines), ("header sections", summary.headers), ("bodies", summary.bodies),
      ("requests", summary.requests), ("responses", summary.responses), ("all", summary.matched),
    ] where balance.count > 0 {
      parts.append(Row(name: name, app: balance.app, wire: balance.wire))
    }
    let apis = summary.apis.map { api in
      let host = Array(api.host.utf8)
      let path = Array(api.path.utf8)
      let name = String(decoding: (redaction?.host(host) ?? host) + (redaction?.path(path) ?? path), as: UTF8.self)
      return Row(name: name, app: api.balance.app, wire: api.balance.wire)
    }
    let causes = summary.causes.map { total in
      Row(name: total.cause.name, difference: total.cause.octets)
    }
    return [
      PageComparison(
        title: "The app's log against the wire",
        note: "Messages that both have, by part. Unexplained: "
          + "\(Summary.grouped(summary.unexplained)) bytes.", rows: parts),
      PageComparison(
        title: "Why the app differs",
        note: "Bytes that each cause explains, in all rows of the log and all messages of its "
          + "hosts.", rows: causes),
      PageComparison(
        title: "APIs by difference", note: "Rows of the log and messages on the wire, matched or not.", rows: apis),
    ]
  }
}

extension PageComparison {
  /// The sections of a replay of models: what each would have said of requests, and of responses.
  public static func sections(_ errors: ModelErrors) -> [PageComparison] {
    func rows(_ overall: [ModelErrors.Overall]) -> [Row] {
      zip(errors.models, overall).map { name, overall in
        Row(
          name: name.rawValue, app: overall.sums.estimate.total, wire: overall.sums.wire.total,
          difference: overall.sums.error.total)
      }
    }
    let note = "What each model says of the messages that it can say something of."
    return [
      PageComparison(title: "Models of app-side monitors: requests", note: note, rows: rows(errors.requests)),
      PageComparison(title: "Models of app-side monitors: responses", note: note, rows: rows(errors.responses)),
    ]
  }
}
