import ArgumentParser
import EstimateReports

/// What the summary of `models` shows.
struct ModelSummaryArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Sort the summary's tables by model, messages, line_error, header_error, body_error, framing_error or total_error: the \
      largest first, whatever their signs, requests and responses together (default: the models' own order).
      """, valueName: "column"), completion: .list(ModelChoices.columns))
  var sort: String?

  @Option(help: ArgumentHelp("Models in the summary's tables; 0 for all (default: all).", valueName: "n"))
  var top: Int?

  @OptionGroup var chosen: ConditionArguments

  @OptionGroup var document: DocumentArguments

  /// Which rows the tables have.
  var choices: ModelChoices { ModelChoices(sort: sort, top: top) }

  /// Refuses what the other options do not go with.
  func check(_ options: CommonOptions) throws {
    try document.check(options)
    if let top, top < 0 { throw ValidationError("--top needs a number from 0 on.") }
    if let fault = choices.fault { throw ValidationError("--sort: \(fault)") }
    try chosen.check()
  }
}
