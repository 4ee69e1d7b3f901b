import SystemPackage

/// What can be told of captures before any of them is read, so that a mistake is said at once, and not after hours.
///
/// Files are opened and the octets that formats are told by are looked at; nothing is taken apart. Standard input, FIFOs and the
/// like are left alone: who opens and closes them ends their writers.
public enum CaptureCheck {
  /// Octets of an unknown file that its error shows.
  private static let shownLength = 16
  /// Octets of the buffer for a look at a file's format.
  private static let lookLength = 64 << 10

  /// Why a path cannot be a capture; nil when it may be one.
  public static func fault(of path: String) -> CaptureError? {
    guard FileInput.kind(path) != .stream else { return nil }
    do throws(CaptureError) {
      let file = try FileInput(path: path)
      let start = try file.peek(shownLength)
      // What libpcap alone can open begins with octets that no text has.
      guard start.isEmpty || start.allSatisfy(isText) else { return nil }
      return CaptureFormat.notACapture(start, in: nil, file: path)
    } catch {
      return error
    }
  }

  /// Whether a file is certainly none: it can be read, and begins as no capture does, or what is compressed in it does.
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
  public static func isFolder(_ path: String) -> Bool { (try? unsafe Stat(path))?.type == .directory }

  /// Whether a path leads to something.
  public static func exists(_ path: String) -> Bool { (try? unsafe Stat(path)) != nil }

  /// The first path that leads to a file to which another one before leads; nil when there is none.
  public static func repeated(in paths: [String]) -> String? {
    var seen: Set<FileIdentity> = []
    var hasStandardInput = false
    for path in paths {
      if path == FileInput.standardInputPath {
        if hasStandardInput { return path }
        hasStandardInput = true
      } else if let status = try? unsafe Stat(path), status.type == .regular,
        !seen.insert(FileIdentity(device: status.deviceID, inode: status.inode)).inserted
      {
        return path
      }
    }
    return nil
  }

  /// Which file of the system a path leads to.
  private struct FileIdentity: Hashable {
    var device: DeviceID
    var inode: Inode
  }

  private static func isText(_ octet: UInt8) -> Bool {
    (0x20..<0x7f).contains(octet) || octet >= 0x80 || (0x09...0x0d).contains(octet)
  }
}
