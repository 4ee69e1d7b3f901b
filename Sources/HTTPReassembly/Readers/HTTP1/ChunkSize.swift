/// The line before a chunk (RFC 9112 §7.1): `chunk-size [ chunk-ext ] CRLF`.
enum ChunkSize {
  /// The maximum number of leading zeros and digits read. A longer size is invalid.
  private static let digitLimit = 1 << 16

  /// The maximum number of digits in a usual chunk-size line: enough for 256 TiB.
  static let ordinaryDigits = 12

  /// The chunk size; nil when the line does not start with one.
  ///
  /// A size beyond 62 bits counts as endless (RFC 9112 §7.1 asks recipients to expect it).
  static func parse(_ line: RawSpan) -> Int? {
    var size = 0
    var offset = 0
    while offset < min(line.byteCount, digitLimit), let digit = digit(line.octet(offset)) {
      size = size > Int.max / 64 ? Int.max / 2 : size << 4 | digit
      offset += 1
    }
    guard offset > 0 else { return nil }
    // Whitespace before an extension is "bad" but accepted (§7.1.1). No other octet may follow.
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
