/// The order in which captures are read.
enum CaptureOrder {
  /// Octets of the buffer for the first packet: each file is read no further.
  private static let lookLength = 64 << 10

  /// Puts files in the order of their first packets. Streams keep their places, because their packets cannot be read in advance.
  /// Files that have no packet, or cannot be opened, come last.
  static func ordered(_ paths: [String]) -> [String] {
    let files = paths.filter { FileInput.kind($0) != .stream }
    guard files.count > 1 else { return paths }
    var sorted = timed(files).map(\.path).makeIterator()
    return paths.map { FileInput.kind($0) == .stream ? $0 : sorted.next() ?? $0 }
  }

  /// Files in the order of their first packets, with these packets' times in nanoseconds; `Int64.max` for a file without a
  /// packet. Files with the same time are in the order of their names.
  static func timed(_ files: [String]) -> [(path: String, first: Int64)] {
    files.map { (path: $0, first: firstTimestamp(of: $0) ?? .max) }
      .sorted { ($0.first, $0.path) < ($1.first, $1.path) }
  }

  /// Octets of all files together; nil if one is a stream. An unreadable file counts 0.
  static func size(_ paths: [String]) -> Int? {
    paths.reduce(0) { sum, path in
      switch FileInput.kind(path) {
      case .file(let size): sum.map { $0 + size }
      case .stream: nil
      case .unreadable: sum
      }
    }
  }

  private static func firstTimestamp(of path: String) -> Int64? {
    guard var reader = try? CaptureReader(path: path, filter: nil, bufferCapacity: lookLength) else { return nil }
    return (try? reader.firstTimestamp()) ?? nil
  }
}
