import SystemPackage

/// The folder of a run's reports. The run has it alone until it is released. It stays open, to tell at the end whether the reports still
/// exist.
///
/// After a run, it has the reports of that run and of no earlier one. Otherwise a reader would mix two captures.
public struct ReportFolder {
  /// The folder as the user named it.
  public let path: String
  private let names: [String]
  private let descriptor: OpenFile
  private let lock: FolderLock

  /// A file that marks the folder's reports as the program's own, which may be replaced and removed.
  static let markName = ".sniffer-report"

  /// Opens a folder, creating it if necessary. Removes an earlier run's reports that this run does not write.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - names: The files that this run writes.
  ///   - known: The files that runs of this kind write.
  /// - Throws: if the folder cannot be created or opened, or another run writes reports there. Also if it has a file of one of the names and
  ///   no mark that the program's reports are there.
  public init(_ path: String, writing names: [String], of known: [String]) throws(ReportError) {
    self.path = path
    self.names = names
    descriptor = try OutputFolder(path).descriptor
    lock = try FolderLock(descriptor, path: path)
    try removeOthers(known)
  }

  private func removeOthers(_ known: [String]) throws(ReportError) {
    // Without a mark of anyone, no run wrote here: the files are of other programs.
    let isForeign = !descriptor.contains(Self.markName)
    for name in names where isForeign && descriptor.hasRegularFile(name) {
      throw ReportError(
        .openFolder, path, reason: "It has \(name), which sniffer did not write: remove it, or choose another folder")
    }
    let isMarked = descriptor.contains(Self.markName) && descriptor.isOwnOrNone(Self.markName)
    for name in known where !names.contains(name) && descriptor.contains(name) {
      guard isMarked, descriptor.isOwnOrNone(name) else {
        throw ReportError(
          .openFolder, path,
          reason:
            "It has \(name), which may be an earlier run's, and this run does not write it: remove it, or choose another"
        )
      }
      do throws(Errno) { try descriptor.remove(name) } catch { throw ReportError(.write, path + "/" + name, error) }
    }
    // If nothing can be written, the next write reports it.
    if !isMarked { try? descriptor.createFile(Self.markName).close() }
  }

  /// The files of this run that exist.
  public var files: [String] { names.filter { descriptor.contains($0) } }

  /// Throws if the folder was removed during the run: its files are then lost, though writing to them did not fail.
  public func requireExistence() throws(ReportError) {
    if descriptor.isRemoved { throw ReportError(.write, path, reason: "The folder was removed during the run") }
  }

  /// Lets other runs write there, as the end of the process does.
  public func release() { lock.release() }
}
