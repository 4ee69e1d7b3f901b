import ArgumentParser
import ProcessConfinement
import SocketOwners

/// The helper of `sniffer live --processes`, which starts it itself. It writes to standard output which process has which
/// connection.
struct SocketOwnersCommand: ParsableCommand {
  /// Its name for the run.
  static let name = "socket-owners"

  static let configuration = CommandConfiguration(
    commandName: name, abstract: "The helper of live --processes.", shouldDisplay: false)

  func run() throws {
    #if os(Linux)
      // A late look at a process may find it gone.
      _ = CapturePriority.raise()
      guard var owners = SocketOwners() else { throw ExitCode(ExitStatus.failure.rawValue) }
      var confinement = Confinement()
      confinement.looksAtProcesses = true
      confinement.begin(MessageOptions.quietLogger)
      owners.run(writingTo: 1)
    #else
      throw ExitCode(ExitStatus.failure.rawValue)
    #endif
  }
}
