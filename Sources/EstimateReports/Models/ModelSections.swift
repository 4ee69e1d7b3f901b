import Estimates
import Reports

extension PageComparison {
  /// The sections of a replay of models: each one's estimates of requests, and of responses.
  public static func sections(_ errors: ModelErrors) -> [PageComparison] {
    [("requests", errors.requests), ("responses", errors.responses)].map { kind, overall in
      PageComparison(
        title: "What models of app-side monitors say of \(kind)", shortTitle: "Models: \(kind)",
        note:
          "Bytes of the messages that a model can say something of. The parts' errors say where a model looks away "
          + "or counts twice; framing has the trailers.",
        warnings: ModelNotes.lines(errors), subject: Subject("model", "models"), teller: "model", figure: "estimate",
        details: [Detail("messages")]
          + MessagePart.allCases.dropLast().map { Detail("error of \($0.rawValue)", isDifference: true) },
        rows: zip(errors.models, overall).map { name, overall in
          let sums = overall.sums
          return Line(
            name: name.rawValue, app: sums.estimate.total, wire: sums.wire.total, difference: sums.error.total,
            details: [sums.messages] + MessagePart.allCases.dropLast().map { sums.error[$0] })
        })
    }
  }
}

/// Notes about messages without an estimate or without an API of their own, for the terminal and the page.
enum ModelNotes {
  /// The sentences; none when the sums are complete.
  static func lines(_ errors: ModelErrors) -> [String] {
    var lines: [String] = []
    let unknown = zip(errors.models, zip(errors.requests, errors.responses)).map { name, overall in
      (name: name.rawValue, messages: overall.0.sums.unknown + overall.1.sums.unknown)
    }.filter { $0.messages > 0 }
    if !unknown.isEmpty {
      let names = unknown.map { "\($0.name) \(Numerals.grouped($0.messages))" }
      lines.append("messages that a model can say nothing of: " + names.joined(separator: ", "))
    }
    if errors.messagesBeyondLimit > 0 {
      lines.append(
        "messages counted under their host alone, as there are too many APIs: "
          + Numerals.grouped(errors.messagesBeyondLimit))
    }
    return lines
  }
}
