import ArgumentParser
import Capture
import HTTPReassembly
import Partials
import Reports
import Tabular

/// `sniffer merge PARTIAL...`
struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merge partial results.",
    discussion: """
      Reads partials, which sniffer analyze CAPTURE --partial FILE writes. The reports are the same as from one run over all \
      their captures, in any order and grouping. With --partial it writes one partial of all of them instead.

      Options that change figures must be the same as for the partials: --filter, --keys, --no-decode, --decode-limit, \
      --verify-checksums, --idle-timeout, --interval, --marks.

      Exit status: 0 all well; 1 a partial cannot be read, is damaged, or does not fit the others, or a report could not be \
      written to its end; 2 the ledger does not balance; 64 wrong usage; 130 and 143 SIGINT and SIGTERM ended the reading.
      """)

  @Argument(help: ArgumentHelp("Partials.", valueName: "partial"), completion: .file())
  var partials: [String]

  @Flag(help: "Show no progress bar.")
  var noProgress = false

  @Flag(
    help: """
      Merge captures of the same time, packet by packet. Count a packet once if several captures or interfaces have it. This \
      needs partials with --keep-packets.
      """)
  var deduplicate = false

  @Option(
    help: ArgumentHelp("Write one partial of all to this file, and no report.", valueName: "file"), completion: .file())
  var partial: String?

  @OptionGroup var interval: IntervalOption

  @OptionGroup(title: "Summary") var summary: SummaryArguments

  @OptionGroup var options: CommonOptions

  mutating func validate() throws {
    options.settleOutput(for: partials.first)
    try summary.check(options)
    guard Set(partials).count == partials.count else {
      throw ValidationError("A partial is there twice: its packets would count twice.")
    }
    if deduplicate, partial != nil {
      throw ValidationError("--partial puts partials side by side: --deduplicate is for their merge.")
    }
    if partial != nil, options.output != nil || summary.json {
      throw ValidationError("--partial writes no report.")
    }
    if options.format.names.contains(.har), options.harContent != nil {
      throw ValidationError("No partial has what messages say: --har-content needs the captures.")
    }
  }

  mutating func run() throws {
    try options.leaveRoot(reading: partials, writing: [partial].compactMap(\.self))
    let series = try usable { () throws(PartialError) in
      try PartialSeries(partials, mayRepeat: deduplicate)
    }
    if let partial {
      let status = PartialJoining(options: options, series: series).run(to: partial)
      if status != .success { throw ExitCode(status.rawValue) }
      return
    }
    options.prepareDigests()
    let keys: String
    do throws(CaptureError) { keys = try KeyLogContents(options.keyLogs).digest } catch {
      ErrorOutput.write(error.description)
      throw ExitCode(ExitStatus.failure.rawValue)
    }
    try usable { () throws(PartialError) in
      try series.require(options: options.partialOptions, keys: keys, interval: interval.nanoseconds ?? 0)
    }
    var analysis = CaptureAnalysis(options: options, partials: series, showsProgress: !noProgress)
    analysis.leavesOutCopies = deduplicate
    try analysis.run(summary, interval)
  }

  /// The result of `body`, or the exit status of a failure.
  private func usable<Result>(_ body: () throws(PartialError) -> Result) throws -> Result {
    do throws(PartialError) { return try body() } catch {
      ErrorOutput.write(error.description)
      throw ExitCode(ExitStatus.failure.rawValue)
    }
  }
}
