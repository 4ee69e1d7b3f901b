import Shared
import SystemPackage

/// Checks captures before any of them is read, so that a mistake is reported at once, and not after hours.
///
/// Files are opened and only the first octets, which show the format, are read. Standard input, FIFOs and the like are not
/// opened, because closing them would end their writers.
public enum CaptureCheck {
  /// Octets of the buffer for a look at a file's format.
  private static let lookLength = 64 << 10

  /// The reason why a path cannot be a capture; nil when it may be one.
  public static func fault(of path: String) -> CaptureError? {
    guard FileInput.kind(path) != .stream else { return nil }
    do throws(CaptureError) {
      let file = try FileInput(path: path)
      // The first octets are read as a stream, so that a file that cannot be read says why.
      let first = try file.peek(OtherFormat.shownLength)
      let more = file.start(OtherFormat.knownLength)
      let start = more.isEmpty ? first : more
      // A file that only libpcap can open begins with octets that no text and no other format has.
      let isText = start.prefix(OtherFormat.shownLength).allSatisfy(isText)
      guard isText || OtherFormat.isKnown(start) else { return nil }
      return CaptureFormat.notACapture(start, in: nil, file: path)
    } catch {
      return error
    }
  }

  /// Whether a file is certainly not a capture: it can be read, and its start, decompressed if need be, is no capture's.
  static func isNoCapture(_ path: String) -> Bool {
    do throws(CaptureError) {
      _ = try CaptureReader(path: path, filter: nil, bufferCapacity: lookLength)
      return false
    } catch {
      if case .notACapture = error.problem { return true }
      return false
    }
  }

  /// Whether a path leads to a folder.
  public static func isFolder(_ path: String) -> Bool { (try? unsafe Stat(path.systemName))?.type == .directory }

  /// Whether a path leads to any file.
  public static func exists(_ path: String) -> Bool { (try? unsafe Stat(path.systemName)) != nil }

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

  private static func isText(_ octet: UInt8) -> Bool {
    (0x20..<0x7f).contains(octet) || octet >= 0x80 || (0x09...0x0d).contains(octet)
  }
}
