extension TextEscaping {
  /// Takes a text of a report back to the octets that it stands for. A backslash that starts no escape, which no report
  /// has, stands for itself.
  static func octets(_ text: ArraySlice<UInt8>) -> [UInt8] {
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
