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
