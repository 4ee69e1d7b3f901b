import Foundation

@testable import Estimates

/// Logs in a temporary folder, which is removed with the value that stands for it.
final class LogFolder {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("logs-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The path of a file in the folder.
  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// Writes a file and gives its path.
  func write(_ octets: some Sequence<UInt8>, as name: String = "log") throws -> String {
    try Data(octets).write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }

  /// What there is in the folder.
  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.sorted() ?? [] }

  /// A log that is committed beside the tests.
  static func fixture(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures/\(name)").path
  }

  /// The log that `text` is.
  static func read(_ text: String, _ options: LogOptions = LogOptions()) throws -> AppLog {
    try read(Array(text.utf8), options)
  }

  /// The log that `octets` are.
  static func read(_ octets: [UInt8], _ options: LogOptions = LogOptions()) throws -> AppLog {
    let folder = try LogFolder()
    return try LogReader(options: options).read(folder.write(octets))
  }

  /// The words with which `octets` are refused, without the path; empty when they are not.
  static func refusal(_ octets: [UInt8], _ options: LogOptions = LogOptions()) throws -> String {
    let folder = try LogFolder()
    let path = try folder.write(octets)
    do {
      _ = try LogReader(options: options).read(path)
      return ""
    } catch {
      guard error.description.hasPrefix("\(path): ") else { return "names no file: \(error)" }
      return String(error.description.dropFirst(path.count + 2))
    }
  }

  static func refusal(_ text: String, _ options: LogOptions = LogOptions()) throws -> String {
    try refusal(Array(text.utf8), options)
  }
}

/// 2026-03-01T10:00:00Z in nanoseconds since 1970, around which the fixtures are.
let tenOClock: Int64 = 1_772_359_200_000_000_000

/// An instant so many milliseconds after ten o'clock.
func after(_ milliseconds: Double) -> Int64 { tenOClock + Int64((milliseconds * 1e6).rounded()) }
