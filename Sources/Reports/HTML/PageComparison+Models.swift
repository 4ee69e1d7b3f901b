import Estimates

extension PageComparison {
  /// The sections of a replay of models: what each would have said of requests, and of responses.
  public static func sections(_ errors: ModelErrors) -> [PageComparison] {
    [("requests", errors.requests), ("responses", errors.responses)].map { kind, overall in
      PageComparison(
        title: "What models of app-side monitors say of \(kind)", shortTitle: "Models: \(kind)",
        note:
          "Octets of the messages that a model can say something of. The parts' errors say where a model looks away "
          + "or counts twice; framing has the trailers.",
        warnings: ModelNotes.lines(errors), subject: Subject("model", "models"), teller: "model", figure: "estimate",
        details: [Detail("messages")]
          + MessagePart.allCases.dropLast().map { Detail("error of \($0.rawValue)", isDifference: true) },
        rows: zip(errors.models, overall).map { name, overall in
          let sums = overall.sums
          return Row(
            name: name.rawValue, app: sums.estimate.total, wire: sums.wire.total, difference: sums.error.total,
            details: [sums.messages] + MessagePart.allCases.dropLast().map { sums.error[$0] })
        })
    }
  }
}
