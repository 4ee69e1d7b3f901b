/// A field line (RFC 9112 §5) as ranges into the line.
struct FieldLine {
  var name: Range<Int>
  var value: Range<Int>
  /// Whitespace between name and colon: forbidden, and a way to smuggle (§5.1).
  var hasSpaceBeforeColon = false

  /// Nil when the line has no colon or no name.
  init?(_ line: RawSpan) {
    guard let colon = line.firstOffset(of: ASCII.colon, in: 0..<line.byteCount) else { return nil }
    self.init(line, colon: colon)
  }

  /// As above, with the offset of the line's first colon known.
  @inline(__always)
  init?(_ line: RawSpan, colon: Int) {
    name = line.trimmingWhitespace(0..<colon)
    guard !name.isEmpty else { return nil }
    hasSpaceBeforeColon = name.upperBound < colon
    value = line.trimmingWhitespace(colon + 1..<line.byteCount)
  }
}

/// A field line that needs no second look: whole in these octets, ended by CRLF, of ASCII, with a colon, and known not to
/// be folded, because the octet after it is here and is no whitespace.
struct OrdinaryFieldLine {
  /// Offset of the first colon.
  let colon: Int
  /// Offset after the line's LF.
  let end: Int

  /// Nil when the line at `start` is none.
  @inline(__always)
  init?(_ octets: RawSpan, from start: Int) {
    let count = octets.byteCount
    guard start < count, !octets.octet(start).isWhitespace else { return nil }
    var colon = count
    var offset = start
    var lineFeed = count
    var high: UInt64 = 0
    // Up to the colon, then up to the line's end: a field line is mostly value.
    while offset + 8 <= count {
      let word = octets.littleEndian64(within: offset)
      let colons = word.places(of: ASCII.colon)
      if colons != 0 {
        colon = offset + colons.trailingZeroBitCount / 8
        break
      }
      if word.places(of: ASCII.lineFeed) != 0 { return nil }
      high |= word
      offset += 8
    }
    while offset + 8 <= count {
      let word = octets.littleEndian64(within: offset)
      let ends = word.places(of: ASCII.lineFeed)
      if ends != 0 {
        // Only octets before the LF matter.
        high |= word & (ends & (0 &- ends) &- 1)
        lineFeed = offset + ends.trailingZeroBitCount / 8
        break
      }
      high |= word
      offset += 8
    }
    if lineFeed == count {
      while offset < count, octets.octet(offset) != ASCII.lineFeed {
        if colon == count, octets.octet(offset) == ASCII.colon { colon = offset }
        high |= UInt64(octets.octet(offset))
        offset += 1
      }
      lineFeed = offset
    }
    guard high & 0x8080_8080_8080_8080 == 0, colon < lineFeed, lineFeed + 1 < count,
      octets.octet(lineFeed - 1) == ASCII.carriageReturn, !octets.octet(lineFeed + 1).isWhitespace
    else { return nil }
    self.colon = colon
    end = lineFeed + 1
  }
}
