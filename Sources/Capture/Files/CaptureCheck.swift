import Shared
import SystemPackage

/// Checks captures before any of them is read, so that a mistake is reported at once, and not after hours.
///
/// Files are opened and only the first octets, decompressed if need be, are read: they show the format. Standard input, FIFOs and the like are not
/// opened, because closing them would end their writers.
public enum CaptureCheck {
  /// Octets of the buffer for a look at a file's format.
  private static let lookLength = 64 << 10

  /// The reason why a path cannot be a capture; nil when it may be one. A damaged capture is one: its damage is reported with the part
  /// that can be read.
  public static func fault(of path: String) -> CaptureError? {
    guard FileInput.kind(path) != .stream else { return nil }
    do throws(CaptureError) {
      _ = try CaptureReader(path: path, filter: nil, bufferCapacity: lookLength)
      return nil
    } catch {
      switch error.problem {
      case .cut, .compressionCut, .compressionCorrupt: return nil
      default: return error
      }
    }
  }

  /// Whether a path leads to a folder.
  public static func isFolder(_ path: String) -> Bool { (try? unsafe Stat(path.systemName))?.type == .directory }

  /// Whether anything has a path: a symbolic link has it even if it leads to nothing.
  public static func exists(_ path: String) -> Bool {
    (try? unsafe Stat(path.systemName, followTargetSymlink: false)) != nil
  }

  /// The first path that leads to the same file as an earlier one; nil when there is none.
  public static func repeated(in paths: [String]) -> String? {
    var seen: Set<FileIdentity> = []
    var hasStandardInput = false
    for path in paths {
      if path == FileInput.standardInputPath {
        if hasStandardInput { return path }
        hasStandardInput = true
      } else if let status = try? unsafe Stat(path.systemName), status.type == .regular,
        !seen.insert(FileIdentity(device: status.deviceID, inode: status.inode)).inserted
      {
        return path
      }
    }
    return nil
  }

  /// The identity of a path's file in the system.
  private struct FileIdentity: Hashable {
    var device: DeviceID
    var inode: Inode
  }
}
