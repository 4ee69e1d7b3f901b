/// The header of a frame (RFC 9113 §4.1).
struct HTTP2FrameHeader {
  /// The number of its octets.
  static let length = 9

  /// The number of octets that follow it.
  var payloadLength: Int
  var type: UInt8
  var flags: UInt8
  /// The stream, without the reserved bit.
  var stream: UInt32

  init(_ octets: RawSpan, at offset: Int) {
    payloadLength = Int(octets.bigEndian32(offset) >> 8)
    type = octets.octet(offset + 3)
    flags = octets.octet(offset + 4)
    stream = octets.bigEndian32(offset + 5) & 0x7fff_ffff
  }

  init(_ octets: InlineArray<9, UInt8>) {
    payloadLength = Int(octets[0]) << 16 | Int(octets[1]) << 8 | Int(octets[2])
    type = octets[3]
    flags = octets[4]
    stream = UInt32(octets[5] & 0x7f) << 24 | UInt32(octets[6]) << 16 | UInt32(octets[7]) << 8 | UInt32(octets[8])
  }

  /// The types of RFC 9113 §6.
  static var data: UInt8 { 0 }
  static var headers: UInt8 { 1 }
  static var priority: UInt8 { 2 }
  static var resetStream: UInt8 { 3 }
  static var settings: UInt8 { 4 }
  static var pushPromise: UInt8 { 5 }
  static var ping: UInt8 { 6 }
  static var goAway: UInt8 { 7 }
  static var windowUpdate: UInt8 { 8 }
  static var continuation: UInt8 { 9 }
  /// ALTSVC (RFC 7838 §4).
  static var alternativeServices: UInt8 { 10 }

  var isEndOfStream: Bool { flags & 0x1 != 0 && (type == Self.data || type == Self.headers) }
  /// Whether it is an acknowledgment of SETTINGS or PING.
  var isAcknowledgment: Bool { flags & 0x1 != 0 && (type == Self.settings || type == Self.ping) }
  /// Whether the field block ends with it.
  var isEndOfHeaders: Bool { flags & 0x4 != 0 }
  var isPadded: Bool {
    flags & 0x8 != 0 && (type == Self.data || type == Self.headers || type == Self.pushPromise)
  }
  var hasPriority: Bool { flags & 0x20 != 0 && type == Self.headers }

  /// Octets between the header and the content: pad length, priority, promised stream.
  var prefixLength: Int {
    (isPadded ? 1 : 0) + (hasPriority ? 5 : 0) + (type == Self.pushPromise ? 4 : 0)
  }

  /// Whether a frame of a known type is on a wrong stream, or has a wrong length.
  var isMalformed: Bool {
    switch type {
    case Self.data, Self.headers, Self.pushPromise: stream == 0 || payloadLength < prefixLength
    case Self.continuation: stream == 0
    case Self.priority: stream == 0 || payloadLength != 5
    case Self.resetStream: stream == 0 || payloadLength != 4
    case Self.settings: stream != 0 || payloadLength % 6 != 0 || isAcknowledgment && payloadLength != 0
    case Self.ping: stream != 0 || payloadLength != 8
    case Self.goAway: stream != 0 || payloadLength < 8
    case Self.windowUpdate: payloadLength != 4
    default: false
    }
  }

  /// Whether octets look like the header of a frame that peers send. It is used after framing was lost.
  static func fits(
    _ octets: RawSpan, at offset: Int, longest: Int, streams: UInt32 = FrameSearch.anyStream
  ) -> Bool {
    // The first octets decide nearly always.
    let length = Int(octets.bigEndian32(offset) >> 8)
    guard length <= longest, octets.octet(offset + 5) & 0x80 == 0 else { return false }
    let allowed: UInt8
    switch octets.octet(offset + 3) {
    case data: allowed = 0x09
    case headers: allowed = 0x2d
    case settings, ping: allowed = 0x01
    case pushPromise: allowed = 0x0c
    case continuation: allowed = 0x04
    case priority, resetStream, goAway, windowUpdate, 0x0a, 0x0c, 0x10: allowed = 0
    default: return false
    }
    guard octets.octet(offset + 4) & ~allowed == 0 else { return false }
    let frame = HTTP2FrameHeader(octets, at: offset)
    // Zeros are common in all data. Peers do not send empty frames, or so many streams.
    switch frame.type {
    case data where length == 0 && !frame.isEndOfStream, headers where length == 0, continuation where length == 0:
      return false
    case settings where length > 6 * 16: return false
    default: return frame.stream <= streams && !frame.isMalformed
    }
  }
}
