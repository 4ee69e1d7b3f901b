import ArgumentParser
import HTTPReassembly
import Reports
import Tabular

extension SummaryGrouping: ExpressibleByArgument {}

/// The content of the summary at the end.
struct SummaryArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Group the summary by host, domain, client, server, content_type, status, method or process (default: APIs).",
      valueName: "key"))
  var by: SummaryGrouping?

  @Option(
    help: ArgumentHelp(
      """
      Sort the summary's table by one of its headings, a column of apis.csv, or a sum such as header_bytes or ip_bytes \
      (default): numbers in descending order, names in ascending order.
      """, valueName: "column"), completion: .list(sortColumns))
  var sort: String?

  @Option(
    help: ArgumentHelp(
      "Show this many rows in the summary's table; 0 for all (default: as many as fit, at most 30).", valueName: "n"))
  var top: Int?

  @Flag(help: "Show each path in the summary, where hundreds of look-alikes would be grouped by template.")
  var noTemplate = false

  @OptionGroup var chosen: ConditionArguments

  @OptionGroup var document: DocumentArguments

  /// The names for `--sort`, for shells.
  private static var sortColumns: [String] {
    let groups = SummaryChoices(grouping: .host).columns.dropFirst()
    let apis = SummaryChoices().columns
    return apis + groups.filter { !apis.contains($0) }
  }

  /// Whether the summary is a JSON document.
  var json: Bool { document.json }

  /// Refuses combinations with other options that make no sense.
  func check(_ options: CommonOptions) throws {
    try document.check(options)
    if let top, top < 0 { throw ValidationError("--top needs a number from 0 on.") }
    if let fault = choices(options).fault { throw ValidationError("--sort: \(fault)") }
    if noTemplate, options.analysis.template || options.analysis.templates != nil {
      throw ValidationError("--no-template and templates: it is one or the other.")
    }
    try chosen.check()
  }

  /// Gathers the largest savings for the summary; nil where it shows none.
  func savings(_ options: CommonOptions) -> LargestSavings? {
    by == nil && !json && chosen.whereText == nil && options.printsSummary
      ? LargestSavings(redaction: options.redaction) : nil
  }

  /// Adds up the exchanges of `--where`; nil without it.
  func selection(_ options: CommonOptions) throws -> SelectedExchanges? {
    try chosen.condition().map { SelectedExchanges($0, configuration: options.configuration, grouping: by) }
  }

  /// The rows of the tables.
  func choices(_ options: CommonOptions) -> SummaryChoices {
    var choices = SummaryChoices(grouping: by, sort: sort, top: top, apiGrouping: options.configuration.grouping)
    // A document has the APIs of the reports.
    choices.groupsLookAlikes = !noTemplate && !json && by == nil && options.choosesPaths
    return choices
  }
}

/// The exchanges of a summary.
struct ConditionArguments: ParsableArguments {
  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      """
      Limit the summary to matching exchanges, as in 'host == "api.example.com" && status \
      >= 400'. Ledger, anomalies and reports stay whole.
      """, valueName: "condition"))
  var whereText: String?

  /// Refuses an invalid condition.
  func check() throws { _ = try condition() }

  /// The condition; nil without one.
  func condition() throws -> Condition? {
    do throws(ConditionError) {
      return try whereText.map { text throws(ConditionError) in try Condition(text) }
    } catch {
      throw ValidationError("--where: \(error.description)")
    }
  }
}

/// The summary for programs.
struct DocumentArguments: ParsableArguments {
  @Flag(
    help:
      "Write the summary as one JSON document to standard output, without any other output; also with --quiet."
  )
  var json = false

  /// Refuses combinations with other options that make no sense.
  func check(_ options: CommonOptions) throws {
    if json, options.isStreaming {
      throw ValidationError("--json and --output - both want standard output: it is one or the other.")
    }
  }
}

extension RunFacts {
  /// The facts about a run of `command` over captures or interfaces, with the outcome of its key logs.
  init(
    _ command: String, _ captures: [String], _ secrets: SecretTotals, _ options: CommonOptions, knowsUse: Bool = true
  ) {
    self.init(
      command: command, toolVersion: SnifferCommand.version, captures: captures,
      keyLogs: KeyLogOutcome(secrets, logs: options.keyLogs, knowsUse: knowsUse).lines())
  }
}

extension ReportFolder {
  /// The folder and its files, for a summary.
  var written: (folder: String, files: [String]) { (path, files) }

  /// Columns of the text beside the summary's tables.
  private static var summaryWidth: Int { 80 }

  /// A summary with the names of the written files, before its last line. `isInPart` says that some could not be written to their ends.
  func named(in summary: String, _ totals: Totals, isInPart: Bool) -> String {
    guard case let files = files, !files.isEmpty else { return summary }
    let names = files.joined(separator: ", ").wrapped(to: Self.summaryWidth - 2).map { "  \($0)\n" }
    let line = "wrote \(ErrorOutput.escaped(path))\(isInPart ? " in part" : ""):\n" + names.joined()
    let last = Summary.lastLine(totals.ledger) + "\n"
    return summary.hasSuffix(last) ? summary.dropLast(last.count) + line + last : summary + line
  }
}

extension Configuration {
  /// Counts the groups of the summary.
  mutating func count(for grouping: SummaryGrouping?) {
    guard let grouping else { return }
    groupKey = grouping.key
    if grouping.key == nil { tables.insert(.hosts) }
  }
}
