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

  @Option(help: "Capture on this interface, and try to send on it.")
  var interface: String?

  @Option(help: "A file to try to read, to write and to change.")
  var victim: String

  @Flag(help: "As on a kernel that has no Landlock: what that alone closes is not tried.")
  var withoutLandlock = false

  @Flag(help: "Try it all without confinement, which shows what the attempts are worth.")
  var unconfined = false

  func run() throws {
    let logger = Logger(label: "attempts") { StreamLogHandler.standardError(label: $0) }
    #if os(Linux)
      let target = try AttackTarget(victim: victim, output: output, interface: interface)
      defer { target.end() }
      var holds = Confinement.Holds()
      if !unconfined {
        if withoutLandlock { try MissingCalls.hideLandlock() }
        holds =
          Confinement(
            inputs: captures, outputs: output.map { [$0] } ?? [], serves: metrics, receivers: target.receivers,
            setsOwnPriority: true
          ).begin(logger)
      }
      var isConfined = true
      var text = ""
      let needsFiles = unconfined || holds.files
      let attempts =
        (needsFiles ? target.files : []) + target.modes + target.processes + target.terminals + target.sending
        + target.connecting + target.privileges + target.kernel
      for attempt in attempts {
        let isRefused = attempt.isRefused()
        isConfined = isConfined && isRefused
        text += "\(attempt.name): \(isRefused ? "refused" : "possible")\n"
      }
      for path in captures { text += "reading \(path): \(Attempt.reads(path) ? "possible" : "refused")\n" }
      if let output {
        text += "writing in \(output): \(Attempt.writes(output + "/confinement") ? "possible" : "refused")\n"
      }
      FileHandle.standardOutput.write(Data(text.utf8))
      if !isConfined { throw ExitCode.failure }
    #else
      logger.info("not confined: Linux alone has Landlock and seccomp")
    #endif
  }
}
