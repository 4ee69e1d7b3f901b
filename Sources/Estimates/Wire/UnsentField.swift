import HTTPReassembly

/// A field that programs show, or count, for a message on HTTP/2 or HTTP/3, and that is not on the wire. They make the message as for
/// HTTP/1, and later leave out the fields that these do not use (RFC 9113 §8.2.2, RFC 9114 §4.2). Some add a mark of their own.
enum UnsentField: Int, CaseIterable, Hashable, Sendable {
  /// `Connection: keep-alive` of a request.
  case connection
  /// `Transfer-Encoding: chunked` of a request whose length is not known when it begins.
  case transferEncoding
  /// `X-Firefox-Spdy: h2`, with which Firefox marks a response on HTTP/2; on HTTP/3 it has no mark.
  case firefoxMark

  /// The name in lower case.
  var name: String {
    switch self {
    case .connection: "connection"
    case .transferEncoding: "transfer-encoding"
    case .firefoxMark: "x-firefox-spdy"
    }
  }

  /// Octets of name and value.
  var textLength: Int {
    switch self {
    case .connection: 10 + 10
    case .transferEncoding: 17 + 7
    case .firefoxMark: 14 + 2
    }
  }

  /// Whether the field can be in a message.
  func applies(to message: WireMessage) -> Bool {
    guard message.isEncoded else { return false }
    return switch self {
    case .connection: message.row.kind == .request
    case .transferEncoding:
      message.row.kind == .request && message.contentLength == nil
        && (message.row.octets.body > 0 || ["POST", "PUT", "PATCH"].contains(message.method))
    case .firefoxMark: message.row.kind != .request && message.version.hasPrefix("HTTP/2")
    }
  }
}
