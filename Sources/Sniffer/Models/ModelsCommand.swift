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
    abstract: "Say what each app-side traffic model would have reported, and how wrong it would have been.",
    discussion: """
      Replays on every message of the captures how monitors inside apps, and tools beside them, compute its length, and \
      compares that with the wire: errors are bytes, estimate less wire. With --output, models.csv has a row for each API \
      and model, and model_messages.csv one for each message and model.

      What the system hid from an app cannot be seen in a capture; the options say what is taken for granted of it.

      Exit status: 0 all well; 1 the input was damaged, or something could not be opened or written (what was read is \
      reported all the same); 2 the ledger does not balance; 64 wrong usage.
      """)

  @OptionGroup var input: CaptureArguments

  @Option(help: ArgumentHelp("Only these models, separated by commas; by default all.", valueName: "names"))
  var model: NameList<ModelName>?

  @Option(
    help: ArgumentHelp(
      "Request fields that a URLProtocol does not see, separated by commas; none: it sees all.", valueName: "names"))
  var invisibleFields = FieldNameList(names: ModelAssumptions.systemFields)

  @Option(help: ArgumentHelp("Which request bodies the app gave as a stream.", valueName: "which"))
  var streamBodies = ModelAssumptions.StreamBodies.chunked

  @Flag(help: "Take it that the system says Transfer-Encoding: chunked of a response, not Identity.")
  var chunkedAsSent = false

  @Flag(help: "Take it that the header counts of task metrics leave the empty line out.")
  var metricsWithoutEmptyLine = false

  @Flag(help: "Print mean and worst errors of each part, not of whole messages only.")
  var details = false

  @OptionGroup(title: "Summary") var summary: ModelSummaryArguments

  @OptionGroup var options: CommonOptions

  mutating func validate() throws {
    options.settleOutput(for: input.outputName)
    try summary.check(options)
    try options.allowFormats([.csv, .html], for: "models")
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
        showsParts: details, facts: RunFacts("models", input.captures), choices: choices,
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
