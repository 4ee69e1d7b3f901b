/// The folder of a run's reports, kept open to tell at the end whether they are anywhere.
public struct ReportFolder {
  private let path: String
  private let descriptor: FileDescriptor

  /// Opens a folder that is there; nil if it cannot be opened.
  public init?(_ path: String) {
    guard let descriptor = try? FileDescriptor.openFolder(path) else { return nil }
    self.path = path
    self.descriptor = descriptor
  }

  /// Throws when the folder was removed since: then so were the files in it, and writing to them told nobody.
  public func requireExistence() throws(ReportError) {
    if descriptor.isRemoved { throw ReportError(.write, path, reason: "The folder was removed during the run") }
  }
}
