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
  @inline(__always)
  var isTokenCharacter: Bool {
    // One bit for each character, of 0x00...0x3f and of 0x40...0x7f.
    let low: UInt64 = 0x03ff_6cfa_0000_0000
    let high: UInt64 = 0x57ff_ffff_c7ff_fffe
    return self < 0x80 && (self < 0x40 ? low >> UInt64(self) : high >> UInt64(self - 0x40)) & 1 != 0
  }

  var isDigit: Bool { self >= 0x30 && self <= 0x39 }
  /// SP or HTAB, the whitespace of RFC 9110 §5.6.3.
  var isWhitespace: Bool { self == ASCII.space || self == ASCII.tab }

  var lowercased: UInt8 { self >= 0x41 && self <= 0x5a ? self | 0x20 : self }
}

extension UInt64 {
  /// Eight octets with capital letters of ASCII turned into lower case.
  @inline(__always)
  var lowercasedOctets: UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    // In each octet, the high bit says whether the seven low bits are at least A, and whether they are beyond Z.
    let low = self & (ones &* 0x7f)
    let fromA = low &+ ones &* (0x80 - 0x41)
    let beyondZ = low &+ ones &* (0x80 - 0x5b)
    let capitals = fromA & ~beyondZ & ~self & (ones &* 0x80)
    return self | capitals >> 2
  }

  /// Marks octets that are not US-ASCII with their high bit.
  @inline(__always)
  var nonASCIIOctets: UInt64 { self & 0x8080_8080_8080_8080 }
}

extension RawSpan {
  /// Whether the octets at `offset` are `text`, ASCII letters in either case. `text` has lower-case letters, digits and punctuation with
  /// the bit 0x20.
  @inline(__always)
  package func matches(_ text: StaticString, at offset: Int) -> Bool {
    let length = text.utf8CodeUnitCount
    guard offset >= 0, offset + length <= byteCount else { return false }
    var index = 0
    while index + 8 <= length {
      let octets = littleEndian64(offset + index)
      // Setting the lower-case bit changes letters, and could turn control characters into punctuation: those must not match.
      let isPrintable = (octets | octets << 1) & 0x4040_4040_4040_4040 == 0x4040_4040_4040_4040
      guard isPrintable, octets | 0x2020_2020_2020_2020 == text.littleEndian64(index) else { return false }
      index += 8
    }
    while index < length {
      if octet(offset + index).lowercased != text.octet(index) { return false }
      index += 1
    }
    return true
  }

  /// Whether the octets are a part of `text` from `offset` on, as far as `text` reaches, ASCII letters in either case. `text` is
  /// lower-case.
  func isPrefix(of text: StaticString, from offset: Int) -> Bool {
    for index in 0..<min(byteCount, max(text.utf8CodeUnitCount - offset, 0))
    where octet(index).lowercased != text.octet(offset + index) { return false }
    return true
  }

  /// Whether CRLF is at `offset`.
  @inline(__always)
  func isLineEnd(at offset: Int) -> Bool {
    offset >= 0 && offset + 2 <= byteCount && octet(within: offset) == ASCII.carriageReturn
      && octet(within: offset + 1) == ASCII.lineFeed
  }

  /// Whether every octet is US-ASCII.
  var isASCII: Bool { firstOffset(in: 0..<byteCount) { $0.nonASCIIOctets } == nil }

  /// The next element of the comma-separated list in `range`, without whitespace at its ends; nil at the list's end. `offset` moves behind it.
  @inline(__always)
  func nextElement(_ offset: inout Int, in range: Range<Int>) -> Range<Int>? {
    guard offset < range.upperBound else { return nil }
    let end = firstOffset(of: ASCII.comma, in: offset..<range.upperBound) ?? range.upperBound
    defer { offset = end + 1 }
    return trimmingWhitespace(offset..<end)
  }

  /// The name at the start of an element: parameters may follow behind semicolons.
  func name(ofElement element: Range<Int>) -> Range<Int> {
    trimmingWhitespace(element.lowerBound..<(firstOffset(of: ASCII.semicolon, in: element) ?? element.upperBound))
  }

  /// `range` without whitespace at its ends.
  @inline(__always)
  func trimmingWhitespace(_ range: Range<Int>) -> Range<Int> {
    precondition(range.lowerBound >= 0 && range.upperBound <= byteCount)
    var low = range.lowerBound
    var high = range.upperBound
    while low < high, octet(within: low).isWhitespace { low &+= 1 }
    while high > low, octet(within: high &- 1).isWhitespace { high &-= 1 }
    return low..<high
  }
}
