// Octets and character classes of RFC 9110 §5.6 and RFC 9112 §2.

enum ASCII {
  static let tab: UInt8 = 0x09
  static let lineFeed: UInt8 = 0x0a
  static let carriageReturn: UInt8 = 0x0d
  static let space: UInt8 = 0x20
  static let comma: UInt8 = 0x2c
  static let slash: UInt8 = 0x2f
  static let colon: UInt8 = 0x3a
  static let semicolon: UInt8 = 0x3b
  static let questionMark: UInt8 = 0x3f
  static let at: UInt8 = 0x40
}

extension UInt8 {
  /// `tchar` of RFC 9110 §5.6.2.
  var isTokenCharacter: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
    case 0x21, 0x23...0x27, 0x2a, 0x2b, 0x2d, 0x2e, 0x5e...0x60, 0x7c, 0x7e: true
    default: false
    }
  }

  var isDigit: Bool { self >= 0x30 && self <= 0x39 }
  /// SP or HTAB, the whitespace of RFC 9110 §5.6.3.
  var isWhitespace: Bool { self == ASCII.space || self == ASCII.tab }

  var lowercased: UInt8 { self >= 0x41 && self <= 0x5a ? self | 0x20 : self }
}

extension RawSpan {
  /// The offset of the first `octet` in `range`, or nil.
  @inline(__always)
  func firstOffset(of octet: UInt8, in range: Range<Int>) -> Int? {
    // Eight octets at a time: an octet equals the sought one where the exclusive or is zero.
    var offset = range.lowerBound
    let pattern = 0x0101_0101_0101_0101 &* UInt64(octet)
    while offset + 8 <= range.upperBound {
      let difference = littleEndian64(offset) ^ pattern
      let zeros = (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
      if zeros != 0 { return offset + zeros.trailingZeroBitCount / 8 }
      offset += 8
    }
    while offset < range.upperBound {
      if self.octet(offset) == octet { return offset }
      offset += 1
    }
    return nil
  }

  /// Whether the octets at `offset` are `text`, ASCII letters in either case; `text` is lower-case.
  package func matches(_ text: StaticString, at offset: Int) -> Bool {
    let length = text.utf8CodeUnitCount
    guard offset >= 0, offset + length <= byteCount else { return false }
    for index in 0..<length where octet(offset + index).lowercased != text.octet(index) { return false }
    return true
  }

  /// Whether the octets, as far as `text` reaches, are those of `text` from `offset` on, ASCII letters in either case; `text` is
  /// lower-case.
  func isPrefix(of text: StaticString, from offset: Int) -> Bool {
    for index in 0..<min(byteCount, max(text.utf8CodeUnitCount - offset, 0))
    where octet(index).lowercased != text.octet(offset + index) { return false }
    return true
  }

  /// `range` without whitespace at its ends.
  func trimmingWhitespace(_ range: Range<Int>) -> Range<Int> {
    var low = range.lowerBound
    var high = range.upperBound
    while low < high, octet(low).isWhitespace { low += 1 }
    while high > low, octet(high - 1).isWhitespace { high -= 1 }
    return low..<high
  }
}
