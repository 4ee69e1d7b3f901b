/// Decodes base64 (RFC 4648 §4) piece by piece. The content of gRPC-Web is one or more texts, each with its own padding.
struct Base64Octets {
  /// Whether the text so far can be base64.
  private(set) var isWellFormed = true
  private var bits: UInt32 = 0
  /// Characters of the group in progress.
  private var count = 0
  /// Characters of padding in the group.
  private var padding = 0

  /// Whether no group is in progress.
  var isAtEnd: Bool { count == 0 }

  /// Takes the next character. `output` gets the octets of a group that it completes.
  mutating func take(_ character: UInt8, output: (UInt8) -> Void) {
    guard isWellFormed else { return }
    if character == 0x3d {
      guard count >= 2 else { return isWellFormed = false }
      padding += 1
      bits <<= 6
    } else if let value = Self.value(character), padding == 0 {
      bits = bits << 6 | UInt32(value)
    } else {
      return isWellFormed = false
    }
    count += 1
    guard count == 4 else { return }
    output(UInt8(truncatingIfNeeded: bits >> 16))
    if padding < 2 { output(UInt8(truncatingIfNeeded: bits >> 8)) }
    if padding < 1 { output(UInt8(truncatingIfNeeded: bits)) }
    (bits, count, padding) = (0, 0, 0)
  }

  private static func value(_ character: UInt8) -> UInt8? {
    switch character {
    case 0x41...0x5a: character - 0x41
    case 0x61...0x7a: character - 0x61 + 26
    case 0x30...0x39: character - 0x30 + 52
    case 0x2b: 62
    case 0x2f: 63
    default: nil
    }
  }
}
