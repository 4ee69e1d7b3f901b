import Foundation
import Synchronization

/// A folder that is gone with the value that stands for it, at the latest with the process.
final class Scratch: Sendable {
  let url: URL

  /// The folders that are there. Values that tests share, such as the reports of one run, live as long as the process.
  private static let folders = Mutex<Set<URL>>([])
  private static let removal: Void = {
    atexit { for folder in Scratch.folders.withLock({ $0 }) { try? FileManager.default.removeItem(at: folder) } }
  }()

  init() throws {
    // Out of /tmp's symbolic links, so that paths in messages are the paths that were given.
    url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appendingPathComponent("sniffer-e2e-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    Self.removal
    _ = Self.folders.withLock { $0.insert(url) }
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
    _ = Self.folders.withLock { $0.remove(url) }
  }

  /// A path in the folder of which nothing is there yet.
  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// A file in the folder with these octets.
  func file(_ name: String, _ octets: [UInt8] = []) throws -> URL {
    let file = url.appendingPathComponent(name)
    try Data(octets).write(to: file)
    return file
  }
}
