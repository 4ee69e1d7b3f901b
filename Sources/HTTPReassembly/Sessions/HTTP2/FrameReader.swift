/// Where the reading of one side's frames is.
struct FrameReader: ~Copyable {
  enum Phase: UInt8 {
    /// Before the first octet.
    case start
    /// In what the client sends before its first frame.
    case preface
    /// Before a frame, or in its header.
    case header
    /// In what stands before the content: pad length, priority, promised stream.
    case prefix
    /// In content, or in a part of a field block.
    case content
    /// In the padding behind the content.
    case padding
    /// In a frame that carries neither.
    case control
    /// In octets that belong to nothing.
    case stray
    /// Framing was lost.
    case lost
  }

  var phase = Phase.start
  /// Octets of this phase that are still to come.
  var left = 0
  /// Octets of the preface, of a header, or of what stands before the content, that have come.
  var collected = 0
  var octets = InlineArray<9, UInt8>(repeating: 0)
  /// The frame that is being read.
  var frame = HTTP2FrameHeader(InlineArray(repeating: 0))
  /// Position of the frame's first octet.
  var frameStart = StreamPosition.unknown
  /// The packets with the frame's first and its latest octet.
  var firstArrival = SegmentArrival.none
  /// Position of the next octet.
  var position = StreamPosition.unknown
  /// The message that the frame belongs to, or that it is charged to.
  var message = MessageReference.none
  /// The slot of its stream; -1 when it has none.
  var slot = -1
  /// Whether it is not known yet whose octets the frame's are.
  var isMessagePending = false
  /// Octets of padding behind the content.
  var padding = 0
  /// Looks for frames while framing is lost.
  var search: FrameSearch?
  /// How often framing was lost.
  var losses = 0
  /// Whether every frame since the start of the stream was read.
  var isComplete = true
  /// The field block that is being gathered.
  var block = FieldBlock()
  /// Frames in a row with no octet of content and no end.
  var emptyFrames = 0
  /// PING frames that the other side has not answered.
  var pings = 0

  /// Whether framing was lost once: what is found behind is not certain.
  var isUnsure: Bool { losses > 0 }

  /// Position up to which it is known whose octets they are.
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
  /// What a block is for.
  enum Purpose: UInt8 {
    /// The first field section of a message.
    case header
    /// The one after its content.
    case trailer
    /// It is no message's.
    case stray
  }

  var isOpen = false
  var purpose = Purpose.stray
  var slot = -1
  var message = MessageReference.none
  var stream: UInt32 = 0
  /// Whether the stream ends with it.
  var endsStream = false
  /// The octets, as far as they are kept.
  var octets: [UInt8] = []
  /// Octets behind those, which cannot be read: too many, or behind a hole.
  var unread = 0
  /// Whether octets of it were not seen.
  var hasHole = false
  /// Frames that it has beside its first.
  var continuations = 0
}
