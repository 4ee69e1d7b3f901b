import Shared
import SystemPackage

/// The captures that are found in a folder, or by a pattern for their paths.
///
/// Files are opened one after the other, until their format is known, and closed again. Without `opens` each file counts as a capture.
public struct FoundCaptures: Sendable {
  /// The captures, in the order of their names. A file that cannot be opened or read is included, so that reading it reports the
  /// error.
  public private(set) var paths: [String] = []
  /// The number of files that are not captures.
  public private(set) var otherFiles = 0
  /// The number of folders that were not searched.
  public private(set) var otherFolders = 0
  /// The sentence about a report of this program among the files that are not captures; nil without one.
  public private(set) var report: String?
  private let opens: Bool

  /// Finds the captures of a folder, not of folders in it. Hidden files are ignored.
  ///
  /// Throws when the folder cannot be read.
  public init(inFolder folder: String, opens: Bool = true) throws(CaptureError) {
    self.opens = opens
    for name in try FolderListing.names(in: folder) {
      let path = Self.path(folder, name)
      switch Self.type(path) {
      case .regular, nil: add(path)
      case .directory: otherFolders += 1
      default: break
      }
    }
  }

  /// Finds the captures in a folder and in the folders in it, if their relative paths are wanted. Hidden files and folders are
  /// ignored, and symbolic links to folders are not followed.
  ///
  /// - Parameters:
  ///   - folder: The folder to search; empty for the working directory.
  ///   - depth: The largest number of nested folders, with this one; nil for any number.
  ///   - opens: Whether files are opened.
  ///   - isWanted: Whether the file of a path relative to the folder is wanted.
  /// - Throws: When a folder cannot be read.
  public init(
    under folder: String, depth: Int?, opens: Bool = true, where isWanted: (String) -> Bool
  ) throws(CaptureError) {
    self.opens = opens
    var waiting: [(path: String, depth: Int)] = [("", 1)]
    while let next = waiting.popLast() {
      let parent = next.path.isEmpty ? folder : Self.path(folder, next.path)
      var below: [(path: String, depth: Int)] = []
      for name in try FolderListing.names(in: parent.isEmpty ? "." : parent) {
        let relative = next.path.isEmpty ? name : Self.path(next.path, name)
        let path = Self.path(folder, relative)
        switch Self.type(path) {
        case .regular, nil: if isWanted(relative) { add(path) }
        case .directory:
          if depth.map({ next.depth < $0 }) ?? true, !Self.isLink(path) { below.append((relative, next.depth + 1)) }
        default: break
        }
      }
      // Folders come in the order of their names, each with its content before the next one.
      waiting += below.reversed()
    }
  }

  private mutating func add(_ path: String) {
    guard opens, case .notACapture(let found) = CaptureCheck.fault(of: path)?.problem else { return paths.append(path) }
    otherFiles += 1
    if found == OtherFormat.reportText { report = found }
  }

  private static func path(_ folder: String, _ name: String) -> String {
    folder.isEmpty || folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }

  /// The type of a path's file; nil if unknown.
  private static func type(_ path: String) -> FileType? { (try? unsafe Stat(path.systemName))?.type }

  private static func isLink(_ path: String) -> Bool {
    (try? unsafe Stat(path.systemName, followTargetSymlink: false))?.type == .symbolicLink
  }
}
