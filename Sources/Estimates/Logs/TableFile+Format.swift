import TableReading

extension TableFile {
  /// The format that the content shows; nil for JSON.
  func format() throws(LogError) -> LogFormat? {
    if head.starts(with: Array("SQLite format 3\0".utf8)) { return .sqlite }
    guard !head.contains(0) else {
      throw LogError(
        file: path,
        "is binary, and no SQLite database (an encrypted one looks like this too); expected CSV, SQLite or JSON")
    }
    let text = head.starts(with: Self.byteOrderMark) ? head.dropFirst(3) : head[...]
    let first = text.first { !(0x09...0x0d ~= $0 || $0 == 0x20 || $0 == 0x1e) }
    // Only a parser can tell which kind of JSON it is.
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? nil : .csv
  }

  /// Whether the first line is one of a server's access log.
  var isAccessLog: Bool {
    let line = String(decoding: head.prefix { $0 != 0x0a }, as: UTF8.self)
    return Self.starts.contains(where: line.hasPrefix) || Self.versions.contains(where: line.contains)
  }

  /// The beginnings of W3C's extended log file format, and of Zeek's logs.
  private static let starts = ["#Software:", "#Version:", "#Fields:", "#Date:", "#separator "]
  /// The ends of a request-line in quotes, as access logs have it.
  private static let versions = [" HTTP/1.0\"", " HTTP/1.1\"", " HTTP/2.0\"", " HTTP/2\"", " HTTP/3.0\"", " HTTP/3\""]
}
