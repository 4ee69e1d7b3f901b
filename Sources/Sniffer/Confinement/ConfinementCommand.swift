import ArgumentParser
import Logging
import Reports
import Tabular

/// `sniffer confinement [--output DIR] [CAPTURE...]`: confines itself as a run does, and tries to break out.
///
/// Not listed by `--help`: it is for who wants to know what a kernel or a container makes of the confinement.
struct ConfinementCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "confinement",
    abstract: "Confine this process as a run is, try what is forbidden then, and say what came of it.",
    shouldDisplay: false)

  @Argument(help: ArgumentHelp("Files that the run would read.", valueName: "capture"), completion: .file())
  var captures: [String] = []

  @Option(name: [.customShort("o"), .long], help: ArgumentHelp("The folder it would write to.", valueName: "dir"))
  var output: String?

  @Flag(help: "As with --metrics.")
  var metrics = false

  @Option(help: ArgumentHelp("A file to try to read and to write.", valueName: "file"))
  var victim = "/etc/passwd"

  @Option(help: ArgumentHelp("Log to standard error from this level on.", valueName: "level"))
  var logLevel = Logger.Level.info

  func run() throws {
    var logger = Logger(label: "sniffer") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = logLevel
    Confinement(inputs: captures, outputs: output.map { [$0] } ?? [], serves: metrics).begin(logger)
    var text = ""
    var isConfined = true
    for attempt in ConfinementAttempt.all(victim: victim, serves: metrics) {
      let isRefused = attempt.isRefused()
      isConfined = isConfined && isRefused
      text += "\(attempt.name): \(isRefused ? "refused" : "possible")\n"
    }
    for path in captures { text += "reading \(path): \(ConfinementAttempt.reads(path) ? "possible" : "refused")\n" }
    if let output {
      text += "writing in \(output): \(ConfinementAttempt.writes(output + "/confinement") ? "possible" : "refused")\n"
    }
    do throws(ReportError) { try StandardOutput.write(text) } catch { throw ExitCode(ExitStatus.failure.rawValue) }
    if !isConfined { throw ExitCode(ExitStatus.failure.rawValue) }
  }
}
