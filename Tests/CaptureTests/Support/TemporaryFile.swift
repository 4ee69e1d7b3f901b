import Foundation

/// A file that is removed with the value that stands for it.
final class TemporaryFile {
  let path: String

  init(_ octets: [UInt8], name: String = "capture") throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("\(name)-\(UUID().uuidString)").path
    try Data(octets).write(to: URL(fileURLWithPath: path))
  }

  /// A path of which nothing is there yet.
  init() {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("capture-\(UUID().uuidString)").path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
