import Packets

/// The latest capture files, kept open so that octets of their packets can be read again.
final class RereadableFiles: CapturedOctets {
  /// The number of open files: retransmissions can still refer to this many rotated captures.
  private static let limit = 8

  private var files: [(number: Int32, file: FileInput)] = []
  private var count: Int32 = 0

  /// Adds a file and returns its number; beyond the limit it replaces the oldest file.
  func add(_ file: FileInput) -> Int32 {
    count &+= 1
    if files.count == Self.limit { files.removeFirst() }
    files.append((count, file))
    return count
  }

  func read(_ count: Int, from source: CaptureOffset, into buffer: inout [UInt8]) -> Bool {
    guard let file = files.first(where: { $0.number == source.capture })?.file else { return false }
    if buffer.count < count { buffer += Array(repeating: 0, count: count - buffer.count) }
    return file.read(count, at: source.offset, into: &buffer)
  }
}
