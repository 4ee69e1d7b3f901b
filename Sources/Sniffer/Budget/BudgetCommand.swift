import ArgumentParser
import Capture
import HTTPReassembly
import Reports
import Tabular

/// `sniffer budget CAPTURE... --budget FILE`
struct BudgetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "budget",
    abstract: "Hold the APIs of captures against a file of limits, and name each that is exceeded.",
    discussion: """
      The file is YAML: a list of rules under the key limits, each with a host and a path, in which * and ** stand for \
      anything, and with the most that octets, requests, errors and waiting times may be. With --output, budget.csv has a \
      row for each limit and API, beside the reports of --format.

      Exit status: 0 every limit is kept; 1 the limits or the input could not be read, or the input was damaged; 2 a limit \
      is exceeded, or the ledger does not balance; 64 wrong usage.
      """)

  @OptionGroup var input: CaptureArguments

  @Option(help: ArgumentHelp("The file of limits, in YAML.", valueName: "file"), completion: .file())
  var budget: String

  @Flag(help: "A rule that is about no API of the captures is an error, and the exit status 1.")
  var strict = false

  @OptionGroup var options: CommonOptions

  func validate() throws {
    if options.isStreaming { throw ValidationError("budget writes reports to a folder only.") }
  }

  func run() throws {
    try options.leaveRoot(reading: input.captures + [budget])
    let rules = try readRules()
    var analysis = CaptureAnalysis(options: options, input: input, filter: try options.packetFilter())
    var reports: ReportSet?
    if let output = analysis.openFolder() {
      do throws(ReportError) {
        reports = try ReportSet(options.format.names, folder: output, options.context(reading: input.captures))
      } catch {
        // Without the folder the limits are still held.
        analysis.report(error)
      }
    }
    let status: ExitStatus
    var budget: Budget?
    if let reports {
      status = analysis.run(into: reports, observer: reports.observer) { reports, totals throws(ReportError) in
        budget = Budget(rules, totals)
        try reports.finish(totals)
        if !options.quiet, let text = reports.leftOut.text { ErrorOutput.write(text) }
        try write(budget, totals)
      } summarizing: { _, totals in
        text(budget, totals).text(for: .standardOutput)
      }
    } else {
      status = analysis.run(into: NullReport()) { _, totals in
        budget = Budget(rules, totals)
        if !options.printsSummary { text(budget, totals).lines.forEach(ErrorOutput.write) }
      } summarizing: { _, totals in
        text(budget, totals).text(for: .standardOutput)
      }
    }
    let result = judge(budget, status)
    if result != .success { throw ExitCode(result.rawValue) }
  }

  /// The rules, which this run has to be able to hold.
  private func readRules() throws -> [BudgetRule] {
    do throws(BudgetError) {
      let rules = try BudgetFile.read(budget)
      try BudgetFile.check(rules, of: budget, grouping: options.configuration.grouping)
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

  /// What the limits mean for the exit status; rules that are about nothing are named.
  private func judge(_ budget: Budget?, _ status: ExitStatus) -> ExitStatus {
    guard let budget else { return status }
    var status = status
    for rule in budget.unmatched where strict || !options.quiet {
      ErrorOutput.write("\(self.budget): line \(rule.line): no API matches \(rule.text)")
    }
    if strict, !budget.unmatched.isEmpty { status = .failure }
    return status == .success && !budget.breaches.isEmpty ? .exceeded : status
  }
}
