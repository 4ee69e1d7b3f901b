/// The line before a chunk (RFC 9112 §7.1): `chunk-size [ chunk-ext ] CRLF`.
enum ChunkSize {
  /// Longest number of leading zeros and digits looked at; a longer size is no size.
  private static let digitLimit = 1 << 16

  /// Digits that a usual chunk-size line has at most: enough for 256 TiB.
  static let ordinaryDigits = 12

  /// The size, or nil when the line does not start with one. What exceeds 62 bits is as good as endless
  /// (RFC 9112 §7.1 asks recipients to expect it).
  static func parse(_ line: RawSpan) -> Int? {
    var size = 0
    var offset = 0
    while offset < min(line.byteCount, digitLimit), let digit = digit(line.octet(offset)) {
      size = size > Int.max / 64 ? Int.max / 2 : size << 4 | digit
      offset += 1
    }
    guard offset > 0 else { return nil }
    // Whitespace before an extension is "bad" but accepted (§7.1.1); anything else is not a chunk-size.
    let rest = line.trimmingWhitespace(offset..<line.byteCount)
    guard rest.isEmpty || line.octet(rest.lowerBound) == ASCII.semicolon else { return nil }
    return size
  }

  /// The value of a hexadecimal digit.
  @inline(__always)
  static func digit(_ octet: UInt8) -> Int? {
    switch octet {
    case 0x30...0x39: Int(octet - 0x30)
    case 0x41...0x46: Int(octet - 0x41 + 10)
    case 0x61...0x66: Int(octet - 0x61 + 10)
    default: nil
    }
  }
}
