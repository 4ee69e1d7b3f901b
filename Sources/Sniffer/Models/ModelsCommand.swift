import ArgumentParser
import Capture
import EstimateReports
import Estimates
import Reports
import Tabular

/// `sniffer models CAPTURE...`
struct ModelsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "models",
    abstract: "Show the estimates of app-side traffic models, and their errors.",
    discussion: """
      Computes each message's length as monitors inside apps, and tools beside them, do, and compares it with the wire. \
      Errors are bytes, estimate less wire. With --output, models.csv has a row for each API and model, and \
      model_messages.csv one for each message and model.

      A capture does not show the parts that the system hid from an app; the options set the assumptions about them.

      Exit status: 0 all well; 1 the input was damaged, or something could not be opened or written (the part that was read \
      is still reported); 2 the ledger does not balance; 64 wrong usage.
      """)

  @OptionGroup var input: CaptureArguments

  @Option(help: ArgumentHelp("Use only these models, separated by commas (default: all).", valueName: "names"))
  var model: NameList<ModelName>?

  @Option(
    help: ArgumentHelp(
      "Request fields that a URLProtocol does not see, separated by commas, or none.", valueName: "names"))
  var invisibleFields = FieldNameList(names: ModelAssumptions.systemFields)

  @Option(help: ArgumentHelp("The request bodies that the app gave as a stream.", valueName: "which"))
  var streamBodies = ModelAssumptions.StreamBodies.chunked

  @Flag(help: "Assume that the system reports Transfer-Encoding: chunked for a response, not Identity.")
  var chunkedAsSent = false

  @Flag(help: "Assume that the header counts of task metrics lack the empty line.")
  var metricsWithoutEmptyLine = false

  @Flag(help: "Print mean and worst errors of each part, and not only of whole messages.")
  var details = false

  @OptionGroup(title: "Summary") var summary: ModelSummaryArguments

  @OptionGroup var tables: TableOptions

  func validate() throws {
    let options = try tables.common(for: input.outputName)
    try summary.check(options)
    if options.groupBy.names.contains(.process) {
      throw ValidationError("models knows --group-by host,path,method only.")
    }
  }

  /// The assumptions about the app.
  private var assumptions: ModelAssumptions {
    var assumptions = ModelAssumptions()
    assumptions.invisibleFields = invisibleFields.names
    assumptions.streamBodies = streamBodies
    assumptions.identityForChunked = !chunkedAsSent
    assumptions.metricsHaveEmptyLine = !metricsWithoutEmptyLine
    return assumptions
  }

  mutating func run() throws {
    let options = try tables.common(for: input.outputName)
    try options.leaveRoot(reading: input.reached)
    try input.findCaptures(isQuiet: options.quiet)
    let names = model?.names ?? ModelName.allCases
    var analysis = CaptureAnalysis(options: options, input: input, filter: try options.packetFilter())
    analysis.isDocument = summary.document.json
    let configuration = options.configuration
    var report: ModelReport?
    var page: HTMLReport?
    let output = try analysis.openFolder(writing: ReportFiles.models(options.format.names))
    do throws(ReportError) { page = try options.page(in: output, reading: input.captures) } catch {
      analysis.report(error)
    }
    if let output, options.format.names.contains(.csv) {
      do throws(ReportError) {
        report = try ModelReport(
          names, folder: output, grouping: configuration.grouping, redaction: options.redaction,
          allowance: options.allowance(reading: input.captures))
      } catch {
        // Without the folder there is still the summary.
        analysis.report(error)
      }
    }
    var replay = ModelReplay(names, assumptions, configuration: configuration, consumer: report)
    let selected = try summary.chosen.condition().map {
      SelectedExchanges($0, configuration: configuration, limit: ModelErrors.waitingLimit)
    }
    if selected != nil { replay.selectExchanges(configuration) }
    let sink = SelectedEstimates(rows: PagedMessages(replay, page: page), selection: selected)
    let status = analysis.run(into: sink, observer: sink.rows.observer) { sink, totals throws(ReportError) in
      let errors = sink.replay.errors
      sink.rows.page?.comparisons = PageComparison.sections(errors)
      try sink.rows.page?.finish(totals)
      try sink.rows.messages.consumer.consumer?.finish(errors)
    } summarizing: { [choices = summary.choices, isDocument = summary.document.json] sink, totals, folder in
      let summary = ModelSummary(
        sink.replay.selectedErrors ?? sink.replay.errors, totals: totals, redaction: options.redaction,
        showsParts: details, facts: RunFacts("models", input.captures, totals.secrets, options), choices: choices,
        selection: sink.selection?.select(in: totals, options.redaction).selection)
      return isDocument ? summary.document(written: folder?.written) : summary.text(for: .standardOutput)
    }
    if !options.quiet, let count = report?.messagesLeftOut, count > 0 {
      ErrorOutput.write("model_messages.csv lacks \(count) messages, beyond --max-report")
    }
    if status != .success { throw ExitCode(status.rawValue) }
  }
}

extension ModelAssumptions.StreamBodies: ExpressibleByArgument {}
