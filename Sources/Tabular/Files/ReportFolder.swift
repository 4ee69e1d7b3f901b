import SystemPackage

/// The folder of a run's reports: its alone from when it is opened until it is released, and kept open to tell at the end
/// whether the reports are anywhere.
///
/// After a run it has the reports of that run, and none of an earlier one: who reads them together would mix two captures.
public struct ReportFolder {
  /// The folder as the user named it.
  public let path: String
  private let names: [String]
  private let descriptor: OpenFile
  private let lock: FolderLock

  /// A file of the folder that says that reports in it are ours, and may be replaced and removed.
  static let markName = ".sniffer-report"

  /// Opens a folder, which is made if need be, and removes the reports of an earlier run that this one does not write.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - names: The files that this run writes.
  ///   - known: The files that runs of its kind write.
  /// - Throws: when it cannot be made or opened, when another run writes its reports there, and when it has a file that may be of
  ///   an earlier run and that nothing says is ours.
  public init(_ path: String, writing names: [String], of known: [String]) throws(ReportError) {
    self.path = path
    self.names = names
    descriptor = try OutputFolder(path).descriptor
    lock = try FolderLock(descriptor, path: path)
    try removeOthers(known)
  }

  private func removeOthers(_ known: [String]) throws(ReportError) {
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
    // Where nothing can be written, what is written next says so.
    if !isMarked { try? descriptor.createFile(Self.markName).close() }
  }

  /// The files of this run that are there.
  public var files: [String] { names.filter { descriptor.contains($0) } }

  /// Throws when the folder was removed since: then so were the files in it, and writing to them told nobody.
  public func requireExistence() throws(ReportError) {
    if descriptor.isRemoved { throw ReportError(.write, path, reason: "The folder was removed during the run") }
  }

  /// Lets other runs write there. It is let to them at the end of the process in any case.
  public func release() { lock.release() }
}
