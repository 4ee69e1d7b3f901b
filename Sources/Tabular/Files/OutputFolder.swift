import Shared
import SystemPackage

/// The folder that a report is written to. Its files are opened relative to it, so they all go to this folder even if its name changes. A
/// symbolic link on the way to the folder is followed, since the user named it. A symbolic link with the name of a file is refused.
package struct OutputFolder {
  /// The folder as the user named it.
  package let path: String
  let descriptor: OpenFile

  /// Opens a folder. Creates it and its parents if necessary, for their owner alone.
  package init(_ path: String) throws(ReportError) {
    self.path = path
    do throws(Errno) {
      descriptor = try OpenFile.folder(path)
      return
    } catch {
      guard error == .noSuchFileOrDirectory, !path.isEmpty else { throw ReportError(.openFolder, path, error) }
    }
    try Self.make(path)
    do throws(Errno) { descriptor = try OpenFile.folder(path) } catch {
      throw ReportError(.openFolder, path, error)
    }
  }

  /// Creates a file, in place of a regular file of that name, which is not overwritten. With `hasLines`, only whole lines are appended, and
  /// stay whole whatever happens to the run.
  package func file(_ name: String, hasLines: Bool = false) throws(ReportError) -> OutputFile {
    let filePath = self.path(of: name)
    do throws(Errno) {
      return OutputFile(try descriptor.createFile(name), path: filePath, hasLines: hasLines)
    } catch {
      switch error {
      case .tooManySymbolicLinkLevels: throw ReportError(.create, filePath, reason: "It is a symbolic link")
      case .invalidArgument, .noSuchAddressOrDevice:
        throw ReportError(.create, filePath, reason: "It is not a regular file")
      default: throw ReportError(.create, filePath, error)
      }
    }
  }

  /// Writes a new file and replaces the old one in one step. A program that opens it finds the old or the new file, whole.
  package func replace(_ name: String, _ write: (OutputFile) throws(ReportError) -> Void) throws(ReportError) {
    try prepare(name, write).commit()
  }

  /// Replaces a file in two steps: the new file is written here, and `commit` puts it in place of the old one.
  package func prepare(
    _ name: String, _ write: (OutputFile) throws(ReportError) -> Void
  ) throws(ReportError) -> PreparedFile {
    // A path that ends with a slash, or an empty one, names a folder.
    guard !name.isEmpty else { throw ReportError(.create, path(of: name), .isDirectory) }
    let temporary = ".\(name).new"
    // An interrupted run or an attacker may have left such a file, so it is removed first.
    try? descriptor.remove(temporary)
    let file = try file(temporary)
    do throws(ReportError) {
      try write(file)
      try file.close()
    } catch {
      try? descriptor.remove(temporary)
      throw error
    }
    return PreparedFile(name: name, temporary: temporary, folder: self)
  }

  /// The path of a file, for errors.
  package func path(of name: String) -> String { path.hasSuffix("/") ? path + name : path + "/" + name }

  /// Whether a file of this folder still has its name.
  package func has(_ file: OutputFile, as name: String) -> Bool { descriptor.has(file.descriptor, as: name) }

  /// Whether a name in the folder is a regular file.
  package func hasRegularFile(_ name: String) -> Bool { descriptor.hasRegularFile(name) }

  /// Whether a name exists in the folder.
  package func contains(_ name: String) -> Bool { descriptor.contains(name) }

  /// Whether a name refers to a regular file of this user, which only this user may write, with a single name. Also true if the name does
  /// not exist.
  package func isOwnOrNone(_ name: String) -> Bool { descriptor.isOwnOrNone(name) }

  /// Removes a file if it exists.
  package func remove(_ name: String) { try? descriptor.remove(name) }

  /// Creates a file without a name, which vanishes when it is closed.
  package func temporaryFile() throws(ReportError) -> OutputFile {
    let filePath = path + " (temporary file)"
    do throws(Errno) {
      return OutputFile(try descriptor.createTemporaryFile(), path: filePath)
    } catch {
      throw ReportError(.create, filePath, error)
    }
  }

  private static func make(_ path: String) throws(ReportError) {
    do throws(Errno) {
      try OpenFile.makeFolder(path)
      return
    } catch {
      // Another process may have created it in the meantime.
      if error == .fileExists { return }
      guard error == .noSuchFileOrDirectory, let parent = parent(of: path) else {
        throw ReportError(.createFolder, path, error)
      }
      try make(parent)
    }
    do throws(Errno) { try OpenFile.makeFolder(path) } catch {
      guard error == .fileExists else { throw ReportError(.createFolder, path, error) }
    }
  }

  /// The folder and the last component of a path.
  package static func split(_ path: String) -> (folder: String, name: String) {
    let (folder, name) = FileName.split(path)
    return (folder.isEmpty ? "." : folder == "/" ? folder : String(folder.dropLast()), name)
  }

  /// The path without its last component; nil if nothing is left.
  private static func parent(of path: String) -> String? {
    var octets = path.utf8[...]
    while octets.last == UInt8(ascii: "/") { octets.removeLast() }
    while let last = octets.last, last != UInt8(ascii: "/") { octets.removeLast() }
    while octets.last == UInt8(ascii: "/") { octets.removeLast() }
    return octets.isEmpty ? nil : String(octets)
  }
}

/// A written file that does not have its name yet.
package struct PreparedFile {
  fileprivate let name: String
  fileprivate let temporary: String
  fileprivate let folder: OutputFolder

  /// Removes the file without giving it its name.
  package func discard() { folder.remove(temporary) }

  /// Gives the file its name in one step. A file of that name is replaced.
  package func commit() throws(ReportError) {
    do throws(Errno) { try folder.descriptor.rename(temporary, to: name) } catch {
      throw ReportError(.write, folder.path + "/" + name, error)
    }
  }
}
