/// The coding of gRPC messages, by its name in `grpc-encoding`.
enum GRPCEncoding: UInt8 {
  case identity
  case gzip
  case deflate
  case br
  case zstd
  /// One that is not known here.
  case other

  /// The coding that a field's value names.
  init(_ value: RawSpan) {
    func isNamed(_ name: StaticString) -> Bool {
      value.byteCount == name.utf8CodeUnitCount && value.matches(name, at: 0)
    }
    self =
      value.byteCount == 0 || isNamed("identity")
      ? .identity
      : isNamed("gzip") ? .gzip : isNamed("deflate") ? .deflate : isNamed("br") ? .br : isNamed("zstd") ? .zstd : .other
  }

  /// The names by which a decoder is asked for.
  var codings: [String] { self == .identity ? [] : ["\(self)"] }
}

/// How the messages of a gRPC call stand in a content.
enum GRPCForm {
  /// gRPC over HTTP/2: messages alone; the status is in the trailer fields.
  case native
  /// gRPC-Web: the trailer fields are the content's last frame.
  case web
  /// gRPC-Web in base64 (RFC 4648 §4).
  case webText

  /// By the content type: `application/grpc`, `application/grpc-web` or `application/grpc-web-text`, alone or with a suffix (`+proto`)
  /// or parameters; nil for every other one.
  init?(_ type: RawSpan) {
    guard type.byteCount >= 16, type.octet(12) | 0x20 == 0x67, type.matches("application/grpc", at: 0) else {
      return nil
    }
    if type.endsName(at: 16) {
      self = .native
    } else if type.matches("-web-text", at: 16), type.endsName(at: 25) {
      self = .webText
    } else if type.matches("-web", at: 16), type.endsName(at: 20) {
      self = .web
    } else {
      return nil
    }
  }
}

extension RawSpan {
  /// Whether the name of a media type ends there, but for a suffix.
  fileprivate func endsName(at offset: Int) -> Bool {
    guard offset < byteCount else { return true }
    return octet(offset) == 0x2b || octet(offset) == ASCII.semicolon || octet(offset) == ASCII.space
  }
}

/// The trailer fields in the content of gRPC-Web: lines as HTTP/1 has them. Of them `grpc-status` is looked for while they pass;
/// nothing is kept.
struct GRPCTrailers {
  /// The status; nil while none was seen.
  private(set) var status: Int?

  private enum LinePart {
    case name
    case value
    /// In a line that is not of interest, or behind what was.
    case rest
  }

  private var place = LinePart.name
  /// Octets of the name that fit so far.
  private var matched = 0
  private var number = 0
  private var digits = 0

  private static let name = Array("grpc-status:".utf8)
  /// Digits of a status: five are what a field of HTTP/2 may have, too.
  private static let digitLimit = 5

  /// The next octet.
  mutating func take(_ octet: UInt8) {
    guard octet != ASCII.lineFeed else { return endLine() }
    switch place {
    case .name:
      guard octet.lowercased == Self.name[matched] else { return place = .rest }
      matched += 1
      if matched == Self.name.count { place = .value }
    case .value where octet.isDigit:
      digits += 1
      guard digits <= Self.digitLimit else { return place = .rest }
      number = number * 10 + Int(octet - 0x30)
    case .value where octet == ASCII.space && digits == 0 || octet == ASCII.carriageReturn: break
    case .value: (place, digits) = (.rest, 0)
    case .rest: break
    }
  }

  /// The frame ends, and the line with it.
  mutating func finish() { endLine() }

  private mutating func endLine() {
    if place == .value, (1...Self.digitLimit).contains(digits), status == nil { status = number }
    (place, matched, number, digits) = (.name, 0, 0, 0)
  }
}
