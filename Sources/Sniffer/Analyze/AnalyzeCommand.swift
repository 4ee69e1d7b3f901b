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

      Exit status: 0 all well; 1 the input was damaged, or something could not be opened or written (what was read is \
      reported all the same); 2 the ledger does not balance; 64 wrong usage; 130 and 143 SIGINT and SIGTERM ended the \
      reading (again, what was read is reported; a second SIGINT ends at once).
      """)

  @OptionGroup var input: CaptureArguments

  @Flag(help: "Go on reading while the capture is being written, until SIGINT or SIGTERM.")
  var follow = false

  @Option(
    help: ArgumentHelp(
      "Take it that a followed capture has ended after this many seconds without growth.", valueName: "s"))
  var followTimeout: Double?

  @OptionGroup var options: CommonOptions

  func validate() throws {
    if follow, input.captures.count != 1 || input.captures == ["-"] {
      throw ValidationError("--follow needs one capture file; standard input and pipes are waited for anyway.")
    }
    if let followTimeout {
      if !follow { throw ValidationError("--follow-timeout needs --follow.") }
      if !(followTimeout > 0 && followTimeout < 1e9) {
        throw ValidationError("--follow-timeout needs a number of seconds above 0.")
      }
    }
  }

  func run() throws {
    try options.leaveRoot(reading: input.captures)
    let waiting = Waiting(follows: follow, patience: followTimeout.map { .seconds($0) })
    var analysis = CaptureAnalysis(
      options: options, input: input, filter: try options.packetFilter(), waiting: waiting)
    let status = analysis.run()
    if status != .success { throw ExitCode(status.rawValue) }
  }
}
