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
