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

/// The state of reading one side's frames.
struct FrameReader: ~Copyable {
  enum Phase: UInt8 {
    /// Before the first octet.
    case start
    /// In the preface that the client sends before its first frame.
    case preface
    /// Before a frame, or in its header.
    case header
    /// In the parts before the content: pad length, priority, promised stream.
    case prefix
    /// In content, or in a part of a field block.
    case content
    /// In the padding behind the content.
    case padding
    /// In a frame without fields or content.
    case control
    /// In octets without an owner.
    case stray
    /// Framing was lost.
    case lost
  }

  var phase = Phase.start
  /// Octets of this phase that are still to come.
  var left = 0
  /// Octets so far of the preface, of a header, or of the parts before the content.
  var collected = 0
  var octets = InlineArray<9, UInt8>(repeating: 0)
  /// The current frame.
  var frame = HTTP2FrameHeader(InlineArray(repeating: 0))
  /// The position of the frame's first octet.
  var frameStart = StreamPosition.unknown
  /// The packet with the frame's first octet.
  var firstArrival = SegmentArrival.none
  /// The position of the next octet.
  var position = StreamPosition.unknown
  /// The message that the frame belongs to, or that is charged for it.
  var message = MessageReference.none
  /// The slot of its stream; -1 without one.
  var slot = -1
  /// Whether the owner of the frame's octets is still unknown.
  var isMessagePending = false
  /// Whether the frame is charged to a message that may begin later.
  var isChargeAwaited = false
  /// Octets of padding behind the content.
  var padding = 0
  /// Looks for frames while framing is lost.
  var search: FrameSearch?
  /// Whether every frame since the start of the stream was read.
  var isComplete = true
  /// The current field block.
  var block = FieldBlock()
  /// The number of frames in a row without content and without an end.
  var emptyFrames = 0
  /// The number of PING frames that the other side has not answered.
  var pings = 0

  /// Whether frames were found behind a gap by their looks alone. The next one at the start of a segment or record confirms them.
  var isUnsure = false
  /// The highest stream with a request of this side.
  var latestRequest: UInt32 = 0
  /// Octets since framing was lost that may be of field blocks.
  var lostOctets = 0

  /// The position up to which the owners of octets are known.
  var settledPosition: StreamPosition {
    if phase == .start { return .unknown }
    return isMessagePending || phase == .header && collected > 0 ? frameStart : position
  }

  /// Whether at least one more octet has to come.
  var expectsMore: Bool {
    switch phase {
    case .start, .lost: false
    case .header: collected > 0 || block.isOpen
    default: left > 0
    }
  }
}

/// A field block (RFC 9113 §4.3), in one frame or several.
struct FieldBlock {
  /// The purpose of a block.
  enum Purpose: UInt8 {
    /// The first field section of a message.
    case header
    /// The field section after the content of a message.
    case trailer
    /// A block without a message.
    case stray
  }

  var isOpen = false
  var purpose = Purpose.stray
  var slot = -1
  var message = MessageReference.none
  var stream: UInt32 = 0
  /// Whether the stream ends with it.
  var endsStream = false
  /// The kept octets.
  var octets: [UInt8] = []
  /// Octets behind the kept ones that cannot be read, because they are too many or behind a gap.
  var unread = 0
  /// Octets of it that were never captured.
  var missing = 0
  /// Whether some of its octets were not seen.
  var hasHole = false
  /// The number of its frames besides the first.
  var continuations = 0
}
