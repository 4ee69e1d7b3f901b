import Packets
import Shared

/// The capture files that were read last, kept open, so that octets of their packets can be read again, by any thread: to read at an offset
/// changes nothing of a file.
final class RereadableFiles: CapturedOctets, @unchecked Sendable {
  /// Files kept open: of rotated captures, those that a retransmission can still refer to.
  private static let limit = 8

  private struct State {
    var files: [(number: Int32, file: FileInput)] = []
    var count: Int32 = 0
  }

  private let state = Locked(State())

  /// Adds a file, instead of the one that was added first. Returns its number.
  func add(_ file: FileInput) -> Int32 {
    state.withLock { state in
      state.count &+= 1
      if state.files.count == Self.limit { state.files.removeFirst() }
      state.files.append((state.count, file))
      return state.count
    }
  }

  func read(_ count: Int, from source: CaptureOffset, into buffer: inout [UInt8]) -> Bool {
    guard let file = state.withLock({ $0.files.first { $0.number == source.capture }?.file }) else { return false }
    if buffer.count < count { buffer += Array(repeating: 0, count: count - buffer.count) }
    return file.read(count, at: source.offset, into: &buffer)
  }
}
