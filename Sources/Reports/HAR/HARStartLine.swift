/// The parts of a start-line (RFC 9112 §3, §4) that no row has.
struct HARStartLine {
  private let line: [UInt8]

  /// Of a line without terminator; empty when it is not known.
  init(_ line: [UInt8]) { self.line = line }

  /// The query of a request-line whose query has this many octets (`Message.queryLength`): the end of the target, which is
  /// the last thing before the version, if there is one. Nil when the line is not known.
  func query(length: Int) -> [UInt8]? {
    var end = trimmedEnd(line.count)
    guard end > 0 else { return nil }
    if let space = line[..<end].lastIndex(where: Self.isSpace), isVersion(line[(space + 1)..<end]) {
      end = trimmedEnd(space)
    }
    let start = end - length
    guard start > 0, line[start - 1] == UInt8(ascii: "?") else { return nil }
    return Array(line[start..<end])
  }

  /// The reason-phrase of a status-line; empty when there is none.
  var reason: [UInt8] {
    let parts = line.split(maxSplits: 2, omittingEmptySubsequences: true, whereSeparator: Self.isSpace)
    return parts.count == 3 ? Array(parts[2]) : []
  }

  private func trimmedEnd(_ end: Int) -> Int {
    var end = end
    while end > 0, Self.isSpace(line[end - 1]) { end -= 1 }
    return end
  }

  private func isVersion(_ text: ArraySlice<UInt8>) -> Bool { text.starts(with: "HTTP/".utf8) }

  private static func isSpace(_ octet: UInt8) -> Bool { octet == UInt8(ascii: " ") || octet == 0x09 }
}
