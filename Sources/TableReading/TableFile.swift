import SystemPackage
import Tabular

/// A file with a log or a table, read piece by piece.
package struct TableFile {
  /// The path as given.
  package let path: String
  /// Its first octets, at most 4096.
  package let head: [UInt8]
  /// Its size in octets.
  package let size: Int
  private let file: OpenFile

  /// Opens a regular file. Throws a `ReadingError` if there is none, if it is empty, or if it clearly is no log.
  package init(path: String) throws(ReadingError) {
    self.path = path
    guard let status = OpenFile.status(at: path) else {
      throw ReadingError(file: path, "there is no such file, or this user may not see it")
    }
    guard status.type == .regular else {
      throw ReadingError(file: path, status.type == .directory ? "is a folder, not a log" : "is not a regular file")
    }
    do throws(Errno) { file = try OpenFile.reading(path) } catch {
      throw ReadingError(file: path, "cannot be opened; may this user read it?")
    }
    size = Int(status.size)
    head = try Self.piece(of: file, from: 0, upTo: 4096, path)
    guard !head.isEmpty else { throw ReadingError(file: path, "is empty") }
    if let mistake = Self.mistake(head) { throw ReadingError(file: path, mistake) }
  }

  /// The octets from `offset` on, at most a mebibyte; empty at the end.
  package func piece(from offset: Int) throws(ReadingError) -> [UInt8] {
    try Self.piece(of: file, from: offset, upTo: 1 << 20, path)
  }

  /// Reads the file from its start, piece by piece, without a byte order mark.
  package func forEachPiece(_ body: ([UInt8]) throws(ReadingError) -> Void) throws(ReadingError) {
    var offset = 0
    while case let piece = try piece(from: offset), !piece.isEmpty {
      try body(offset == 0 && piece.starts(with: Self.byteOrderMark) ? Array(piece.dropFirst(3)) : piece)
      offset += piece.count
    }
  }

  /// The first octets, at most `count`, without a byte order mark.
  package func start(_ count: Int) throws(ReadingError) -> [UInt8] {
    var start: [UInt8] = []
    while start.count < count,
      case let piece = try Self.piece(of: file, from: start.count, upTo: count - start.count, path), !piece.isEmpty
    {
      start += piece
    }
    return start.starts(with: Self.byteOrderMark) ? Array(start.dropFirst(3)) : start
  }

  /// Hands over each line without its end. Of a line with more than `longest` octets, only the first `longest` + 1 are there.
  package func forEachLine(
    longest: Int, _ body: ([UInt8]) throws(ReadingError) -> Void
  ) throws(ReadingError) {
    var line: [UInt8] = []
    try forEachPiece { piece throws(ReadingError) in
      var rest = piece[...]
      while let end = rest.firstIndex(of: 0x0a) {
        line += rest[..<end].prefix(longest + 1 - line.count)
        try body(line)
        line.removeAll(keepingCapacity: true)
        rest = rest[(end + 1)...]
      }
      line += rest.prefix(longest + 1 - line.count)
    }
    try body(line)
  }

  /// The whole content of a file of at most `limit` octets, without a byte order mark; nil for a longer one.
  package func content(limit: Int) throws(ReadingError) -> [UInt8]? {
    guard size <= limit else { return nil }
    var content: [UInt8] = []
    try forEachPiece { piece throws(ReadingError) in
      // The file may have grown since it was opened.
      if content.count <= limit { content += piece }
    }
    return content.count <= limit ? content : nil
  }

  /// U+FEFF in UTF-8.
  package static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  private static func piece(
    of file: OpenFile, from offset: Int, upTo count: Int, _ path: String
  ) throws(ReadingError) -> [UInt8] {
    var octets = [UInt8](repeating: 0, count: count)
    do throws(Errno) { octets.removeLast(count - (try file.read(into: &octets, from: 0, at: offset))) } catch {
      throw ReadingError(file: path, "cannot be read: \(error)")
    }
    return octets
  }

  /// Recognizes a file given by mistake, by its first octets.
  private static func mistake(_ head: [UInt8]) -> String? {
    let captures: [[UInt8]] = [
      [0xd4, 0xc3, 0xb2, 0xa1], [0xa1, 0xb2, 0xc3, 0xd4], [0x4d, 0x3c, 0xb2, 0xa1], [0xa1, 0xb2, 0x3c, 0x4d],
      [0x34, 0xcd, 0xb2, 0xa1], [0xa1, 0xb2, 0xcd, 0x34], [0x0a, 0x0d, 0x0d, 0x0a],
    ]
    if captures.contains(where: head.starts) { return "is a capture, not an app's log; expected CSV, SQLite or JSON" }
    let compressed: [[UInt8]] = [
      [0x1f, 0x8b], [0x28, 0xb5, 0x2f, 0xfd], Array("PK\u{3}\u{4}".utf8), Array("BZh".utf8),
    ]
    if compressed.contains(where: head.starts) { return "is compressed; unpack it first" }
    if head.starts(with: Array("bplist".utf8)) { return "is a property list; expected CSV, SQLite or JSON" }
    // Text in UTF-16 or UTF-32 starts with a mark, or has a NUL in every other octet of its ASCII.
    let looksWide = head.count >= 4 && (head[0] == 0) != (head[1] == 0) && (head[2] == 0) != (head[3] == 0)
    if head.starts(with: [0xff, 0xfe]) || head.starts(with: [0xfe, 0xff]) || looksWide {
      return "looks like UTF-16; save it as UTF-8"
    }
    return nil
  }
}
