import Foundation

/// A folder that is gone with the value that stands for it.
final class Scratch: Sendable {
  let url: URL

  init() throws {
    // Out of /tmp's symbolic links, so that paths in messages are the paths that were given.
    url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appendingPathComponent("sniffer-e2e-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// A path in the folder of which nothing is there yet.
  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// A file in the folder with these octets.
  func file(_ name: String, _ octets: [UInt8] = []) throws -> URL {
    let file = url.appendingPathComponent(name)
    try Data(octets).write(to: file)
    return file
  }
}
