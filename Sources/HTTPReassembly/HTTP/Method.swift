/// The effect of a request's method on the framing of its response (RFC 9112 §6.3).
enum MethodKind: UInt8 {
  /// Responses have content.
  case ordinary
  /// Responses have no content.
  case head
  /// A successful response switches to a tunnel.
  case connect
}

/// The registered request methods.
enum Method {
  /// The longest first word, in octets, that may be a method; the longest registered method has 17.
  static let longestPlausible = 32

  /// The IANA registry of HTTP methods. Methods of UPnP and of protocols like RTSP are not in it, since these are not HTTP.
  private static let registered: Set<[UInt8]> = Set(
    [
      "ACL", "BASELINE-CONTROL", "BIND", "CHECKIN", "CHECKOUT", "CONNECT", "COPY", "DELETE", "GET", "HEAD",
      "LABEL", "LINK", "LOCK", "MERGE", "MKACTIVITY", "MKCALENDAR", "MKCOL", "MKREDIRECTREF", "MKWORKSPACE",
      "MOVE", "OPTIONS", "ORDERPATCH", "PATCH", "POST", "PROPFIND", "PROPPATCH", "PUT", "QUERY", "REBIND",
      "REPORT", "SEARCH", "TRACE", "UNBIND", "UNCHECKOUT", "UNLINK", "UNLOCK", "UPDATE", "UPDATEREDIRECTREF",
      "VERSION-CONTROL",
    ].map { Array($0.utf8) })

  /// Whether the octets in `range` are a registered method.
  static func isRegistered(_ line: RawSpan, _ range: Range<Int>) -> Bool {
    // Compares the common methods without making an array.
    switch range.count {
    case 3 where line.matchesExactly("GET", at: range.lowerBound) || line.matchesExactly("PUT", at: range.lowerBound):
      return true
    case 4
    where line.matchesExactly("POST", at: range.lowerBound) || line.matchesExactly("HEAD", at: range.lowerBound):
      return true
    default:
      guard range.count <= longestPlausible else { return false }
      var method: [UInt8] = []
      line.append(range, to: &method)
      return registered.contains(method)
    }
  }

  /// Whether requests with this method have content only in error (RFC 9110 §9.3).
  static func isWithoutContent(_ method: RawSpan) -> Bool {
    ["GET", "HEAD", "DELETE", "OPTIONS", "TRACE", "CONNECT"].contains { (name: StaticString) in
      method.byteCount == name.utf8CodeUnitCount && method.matchesExactly(name, at: 0)
    }
  }

  /// The effect of the method in `range` on framing; methods are case-sensitive (RFC 9110 §9.1).
  static func kind(_ line: RawSpan, _ range: Range<Int>) -> MethodKind {
    if range.count == 4, line.matchesExactly("HEAD", at: range.lowerBound) { return .head }
    if range.count == 7, line.matchesExactly("CONNECT", at: range.lowerBound) { return .connect }
    return .ordinary
  }
}

extension RawSpan {
  /// Whether the octets at `offset` are `text`, in the same case.
  @inline(__always)
  func matchesExactly(_ text: StaticString, at offset: Int) -> Bool {
    let length = text.utf8CodeUnitCount
    guard offset >= 0, offset + length <= byteCount else { return false }
    for index in 0..<length where octet(offset + index) != text.octet(index) { return false }
    return true
  }
}
