/// A field line (RFC 9112 §5) as ranges into the line.
struct FieldLine {
  var name: Range<Int>
  var value: Range<Int>
  /// Whether whitespace stands between name and colon. It is forbidden, and a way to smuggle (§5.1).
  var hasSpaceBeforeColon = false

  /// Returns nil when the line has no colon or no name.
  init?(_ line: RawSpan) {
    guard let colon = line.firstOffset(of: ASCII.colon, in: 0..<line.byteCount) else { return nil }
    self.init(line, colon: colon)
  }

  /// Reads a line whose first colon is at `colon`.
  @inline(__always)
  init?(_ line: RawSpan, colon: Int) {
    name = line.trimmingWhitespace(0..<colon)
    guard !name.isEmpty else { return nil }
    hasSpaceBeforeColon = name.upperBound < colon
    value = line.trimmingWhitespace(colon + 1..<line.byteCount)
  }
}

/// A common field line: complete, ended by CRLF, of ASCII, with a name, and certainly not folded.
///
/// The octet behind it is here and is not whitespace.
struct OrdinaryFieldLine {
  /// The ranges of its parts, from its start.
  let field: FieldLine
  /// The offset after the line's LF.
  let end: Int

  /// Returns nil when the line at `start` is not a common one.
  @inline(__always)
  init?(_ octets: RawSpan, from start: Int) {
    let count = octets.byteCount
    guard start < count, !octets.octet(start).isWhitespace,
      let colon = octets.firstOffset(
        in: start..<count, { $0.matches(ASCII.colon) | $0.matches(ASCII.lineFeed) | $0.nonASCIIOctets }),
      octets.octet(colon) == ASCII.colon,
      let lineFeed = octets.firstOffset(
        in: colon + 1..<count, { $0.matches(ASCII.lineFeed) | $0.nonASCIIOctets }),
      octets.octet(lineFeed) == ASCII.lineFeed, octets.octet(lineFeed - 1) == ASCII.carriageReturn,
      lineFeed + 1 < count, !octets.octet(lineFeed + 1).isWhitespace,
      let field = FieldLine(octets.extracting(start..<lineFeed - 1), colon: colon - start)
    else { return nil }
    self.field = field
    end = lineFeed + 1
  }
}
