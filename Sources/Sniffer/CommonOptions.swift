import ArgumentParser
import Capture
import Cryptography
import Foundation
import HTTPReassembly
import Logging
import Reports
import Tabular

/// What totals can be grouped by.
enum GroupingKey: String, CaseIterable, ExpressibleByArgument {
  case host
  case path
  case method
  case process
}

/// A comma-separated list of names.
struct NameList<Name: RawRepresentable & CaseIterable & Equatable>: ExpressibleByArgument
where Name.RawValue == String {
  var names: [Name]

  init(_ names: [Name]) { self.names = names }

  init?(argument: String) {
    var names: [Name] = []
    for text in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let name = Name(rawValue: String(text)) else { return nil }
      if !names.contains(name) { names.append(name) }
    }
    self.names = names
  }

  var defaultValueDescription: String { names.map(\.rawValue).joined(separator: ",") }
  static var allValueStrings: [String] { Name.allCases.map(\.rawValue) }

  /// The list as far as it is typed, with each name that can come next.
  static var defaultCompletionKind: CompletionKind {
    let all = allValueStrings
    return .custom { _, _, typed in
      let names = typed.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      let before = names.dropLast()
      let rest = all.filter { !before.contains($0) }
      return rest.map { (before + [$0]).joined(separator: ",") }
    }
  }
}

extension OctetAmount: ExpressibleByArgument {
  /// Reads an argument; nil when it is no number of octets.
  public init?(argument: String) { self.init(argument) }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}

/// The options that every way of analysing has.
struct CommonOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp(
      """
      Write the reports to this folder, which is created; - with --format ndjson is standard output (default: none; \
      with --format CAPTURE-report).
      """,
      valueName: "dir"),
    completion: .directory)
  var output: String?

  @Option(
    name: .customLong("format"),
    help: ArgumentHelp(
      "Formats of the reports, separated by commas: csv, ndjson, sqlite, har, html, parquet (default: csv).",
      valueName: "formats"))
  var requestedFormat: NameList<ReportFormat>?

  @Option(
    help: ArgumentHelp(
      "Write to the HAR what messages say, too: headers, queries, bodies. It has passwords and tokens in it.",
      valueName: "parts"))
  var harContent: NameList<HARContent>?

  @Option(
    help: ArgumentHelp(
      """
      Write rows of so many bytes at most, all formats together, as in 500MB or 2GiB; live: in each hour \
      (default: 20 times the captures and 1 GiB; live: 4 GiB).
      """,
      valueName: "size"))
  var maxReport: OctetAmount?

  @OptionGroup var analysis: AnalysisOptions

  @Flag(name: [.short, .long], help: "Print nothing but errors.")
  var quiet = false

  @Option(help: ArgumentHelp("Log to standard error from this level on.", valueName: "level"))
  var logLevel = Logger.Level.warning

  /// The formats of the reports.
  var format: NameList<ReportFormat> { requestedFormat ?? NameList([.csv]) }

  /// Gives the reports a folder where formats are asked for and no folder is: named after what is read, beside it.
  mutating func settleOutput(for input: String?) {
    guard output == nil, requestedFormat != nil, let input else { return }
    let name = input == "-" ? "standard-input" : input.hasPrefix("/dev/") ? String(input.dropFirst(5)) : input
    output = name + "-report"
  }

  func validate() throws {
    if isStreaming, format.names != [.ndjson] { throw ValidationError("--output - needs --format ndjson.") }
    if maxReport != nil, (output == nil && requestedFormat == nil) || isStreaming {
      throw ValidationError("--max-report needs --output with a folder.")
    }
    if harContent != nil {
      if !format.names.contains(.har) { throw ValidationError("--har-content needs --format har.") }
      if analysis.redact {
        throw ValidationError("--har-content writes what --redact leaves out: it is one or the other.")
      }
    }
  }

  /// The limits and choices of the analysis.
  var configuration: Configuration { analysis.configuration }
  /// How many threads may be used.
  var threads: Int { analysis.threads }
  /// What is grouped by.
  var groupBy: NameList<GroupingKey> { analysis.groupBy }
  /// Whether bodies are left as they were transferred.
  var noDecode: Bool { analysis.noDecode }
  /// The key logs of the run.
  var keyLogs: [String] { analysis.keyLogs }
  /// What hashes what may be personal; nil where nothing is hashed.
  var redaction: Redaction? { analysis.redaction }

  /// The tables that the reports have beyond messages, exchanges, connections and APIs.
  var tables: Configuration.Tables {
    guard output != nil, !isStreaming, !format.names.allSatisfy({ $0 == .har }) else { return [] }
    return Self.reportTables
  }

  /// All that a report can have.
  static let reportTables: Configuration.Tables = [.hosts, .timeline, .contents, .fields]

  /// The filter, compiled once, so that a mistake is one of usage.
  func packetFilter() throws -> PacketFilter? { try analysis.packetFilter() }

  /// Whether rows go to standard output, which has nothing else on it then.
  var isStreaming: Bool { output == "-" }

  /// Whether the summary is printed.
  var printsSummary: Bool { !quiet && !isStreaming }

  /// What the reports are told.
  private func context(_ captures: [String], _ allowance: RowAllowance) -> ReportContext {
    ReportContext(
      grouping: configuration.grouping, redaction: redaction, toolVersion: SnifferCommand.version, captures: captures,
      choices: analysis.choices, harContent: Set(harContent?.names ?? []), allowance: allowance)
  }

  /// What the reports of capture files are told, whose octets are `length` where the files need not be there any more.
  func context(reading captures: [String], length: Int? = nil) -> ReportContext {
    context(captures, allowance(reading: captures, length: length))
  }

  /// What the rows of reports of capture files may take.
  func allowance(reading captures: [String], length: Int? = nil) -> RowAllowance {
    RowAllowance(maxReport?.octets ?? length.map { RowLimit.standard(for: $0) } ?? RowLimit.standard(for: captures))
  }

  /// What the rows of a live run may take in each hour, in octets.
  var hourlyRowLimit: Int { maxReport?.octets ?? RowLimit.hourly }

  /// Refuses what a command cannot write.
  func allowFormats(_ formats: [ReportFormat], for command: String) throws {
    guard format.names.allSatisfy({ formats.contains($0) }) else {
      throw ValidationError("\(command) knows --format \(formats.map(\.rawValue).joined(separator: ",")) only.")
    }
  }

  /// The page of captures in a folder, for a command that adds to it; nil when it is not wanted.
  func page(in folder: String?, reading captures: [String]) throws(ReportError) -> HTMLReport? {
    guard let folder, format.names.contains(.html) else { return nil }
    return try HTMLReport(
      folder: folder, grouping: configuration.grouping, redaction: redaction, captures: captures)
  }

  /// Leaves root for a user who may read some files and folders, and write to `--output` and to `others`: before anything of
  /// them is looked at.
  func leaveRoot(reading inputs: [String], writing others: [String] = []) throws {
    let output = isStreaming ? nil : output
    do throws(Privileges.Failure) {
      try Privileges.leaveRoot(Reach(reads: inputs + keyLogs, writes: [output].compactMap(\.self) + others), logger)
    } catch {
      ErrorOutput.write(error.description)
      throw ExitCode(ExitStatus.failure.rawValue)
    }
  }

  /// Opens the folder of `--output` for this run alone. Reports of an earlier run that this one does not write are gone from it then.
  ///
  /// - Parameter files: The files that this run writes.
  /// - Returns: The folder; nil without `--output`.
  /// - Throws: when it cannot be had.
  func reportFolder(writing files: ReportFiles) throws(ReportError) -> ReportFolder? {
    guard let output, !isStreaming else { return nil }
    return try ReportFolder(output, writing: files.written, of: files.known)
  }

  /// Opens the reports of a live run; nil without `--output`.
  func liveReport(_ interfaces: [String]) throws(ReportError) -> ReportSet? {
    guard let output else { return nil }
    if isStreaming { return ReportSet(NDJSONStream(redaction: redaction)) }
    return try ReportSet(format.names, folder: output, context(interfaces, RowAllowance(hourlyRowLimit)), isLive: true)
  }

  /// Makes ready what reports and tickets are hashed with, and what opens TLS: the confinement comes after this.
  func prepareDigests() {
    SHA256.prepare()
    // A capture can have keys of its own.
    CoreDumps.prevent()
    CryptoLibrary.prepare()
  }

  /// A log of errors only.
  static var quietLogger: Logger {
    var logger = Logger(label: "sniffer") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .error
    return logger
  }

  /// The log; `--quiet` leaves errors only.
  var logger: Logger {
    var logger = Logger(label: "sniffer") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = quiet ? .error : logLevel
    return logger
  }
}
