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
      reported all the same); 2 the ledger does not balance; 64 wrong usage.
      """)

  @Argument(help: ArgumentHelp("Capture files; - is standard input.", valueName: "capture"), completion: .file())
  var captures: [String]

  @OptionGroup var options: CommonOptions

  func run() throws {
    var analysis = CaptureAnalysis(options: options, paths: captures, filter: try options.packetFilter())
    let status = analysis.run()
    if status != .success { throw ExitCode(status.rawValue) }
  }
}
