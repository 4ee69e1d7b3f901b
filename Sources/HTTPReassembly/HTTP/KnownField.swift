/// The fields that a reader of messages must understand (RFC 9110, RFC 9112).
enum KnownField {
  case altSvc
  case connection
  case contentEncoding
  case contentLength
  case contentType
  case grpcEncoding
  case grpcStatus
  case host
  case http2Settings
  case transferEncoding
  case upgrade
  case webSocketExtensions

  /// Recognizes the field name in `range`; names are case-insensitive (RFC 9110 §5.1).
  init?(_ line: RawSpan, _ range: Range<Int>) {
    // Compares lengths first: few fields share one.
    switch range.count {
    case 4 where line.matches("host", at: range.lowerBound): self = .host
    case 7 where line.matches("upgrade", at: range.lowerBound): self = .upgrade
    case 7 where line.matches("alt-svc", at: range.lowerBound): self = .altSvc
    case 10 where line.matches("connection", at: range.lowerBound): self = .connection
    case 11 where line.matches("grpc-status", at: range.lowerBound): self = .grpcStatus
    case 12 where line.matches("content-type", at: range.lowerBound): self = .contentType
    case 13 where line.matches("grpc-encoding", at: range.lowerBound): self = .grpcEncoding
    case 14 where line.matches("content-length", at: range.lowerBound): self = .contentLength
    case 14 where line.matches("http2-settings", at: range.lowerBound): self = .http2Settings
    case 16 where line.matches("content-encoding", at: range.lowerBound): self = .contentEncoding
    case 17 where line.matches("transfer-encoding", at: range.lowerBound): self = .transferEncoding
    case 24 where line.matches("sec-websocket-extensions", at: range.lowerBound): self = .webSocketExtensions
    default: return nil
    }
  }
}

/// The name of a field: pseudo-header fields, whose place is restricted (RFC 9113 §8.3), and fields that a reader of messages must understand.
enum FieldNameKind: UInt8, CaseIterable {
  case unknown
  case method
  case scheme
  case authority
  case path
  case `protocol`
  case status
  case otherPseudo
  case cookie
  case contentLength
  case host
  case contentType
  case contentEncoding
  case altSvc
  case webSocketExtensions
  case grpcStatus
  case grpcEncoding
  /// Any other name.
  case regular

  init(_ name: RawSpan) {
    guard name.byteCount > 0, name.octet(0) == ASCII.colon else {
      self = Self.regular(name)
      return
    }
    switch name.byteCount {
    case 5 where name.matchesExactly(":path", at: 0): self = .path
    case 7 where name.matchesExactly(":method", at: 0): self = .method
    case 7 where name.matchesExactly(":scheme", at: 0): self = .scheme
    case 7 where name.matchesExactly(":status", at: 0): self = .status
    case 9 where name.matchesExactly(":protocol", at: 0): self = .protocol
    case 10 where name.matchesExactly(":authority", at: 0): self = .authority
    default: self = .otherPseudo
    }
  }

  private static func regular(_ name: RawSpan) -> FieldNameKind {
    if name.byteCount == 6, name.matchesExactly("cookie", at: 0) { return .cookie }
    return switch KnownField(name, 0..<name.byteCount) {
    case .contentLength: .contentLength
    case .host: .host
    case .contentType: .contentType
    case .contentEncoding: .contentEncoding
    case .altSvc: .altSvc
    case .webSocketExtensions: .webSocketExtensions
    case .grpcStatus: .grpcStatus
    case .grpcEncoding: .grpcEncoding
    default: .regular
    }
  }

  @inline(__always)
  var isPseudo: Bool { rawValue >= Self.method.rawValue && rawValue <= Self.otherPseudo.rawValue }

  /// Whether all fields of this kind have the same name, but for letter case.
  @inline(__always)
  var isOneName: Bool { self != .unknown && self != .otherPseudo && self != .regular }
}
