/// A stream (RFC 9113 §5): a request with its responses. Its frames come between frames of other streams.
struct MultiplexedStream {
  /// Its key among the streams of its connection: its number on the wire, or one beyond all numbers.
  var id: UInt64
  /// Its number in reports; nil if it has none.
  var number: UInt64?
  /// The row of its exchange.
  var exchange: RowIndex
  /// The messages that each side sends on it.
  var halves = Sides<StreamHalf>(repeating: StreamHalf())
  /// Whether CONNECT opened it, and no octet of its tunnel has come.
  var opensConnection = false
  /// Whether CONNECT opened it with a protocol (RFC 8441, RFC 9220). The octets of its tunnel belong to its messages.
  var isExtended = false
  /// Whether a side has reset it.
  var isReset = false
  /// Whether it was reset, and octets of the other side may have been on the way.
  var isAwaited = false
  /// Whether no more frames of it are expected. It then lasts as long as its rows.
  var isClosed = false
  /// Whether a row of it is final.
  var hasFinalMessage = false
}

/// One side's half of a stream: field section, content, field section.
struct StreamHalf {
  enum State: UInt8 {
    /// Before the first octet, or after interim responses.
    case idle
    /// Before the end of the first field section.
    case fields
    /// Before the end of the stream, or trailer fields.
    case content
    /// In the field section after the content.
    case trailers
    /// After the end.
    case ended

    /// Whether a message is in progress.
    var isInProgress: Bool { self == .fields || self == .content || self == .trailers }
  }

  var state = State.idle
  /// The current message, or the last one.
  var message = MessageReference.none
  /// Whether some of its octets may be unknown.
  var isLossy = false
  /// The number of times that framing had been lost on its side when it started.
  var losses = 0
  /// Whether its content is a tunnel (RFC 9113 §8.5).
  var isTunnel = false
  /// Whether its content may be a tunnel, because its request is unknown.
  var mayBeTunnel = false
  /// Whether its status is unknown, so that it may be an interim response.
  var isStatusUnknown = false
  /// Whether fields about the coding of its content are unknown.
  var hasUnknownFields = false
  /// The length of its content by Content-Length; -1 without one number.
  var contentLength = -1
  /// Octets of its field sections that were never captured.
  var missingFields = 0
  /// The decoding of its content.
  var content = OpenContent()

  /// Whether a message is in progress.
  var isInProgress: Bool { state.isInProgress }
}
