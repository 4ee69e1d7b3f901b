import Foundation
import HTTPReassembly
import TestSupport

/// The project's captures, as the suites of partials and of shards take them.
enum OwnCaptures {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("captures")

  /// Their names.
  static let names: [String] = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.contains(".pcap") }.sorted()

  /// A capture, and what its packets can be changed to.
  static func trial(_ name: String) throws -> MutationTrial {
    try MutationTrial(path: folder.appendingPathComponent(name).path)
  }

  /// Time-outs in nanoseconds: with short ones most connections are over before their part ends, or while other shards' packets come.
  static func configuration(_ timeout: Int64) -> Configuration {
    var configuration = Configuration()
    configuration.idleTimeout = timeout
    configuration.closedTimeout = min(timeout, configuration.closedTimeout)
    return configuration
  }
}
