import Packets

/// The terms of a WebSocket that the field sections of its opening say (RFC 6455 §4, RFC 8441 §5).
struct WebSocketTerms: OptionSet {
  let rawValue: UInt8
  /// The Upgrade field or `:protocol` names `websocket`.
  static let named = WebSocketTerms(rawValue: 1 << 0)
  /// Messages may be compressed (permessage-deflate, RFC 7692).
  static let deflates = WebSocketTerms(rawValue: 1 << 1)
  /// Another extension may change frames.
  static let extended = WebSocketTerms(rawValue: 1 << 2)

  /// Takes a line of Sec-WebSocket-Extensions: a list of names with parameters (RFC 6455 §9.1).
  mutating func takeExtensions(_ line: RawSpan, _ value: Range<Int>) {
    var offset = value.lowerBound
    while let element = line.nextElement(&offset, in: value) {
      let name = line.name(ofElement: element)
      if name.count == 18, line.matches("permessage-deflate", at: name.lowerBound) {
        insert(.deflates)
      } else if !name.isEmpty {
        insert(.extended)
      }
    }
  }
}
