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
      Reads pcap and pcapng files, plain or compressed with gzip or zstd, and all other formats of libpcap; - is standard \
      input. Several files are read in the order of their first packets. A file that continues another one shares its \
      timeline.

      A folder stands for the captures in it, without those of folders in it. A pattern in quotes stands for the files that \
      match it: * is any part of a name, ? one byte of it, and ** also matches folders in folders. Other files are skipped, \
      and a line tells their number.

      Exit status: 0 all well; 1 something could not be opened, or the input was damaged, or a report could not be written to \
      its end (the part that was read is still reported); 2 the ledger does not balance; 64 wrong usage; 130 and 143 SIGINT \
      and SIGTERM ended the reading (the part that was read is reported; a second SIGINT ends at once).
      """)

  @OptionGroup var input: CaptureArguments

  @Flag(help: "Continue to read while the capture is being written, until SIGINT or SIGTERM.")
  var follow = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Stop following after this many seconds without growth.", valueName: "s"))
  var followTimeout: Double?

  @OptionGroup var interval: IntervalOption

  @Option(
    help: ArgumentHelp(
      "Write a partial of these captures for sniffer merge to this file, and no report.", valueName: "file"),
    completion: .file())
  var partial: String?

  @Flag(help: "Keep every packet in the partial. It is larger, and can be merged with any other partial.")
  var keepPackets = false

  @Flag(
    help: """
      Read captures of the same time together, packet by packet. Count a packet once if several captures or interfaces have it.
      """)
  var deduplicate = false

  @Flag(
    help: """
      Keep each capture's results in the folder of the reports, and continue from them: the next run reads only new and changed captures.
      """)
  var resume = false

  @OptionGroup(title: "Summary") var summary: SummaryArguments

  @OptionGroup var options: CommonOptions

  mutating func validate() throws {
    options.settleOutput(for: input.outputName)
    try summary.check(options)
    if follow, input.captures.count != 1 || input.captures == ["-"] {
      throw ValidationError("--follow needs one capture file; standard input and pipes are waited for anyway.")
    }
    if keepPackets, partial == nil { throw ValidationError("--keep-packets needs --partial.") }
    if partial != nil {
      if options.output != nil || summary.json { throw ValidationError("--partial writes no report.") }
      if follow || input.captures.contains(where: CaptureSeries.isStream) {
        throw ValidationError("--partial reads each capture twice, and needs files that are complete.")
      }
    }
    if resume {
      if options.output == nil || options.isStreaming {
        throw ValidationError("--resume needs --output with a folder.")
      }
      if partial != nil { throw ValidationError("--partial writes no report: there is nothing to resume.") }
      if follow || input.captures.contains(where: CaptureSeries.isStream) {
        throw ValidationError("--resume reads each capture twice, and needs files that are complete.")
      }
      if options.format.names.contains(.har), options.harContent != nil {
        throw ValidationError("--resume keeps nothing of what messages say: --har-content is not possible.")
      }
    }
    if deduplicate {
      if partial != nil || resume {
        throw ValidationError(
          "--deduplicate looks at the packets of all captures at once: neither --partial nor --resume is possible.")
      }
      if follow || input.captures.contains(where: CaptureSeries.isStream) {
        throw ValidationError("--deduplicate needs files that are complete.")
      }
    }
    if let followTimeout {
      if !follow { throw ValidationError("--follow-timeout needs --follow.") }
      if !(followTimeout > 0 && followTimeout < 1e9) {
        throw ValidationError("--follow-timeout needs a number of seconds above 0.")
      }
    }
  }

  mutating func run() throws {
    try options.leaveRoot(reading: input.reached, writing: [partial].compactMap(\.self))
    if !follow { try input.findCaptures(isQuiet: options.quiet) }
    if let partial { return try makePartial(partial) }
    if resume {
      return try ResumedAnalysis(
        options: options, captures: input.captures, filter: try options.packetFilter(), interval: interval,
        showsProgress: !options.quiet && !input.noProgress
      ).run(summary)
    }
    let waiting = Waiting(follows: follow, patience: followTimeout.map { .seconds($0) })
    var analysis = CaptureAnalysis(
      options: options, input: input, filter: try options.packetFilter(), waiting: waiting)
    analysis.leavesOutCopies = deduplicate
    try analysis.run(summary, interval)
  }

  private func makePartial(_ path: String) throws {
    var making = PartialMaking(
      options: options, captures: input.captures, filter: try options.packetFilter(), interval: interval.nanoseconds,
      showsProgress: !options.quiet && !input.noProgress)
    making.keepsPackets = keepPackets
    let status = try making.run(to: path)
    if status != .success { throw ExitCode(status.rawValue) }
  }
}
