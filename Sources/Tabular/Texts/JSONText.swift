/// Turns any octets into the inside of a valid JSON string (RFC 8259 §7).
package enum JSONText {
  /// Whether octets are UTF-8 without the control characters that texts lack. Tabs and line ends are allowed.
  package static func isText(_ octets: [UInt8]) -> Bool {
    var index = 0
    while index < octets.count {
      let octet = octets[index]
      if octet < 0x80 {
        if octet < 0x20, octet != 0x09, octet != 0x0a, octet != 0x0d { return false }
        if octet == 0x7f { return false }
        index += 1
        continue
      }
      let length = TextEscaping.character(at: index, of: octets).length
      if length == 1 { return false }
      index += length
    }
    return true
  }

  /// Whether octets are UTF-8.
  package static func isUTF8(_ octets: [UInt8]) -> Bool {
    var index = 0
    while index < octets.count {
      let length = octets[index] < 0x80 ? 1 : TextEscaping.character(at: index, of: octets).length
      if length == 1, octets[index] >= 0x80 { return false }
      index += length
    }
    return true
  }

  /// The start of `octets`, without an incomplete character at its end.
  package static func withoutCutCharacter(_ octets: [UInt8]) -> [UInt8] {
    for back in 1...4 where back <= octets.count {
      let octet = octets[octets.count - back]
      if octet & 0xc0 == 0x80 { continue }
      let needed = octet >= 0xf0 ? 4 : octet >= 0xe0 ? 3 : octet >= 0xc0 ? 2 : 1
      return needed > back ? Array(octets.dropLast(back)) : octets
    }
    return octets
  }

  /// Appends UTF-8 with JSON's escapes. It also escapes characters that are invisible or change the order of others, and line ends of
  /// JavaScript. The value is the same, and the file looks as it reads.
  package static func append(utf8 octets: [UInt8], to result: inout [UInt8]) {
    var index = 0
    while index < octets.count {
      let octet = octets[index]
      if octet < 0x80 {
        appendASCII(octet, to: &result)
        index += 1
        continue
      }
      let (length, isShown) = TextEscaping.character(at: index, of: octets)
      if isShown {
        result.append(contentsOf: octets[index..<index + length])
      } else if length > 1 {
        appendEscape(of: scalar(octets[index..<index + length]), to: &result)
      } else {
        appendEscape(of: 0xfffd, to: &result)
      }
      index += length
    }
  }

  /// Appends octets as characters of ISO 8859-1. Each octet is one character, so nothing is lost.
  package static func append(latin1 octets: [UInt8], to result: inout [UInt8]) {
    for octet in octets {
      if octet < 0x80 {
        appendASCII(octet, to: &result)
      } else {
        appendEscape(of: UInt32(octet), to: &result)
      }
    }
  }

  /// Appends a text with JSON's escapes for a `script` element: `<`, `>` and `&` are escaped, too.
  static func append(inScript text: String, to result: inout [UInt8]) {
    for octet in text.utf8 {
      switch octet {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        result.append(UInt8(ascii: "\\"))
        result.append(octet)
      case 0..<0x20, 0x7f, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"):
        appendEscape(of: UInt32(octet), to: &result)
      default: result.append(octet)
      }
    }
  }

  private static func appendASCII(_ octet: UInt8, to result: inout [UInt8]) {
    switch octet {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      result.append(UInt8(ascii: "\\"))
      result.append(octet)
    case 0x09: result.append(contentsOf: Array("\\t".utf8))
    case 0x0a: result.append(contentsOf: Array("\\n".utf8))
    case 0x0d: result.append(contentsOf: Array("\\r".utf8))
    case 0..<0x20, 0x7f: appendEscape(of: UInt32(octet), to: &result)
    default: result.append(octet)
    }
  }

  private static func scalar(_ character: ArraySlice<UInt8>) -> UInt32 {
    var value = UInt32(character.first ?? 0) & (0x7f >> UInt32(character.count))
    for octet in character.dropFirst() { value = value << 6 | UInt32(octet & 0x3f) }
    return value
  }

  /// Appends `\uXXXX`; beyond U+FFFF, a pair of surrogates.
  private static func appendEscape(of scalar: UInt32, to result: inout [UInt8]) {
    guard scalar < 0x1_0000 else {
      let offset = scalar - 0x1_0000
      appendEscape(of: 0xd800 + offset >> 10, to: &result)
      appendEscape(of: 0xdc00 + offset & 0x3ff, to: &result)
      return
    }
    result.append(UInt8(ascii: "\\"))
    result.append(UInt8(ascii: "u"))
    for shift in stride(from: UInt32(12), through: 0, by: -4) {
      result.append(TextEscaping.hexadecimalDigit(UInt8(truncatingIfNeeded: scalar >> shift & 0xf)))
    }
  }
}
