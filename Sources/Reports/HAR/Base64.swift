/// Base64 (RFC 4648 §4) with padding.
enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The text of octets.
  static func text(_ octets: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((octets.count + 2) / 3 * 4)
    var index = 0
    while index < octets.count {
      let count = min(octets.count - index, 3)
      var group: UInt32 = 0
      for offset in 0..<3 { group = group << 8 | (offset < count ? UInt32(octets[index + offset]) : 0) }
      for position in 0..<4 {
        let digit = alphabet[Int(group >> UInt32(18 - position * 6) & 0x3f)]
        text.append(position <= count ? digit : UInt8(ascii: "="))
      }
      index += count
    }
    return text
  }
}
