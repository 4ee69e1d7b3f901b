import HTTPReassembly

/// A message on the wire, with the parts that an app could have seen: the truth for estimates.
public struct WireMessage: Sendable {
  /// The row: numbers, times in nanoseconds, and octets by class. Its texts are handles into a pool that may be gone; the
  /// properties below have the important ones.
  public var row: Message
  /// Method, also for a response; empty when unknown.
  public var method: String
  /// Host, also for a response, lower-case; empty when unknown.
  public var host: String
  /// Path as sent, without query, also for a response; empty when unknown.
  public var path: String
  /// `host` as octets, which need not be UTF-8.
  public var hostOctets: [UInt8]
  /// `path` as octets, which need not be UTF-8.
  public var pathOctets: [UInt8]
  /// The version, as `HTTP/1.1` or `HTTP/2`; empty when unknown.
  public var version: String
  /// The request-line or status-line without terminator; empty for an HTTP/0.9 response. For HTTP/2 it is made from the
  /// pseudo-header fields, with `HTTP/2` in it and no reason phrase.
  public var startLine: [UInt8]
  /// The field lines of the header section, in order. HTTP/2's have the spelling of HTTP/1.1: a Host field for `:authority`, and
  /// one Cookie field for all of its crumbs (RFC 9113 §8.2.3).
  public var fields: [WireField]
  /// Whether `fields` lacks some field lines, because the header section exceeds the limit.
  public var isHeaderCut: Bool
  /// Octets of the content without its codings; nil when it was not seen whole or could not be decoded.
  public var decodedLength: Int? { row.decodedBody }
  /// Octets of one gzip member (RFC 1952) that zlib makes of the content at level 6. A response's content is taken without its
  /// codings, a request's as sent, because these are the contents that an app has.
  ///
  /// It is nil when the message has no Content-Encoding, or when the content was not seen whole or not decoded. It is also nil
  /// when too many contents were being compressed at once.
  public var gzipLength: Int?

  /// Characters (Unicode scalar values) of the decoded content. Nil when it was not seen whole, could not be decoded, or is not
  /// UTF-8.
  public var characters: Int?
  /// UTF-16 units of the decoded content; nil in the cases of `characters`.
  public var utf16Units: Int?

  /// A message with only its row known.
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

  /// Whether it is certain which request it is or answers: a capture that lacks packets may leave only the likeliest one.
  public var isPaired: Bool { row.kind == .request || row.pairing == .exact }

  /// Whether the wire has representations of fields in place of their lines (RFC 7541, RFC 9204): HTTP/2 and later.
  public var isEncoded: Bool { version.hasPrefix("HTTP/2") || version.hasPrefix("HTTP/3") }

  /// Octets of the start-line with its terminator: on the wire, or in the spelling of HTTP/1.1 where the wire has
  /// representations. Nil when some of its fields are unknown.
  public var spelledLine: Int? { row.expandedStartLine }

  /// Octets of the header section with its empty line, counted as in `spelledLine`.
  public var spelledHeader: Int? { row.expandedHeader }

  /// Whether another message is of the same API: its host is the same, and its path but for numbers.
  func isOfAPI(of other: WireMessage) -> Bool {
    func isNoDigit(_ octet: UInt8) -> Bool { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) }
    return hostOctets == other.hostOctets
      && pathOctets.lazy.filter(isNoDigit).elementsEqual(other.pathOctets.lazy.filter(isNoDigit))
  }

  /// The octets that an app can see. Fields count as text, because the length of representations depends on the connection's
  /// history.
  var visibleOctets: MessageOctets {
    guard isEncoded else { return row.octets }
    var octets = row.octets
    octets.startLine = spelledLine ?? octets.startLine
    octets.header = spelledHeader ?? octets.header
    octets.framing = 0
    return octets
  }

  /// Octets of memory that it takes, with what a comparison keeps of it: its exchange, and keys that are made from its texts.
  var memory: Int {
    let texts = 2 * startLine.count + 3 * (hostOctets.count + pathOctets.count)
    return fields.reduce(Self.memoryWithoutTexts + texts) { $0 + Self.fieldMemory + $1.name.count + $1.value.count }
  }

  /// Octets of memory of a message and of what a comparison keeps of it, besides texts, and of a field line besides its octets: two arrays.
  private static let memoryWithoutTexts = 2_816
  private static let fieldMemory = 128

  /// Values of the fields with this name (given in lower case), in order.
  public func values(of name: StaticString) -> [[UInt8]] {
    fields.filter { $0.isNamed(name) }.map(\.value)
  }
}

extension WireMessage {
  /// Joins all Cookie fields into one. HTTP/2 lets a client send each cookie as a field of its own, for better compression, and a
  /// recipient joins them again (RFC 9113 §8.2.3).
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
