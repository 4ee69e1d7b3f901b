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
      "Write the reports to this folder, which is created; - with --format ndjson is standard output.",
      valueName: "dir"))
  var output: String?

  @Option(
    help: ArgumentHelp(
      "Formats of the reports, separated by commas: csv, ndjson, sqlite, har, html.", valueName: "formats"))
  var format = NameList<ReportFormat>([.csv])

  @Option(
    help: ArgumentHelp(
      "Write to the HAR what messages say, too: headers, queries, bodies. It has passwords and tokens in it.",
      valueName: "parts"))
  var harContent: NameList<HARContent>?

  @Option(
    help: ArgumentHelp(
      """
      Write rows of so many octets at most, all formats together, as in 500MB or 2GiB; live: in each hour \
      (default: 20 times the captures and 1 GiB; live: 4 GiB).
      """,
      valueName: "size"))
  var maxReport: OctetAmount?

  @Option(help: ArgumentHelp("Only packets that match this pcap-filter(7) expression.", valueName: "bpf"))
  var filter: String?

  @Option(help: ArgumentHelp("Group totals by host, path and method: a list that has host.", valueName: "keys"))
  var groupBy = NameList<GroupingKey>([.host, .path])

  @Flag(help: "Group paths whose segments look like identifiers: /users/{id}.")
  var template = false

  @Option(
    help: ArgumentHelp(
      "Group paths by the patterns of this file, one a line, as in /users/{id}, or by the paths of an OpenAPI description.",
      valueName: "file"), transform: PathPatternFile.init(path:))
  var templates: PathPatternFile?

  @Flag(help: "Count bodies as they were transferred, without decompressing them.")
  var noDecode = false

  @Option(
    help: ArgumentHelp(
      "Decompress at most this many MiB of a body; how long a longer one is without its codings stays unknown.",
      valueName: "mib"))
  var decodeLimit = Configuration().decodedContentLimit >> 20

  @Option(
    help: ArgumentHelp(
      """
      Open TLS with the secrets in this key log, which may still be written (repeatable; default: the file that the \
      environment variable SSLKEYLOGFILE names).
      """,
      valueName: "file"),
    completion: .file())
  var keys: [String] = []

  @Flag(help: "Leave out TCP segments with a wrong checksum.")
  var verifyChecksums = false

  @Flag(help: "Hash what may be personal: addresses, and paths beyond the first segment.")
  var redact = false

  @Option(
    help: ArgumentHelp("Finish connections after this many seconds of capture time without a packet.", valueName: "s"))
  var idleTimeout = 600.0

  @Option(
    help: ArgumentHelp(
      "Use at most this many threads to analyse, decode and write (default: one a processor).",
      valueName: "n"))
  var jobs: Int?

  @Flag(name: [.short, .long], help: "Print nothing but errors.")
  var quiet = false

  @Option(help: ArgumentHelp("Log to standard error from this level on.", valueName: "level"))
  var logLevel = Logger.Level.warning

  func validate() throws {
    if !groupBy.names.contains(.host) { throw ValidationError("--group-by needs host.") }
    _ = try packetFilter()
    if isStreaming, format.names != [.ndjson] { throw ValidationError("--output - needs --format ndjson.") }
    if maxReport != nil, output == nil || isStreaming {
      throw ValidationError("--max-report needs --output with a folder.")
    }
    if !(idleTimeout > 0 && idleTimeout < 1e9) {
      throw ValidationError("--idle-timeout needs a number of seconds above 0.")
    }
    if !(1...Self.largestDecodeLimit ~= decodeLimit) {
      throw ValidationError("--decode-limit needs a number of MiB from 1 to \(Self.largestDecodeLimit).")
    }
    if harContent != nil {
      if !format.names.contains(.har) { throw ValidationError("--har-content needs --format har.") }
      if redact { throw ValidationError("--har-content writes what --redact leaves out: it is one or the other.") }
    }
    if let jobs, jobs < 1 { throw ValidationError("--jobs needs a number from 1 on.") }
  }

  /// 1 TiB: beyond any body.
  private static let largestDecodeLimit = 1 << 20

  /// How many threads may be used.
  var threads: Int { jobs ?? ProcessInfo.processInfo.activeProcessorCount }

  /// The limits and choices of the analysis.
  var configuration: Configuration {
    var configuration = Configuration()
    configuration.grouping = Configuration.Grouping(
      path: groupBy.names.contains(.path), method: groupBy.names.contains(.method))
    configuration.templatePaths = template
    configuration.pathPatterns = templates?.patterns ?? []
    configuration.decodesContent = !noDecode
    configuration.decodedContentLimit = decodeLimit << 20
    configuration.verifiesChecksums = verifyChecksums
    configuration.idleTimeout = Int64(idleTimeout * 1e9)
    configuration.closedTimeout = min(configuration.closedTimeout, configuration.idleTimeout)
    return configuration
  }

  /// The key logs: those that were asked for, else the one that programs of this user write to, if it is there.
  var keyLogs: [String] {
    if !keys.isEmpty { return keys }
    guard let path = ProcessInfo.processInfo.environment["SSLKEYLOGFILE"], !path.isEmpty,
      FileManager.default.isReadableFile(atPath: path)
    else { return [] }
    return [path]
  }

  /// The filter, compiled once, so that a mistake is one of usage.
  func packetFilter() throws -> PacketFilter? {
    do throws(CaptureError) {
      return try filter.map { expression throws(CaptureError) in try PacketFilter(expression) }
    } catch {
      throw ValidationError("--filter '\(filter ?? "")': \(error.description)")
    }
  }

  /// Whether rows go to standard output, which has nothing else on it then.
  var isStreaming: Bool { output == "-" }

  /// Whether the summary is printed.
  var printsSummary: Bool { !quiet && !isStreaming }

  /// What the reports are told.
  private func context(_ captures: [String], _ allowance: RowAllowance) -> ReportContext {
    ReportContext(
      grouping: configuration.grouping, redaction: redaction, toolVersion: SnifferCommand.version, captures: captures,
      harContent: Set(harContent?.names ?? []), allowance: allowance)
  }

  /// What the reports of capture files are told.
  func context(reading captures: [String]) -> ReportContext {
    context(captures, allowance(reading: captures))
  }

  /// What the rows of reports of capture files may take.
  func allowance(reading captures: [String]) -> RowAllowance {
    RowAllowance(maxReport?.octets ?? RowLimit.standard(for: captures))
  }

  /// What the rows of a live run may take in each hour, in octets.
  var hourlyRowLimit: Int { maxReport?.octets ?? RowLimit.hourly }

  /// Refuses what a command cannot write.
  func allowFormats(_ formats: [ReportFormat], for command: String) throws {
    guard format.names.allSatisfy({ formats.contains($0) }) else {
      throw ValidationError("\(command) knows --format \(formats.map(\.rawValue).joined(separator: ",")) only.")
    }
  }

  /// The page in a folder, for a command that adds to it; nil when it is not wanted.
  func page(in folder: String?) throws(ReportError) -> HTMLReport? {
    guard let folder, format.names.contains(.html) else { return nil }
    return try HTMLReport(folder: folder, grouping: configuration.grouping, redaction: redaction)
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

  /// Opens the folder of `--output` for this run alone; nil where there is none.
  func reportFolder() throws(ReportError) -> ReportFolder? {
    guard let output, !isStreaming else { return nil }
    return try ReportFolder(output)
  }

  /// Opens the reports of a live run; nil without `--output`.
  func liveReport(_ interfaces: [String]) throws(ReportError) -> ReportSet? {
    guard let output else { return nil }
    if isStreaming { return ReportSet(NDJSONStream(redaction: redaction)) }
    return try ReportSet(format.names, folder: output, context(interfaces, RowAllowance(hourlyRowLimit)), isLive: true)
  }

  /// Makes ready what the reports hash with, if they hash anything, and what opens TLS: the confinement comes after this.
  func prepareDigests() {
    if redact || format.names.contains(.html) { SHA256.prepare() }
    // A capture can have keys of its own.
    CoreDumps.prevent()
    DigestAlgorithm.prepare()
    CipherAlgorithm.prepare()
  }

  /// With SHA-256, so that the same text becomes the same pseudonym in every report.
  var redaction: Redaction? { redact ? Redaction(digest: SHA256.digest) : nil }

  /// The log; `--quiet` leaves errors only.
  var logger: Logger {
    var logger = Logger(label: "sniffer") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = quiet ? .error : logLevel
    return logger
  }
}
