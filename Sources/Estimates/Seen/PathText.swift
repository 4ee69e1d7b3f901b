/// The `path` of an NSURL, which monitors write into their request-line: percent-decoded, and without the slash at its end.
enum PathText {
  /// Octets of it, of a path as it was sent. What does not decode to UTF-8 is taken as it was sent: the URL loading system
  /// has no such URLs.
  static func length(_ path: [UInt8]) -> Int {
    var decoded = PercentEncoding.decoded(path)
    if String(validating: decoded, as: UTF8.self) == nil { decoded = path }
    if decoded.count > 1, decoded.last == UInt8(ascii: "/") { decoded.removeLast() }
    return decoded.count
  }
}
