import SystemPackage

/// That a run has the folder of its reports for itself, so that no two runs mix their tables.
///
/// The lock is the kernel's, on a file in the folder (`flock`): it ends with the process, however that ends. The file is
/// removed with the lock; one that a killed run left is in nobody's way.
final class FolderLock {
  /// The name of the file that is locked.
  static let fileName = ".sniffer.lock"

  private let folder: OpenFile
  private var file: OpenFile?

  /// Locks a folder; `path` is what errors call it.
  ///
  /// Where no lock can be had because nothing can be written there, or because the file system has none, there is none: what
  /// is written then says what is wrong.
  ///
  /// - Throws: when another run has the folder, and when what has the name of the lock file is not one.
  init(_ folder: OpenFile, path: String) throws(ReportError) {
    self.folder = folder
    // More than once: what is locked may have lost its name to a run that was just ending, or be somebody else's.
    for _ in 0..<16 {
      guard let candidate = try Self.opened(in: folder, path: path) else { return }
      do throws(Errno) { try candidate.lock() } catch {
        guard error == .wouldBlock || error == .resourceTemporarilyUnavailable else { return }
        throw ReportError(.lockFolder, path, reason: "Another run writes its reports there")
      }
      guard candidate.isRegularFile else {
        throw ReportError(.create, Self.path(path), reason: "It is not a regular file")
      }
      // Nobody has it locked. One that was planted could be locked by whoever planted it, at any time.
      guard candidate.isOwn else {
        try? folder.remove(Self.fileName)
        continue
      }
      guard folder.has(candidate, as: Self.fileName) else { continue }
      file = candidate
      return
    }
    throw ReportError(.lockFolder, path, reason: "Its lock file is replaced again and again")
  }

  deinit { release() }

  /// Gives the folder back, and removes the file.
  func release() {
    guard let file else { return }
    // Before the lock ends: a run that comes now makes a file of its own.
    if folder.has(file, as: Self.fileName) { try? folder.remove(Self.fileName) }
    try? file.close()
    self.file = nil
  }

  private static func opened(in folder: OpenFile, path: String) throws(ReportError) -> OpenFile? {
    do throws(Errno) { return try folder.openLockFile(fileName) } catch {
      switch error {
      case .tooManySymbolicLinkLevels:
        throw ReportError(.create, Self.path(path), reason: "It is a symbolic link")
      case .isDirectory, .noSuchAddressOrDevice:
        throw ReportError(.create, Self.path(path), reason: "It is not a regular file")
      case .permissionDenied where folder.contains(fileName):
        throw ReportError(
          .lockFolder, path, reason: "\(fileName) in it is another user's: remove it if no run of theirs goes on")
      default: return nil
      }
    }
  }

  private static func path(_ folder: String) -> String {
    folder.hasSuffix("/") ? folder + fileName : folder + "/" + fileName
  }
}
