import Foundation
import FuzzTargets

/// A folder of seeds with a folder for each target in it.
struct SeedFolder {
  private let root: URL
  private let limit: Int
  private var counts: [String: Int] = [:]

  init(_ path: String, limit: Int) {
    root = URL(fileURLWithPath: path)
    self.limit = limit
  }

  /// Writes a seed, cut to what the target takes, unless there are enough.
  mutating func add(_ octets: [UInt8], to target: FuzzTarget) throws {
    let count = counts[target.name, default: 0]
    guard count < limit else { return }
    counts[target.name] = count + 1
    let folder = root.appendingPathComponent(target.name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let name = "seed-" + String(count)
    try Data(octets.prefix(target.longestInput)).write(to: folder.appendingPathComponent(name))
  }
}
