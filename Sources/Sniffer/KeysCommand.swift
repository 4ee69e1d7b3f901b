import ArgumentParser
import Capture
import HTTPReassembly
import Reports
import Tabular

/// `sniffer keys CAPTURE...`
struct KeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "List TLS connections, the secrets that open them, and why the rest cannot be opened.",
    discussion: """
      Secrets come from --keys, from the file in SSLKEYLOGFILE, and from the captures themselves. None of them is shown: a line \
      has the first bytes of a ClientHello's random, which is not secret.

      Exit status: 0 all well; 1 the input was damaged, or something could not be opened; 2 the ledger does not balance; \
      64 wrong usage.
      """)

  @OptionGroup var input: CaptureArguments

  @OptionGroup var analysis: AnalysisOptions

  @OptionGroup var messages: MessageOptions

  mutating func run() throws {
    let options = try CommonOptions(analysis, messages)
    try options.leaveRoot(reading: input.reached)
    try input.findCaptures(isQuiet: options.quiet)
    var analysis = CaptureAnalysis(options: options, input: input, filter: try options.packetFilter())
    let status = analysis.run(into: KeyFindings(redaction: options.redaction)) { _, _ in
    } summarizing: { findings, totals, _ in
      findings.text(for: .standardOutput) + Summary.lastLine(totals.ledger) + "\n"
        + KeyLogOutcome(totals.secrets, logs: options.keyLogs).lines(withCaptures: true).map { "\($0)\n" }.joined()
    }
    if status != .success { throw ExitCode(status.rawValue) }
  }
}
