/// A request-line (RFC 9112 §3) as ranges into the line that was parsed.
package struct RequestLine: Equatable {
  package var method: Range<Int>
  package var target: Range<Int>
  /// Empty for an HTTP/0.9 simple request.
  package var version: Range<Int>
}

/// A status-line (RFC 9112 §4) as ranges into the line that was parsed.
///
/// Streaming servers (SHOUTcast) begin it with `ICY` in place of an HTTP-version, and answer as HTTP/1.0 does.
package struct StatusLine: Equatable {
  package var version: Range<Int>
  package var status: Int
}

/// The first line of a message.
package enum StartLine: Equatable {
  case request(RequestLine)
  case response(StatusLine)
}

extension StartLine {
  /// Parses a line without its terminator; nil when it is not a start-line.
  ///
  /// It is lenient, as RFC 9112 §3 and §4 allow. It accepts runs of whitespace between the parts, spaces inside the target,
  /// a missing reason phrase, and `http` in lower case.
  package init?(_ line: RawSpan) {
    // A line that would be given up in portions must fail as a whole, too.
    guard Self.isPossible(line) else { return nil }
    if line.matches("http/", at: 0) || line.startsICY, let status = StatusLine(line) {
      self = .response(status)
    } else if let request = RequestLine(line) {
      self = .request(request)
    } else {
      return nil
    }
  }

  /// Whether a complete line is certainly a start-line. Reading can begin at it in a stream whose framing was lost.
  package static func isCertain(_ line: RawSpan) -> Bool {
    switch StartLine(line) {
    case .response: true
    case .request(let request):
      !request.version.isEmpty && !request.target.isEmpty && Method.isRegistered(line, request.method)
    case nil: false
    }
  }

  /// The number of octets at the start of a line that show whether it can become a start-line.
  private static let tellingPrefix = 64

  /// Whether more octets could still make a start-line of `prefix`, which contains no line end.
  ///
  /// Only its first octets are checked, so that a check for each octet stays cheap.
  package static func isPossible(_ prefix: RawSpan) -> Bool {
    // The case of nearly every response. The rest of the line may be anything.
    if prefix.byteCount > 8, prefix.matchesExactly("HTTP/1.", at: 0), prefix.octet(7).isDigit,
      prefix.octet(8) == ASCII.space
    {
      return true
    }
    let count = min(prefix.byteCount, tellingPrefix)
    var offset = 0
    while offset < count, prefix.octet(offset).isTokenCharacter || prefix.octet(offset) == ASCII.slash {
      offset += 1
    }
    guard offset < count else { return offset <= Method.longestPlausible }
    if prefix.octet(offset) == ASCII.carriageReturn { return offset + 1 == prefix.byteCount }
    guard offset > 0, offset <= Method.longestPlausible, prefix.octet(offset).isWhitespace else { return false }
    // After a known word anything can come, even controls in a hostile target. After another word, controls show that
    // it is not HTTP.
    if prefix.matches("http/", at: 0) || Method.isRegistered(prefix, 0..<offset) { return true }
    while offset < count {
      let octet = prefix.octet(offset)
      if octet < 0x20, octet != ASCII.tab, octet != ASCII.carriageReturn { return false }
      offset += 1
    }
    return true
  }
}

extension StartLine {
  /// Whether octets without a line end are the start of a start-line with a registered method or an HTTP-version.
  static func isLikely(_ prefix: RawSpan) -> Bool {
    let word = 0..<min(prefix.byteCount, Method.longestPlausible + 1)
    if let end = prefix.firstOffset(of: ASCII.space, in: word) {
      return Method.isRegistered(prefix, 0..<end) || prefix.isVersion(0..<end) || prefix.startsICY
    }
    return prefix.byteCount <= Method.longestPlausible
      && (prefix.isPrefix(of: "http/", from: 0) || prefix.matches("http/", at: 0) || prefix.isMethodPrefix)
  }

  /// Whether octets start like a status-line, with a version and whitespace.
  static func startsStatusLine(_ octets: RawSpan) -> Bool {
    octets.byteCount >= 9 && octets.isVersion(0..<8) && octets.octet(8).isWhitespace || octets.startsICY
  }
}

extension RequestLine {
  fileprivate init?(_ line: RawSpan) {
    let count = line.byteCount
    var offset = 0
    while offset < count, line.octet(offset).isTokenCharacter { offset += 1 }
    guard offset > 0, offset < count, line.octet(offset).isWhitespace else { return nil }

    // The case of nearly every request: single spaces and the usual version.
    let last = count - 8
    if last - 1 > offset + 1, line.isVersion11(at: last), line.octet(last - 1) == ASCII.space,
      !line.octet(last - 2).isWhitespace, !line.octet(offset + 1).isWhitespace
    {
      self.init(method: 0..<offset, target: offset + 1..<last - 1, version: last..<count)
      return
    }
    self.init(line, method: offset)
  }

  /// Parses any line that begins with a token of `end` octets and whitespace.
  private init?(_ line: RawSpan, method end: Int) {
    let count = line.byteCount
    let offset = end
    method = 0..<end

    let rest = line.trimmingWhitespace(offset..<count)
    var last = rest.upperBound
    while last > rest.lowerBound, !line.octet(last - 1).isWhitespace { last -= 1 }
    if line.isVersion(last..<rest.upperBound) {
      version = last..<rest.upperBound
      target = line.trimmingWhitespace(rest.lowerBound..<last)
    } else {
      // HTTP/0.9 has one method, a path and no version (RFC 1945 §4.1, §5.1).
      guard offset == 3, line.matchesExactly("GET", at: 0), last == rest.lowerBound, !rest.isEmpty,
        line.octet(rest.lowerBound) == ASCII.slash
      else { return nil }
      version = 0..<0
      target = rest
    }
  }
}

extension StatusLine {
  fileprivate init?(_ line: RawSpan) {
    let count = line.byteCount
    let version = line.startsICY ? 0..<3 : 0..<8
    guard version.count == 3 || count >= 12 && line.isVersion(version) && line.octet(8).isWhitespace else { return nil }
    var offset = version.upperBound
    while offset < count, line.octet(offset).isWhitespace { offset += 1 }
    guard offset + 3 <= count else { return nil }
    var status = 0
    for index in offset..<offset + 3 {
      guard line.octet(index).isDigit else { return nil }
      status = status * 10 + Int(line.octet(index) - 0x30)
    }
    guard status >= 100, offset + 3 == count || line.octet(offset + 3).isWhitespace else { return nil }
    self.version = version
    self.status = status
  }
}

extension RawSpan {
  /// The range of the first line without its terminator; nil when the first `limit` octets have no LF.
  func firstLine(within limit: Int) -> Range<Int>? {
    guard let lineFeed = firstOffset(of: ASCII.lineFeed, in: 0..<min(byteCount, limit)) else { return nil }
    return 0..<(lineFeed > 0 && octet(lineFeed - 1) == ASCII.carriageReturn ? lineFeed - 1 : lineFeed)
  }

  /// Whether every octet may occur in a registered method.
  fileprivate var isMethodPrefix: Bool {
    for offset in 0..<byteCount {
      let octet = octet(offset)
      guard octet >= 0x41 && octet <= 0x5a || octet == 0x2d else { return false }
    }
    return true
  }

  /// Whether the octets begin as the status-line of a streaming server does.
  fileprivate var startsICY: Bool { byteCount >= 4 && matchesExactly("ICY ", at: 0) }

  /// `HTTP-version = "HTTP/" DIGIT "." DIGIT`, letters in either case.
  @inline(__always)
  fileprivate func isVersion(_ range: Range<Int>) -> Bool {
    range.count == 8 && isVersion11(at: range.lowerBound)
      || range.count == 8 && matches("http/", at: range.lowerBound) && octet(range.lowerBound + 5).isDigit
        && octet(range.lowerBound + 6) == 0x2e && octet(range.lowerBound + 7).isDigit
  }

  /// Whether the octets at `offset` are `HTTP/1.1`.
  @inline(__always)
  func isVersion11(at offset: Int) -> Bool {
    offset >= 0 && offset + 8 <= byteCount && littleEndian64(within: offset) == 0x312e_312f_5054_5448
  }
}
