import Logging

/// What a run has to reach once its inputs are named and its outputs are open. Everything else is closed to it then.
package struct Confinement {
  /// Paths of files that are read, or are read again, and of folders with such files.
  package var inputs: [String]
  /// Folders in which files are written, renamed and removed.
  package var outputs: [String]
  /// Whether a TCP port is served, which is open already.
  package var serves: Bool
  /// Descriptors that packets are received with, which nothing may be written to.
  package var receivers: [Int32]

  /// Whether a thread may set its own priority, which only a privileged one can raise.
  package var setsOwnPriority: Bool
  /// Whether it is the helper that looks at the descriptors of other processes, and does nothing else: Landlock would forbid that, so files
  /// are only closed to writing.
  package var looksAtProcesses = false

  package init(
    inputs: [String] = [], outputs: [String] = [], serves: Bool = false, receivers: [Int32] = [],
    setsOwnPriority: Bool = false
  ) {
    self.inputs = inputs
    self.outputs = outputs
    self.serves = serves
    self.receivers = receivers
    self.setsOwnPriority = setsOwnPriority
  }

  /// What of it holds.
  package struct Holds: Equatable, Sendable {
    /// That files are confined (Landlock).
    package var files = false
    /// That system calls are confined (seccomp).
    package var calls = false

    /// Nothing.
    package init() {}
  }

  /// Confines this process for good. Call it before there is a second thread: what Landlock forbids is forbidden to the
  /// calling thread and to the threads that it starts, and so it is with capabilities.
  ///
  /// A run goes on where it cannot be confined: the system may be too old, or a container may forbid it. The log says
  /// what holds.
  @discardableResult
  package func begin(_ logger: Logger) -> Holds {
    var holds = Holds()
    #if os(Linux)
      if !Capabilities.keep(looksAtProcesses ? [.readAnything, .lookAtProcesses] : []) {
        log("capabilities are left", to: logger)
      }
      do throws(ConfinementFault) {
        try SystemCallFilter.giveUpNewPrivileges()
      } catch {
        log("not confined: \(error.description)", to: logger)
        return holds
      }
      if !looksAtProcesses {
        do throws(ConfinementFault) {
          let version = try Landlock.begin(self)
          holds.files = true
          log("files are confined by Landlock \(version)", to: logger)
        } catch {
          log("files are not confined: \(error.description)", to: logger)
        }
      }
      do throws(ConfinementFault) {
        try SystemCallFilter.begin(self)
        holds.calls = true
        log("system calls are confined by seccomp", to: logger)
      } catch {
        log("system calls are not confined: \(error.description)", to: logger)
      }
    #else
      log("not confined: this system is not known how to", to: logger)
    #endif
    return holds
  }

  /// The log names the program as the source of its lines, and not this target.
  private func log(_ text: String, to logger: Logger) { logger.info("\(text)", source: "Sniffer") }

  /// Makes SQLite sort in files of the output folder, whatever the environment says: a run writes nowhere else. Call it
  /// before SQLite is used.
  package static func keepTemporaryFiles(in folder: String) { setEnvironment("SQLITE_TMPDIR", folder) }
}

/// Why the system does not confine a run.
struct ConfinementFault: Error {
  var description: String
}
