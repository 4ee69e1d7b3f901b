/// Groups paths that differ in identifiers only: `/users/42/orders` becomes `/users/{id}/orders`.
package enum PathTemplate {
  private static let placeholder: [UInt8] = Array("{id}".utf8)

  /// The path with each segment that looks like an identifier replaced.
  package static func template(of path: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(path.count)
    for (index, segment) in path.split(separator: ASCII.slash, omittingEmptySubsequences: false).enumerated() {
      if index > 0 { result.append(ASCII.slash) }
      result += isIdentifier(segment) ? placeholder[...] : segment
    }
    return result
  }

  /// Numbers; UUIDs and other hexadecimal words of 16 or more digits; long words that mix letters and digits as
  /// random tokens do (base64, ULID). A short word, or a long one without digits, is a name.
  private static func isIdentifier(_ segment: ArraySlice<UInt8>) -> Bool {
    guard !segment.isEmpty else { return false }
    var digits = 0
    var hexadecimal = 0
    var letters = 0
    var hyphens = 0
    for octet in segment {
      switch octet {
      case 0x30...0x39:
        digits += 1
        hexadecimal += 1
      case 0x61...0x66, 0x41...0x46:
        hexadecimal += 1
        letters += 1
      case 0x41...0x5a, 0x61...0x7a: letters += 1
      case 0x2d, 0x5f: hyphens += 1
      default: return false
      }
    }
    let count = segment.count
    if digits == count { return true }
    if digits > 0, hexadecimal + hyphens == count, hexadecimal >= 16 { return true }
    return digits >= 4 && letters + digits >= 20
  }
}
