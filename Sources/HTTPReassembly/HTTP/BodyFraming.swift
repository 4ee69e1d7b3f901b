/// The way to find the end of a message's body (RFC 9112 §6.3).
enum BodyFraming: Equatable {
  /// There is no body.
  case none
  /// Content-Length octets.
  case length(Int)
  /// The chunked transfer coding.
  case chunked
  /// All octets until the connection closes.
  case untilClose
  /// The end is unknown: the message is in error.
  case undetermined
  /// There is no body, and another protocol follows.
  case tunnel
  /// The body may be absent: the request is unknown, and its response may have no content. If there is a body, it ends like this; only the
  /// octets after the header section decide. The number is the length for `UndecidedContent.length`.
  case unconfirmed(UndecidedContent, Int)

  /// The framing if the method of the request is unknown.
  var unconfirmed: BodyFraming {
    switch self {
    case .length(let length): .unconfirmed(.length, length)
    case .chunked: .unconfirmed(.chunked, 0)
    case .untilClose: .unconfirmed(.untilClose, 0)
    case .none, .undetermined, .tunnel, .unconfirmed: self
    }
  }
}

/// The end of content that may be absent.
enum UndecidedContent: UInt8 {
  /// After Content-Length octets.
  case length
  /// With the last chunk.
  case chunked
  /// With the connection.
  case untilClose
}

/// The fields that decide the framing of a message, from its header section.
struct FramingFields {
  /// The value of Content-Length, if there is exactly one.
  var contentLength: Int?
  var hasContentLength = false
  var isContentLengthInvalid = false
  var isContentLengthConflicting = false
  var isContentLengthRepeated = false
  var hasTransferEncoding = false
  /// Whether the last transfer coding is chunked.
  var isChunkedLast = false
  /// Whether chunked occurs before the end, or twice.
  var isChunkedMisplaced = false

  /// Whether the fields have an oddity, or need a closer look.
  @inline(__always)
  var isOdd: Bool {
    isContentLengthInvalid || isContentLengthConflicting || isContentLengthRepeated
      || hasTransferEncoding && (hasContentLength || !isChunkedLast || isChunkedMisplaced)
  }

  /// Takes a Content-Length value: a number, or a list of equal numbers (RFC 9110 §8.6).
  mutating func addContentLength(_ line: RawSpan, _ range: Range<Int>) {
    if hasContentLength { isContentLengthRepeated = true }
    hasContentLength = true
    if contentLength == nil, !isContentLengthInvalid, let value = Self.number(line, range) {
      contentLength = value
      return
    }
    var offset = range.lowerBound
    repeat {
      let end = line.firstOffset(of: ASCII.comma, in: offset..<range.upperBound) ?? range.upperBound
      let value = Self.number(line, line.trimmingWhitespace(offset..<end))
      if offset > range.lowerBound || end < range.upperBound { isContentLengthRepeated = true }
      if let value {
        if let known = contentLength, known != value { isContentLengthConflicting = true }
        contentLength = contentLength ?? value
      } else {
        isContentLengthInvalid = true
      }
      offset = end + 1
    } while offset <= range.upperBound
  }

  /// Takes the value of the only Content-Length field in place of another value.
  mutating func replaceContentLength(_ line: RawSpan, _ range: Range<Int>) {
    (contentLength, hasContentLength) = (nil, false)
    (isContentLengthInvalid, isContentLengthConflicting, isContentLengthRepeated) = (false, false, false)
    addContentLength(line, range)
  }

  /// Reads `1*DIGIT`; a number beyond 62 bits is as good as endless.
  @inline(__always)
  private static func number(_ line: RawSpan, _ range: Range<Int>) -> Int? {
    guard !range.isEmpty else { return nil }
    var value = 0
    for offset in range {
      let octet = line.octet(offset)
      guard octet.isDigit else { return nil }
      value = value > Int.max / 20 ? Int.max / 2 : value * 10 + Int(octet - 0x30)
    }
    return value
  }

  /// Takes a Transfer-Encoding value: a list of transfer codings (RFC 9112 §6.1).
  ///
  /// The obsolete `identity` alone is no coding (RFC 2616 §3.6), and receivers still take it so.
  mutating func addTransferEncoding(_ line: RawSpan, _ range: Range<Int>) {
    let value = line.trimmingWhitespace(range)
    if value.count == 8, line.matches("identity", at: value.lowerBound) { return }
    hasTransferEncoding = true
    var offset = range.lowerBound
    while let element = line.nextElement(&offset, in: range) {
      guard !element.isEmpty else { continue }
      let name = line.name(ofElement: element)
      if isChunkedLast { isChunkedMisplaced = true }
      isChunkedLast = name.count == 7 && line.matches("chunked", at: name.lowerBound)
    }
  }

  /// The framing of a request's body.
  func request() -> BodyFraming {
    if hasTransferEncoding { return isChunkedLast ? .chunked : .undetermined }
    if isContentLengthInvalid || isContentLengthConflicting { return .undetermined }
    return contentLength.map { $0 == 0 ? .none : .length($0) } ?? .none
  }

  /// The framing of a response's body.
  func response(status: Int, to method: MethodKind) -> BodyFraming {
    if status == 101 { return .tunnel }
    if method == .head || status < 200 || status == 204 || status == 304 { return .none }
    if method == .connect, status < 300 { return .tunnel }
    if hasTransferEncoding { return isChunkedLast ? .chunked : .untilClose }
    if isContentLengthInvalid || isContentLengthConflicting { return .undetermined }
    return contentLength.map { $0 == 0 ? .none : .length($0) } ?? .untilClose
  }
}
