/// The coding of gRPC messages, by its name in `grpc-encoding`.
enum GRPCEncoding: UInt8 {
  case identity
  case gzip
  case deflate
  case br
  case zstd
  /// A coding that is unknown here.
  case other

  /// Reads the coding from a field's value.
  init(_ value: RawSpan) {
    func isNamed(_ name: StaticString) -> Bool {
      value.byteCount == name.utf8CodeUnitCount && value.matches(name, at: 0)
    }
    self =
      value.byteCount == 0 || isNamed("identity")
      ? .identity
      : isNamed("gzip") ? .gzip : isNamed("deflate") ? .deflate : isNamed("br") ? .br : isNamed("zstd") ? .zstd : .other
  }

  /// The names by which a decoder is requested.
  var codings: [String] { self == .identity ? [] : ["\(self)"] }
}

/// The layout of a gRPC call's messages in a content.
enum GRPCForm {
  /// gRPC over HTTP/2: messages alone. The status is in the trailer fields.
  case native
  /// gRPC-Web: the last frame of the content has the trailer fields.
  case web
  /// gRPC-Web in base64 (RFC 4648 §4).
  case webText

  /// Reads the form from the media type: `application/grpc`, `application/grpc-web` or `application/grpc-web-text`. A suffix (`+proto`) or
  /// parameters may follow. Nil for any other type.
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
  /// Whether the name of a media type ends at the offset, except for a suffix.
  fileprivate func endsName(at offset: Int) -> Bool {
    guard offset < byteCount else { return true }
    return octet(offset) == 0x2b || octet(offset) == ASCII.semicolon || octet(offset) == ASCII.space
  }
}

/// Reads the trailer fields in the content of gRPC-Web, which are lines as in HTTP/1. It looks for `grpc-status` while they pass, and keeps
/// nothing.
struct GRPCTrailers {
  /// The status; nil if none was seen.
  private(set) var status: Int?

  private enum LinePart {
    case name
    case value
    /// In a line that does not matter, or behind the part that does.
    case rest
  }

  private var place = LinePart.name
  /// Octets of the name that have matched so far.
  private var matched = 0
  private var number = 0
  private var digits = 0

  private static let name = Array("grpc-status:".utf8)
  /// Digits of a status. A field of HTTP/2 may have five, too.
  private static let digitLimit = 5

  /// Takes the next octet.
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

  /// Ends the frame, and the line with it.
  mutating func finish() { endLine() }

  private mutating func endLine() {
    if place == .value, (1...Self.digitLimit).contains(digits), status == nil { status = number }
    (place, matched, number, digits) = (.name, 0, 0, 0)
  }
}
