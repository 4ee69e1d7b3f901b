import ArgumentParser
import Capture
import HTTPReassembly
import Logging
import Reports

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

extension Logger.Level: @retroactive ExpressibleByArgument {}

/// The options that every way of analysing has.
struct CommonOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Write the reports to this folder, which is created.", valueName: "dir"))
  var output: String?

  @Option(help: ArgumentHelp("Formats of the reports, separated by commas: csv.", valueName: "formats"))
  var format = NameList<ReportFormat>([.csv])

  @Option(help: ArgumentHelp("Only packets that match this pcap-filter(7) expression.", valueName: "bpf"))
  var filter: String?

  @Option(help: ArgumentHelp("Group totals by host, path and method: a list that has host.", valueName: "keys"))
  var groupBy = NameList<GroupingKey>([.host, .path])

  @Flag(help: "Group paths whose segments look like identifiers: /users/{id}.")
  var template = false

  @Flag(help: "Count bodies as they were transferred, without decompressing them.")
  var noDecode = false

  @Flag(help: "Leave out TCP segments with a wrong checksum.")
  var verifyChecksums = false

  @Flag(help: "Hash what may be personal: addresses, and paths beyond the first segment.")
  var redact = false

  @Option(help: ArgumentHelp("Use at most this many threads. The analysis takes one so far.", valueName: "n"))
  var jobs: Int?

  @Flag(name: [.short, .long], help: "Print nothing but errors.")
  var quiet = false

  @Flag(help: "Show no progress bar.")
  var noProgress = false

  @Option(help: ArgumentHelp("Log to standard error from this level on.", valueName: "level"))
  var logLevel = Logger.Level.warning

  func validate() throws {
    if !groupBy.names.contains(.host) { throw ValidationError("--group-by needs host.") }
    _ = try packetFilter()
    if let jobs, jobs < 1 { throw ValidationError("--jobs needs a number from 1 on.") }
  }

  /// The limits and choices of the analysis.
  var configuration: Configuration {
    var configuration = Configuration()
    configuration.grouping = Configuration.Grouping(
      path: groupBy.names.contains(.path), method: groupBy.names.contains(.method))
    configuration.templatePaths = template
    configuration.decodesContent = !noDecode
    configuration.verifiesChecksums = verifyChecksums
    return configuration
  }

  /// The filter, compiled once, so that a mistake is one of usage.
  func packetFilter() throws -> PacketFilter? {
    do throws(CaptureError) {
      return try filter.map { expression throws(CaptureError) in try PacketFilter(expression) }
    } catch {
      throw ValidationError("--filter '\(filter ?? "")': \(error.description)")
    }
  }

  var redaction: Redaction? { redact ? .sha256 : nil }

  /// The log; `--quiet` leaves errors only.
  var logger: Logger {
    var logger = Logger(label: "sniffer") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = quiet ? .error : logLevel
    return logger
  }
}
