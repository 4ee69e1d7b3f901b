import HTTPReassembly

/// Lengths of the parts of a request-target on the wire, in octets.
struct RequestTargetParts {
  /// The path, as sent.
  var path = 0
  /// The path with its percent-encoding removed.
  var decodedPath = 0
  /// The query with its `?`, as sent; 0 without one.
  var query = 0
  /// The query with its `?`, percent-decoded.
  var decodedQuery = 0
  /// Whether the path is longer than one slash and ends with one.
  var endsWithSlash = false
  /// Scheme and authority of a whole URL before the path; 0 when the wire has them.
  var origin = 0

  init(_ message: WireMessage) {
    let words = message.startLine.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
    guard words.count > 1 else { return }
    let target = words[1]
    let mark = target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
    let path = target[..<mark]
    self.path = path.count
    decodedPath = PercentEncoding.decoded(path).count
    query = target.count - path.count
    decodedQuery = PercentEncoding.decoded(target[mark...]).count
    endsWithSlash = path.count > 1 && path.last == UInt8(ascii: "/")
    if target.first == UInt8(ascii: "/") {
      let authority = message.values(of: "host").first?.count ?? message.host.utf8.count
      origin = (message.row.isSecure ? "https://" : "http://").utf8.count + authority
    }
  }
}

extension RequestTargetParts {
  /// The query of a request-line, without its `?`; empty without one.
  static func query(_ line: [UInt8]) -> ArraySlice<UInt8> {
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
    guard words.count > 1, let mark = words[1].firstIndex(of: UInt8(ascii: "?")) else { return [] }
    return words[1][(mark + 1)...]
  }
}

/// Lengths of the parts of a status-line on the wire.
struct StatusLineParts {
  /// The reason phrase and the space before it, in octets.
  var reasonLength: Int

  init(_ line: [UInt8]) {
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
    reasonLength = words.count > 2 ? words[2].count + 1 : 0
  }
}
