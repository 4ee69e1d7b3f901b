import ArgumentParser
import EstimateReports

/// The content of the summary of `models`.
struct ModelSummaryArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Sort the summary's tables by model, messages, line_error, header_error, body_error, framing_error or total_error. The \
      largest errors of requests and responses together come first, with any sign (default: the models' own order).
      """, valueName: "column"), completion: .list(ModelChoices.columns))
  var sort: String?

  @Option(help: ArgumentHelp("Show this many models in the tables; 0 for all (default: all).", valueName: "n"))
  var top: Int?

  @OptionGroup var chosen: ConditionArguments

  @OptionGroup var document: DocumentArguments

  /// The rows of the tables.
  var choices: ModelChoices { ModelChoices(sort: sort, top: top) }

  /// Refuses combinations with other options that make no sense.
  func check(_ options: CommonOptions) throws {
    try document.check(options)
    if let top, top < 0 { throw ValidationError("--top needs a number from 0 on.") }
    if let fault = choices.fault { throw ValidationError("--sort: \(fault)") }
    try chosen.check()
  }
}
