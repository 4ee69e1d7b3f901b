/// The `path` of an NSURL, which monitors write into their request-line: percent-decoded, and without the slash at its end.
enum PathText {
  /// Octets of it, of a path as it was sent. What does not decode to UTF-8 is taken as it was sent: the URL loading system
  /// has no such URLs.
  static func length(_ path: [UInt8]) -> Int {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(path.count)
    var index = 0
    while index < path.count {
      if path[index] == UInt8(ascii: "%"), index + 2 < path.count, let high = digit(path[index + 1]),
        let low = digit(path[index + 2])
      {
        decoded.append(high << 4 | low)
        index += 3
      } else {
        decoded.append(path[index])
        index += 1
      }
    }
    if String(validating: decoded, as: UTF8.self) == nil { decoded = path }
    if decoded.count > 1, decoded.last == UInt8(ascii: "/") { decoded.removeLast() }
    return decoded.count
  }

  private static func digit(_ octet: UInt8) -> UInt8? {
    switch octet {
    case 0x30...0x39: octet - 0x30
    case 0x41...0x46: octet - 0x41 + 10
    case 0x61...0x66: octet - 0x61 + 10
    default: nil
    }
  }
}
