import HTTPReassembly

/// A message on the wire, with what an app could have seen of it: the truth that estimates are held against.
public struct WireMessage: Sendable {
  /// The row: numbers, times in nanoseconds, octets by what they are. Its texts are handles into a pool that may be gone;
  /// the ones that matter are below.
  public var row: Message
  /// Method, also of a response; empty when unknown.
  public var method: String
  /// Host, also of a response, lower-case; empty when unknown.
  public var host: String
  /// Path as sent, without query, also of a response; empty when unknown.
  public var path: String
  /// `host` as octets, which need not be UTF-8.
  public var hostOctets: [UInt8]
  /// `path` as octets, which need not be UTF-8.
  public var pathOctets: [UInt8]
  /// The version as it is called, `HTTP/1.1` or `HTTP/2`; empty when unknown.
  public var version: String
  /// The request-line or status-line without terminator; empty for an HTTP/0.9 response. Of HTTP/2 it is what the pseudo-header
  /// fields say, with `HTTP/2` in it and no reason phrase.
  public var startLine: [UInt8]
  /// The field lines of the header section, in order. Of HTTP/2 they have the spelling of HTTP/1.1: a Host field for
  /// `:authority`, and one Cookie field for all of its crumbs (RFC 9113 §8.2.3).
  public var fields: [WireField]
  /// Whether field lines are left out of `fields`, because the header section is larger than is kept.
  public var isHeaderCut: Bool
  /// Octets of the content without its codings; nil when it was not seen whole or could not be decoded.
  public var decodedLength: Int? { row.decodedBody }
  /// Octets of one gzip member (RFC 1952) that zlib makes of the content at level 6: of a response's content without its
  /// codings, of a request's content as it was sent, since that is what an app hands out and is handed. Nil when the message
  /// has no Content-Encoding, and when the content was not seen whole, could not be decoded, or was left out because too
  /// many were being compressed at once.
  public var gzipLength: Int?

  /// Characters (Unicode scalar values) of the decoded content; nil when it was not seen whole, could not be decoded, or is no
  /// UTF-8.
  public var characters: Int?
  /// UTF-16 units of the decoded content; nil as `characters`.
  public var utf16Units: Int?

  /// A message with nothing known but its row.
  public init(row: Message) {
    self.row = row
    method = ""
    host = ""
    path = ""
    version = ""
    hostOctets = []
    pathOctets = []
    startLine = []
    fields = []
    isHeaderCut = false
  }

  /// Whether it is sure which request it is, or answers: a capture that lacks packets may leave only the likeliest one.
  public var isPaired: Bool { row.kind == .request || row.pairing == .exact }

  /// Whether the wire has representations of fields in place of their lines (RFC 7541, RFC 9204): HTTP/2 and later.
  public var isEncoded: Bool { version.hasPrefix("HTTP/2") || version.hasPrefix("HTTP/3") }

  /// Octets of the start-line with its terminator: on the wire, or, where that has representations, in the spelling of HTTP/1.1.
  /// Nil when fields of it are not known.
  public var spelledLine: Int? { row.expandedStartLine }

  /// Octets of the header section with its empty line, as `spelledLine`.
  public var spelledHeader: Int? { row.expandedHeader }

  /// The octets of which an app can see something: with the text of fields in place of representations, whose length depends on
  /// what the connection had before.
  var visibleOctets: MessageOctets {
    guard isEncoded else { return row.octets }
    var octets = row.octets
    octets.startLine = spelledLine ?? octets.startLine
    octets.header = spelledHeader ?? octets.header
    octets.framing = 0
    return octets
  }

  /// Values of the fields of this name (given in lower case), in order.
  public func values(of name: StaticString) -> [[UInt8]] {
    fields.filter { $0.isNamed(name) }.map(\.value)
  }
}

extension WireMessage {
  /// Makes one Cookie field of all: HTTP/2 lets a client send each cookie as a field of its own, so that it is compressed, and
  /// whoever looks at them joins them again (RFC 9113 §8.2.3).
  mutating func joinCookies() {
    guard let first = fields.firstIndex(where: { $0.isNamed("cookie") }) else { return }
    var value = fields[first].value
    for field in fields[(first + 1)...] where field.isNamed("cookie") {
      value += [UInt8(ascii: ";"), UInt8(ascii: " ")] + field.value
    }
    let joined = WireField(name: fields[first].name, value: value)
    var index = 0
    fields.removeAll { field in
      defer { index += 1 }
      return index > first && field.isNamed("cookie")
    }
    fields[first] = joined
  }
}
