import ArgumentParser
import Capture
import Cryptography
import Foundation
import HTTPReassembly
import Logging
import Reports
import Tabular

/// The groupings of totals.
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

  /// The names typed so far, with each name that can come next.
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
  /// Parses an argument; nil when it is not a number of octets.
  public init?(argument: String) { self.init(argument) }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}

/// The options for messages to people.
struct MessageOptions: ParsableArguments {
  @Flag(name: [.short, .long], help: "Print only errors.")
  var quiet = false

  @Option(help: ArgumentHelp("Log messages of this level and above to standard error.", valueName: "level"))
  var logLevel = Logger.Level.warning

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

/// The common options of analyses that write reports.
struct CommonOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp(
      """
      Write the reports to this folder, which is created if need be; - with --format ndjson is standard output (default: \
      none; with --format CAPTURE-report).
      """,
      valueName: "dir"),
    completion: .directory)
  var output: String?

  @Option(
    name: .customLong("format"),
    help: ArgumentHelp(
      """
      Formats of the reports, separated by commas: csv, ndjson, sqlite, har (not of live runs), html, parquet \
      (default: csv).
      """,
      valueName: "formats"))
  var requestedFormat: NameList<ReportFormat>?

  @Option(
    help: ArgumentHelp(
      """
      Also write these parts of messages to the HAR: headers, queries, bodies. They contain passwords and tokens. Not of live \
      runs, nor of partials.
      """,
      valueName: "parts"))
  var harContent: NameList<HARContent>?

  @Option(
    help: ArgumentHelp(
      """
      Write at most this many bytes of rows, all formats together, as in 500MB or 2GiB; live: in each hour \
      (default: 20 times the captures and 1 GiB; live: 4 GiB).
      """,
      valueName: "size"))
  var maxReport: OctetAmount?

  @Option(
    help: ArgumentHelp(
      """
      Add up the bytes of each step of a test. The file has a line for each step's start, as CSV (time,label) or JSON. A live \
      run also takes the lines that are added later.
      """,
      valueName: "file"), completion: .file(), transform: MarkFile.init(path:))
  var marks: MarkFile?

  @OptionGroup var analysis: AnalysisOptions

  @OptionGroup var messages: MessageOptions

  /// The options of an analysis that writes no reports, for commands that take fewer options.
  ///
  /// - Throws: No error that a user could cause.
  init(_ analysis: AnalysisOptions, _ messages: MessageOptions) throws {
    self = try Self.parse([])
    self.analysis = analysis
    self.messages = messages
  }

  init() {}

  /// Whether only errors are printed.
  var quiet: Bool { messages.quiet }

  /// The formats of the reports.
  var format: NameList<ReportFormat> { requestedFormat ?? NameList([.csv]) }

  /// Sets the reports' folder when formats are given without one: it is named after the input, beside it.
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

  /// Whether totals are by path, without a template.
  var choosesPaths: Bool { configuration.grouping.path && !analysis.template && analysis.templates == nil }

  /// The limits and choices of the analysis.
  var configuration: Configuration {
    var configuration = analysis.configuration
    configuration.marks = marks?.marks ?? []
    return configuration
  }
  /// The options that partials and their merged analysis must share.
  var partialOptions: String {
    ([analysis.partialOptions].filter { !$0.isEmpty } + (marks.map { ["--marks \($0.digest)"] } ?? []))
      .joined(separator: " ")
  }
  /// The number of threads to use.
  var threads: Int { analysis.threads }
  /// The grouping of totals.
  var groupBy: NameList<GroupingKey> { analysis.groupBy }
  /// Whether bodies are not decoded.
  var noDecode: Bool { analysis.noDecode }
  /// The key logs of the run.
  var keyLogs: [String] { analysis.keyLogs }
  /// Hashes facts that may be personal; nil hashes nothing.
  var redaction: Redaction? { analysis.redaction }

  /// The tables of the reports besides messages, exchanges, connections and APIs.
  var tables: Configuration.Tables {
    guard output != nil, !isStreaming, !format.names.allSatisfy({ $0 == .har }) else { return [] }
    return Self.reportTables
  }

  /// All tables that a report can have.
  static let reportTables: Configuration.Tables = [.hosts, .timeline, .contents, .fields, .grpc]

  /// The filter, compiled once, so that a mistake is a usage error.
  func packetFilter() throws -> PacketFilter? { try analysis.packetFilter() }

  /// Whether rows go to standard output, which then has no other output.
  var isStreaming: Bool { output == "-" }

  /// Whether the summary is printed.
  var printsSummary: Bool { !quiet && !isStreaming }

  /// The facts for the reports.
  private func context(_ captures: [String], _ allowance: RowAllowance) -> ReportContext {
    ReportContext(
      grouping: configuration.grouping, redaction: redaction, toolVersion: SnifferCommand.version, captures: captures,
      keyLogs: analysis.keyLogs, choices: analysis.choices, harContent: Set(harContent?.names ?? []),
      allowance: allowance)
  }

  /// The facts for reports of capture files. Their octets are `length`, for files that may be gone.
  func context(reading captures: [String], length: Int? = nil) -> ReportContext {
    context(captures, allowance(reading: captures, length: length))
  }

  /// The limits of the rows in reports of capture files.
  func allowance(reading captures: [String], length: Int? = nil) -> RowAllowance {
    RowAllowance(maxReport?.octets ?? length.map { RowLimit.standard(for: $0) } ?? RowLimit.standard(for: captures))
  }

  /// The limit of the rows of a live run in each hour, in octets.
  var hourlyRowLimit: Int { maxReport?.octets ?? RowLimit.hourly }

  /// The page of captures in a folder, for a command that adds to it; nil when it is not wanted.
  func page(in folder: String?, reading captures: [String]) throws(ReportError) -> HTMLReport? {
    guard let folder, format.names.contains(.html) else { return nil }
    return try HTMLReport(
      folder: folder, grouping: configuration.grouping, redaction: redaction, captures: captures,
      keyLogs: keyLogs, choices: analysis.choices)
  }

  /// Changes from root to another user before any input is read. That user may read the inputs, and write to `--output` and to
  /// `others`.
  func leaveRoot(reading inputs: [String], writing others: [String] = []) throws {
    let output = isStreaming ? nil : output
    do throws(Privileges.Failure) {
      try Privileges.leaveRoot(Reach(reads: inputs + keyLogs, writes: [output].compactMap(\.self) + others), logger)
    } catch {
      ErrorOutput.write(error.description)
      throw ExitCode(ExitStatus.failure.rawValue)
    }
  }

  /// Opens the folder of `--output` for this run alone. Other reports of an earlier run are then removed.
  ///
  /// - Parameter files: The files that this run writes.
  /// - Returns: The folder; nil without `--output`.
  /// - Throws: When it cannot be opened.
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

  /// Prepares the hashes for reports and tickets, and the keys for TLS, before the confinement.
  func prepareDigests() {
    SHA256.prepare()
    // A capture can have keys of its own.
    CoreDumps.prevent()
    CryptoLibrary.prepare()
  }

  /// The log of the run.
  var logger: Logger { messages.logger }
}
