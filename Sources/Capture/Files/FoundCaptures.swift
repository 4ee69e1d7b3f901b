import SystemPackage

/// The captures among files that nobody named one by one: those of a folder, or those whose paths are like a pattern.
///
/// Files are opened one after the other, as far as their format can be told, and closed again.
public struct FoundCaptures: Sendable {
  /// The captures, in the order of their names. A file that cannot be opened or read is among them, so that reading it says why.
  public private(set) var paths: [String] = []
  /// How many files are no captures.
  public private(set) var otherFiles = 0
  /// How many folders were not looked into.
  public private(set) var otherFolders = 0

  /// Those of a folder; folders in it are not looked into. Hidden files are none.
  ///
  /// Throws when the folder cannot be read.
  public init(inFolder folder: String) throws(CaptureError) {
    for name in try FolderListing.names(in: folder) {
      let path = Self.path(folder, name)
      switch Self.type(path) {
      case .regular, nil: add(path)
      case .directory: otherFolders += 1
      default: break
      }
    }
  }

  /// Those in a folder and in the folders in it, whose paths from there are wanted. Hidden files and folders are passed over, and no
  /// symbolic link to a folder is followed.
  ///
  /// - Parameters:
  ///   - folder: Where to look; empty for the working directory.
  ///   - depth: Folders in each other, this one included; nil for any number.
  ///   - isWanted: Tells by a path from the folder on whether its file is wanted.
  /// - Throws: when a folder cannot be read.
  public init(under folder: String, depth: Int?, where isWanted: (String) -> Bool) throws(CaptureError) {
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
      // In the order of their names, with what is in each before the next one.
      waiting += below.reversed()
    }
  }

  private mutating func add(_ path: String) {
    if CaptureCheck.isNoCapture(path) { otherFiles += 1 } else { paths.append(path) }
  }

  private static func path(_ folder: String, _ name: String) -> String {
    folder.isEmpty || folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }

  /// What a path leads to; nil where nobody can tell.
  private static func type(_ path: String) -> FileType? { (try? unsafe Stat(path))?.type }

  private static func isLink(_ path: String) -> Bool {
    (try? FilePath(path).stat(followTargetSymlink: false))?.type == .symbolicLink
  }
}
