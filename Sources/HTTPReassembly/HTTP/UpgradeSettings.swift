/// The `HTTP2-Settings` field of a request that asks for HTTP/2 (RFC 7540 §3.2.1): the payload of a SETTINGS frame in base64url.
enum UpgradeSettings {
  /// SETTINGS_HEADER_TABLE_SIZE (RFC 9113 §6.5.2).
  private static let tableSize: UInt16 = 1

  /// The last dynamic table size that the value in `range` sets, in octets; nil if it sets none.
  static func tableSize(_ line: RawSpan, _ range: Range<Int>) -> Int? {
    var size: Int?
    var bits: UInt32 = 0
    var bitCount = 0
    var parameter: UInt64 = 0
    var octetCount = 0
    for offset in range {
      guard let digit = digit(line.octet(offset)) else { break }
      bits = bits << 6 | digit
      bitCount += 6
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      parameter = parameter << 8 | UInt64(bits >> UInt32(bitCount) & 0xff)
      octetCount += 1
      guard octetCount == 6 else { continue }
      if UInt16(truncatingIfNeeded: parameter >> 32) == tableSize { size = Int(UInt32(truncatingIfNeeded: parameter)) }
      octetCount = 0
      parameter = 0
    }
    return size
  }

  /// The value of a digit of base64url (RFC 4648 §5); nil if the octet is no digit.
  private static func digit(_ octet: UInt8) -> UInt32? {
    switch octet {
    case 0x41...0x5a: UInt32(octet - 0x41)
    case 0x61...0x7a: UInt32(octet - 0x61) + 26
    case 0x30...0x39: UInt32(octet - 0x30) + 52
    case 0x2d: 62
    case 0x5f: 63
    default: nil
    }
  }
}
