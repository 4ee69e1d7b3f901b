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
    abstract: "Compare two reports: what grew and what shrank, API by API.",
    discussion: """
      BASE and NEW are folders that --output wrote, or an apis.csv or report.sqlite of them. Sorted by how much the octets \
      on the wire changed, IP and TCP headers included, unless --sort says otherwise.

      Exit status: 0 all well; 1 a report could not be read, or the two cannot be compared; 2 an API grew beyond \
      --threshold and --threshold-bytes; 64 wrong usage.
      """)

  @Argument(help: ArgumentHelp("The report to compare with.", valueName: "base"), completion: .file())
  var base: String

  @Argument(help: ArgumentHelp("The report to look at.", valueName: "new"), completion: .file())
  var new: String

  @Option(help: ArgumentHelp("Output: table, csv, json or markdown.", valueName: "format"))
  var format = ComparisonFormat.table

  @Option(help: ArgumentHelp("Sort by the absolute change of this figure, or by name.", valueName: "figure"))
  var sort = ComparisonOrder.ip

  @Option(
    help: ArgumentHelp(
      "Exit with 2 when an API's IP bytes grew by more than this share, as in 5%; an API that is new did.",
      valueName: "share"))
  var threshold: Proportion?

  @Option(
    help: ArgumentHelp("Exit with 2 only when they grew by more than so many bytes, too.", valueName: "bytes"))
  var thresholdBytes: Int?

  @Flag(help: "Hold the thresholds against IP bytes by request; APIs without requests on both sides have none.")
  var perRequest = false

  @Option(
    help: ArgumentHelp(
      "Show at most so many APIs in a table or Markdown; those beyond the threshold are shown besides.",
      valueName: "n"))
  var limit = 30

  @Flag(name: [.short, .long], help: "Print nothing but errors.")
  var quiet = false

  func validate() throws {
    if let thresholdBytes, !(0...GrowthThreshold.octetLimit).contains(thresholdBytes) {
      throw ValidationError("--threshold-bytes needs a number from 0 to \(GrowthThreshold.octetLimit).")
    }
    if perRequest, growth == nil { throw ValidationError("--per-request needs --threshold or --threshold-bytes.") }
    if limit < 0 { throw ValidationError("--limit needs a number from 0 on.") }
  }

  private var growth: GrowthThreshold? {
    guard threshold != nil || thresholdBytes != nil else { return nil }
    return GrowthThreshold(share: threshold, octets: thresholdBytes ?? 0, isPerRequest: perRequest)
  }

  func run() throws {
    var logger = Logger(label: "sniffer") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = quiet ? .error : .warning
    // Of a folder what is in it is read, which may be for fewer users than the folder itself. Beside a database there may be two more.
    let files = ["", "-wal", "-shm", "/apis.csv", "/report.sqlite", "/report.sqlite-wal", "/report.sqlite-shm"]
    let reads = [base, new].flatMap { path in files.map { path + $0 } }
    do throws(Privileges.Failure) { try Privileges.leaveRoot(Reach(reads: reads, writes: []), logger) } catch {
      ErrorOutput.write(error.description)
      throw ExitCode(ExitStatus.failure.rawValue)
    }
    let comparison: ReportComparison
    do throws(ReadingError) {
      let readers = (try ReportReader(base), try ReportReader(new))
      Confinement(inputs: reads).begin(logger)
      let reports = (try readers.0.read(), try readers.1.read())
      for report in [reports.0, reports.1] where report.isComplete == false {
        ErrorOutput.write("\(report.name): its run goes on, or was interrupted: figures are those so far")
      }
      comparison = try ReportComparison(reports.0, reports.1, threshold: growth, order: sort)
    } catch {
      ErrorOutput.write(error.description)
      throw ExitCode(ExitStatus.failure.rawValue)
    }
    if !quiet {
      do throws(ReportError) { try format.print(comparison, limit: limit) } catch {
        ErrorOutput.write(error.description)
        throw ExitCode(ExitStatus.failure.rawValue)
      }
    }
    if !comparison.beyond.isEmpty { throw ExitCode(ExitStatus.exceeded.rawValue) }
  }
}

extension ComparisonFormat: ExpressibleByArgument {}
extension ComparisonOrder: ExpressibleByArgument {}

extension Proportion: ExpressibleByArgument {
  /// Reads an option's value.
  public init?(argument: String) { self.init(argument) }
}
