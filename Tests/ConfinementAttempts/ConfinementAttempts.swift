import ArgumentParser
import Foundation
import Logging
import ProcessConfinement

/// `ConfinementAttempts [--output DIR] [CAPTURE...]`: confines itself as a run of `sniffer` does, tries what is forbidden
/// then, and prints what came of it. Exit status 1: something that a run never does was possible.
@main
struct ConfinementAttempts: ParsableCommand {
  @Argument(help: "Files that the run would read.")
  var captures: [String] = []

  @Option(name: [.customShort("o"), .long], help: "The folder it would write to.")
  var output: String?

  @Flag(help: "As with --metrics.")
  var metrics = false

  @Option(help: "A file to try to read and to write.")
  var victim: String

  func run() throws {
    let logger = Logger(label: "attempts") { StreamLogHandler.standardError(label: $0) }
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
    FileHandle.standardOutput.write(Data(text.utf8))
    if !isConfined { throw ExitCode.failure }
  }
}
