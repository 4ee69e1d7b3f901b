import Logging

/// What a run has to reach once its inputs are named and its outputs are open. Everything else is closed to it then.
struct Confinement {
  /// Paths of files that are read, or are read again, and of folders with such files.
  var inputs: [String] = []
  /// Folders in which files are written, renamed and removed.
  var outputs: [String] = []
  /// Whether a TCP port is served.
  var serves = false

  /// Confines this process for good. To be called before it has a second thread: what Landlock forbids is forbidden to
  /// the calling thread and to those that it starts.
  ///
  /// Not to be confined ends no run: the system may be too old, or a container may forbid it. The log says what holds.
  func begin(_ logger: Logger) {
    #if os(Linux)
      do throws(ConfinementFault) {
        try SystemCallFilter.giveUpNewPrivileges()
      } catch {
        logger.info("not confined: \(error.description)")
        return
      }
      do throws(ConfinementFault) {
        let version = try Landlock.begin(self)
        logger.info("files are confined by Landlock \(version)")
      } catch {
        logger.info("files are not confined: \(error.description)")
      }
      do throws(ConfinementFault) {
        try SystemCallFilter.begin(serves: serves)
        logger.info("system calls are confined by seccomp")
      } catch {
        logger.info("system calls are not confined: \(error.description)")
      }
    #else
      logger.info("not confined: this system is not known how to")
    #endif
  }

  /// Sends what SQLite sets aside for sorting into the output folder, whatever the environment says: nothing of a run is
  /// to be elsewhere. To be called before SQLite is used.
  static func keepTemporaryFiles(in folder: String) { setEnvironment("SQLITE_TMPDIR", folder) }
}

/// Why the system does not confine a run.
struct ConfinementFault: Error {
  var description: String
}
