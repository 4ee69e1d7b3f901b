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
