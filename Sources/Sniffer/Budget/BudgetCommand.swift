import ArgumentParser
import Capture
import HTTPReassembly
import Reports
import Tabular

/// `sniffer budget CAPTURE... --budget FILE`
struct BudgetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "budget",
    abstract: "Check APIs against limits.",
    discussion: """
      The file is YAML: a list of rules under the key limits. Each has a host and a path, where * and ** stand for \
      anything, and the largest values of bytes, requests, errors and waiting times. With --output, budget.csv has a row \
      for each limit and API, beside the reports of --format. --print writes the result as Markdown for a comment, as \
      JUnit XML for a table of tests, or as annotations for GitHub Actions.

      Exit status: 0 every limit is kept; 1 something could not be read, the input was damaged, no limit applies, or closed \
      TLS hides most of a rule's traffic; 2 a limit is exceeded, or the ledger does not balance; 64 wrong usage.
      """)

  @OptionGroup var input: CaptureArguments

  @Option(help: ArgumentHelp("The file of limits, in YAML.", valueName: "file"), completion: .file())
  var budget: String

  @Flag(help: "Treat a rule that matches no API of the captures as an error, with exit status 1.")
  var strict = false

  @Option(
    name: .customLong("print"),
    help: ArgumentHelp("Print the result as table, markdown, junit or github.", valueName: "format"))
  var resultFormat = BudgetFormat.table

  @OptionGroup var options: CommonOptions

  mutating func validate() throws {
    options.settleOutput(for: input.outputName)
    if options.isStreaming { throw ValidationError("budget writes reports to a folder only.") }
  }

  mutating func run() throws {
    try options.leaveRoot(reading: input.reached + [budget])
    try input.findCaptures(isQuiet: options.quiet)
    let rules = try readRules()
    var analysis = CaptureAnalysis(options: options, input: input, filter: try options.packetFilter())
    analysis.namesFiles = resultFormat == .table
    analysis.tables = options.tables
    if rules.contains(where: \.isByHost) { analysis.tables.insert(.hosts) }
    var reports: ReportSet?
    if let output = try analysis.openFolder(writing: ReportFiles.budget(options.format.names)) {
      do throws(ReportError) {
        reports = try ReportSet(options.format.names, folder: output, options.context(reading: input.captures))
      } catch {
        // Without the folder the limits are still checked.
        analysis.report(error)
      }
    }
    analysis.saysKeyLogs = true
    let status: ExitStatus
    var budget: Budget?
    if let reports {
      status = analysis.run(into: reports, observer: reports.observer) { reports, totals throws(ReportError) in
        budget = Budget(rules, totals)
        try reports.finish(totals)
        if !options.quiet, let text = reports.leftOut.text { ErrorOutput.write(text) }
        try write(budget, totals)
      } summarizing: { _, totals, _ in
        text(budget, totals).text(resultFormat, file: self.budget, isStrict: strict, for: .standardOutput)
      }
    } else {
      status = analysis.run(into: NullReport()) { _, totals in
        budget = Budget(rules, totals)
        if !options.printsSummary { text(budget, totals).lines.forEach(ErrorOutput.write) }
      } summarizing: { _, totals, _ in
        text(budget, totals).text(resultFormat, file: self.budget, isStrict: strict, for: .standardOutput)
      }
    }
    let result = judge(budget, status)
    if result != .success { throw ExitCode(result.rawValue) }
  }

  /// The rules, which this run has to be able to check.
  private func readRules() throws -> [BudgetRule] {
    do throws(BudgetError) {
      let rules = try BudgetFile.read(budget)
      try BudgetFile.check(rules, of: budget, grouping: options.configuration.grouping, hasMarks: options.marks != nil)
      return rules
    } catch {
      ErrorOutput.write(error.description)
      throw ExitCode(ExitStatus.failure.rawValue)
    }
  }

  private func write(_ budget: Budget?, _ totals: Totals) throws(ReportError) {
    guard let budget, let output = options.output else { return }
    if !options.printsSummary { text(budget, totals).lines.forEach(ErrorOutput.write) }
    try BudgetCSV.write(budget, totals, folder: output, redaction: options.redaction)
  }

  private func text(_ budget: Budget?, _ totals: Totals) -> BudgetText {
    BudgetText(budget ?? Budget([], totals), totals, redaction: options.redaction)
  }

  /// The exit status by the limits. It also names rules without any API.
  private func judge(_ budget: Budget?, _ status: ExitStatus) -> ExitStatus {
    guard let budget else { return status }
    var status = status
    // The output for programs names them already.
    for rule in budget.unmatched where options.quiet ? strict : resultFormat == .table {
      ErrorOutput.write("\(self.budget): line \(rule.line): \(rule.unmatchedText)")
    }
    if strict, !budget.unmatched.isEmpty { status = .failure }
    guard status == .success else { return status }
    if !budget.breaches.isEmpty { return .exceeded }
    // A budget that nothing was compared with is not kept.
    return budget.isChecked ? .success : .failure
  }
}

extension BudgetFormat: ExpressibleByArgument {}
