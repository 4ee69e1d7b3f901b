/// The `path` of an NSURL, as monitors write it into their request-line: percent-decoded, and without the slash at its end.
enum PathText {
  /// Its octets for a path as sent. A path that does not decode to UTF-8 is taken as sent: the URL loading system has no such
  /// URLs.
  static func length(_ path: [UInt8]) -> Int {
    var decoded = PercentEncoding.decoded(path)
    if String(validating: decoded, as: UTF8.self) == nil { decoded = path }
    if decoded.count > 1, decoded.last == UInt8(ascii: "/") { decoded.removeLast() }
    return decoded.count
  }
}
