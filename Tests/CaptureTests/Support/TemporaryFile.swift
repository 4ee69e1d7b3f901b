import Foundation
import Synchronization

/// A file that is removed with the value that stands for it. The names of files are in the order in which they are made: it decides where
/// captures have the same time.
final class TemporaryFile {
  private static let count = Atomic<Int>(0)
  let path: String

  private static func path(_ name: String) -> String {
    let number = String(count.add(1, ordering: .relaxed).newValue + 100_000)
    return FileManager.default.temporaryDirectory.appendingPathComponent("\(name)-\(number)-\(UUID().uuidString)").path
  }

  init(_ octets: [UInt8], name: String = "capture") throws {
    path = Self.path(name)
    try Data(octets).write(to: URL(fileURLWithPath: path))
  }

  /// A path of which nothing is there yet.
  init() { path = Self.path("capture") }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
