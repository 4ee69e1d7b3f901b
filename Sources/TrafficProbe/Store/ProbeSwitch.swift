import Foundation
import Shared

/// Whether the probe meters, kept in a file beside its store, so that it is the same after a restart.
final class ProbeSwitch: Sendable {
  private let state: Locked<Bool>
  private let url: URL?

  /// - Parameters:
  ///   - store: The store; nil keeps the state in memory alone.
  ///   - initially: The state where no file says another.
  init(store: URL?, initially: Bool) {
    url = store?.appendingPathExtension("switch")
    state = Locked(url.flatMap(Self.read) ?? initially)
  }

  var isOn: Bool { state.withLock { $0 } }

  /// Changes the state at once, and then the file.
  /// - Throws: The error of the file system; then the state holds until the end of the process.
  func turn(on isOn: Bool) throws {
    state.withLock { $0 = isOn }
    if let url { try Data((isOn ? "on\n" : "off\n").utf8).write(to: url, options: .atomic) }
  }

  /// The state in a file; nil if it has none. No more than its beginning is read.
  private static func read(_ url: URL) -> Bool? {
    guard let file = try? FileHandle(forReadingFrom: url) else { return nil }
    defer { try? file.close() }
    switch String(decoding: (try? file.read(upToCount: 8)) ?? Data(), as: UTF8.self).prefix(while: \.isLetter) {
    case "on": return true
    case "off": return false
    default: return nil
    }
  }
}
