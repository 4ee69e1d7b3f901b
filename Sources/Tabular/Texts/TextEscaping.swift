import Packets

/// Turns octets from the wire into text that no later program interprets.
///
/// The result is always valid UTF-8, and the octets can be recovered. A backslash becomes `\\`, and every octet of an escaped character
/// `\xNN`. Octets that are not UTF-8 are escaped. So are control characters, so that no escape sequence reaches a terminal and no line
/// break a row. Characters that are invisible or change the order of their neighbors are escaped, so that a name looks like what it is. All
/// else is unchanged.
package enum TextEscaping {
  /// Code points beyond ASCII that are escaped: C1 controls, line separators, bidirectional and other format controls, and Unicode's
  /// default-ignorable ones. The table is fixed, so that a capture gives the same report with any Unicode version of the standard library.
  private static let escaped: [ClosedRange<UInt32>] = [
    0x80...0x9f, 0xad...0xad, 0x34f...0x34f, 0x600...0x605, 0x61c...0x61c, 0x6dd...0x6dd, 0x70f...0x70f,
    0x890...0x891, 0x8e2...0x8e2, 0x115f...0x1160, 0x17b4...0x17b5, 0x180b...0x180f, 0x200b...0x200f,
    0x2028...0x202e, 0x2060...0x206f, 0x3164...0x3164, 0xfe00...0xfe0f, 0xfeff...0xfeff, 0xffa0...0xffa0,
    0xfff0...0xfffb, 0xfffe...0xffff, 0x110bd...0x110bd, 0x110cd...0x110cd, 0x13430...0x1343f,
    0x1bca0...0x1bca3, 0x1d173...0x1d17a, 0xe0000...0xe0fff,
  ]

  /// Appends `text` escaped. With `doublingQuotes`, each `"` is doubled, as inside a quoted CSV cell.
  package static func append(_ text: RawSpan, doublingQuotes: Bool = false, to result: inout [UInt8]) {
    var index = 0
    while index < text.byteCount {
      let octet = text.octet(index)
      if octet < 0x80 {
        switch octet {
        case UInt8(ascii: "\\"):
          result.append(octet)
          result.append(octet)
        case 0..<0x20, 0x7f:
          appendHexadecimal(octet, to: &result)
        case UInt8(ascii: "\"") where doublingQuotes:
          result.append(octet)
          result.append(octet)
        default:
          result.append(octet)
        }
        index += 1
        continue
      }
      let (length, isShown) = character(at: index, of: text)
      for offset in index..<index + length {
        let octet = text.octet(offset)
        if isShown { result.append(octet) } else { appendHexadecimal(octet, to: &result) }
      }
      index += length
    }
  }

  /// Returns `text` escaped.
  package static func string(_ text: [UInt8]) -> String {
    var octets: [UInt8] = []
    text.withOctets { append($0, to: &octets) }
    return String(decoding: octets, as: UTF8.self)
  }

  private static func appendHexadecimal(_ octet: UInt8, to result: inout [UInt8]) {
    result.append(UInt8(ascii: "\\"))
    result.append(UInt8(ascii: "x"))
    result.append(hexadecimalDigit(octet >> 4))
    result.append(hexadecimalDigit(octet & 0xf))
  }

  /// The lower-case digit of a value below 16.
  package static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
  }

  /// The length in octets of the character at `index`, whose first octet is not ASCII, and whether it is shown unchanged. An octet that
  /// starts no well-formed sequence (Unicode, table 3-7) counts as a character.
  package static func character(at index: Int, of text: RawSpan) -> (length: Int, isShown: Bool) {
    let first = text.octet(index)
    let length: Int
    var value: UInt32
    var second: ClosedRange<UInt8> = 0x80...0xbf
    switch first {
    case 0xc2...0xdf: (length, value) = (2, UInt32(first & 0x1f))
    case 0xe0...0xef:
      (length, value) = (3, UInt32(first & 0x0f))
      // Excludes overlong forms and surrogates.
      if first == 0xe0 { second = 0xa0...0xbf }
      if first == 0xed { second = 0x80...0x9f }
    case 0xf0...0xf4:
      (length, value) = (4, UInt32(first & 0x07))
      // Excludes overlong forms and values beyond U+10FFFF.
      if first == 0xf0 { second = 0x90...0xbf }
      if first == 0xf4 { second = 0x80...0x8f }
    default: return (1, false)
    }
    guard index + length <= text.byteCount, second.contains(text.octet(index + 1)) else { return (1, false) }
    for offset in index + 1..<index + length {
      let octet = text.octet(offset)
      guard octet & 0xc0 == 0x80 else { return (1, false) }
      value = value << 6 | UInt32(octet & 0x3f)
    }
    return (length, !isEscaped(value))
  }

  /// The length and visibility of a character of an array.
  package static func character(at index: Int, of text: [UInt8]) -> (length: Int, isShown: Bool) {
    text.withOctets { character(at: index, of: $0) }
  }

  private static func isEscaped(_ value: UInt32) -> Bool {
    // A linear scan of the sorted table stops early: nearly all text beyond ASCII lies between its first range and the next relevant one.
    for range in escaped where value <= range.upperBound { return value >= range.lowerBound }
    return false
  }
}

extension TextEscaping {
  /// The octets that a text of a report stands for. A backslash that starts no escape stands for itself; no report has one.
  package static func octets(_ text: ArraySlice<UInt8>) -> [UInt8] {
    let backslash = UInt8(ascii: "\\")
    guard text.contains(backslash) else { return Array(text) }
    var octets: [UInt8] = []
    octets.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
      let rest = text[index...].prefix(4)
      if rest.first == backslash, rest.dropFirst().first == backslash {
        octets.append(backslash)
        index += 2
      } else if rest.count == 4, rest[index] == backslash, rest[index + 1] == UInt8(ascii: "x"),
        let high = value(ofDigit: rest[index + 2]), let low = value(ofDigit: rest[index + 3])
      {
        octets.append(high << 4 | low)
        index += 4
      } else {
        octets.append(text[index])
        index += 1
      }
    }
    return octets
  }

  private static func value(ofDigit digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }
}
