import SystemPackage

/// A lock on the folder of a run's reports, so that no two runs mix their tables.
///
/// The kernel holds the lock, on a file in the folder (`flock`). It ends with the process in any case. The file is removed with the lock; a
/// file left by a killed run does no harm.
final class FolderLock {
  /// The name of the locked file.
  static let fileName = ".sniffer.lock"

  private let folder: OpenFile
  private var file: OpenFile?

  /// Locks a folder. Errors call it `path`.
  ///
  /// There is no lock if nothing can be written in the folder, or the file system has no locks. Later writes then report the problem.
  ///
  /// - Throws: if another run has the folder, or the lock file's name belongs to something else.
  /// - Throws: when another run has the folder, and when what has the name of the lock file is not one.
  init(_ folder: OpenFile, path: String) throws(ReportError) {
    self.folder = folder
    // Tries several times: a run that is just ending may have removed the locked file, or the file may be another user's.
    for _ in 0..<16 {
      guard let candidate = try Self.opened(in: folder, path: path) else { return }
      do throws(Errno) { try candidate.lock() } catch {
        guard error == .wouldBlock || error == .resourceTemporarilyUnavailable else { return }
        throw ReportError(.lockFolder, path, reason: "Another run writes its reports there")
      }
      guard candidate.isRegularFile else {
        throw ReportError(.create, Self.path(path), reason: "It is not a regular file")
      }
      // The file was not locked, but a file planted by another user could be locked by that user at any time.
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

  /// Releases the folder, and removes the file.
  func release() {
    guard let file else { return }
    // Removed before the lock ends: a run that starts now makes its own file.
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
