import Foundation

@testable import Capture

/// A folder that is removed with the value that stands for it.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("writing-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a file in it.
  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The names of its files, sorted.
  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

  func attributes(_ name: String) throws -> [FileAttributeKey: Any] {
    try FileManager.default.attributesOfItem(atPath: file(name))
  }

  /// Octets of a file.
  func size(_ name: String) throws -> Int { try attributes(name)[.size] as? Int ?? -1 }

  /// Its files read as one capture.
  func series() -> CaptureSeries { CaptureSeries(paths: names.map(file)) }
}
