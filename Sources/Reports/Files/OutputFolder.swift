#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The folder that a report is written to. Its files are opened relative to it, so that they all end up in the
/// folder that was opened, whatever becomes of its name. A symbolic link on the way to the folder is followed, for the
/// user named it; one in the place of a file is refused.
struct OutputFolder {
  /// The folder as the user named it.
  let path: String
  private let descriptor: FileDescriptor

  /// Opens a folder, and makes it and those above it if need be, for their owner alone.
  init(_ path: String) throws(ReportError) {
    self.path = path
    do throws(SystemError) {
      descriptor = try FileDescriptor.openFolder(path)
      return
    } catch {
      guard error.code == ENOENT, !path.isEmpty else { throw ReportError(.openFolder, path, error) }
    }
    try Self.make(path)
    do throws(SystemError) { descriptor = try FileDescriptor.openFolder(path) } catch {
      throw ReportError(.openFolder, path, error)
    }
  }

  /// Creates a file, or empties the regular file of that name.
  func file(_ name: String) throws(ReportError) -> OutputFile {
    let filePath = path.hasSuffix("/") ? path + name : path + "/" + name
    do throws(SystemError) {
      return OutputFile(try descriptor.createFile(name), path: filePath)
    } catch {
      switch error.code {
      case ELOOP: throw ReportError(.create, filePath, reason: "It is a symbolic link")
      case EINVAL, ENXIO: throw ReportError(.create, filePath, reason: "It is not a regular file")
      default: throw ReportError(.create, filePath, error)
      }
    }
  }

  /// Writes a file anew and puts it in the place of the old one in one step: whoever opens it finds the old or the new
  /// one, whole.
  func replace(_ name: String, _ write: (OutputFile) throws(ReportError) -> Void) throws(ReportError) {
    let temporary = ".\(name).new"
    // What an interrupted run has left, or somebody has planted: a new file takes its place.
    try? descriptor.remove(temporary)
    let file = try file(temporary)
    try write(file)
    try file.close()
    do throws(SystemError) { try descriptor.rename(temporary, to: name) } catch {
      throw ReportError(.write, path + "/" + name, error)
    }
  }

  /// Whether a file of this folder is still where it was made.
  func has(_ file: OutputFile, as name: String) -> Bool { descriptor.has(file.descriptor, as: name) }

  /// Removes a file, if it is there.
  func remove(_ name: String) { try? descriptor.remove(name) }

  /// Creates a file without a name, gone when it is closed.
  func temporaryFile() throws(ReportError) -> OutputFile {
    let filePath = path + " (temporary file)"
    do throws(SystemError) {
      return OutputFile(try descriptor.createTemporaryFile(), path: filePath)
    } catch {
      throw ReportError(.create, filePath, error)
    }
  }

  private static func make(_ path: String) throws(ReportError) {
    do throws(SystemError) {
      try FileDescriptor.makeFolder(path)
      return
    } catch {
      // Somebody else may have made it in the meantime.
      if error.code == EEXIST { return }
      guard error.code == ENOENT, let parent = parent(of: path) else { throw ReportError(.createFolder, path, error) }
      try make(parent)
    }
    do throws(SystemError) { try FileDescriptor.makeFolder(path) } catch {
      guard error.code == EEXIST else { throw ReportError(.createFolder, path, error) }
    }
  }

  /// The path without its last component; nil when nothing is left.
  private static func parent(of path: String) -> String? {
    var octets = path.utf8[...]
    while octets.last == UInt8(ascii: "/") { octets.removeLast() }
    while let last = octets.last, last != UInt8(ascii: "/") { octets.removeLast() }
    while octets.last == UInt8(ascii: "/") { octets.removeLast() }
    return octets.isEmpty ? nil : String(octets)
  }
}
