/// The parts of a request-target (RFC 9112 §3.2) as ranges into the line.
package struct RequestTarget: Equatable {
  /// Host and port of an absolute-form or authority-form target, without user information.
  package var authority: Range<Int>?
  /// The path as sent, without query; `*` for the asterisk-form, empty for the authority-form.
  package var path: Range<Int>
  /// Octets after the first `?`; nil without a `?`.
  package var queryLength: Int?
  /// Whether the target's scheme is `https`.
  package var isSecure = false

  /// Splits the target in `range` of a request-line.
  package init(_ line: RawSpan, _ range: Range<Int>, isConnect: Bool) {
    if isConnect, let hostAndPort = Self.authority(line, range) {
      authority = hostAndPort
      path = range.upperBound..<range.upperBound
      return
    }
    var start = range.lowerBound
    if let schemeEnd = Self.schemeEnd(line, range) {
      isSecure = schemeEnd - range.lowerBound == 5 && line.matches("https", at: range.lowerBound)
      let authorityStart = schemeEnd + 3
      var end = authorityStart
      while end < range.upperBound, line.octet(end) != ASCII.slash, line.octet(end) != ASCII.questionMark { end += 1 }
      authority = Self.withoutUserInformation(line, authorityStart..<end)
      start = end
    }
    if let question = line.firstOffset(of: ASCII.questionMark, in: start..<range.upperBound) {
      path = start..<question
      queryLength = range.upperBound - question - 1
    } else {
      path = start..<range.upperBound
    }
  }

  /// The authority-form `uri-host ":" port` (RFC 9112 §3.2.3), if the target has that form.
  private static func authority(_ line: RawSpan, _ range: Range<Int>) -> Range<Int>? {
    let authority = withoutUserInformation(line, range)
    var digits = authority.upperBound
    while digits > authority.lowerBound, line.octet(digits - 1).isDigit { digits -= 1 }
    guard digits < authority.upperBound, digits - 1 > authority.lowerBound, line.octet(digits - 1) == ASCII.colon
    else { return nil }
    for offset in authority where line.octet(offset).isWhitespace || line.octet(offset) == ASCII.slash { return nil }
    return authority
  }

  /// Leaves user information out: it never names the host, and may be a secret (RFC 9110 §4.2.4).
  private static func withoutUserInformation(_ line: RawSpan, _ range: Range<Int>) -> Range<Int> {
    (line.firstOffset(of: ASCII.at, in: range).map { $0 + 1 } ?? range.lowerBound)..<range.upperBound
  }

  /// The offset of the `://` of an absolute-form target; nil if the target has another form.
  private static func schemeEnd(_ line: RawSpan, _ range: Range<Int>) -> Int? {
    var offset = range.lowerBound
    while offset < range.upperBound, line.octet(offset).isSchemeCharacter { offset += 1 }
    guard offset > range.lowerBound, offset + 3 <= range.upperBound, line.matches("://", at: offset) else { return nil }
    return offset
  }
}

extension UInt8 {
  /// `scheme` of RFC 3986 §3.1.
  fileprivate var isSchemeCharacter: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2b, 0x2d, 0x2e: true
    default: false
    }
  }
}

/// A host with its port as reports name it: lower case, without the default port of its scheme, and without an empty one (RFC 9110 §4.2.3).
enum HostName {
  /// The handle of the host and port in `range`; `TextID.none` if there is only whitespace.
  static func intern(
    _ line: RawSpan, _ range: Range<Int>, defaultPort: StaticString?, _ texts: inout TextPool
  ) -> TextID {
    let range = line.trimmingWhitespace(range)
    var end = range.upperBound
    if let defaultPort {
      let length = defaultPort.utf8CodeUnitCount
      if range.count > length, line.matches(defaultPort, at: end - length) {
        end -= length
      } else if range.count > 1, line.octet(end - 1) == ASCII.colon, line.octet(end - 2) != ASCII.colon {
        end -= 1
      }
    }
    let host = line.extracting(range.lowerBound..<end)
    return host.hasUpperCase ? texts.intern(lowercased(host)) : texts.intern(host)
  }

  private static func lowercased(_ host: RawSpan) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(host.byteCount)
    for offset in 0..<host.byteCount { text.append(host.octet(offset).lowercased) }
    return text
  }
}

extension RawSpan {
  /// Whether there is a capital letter of ASCII.
  fileprivate var hasUpperCase: Bool {
    if byteCount >= 8, !mayHaveUpperCase { return false }
    return (0..<byteCount).contains { octet($0).lowercased != octet($0) }
  }

  /// Whether there may be a capital letter; there are at least eight octets.
  private var mayHaveUpperCase: Bool {
    var offset = 0
    while offset < byteCount {
      let octets = littleEndian64(within: min(offset, byteCount - 8))
      // Capital letters, and some other octets, have the bit 0x40 without 0x20.
      if octets & ~(octets << 1) & 0x4040_4040_4040_4040 != 0 { return true }
      offset += 8
    }
    return false
  }
}
