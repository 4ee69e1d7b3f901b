import ArgumentParser
import Logging
import ProcessConfinement
import Reports
import TableReading
import Tabular

/// `sniffer diff BASE NEW`
struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare two reports or captures, and show the changes API by API.",
    discussion: """
      BASE and NEW are folders that --output wrote, or an apis.csv or report.sqlite of them, or captures, which are analyzed \
      first. By default rows are sorted by the change in bytes on the wire, with IP and TCP headers (--sort).

      Exit status: 0 all well; 1 something could not be read or compared, a capture was damaged, a side has no APIs, or closed \
      TLS hides them; 2 something grew beyond a threshold, or a ledger does not balance; 64 wrong usage; 130 and 143 SIGINT and \
      SIGTERM ended the reading of a capture.
      """)

  @Argument(help: ArgumentHelp("The report or capture to compare with.", valueName: "base"), completion: .file())
  var base: String

  @Argument(help: ArgumentHelp("The report or capture to examine.", valueName: "new"), completion: .file())
  var new: String

  @Option(
    name: [.customLong("format"), .customLong("print")],
    help: ArgumentHelp("Output: table, csv, json, markdown, junit or github.", valueName: "format"))
  var format = ComparisonFormat.table

  @Option(help: ArgumentHelp("Sort by the absolute change of this figure, or by name.", valueName: "figure"))
  var sort = ComparisonOrder.ip

  @Option(
    help: ArgumentHelp(
      "Exit with 2 when an API's IP bytes grew by more than this share, as in 5%; new APIs count as exceeding it.",
      valueName: "share"))
  var threshold: Proportion?

  @Option(
    help: ArgumentHelp(
      "Exit with 2 only when an API, a host or the total also grew by more than this many bytes.", valueName: "bytes"))
  var thresholdBytes: Int?

  @Option(
    help: ArgumentHelp(
      "Exit with 2 when the bytes of all connections, opened or not, grew by more than this share.", valueName: "share")
  )
  var thresholdTotal: Proportion?

  @Option(
    help: ArgumentHelp(
      "Exit with 2 when the bytes of a host's connections, opened or not, grew by more than this share.",
      valueName: "share"))
  var thresholdHosts: Proportion?

  @Option(
    name: .customLong("threshold-p95"),
    help: ArgumentHelp(
      "Exit with 2 when the 95th percentile of an API's waits grew by more than this share.", valueName: "share"))
  var thresholdP95: Proportion?

  @Flag(help: "Apply the thresholds to IP bytes per request, for APIs with requests on both sides.")
  var perRequest = false

  @Option(
    name: [.customLong("top"), .customLong("limit")],
    help: ArgumentHelp(
      "Show at most this many APIs in a table or Markdown; those beyond the threshold are shown in addition.",
      valueName: "n"))
  var limit = 30

  @Flag(help: "Compare reports made with different options.")
  var allowUnlike = false

  @Flag(help: "Show no progress bar.")
  var noProgress = false

  @OptionGroup var messages: MessageOptions

  @OptionGroup(title: "How captures are analyzed") var analysis: AnalysisOptions

  func validate() throws {
    if let thresholdBytes, !(0...GrowthThreshold.octetLimit).contains(thresholdBytes) {
      throw ValidationError("--threshold-bytes needs a number from 0 to \(GrowthThreshold.octetLimit).")
    }
    if perRequest, growth == nil { throw ValidationError("--per-request needs --threshold or --threshold-bytes.") }
    if limit < 0 { throw ValidationError("--top needs a number from 0 on.") }
  }

  /// The threshold of APIs. Bytes alone are one, unless they belong to a threshold of connections.
  private var growth: GrowthThreshold? {
    let isOfConnections = thresholdTotal != nil || thresholdHosts != nil
    guard threshold != nil || thresholdBytes != nil && (!isOfConnections || perRequest) else { return nil }
    return GrowthThreshold(share: threshold, octets: thresholdBytes ?? 0, isPerRequest: perRequest)
  }

  private var thresholds: TrafficThresholds {
    TrafficThresholds(
      apis: growth, hosts: thresholdHosts, total: thresholdTotal, p95: thresholdP95, octets: thresholdBytes ?? 0)
  }

  func run() throws {
    let quiet = messages.quiet
    let logger = messages.logger
    var captures = try ComparedCaptures(analysis, messages, showsProgress: !noProgress)
    // The files in a folder are read, and fewer users may read these than the folder. A database may have further files, and a table may have
    // others beside it.
    let files =
      ["/apis.csv", "/hosts.csv", "/anomalies.csv"]
      + ["", "/report.sqlite"].flatMap { name in SQLiteSource.suffixes.map { name + $0 } }
    let beside = [base, new].flatMap(ReportReader.files(beside:))
    let reads = [base, new].flatMap { path in files.map { path + $0 } } + beside + captures.keyLogs
    do throws(Privileges.Failure) { try Privileges.leaveRoot(Reach(reads: reads, writes: []), logger) } catch {
      ErrorOutput.write(error.description)
      throw ExitCode(ExitStatus.failure.rawValue)
    }
    for path in [base, new] where ReportReader.isOtherFile(path) { try captures.require(path) }
    let comparison: ReportComparison
    do {
      // A file that is not a report is read as a capture, after the process is confined.
      let readers = try [base, new].map { path throws(ReadingError) in
        ReportReader.isOtherFile(path) ? nil : try ReportReader(path)
      }
      captures.prepare()
      Confinement(inputs: reads).begin(logger)
      var reports: [ReportedAPIs] = []
      for (path, reader) in zip([base, new], readers) {
        guard let report = try reader?.read() ?? captures.analyze(path) else {
          throw ExitCode(captures.status.rawValue)
        }
        if report.isComplete == false {
          ErrorOutput.write("\(report.name): its run goes on, or was interrupted: figures are those so far")
        }
        reports.append(report)
      }
      comparison = try ReportComparison(
        reports[0], reports[1], thresholds: thresholds, order: sort, allowsUnlike: allowUnlike)
    } catch let error as ReadingError {
      ErrorOutput.write(error.description)
      throw ExitCode(ExitStatus.failure.rawValue)
    }
    if !quiet {
      do throws(ReportError) { try format.print(comparison, limit: limit) } catch {
        let status = ErrorOutput.report(error)
        if status != .success { throw ExitCode(status.rawValue) }
      }
    }
    if captures.status != .success { throw ExitCode(captures.status.rawValue) }
    if comparison.isBeyond { throw ExitCode(ExitStatus.exceeded.rawValue) }
    if comparison.isUnchecked {
      // The other formats are read by programs, and a table has the lines already.
      if quiet || format == .csv || format == .json { comparison.gaps.forEach(ErrorOutput.write) }
      throw ExitCode(ExitStatus.failure.rawValue)
    }
  }
}

extension ComparisonFormat: ExpressibleByArgument {}
extension ComparisonOrder: ExpressibleByArgument {
  /// Parses a column, its heading, or an older spelling.
  public init?(argument: String) { self.init(word: argument) }
}

extension Proportion: ExpressibleByArgument {
  /// Parses an option's value.
  public init?(argument: String) { self.init(argument) }
}
