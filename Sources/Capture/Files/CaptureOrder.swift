/// The order in which captures are read.
enum CaptureOrder {
  /// Octets of the buffer for a look at the first packet: each file is read only as far as that.
  private static let lookLength = 64 << 10

  /// Puts files in the order of their first packets, and leaves streams where they are: they cannot be looked at ahead. Files
  /// without a packet, or that cannot be opened, come after the others.
  static func ordered(_ paths: [String]) -> [String] {
    let files = paths.filter { FileInput.kind($0) != .stream }
    guard files.count > 1 else { return paths }
    var sorted = timed(files).map(\.path).makeIterator()
    return paths.map { FileInput.kind($0) == .stream ? $0 : sorted.next() ?? $0 }
  }

  /// Files in the order of their first packets, or of their names where these have the same time, with the time of that packet in
  /// nanoseconds; `Int64.max` where there is none.
  static func timed(_ files: [String]) -> [(path: String, first: Int64)] {
    files.map { (path: $0, first: firstTimestamp(of: $0) ?? .max) }
      .sorted { ($0.first, $0.path) < ($1.first, $1.path) }
  }

  /// Octets of all files together; nil if there is a stream among them. What cannot be read has none.
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
