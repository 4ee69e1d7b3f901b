import Logging

/// Resources that a run needs once its inputs are named and its outputs are open. All others are then closed to it.
package struct Confinement {
  /// Paths of files that are read, perhaps again, and of folders with such files.
  package var inputs: [String]
  /// Folders in which files are written, renamed and removed.
  package var outputs: [String]
  /// Whether a TCP port is served, which is already open.
  package var serves: Bool
  /// Descriptors for receiving packets, to which writing is forbidden.
  package var receivers: [Int32]

  /// Whether a thread may set its own priority; only a privileged one can raise it.
  package var setsOwnPriority: Bool
  /// Whether this is the helper that only examines the descriptors of other processes. Landlock would forbid that, so files are only closed
  /// to writing.
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

  /// The parts of the confinement that are in force.
  package struct Holds: Equatable, Sendable {
    /// Whether files are confined (Landlock).
    package var files = false
    /// Whether system calls are confined (seccomp).
    package var calls = false

    /// Creates a value with nothing in force.
    package init() {}
  }

  /// Confines this process for good. It must be called before there is a second thread: Landlock and capabilities apply to the calling
  /// thread and the threads that it starts.
  ///
  /// A run goes on if it cannot be confined: the system may be too old, or a container may forbid it. The log shows which parts are in
  /// force.
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
      log("not confined: Linux alone has Landlock and seccomp", to: logger)
    #endif
    return holds
  }

  /// Logs a line with the program as its source, not this target.
  private func log(_ text: String, to logger: Logger) { logger.info("\(text)", source: "Sniffer") }

  /// Makes SQLite sort in files of the output folder, whatever the environment says, since a run writes nowhere else. Must be called before
  /// SQLite is used.
  package static func keepTemporaryFiles(in folder: String) { setEnvironment("SQLITE_TMPDIR", folder) }
}

/// The reason why the system does not confine a run.
struct ConfinementFault: Error {
  var description: String
}
