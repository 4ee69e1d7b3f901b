import ArgumentParser
import Reports
import Tabular

/// The formats of commands that write tables of their own, and no reports of messages.
enum TableFormat: String, CaseIterable, ExpressibleByArgument {
  case csv
  case html

  fileprivate var format: ReportFormat {
    switch self {
    case .csv: .csv
    case .html: .html
    }
  }
}

/// The common options of analyses that write tables of their own.
struct TableOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp(
      "Write the tables to this folder, which is created if need be (default: none; with --format CAPTURE-report).",
      valueName: "dir"),
    completion: .directory)
  var output: String?

  @Option(
    help: ArgumentHelp("Formats, separated by commas: csv, html (default: csv).", valueName: "formats"))
  var format: NameList<TableFormat>?

  @Option(
    help: ArgumentHelp(
      """
      Write at most this many bytes of rows, all formats together, as in 500MB or 2GiB (default: 20 times the captures and \
      1 GiB).
      """,
      valueName: "size"))
  var maxReport: OctetAmount?

  @OptionGroup var analysis: AnalysisOptions

  @OptionGroup var messages: MessageOptions

  /// The same as options of any analysis, for captures with this name.
  ///
  /// - Throws: A validation error for options that exclude each other.
  func common(for input: String?) throws -> CommonOptions {
    var options = try CommonOptions(analysis, messages)
    options.output = output
    options.requestedFormat = format.map { NameList($0.names.map(\.format)) }
    options.maxReport = maxReport
    if output == "-" { throw ValidationError("The tables go to a folder, not to standard output.") }
    try options.validate()
    options.settleOutput(for: input)
    return options
  }
}
