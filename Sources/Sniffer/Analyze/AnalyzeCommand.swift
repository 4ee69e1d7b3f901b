import ArgumentParser
import Capture
import ContentCodings
import HTTPReassembly
import Reports

/// `sniffer [analyze] CAPTURE...`
struct AnalyzeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "analyze",
    abstract: "Analyze capture files (the default subcommand).",
    discussion: """
      Reads pcap and pcapng files, plain or compressed with gzip or zstd, and what else libpcap can open; - is standard \
      input. Several files are read in the order of their first packets, as one timeline where one goes on from another.

      A folder stands for the captures in it, without those of folders in it. A pattern in quotes stands for the files that are like it: * \
      is any part of a name, ? one octet of it, and ** reaches into folders, too. What is no capture is passed over there, and a line says how \
      many files that were.

      Exit status: 0 all well; 1 something could not be opened, or the input was damaged or a report could not be \
      written to its end (what was read is reported all the same); 2 the ledger does not balance; 64 wrong usage; 130 and 143 SIGINT and SIGTERM ended the \
      reading (again, what was read is reported; a second SIGINT ends at once).
      """)

  @OptionGroup var input: CaptureArguments

  @Flag(help: "Go on reading while the capture is being written, until SIGINT or SIGTERM.")
  var follow = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Take it that a followed capture has ended after this many seconds without growth.", valueName: "s"))
  var followTimeout: Double?

  @Option(
    help: ArgumentHelp(
      "Length of the timeline's intervals in seconds (default: about a hundredth of the capture).", valueName: "s"))
  var interval: Double?

  @OptionGroup(title: "Summary") var summary: SummaryArguments

  @OptionGroup var options: CommonOptions

  mutating func validate() throws {
    options.settleOutput(for: input.outputName)
    try summary.check(options)
    if follow, input.captures.count != 1 || input.captures == ["-"] {
      throw ValidationError("--follow needs one capture file; standard input and pipes are waited for anyway.")
    }
    if let interval, !(interval >= 1e-6 && interval < 1e9) {
      throw ValidationError("--interval needs a number of seconds from 0.000001 on.")
    }
    if let followTimeout {
      if !follow { throw ValidationError("--follow-timeout needs --follow.") }
      if !(followTimeout > 0 && followTimeout < 1e9) {
        throw ValidationError("--follow-timeout needs a number of seconds above 0.")
      }
    }
  }

  /// The length of the timeline's intervals in nanoseconds.
  private var timelineInterval: Int64? { interval.map { Int64(($0 * 1e9).rounded()) } }

  mutating func run() throws {
    try options.leaveRoot(reading: input.reached)
    if !follow { try input.findCaptures(isQuiet: options.quiet) }
    let waiting = Waiting(follows: follow, patience: followTimeout.map { .seconds($0) })
    var analysis = CaptureAnalysis(
      options: options, input: input, filter: try options.packetFilter(), waiting: waiting)
    analysis.timelineInterval = timelineInterval
    analysis.summary = summary
    analysis.selection = try summary.selection(options)
    analysis.isDocument = summary.json
    let status = try analysis.run()
    if status != .success { throw ExitCode(status.rawValue) }
  }
}
