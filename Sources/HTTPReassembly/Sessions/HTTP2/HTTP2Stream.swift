/// A stream (RFC 9113 §5): a request with its responses, each side's octets in frames between those of other streams.
struct HTTP2Stream {
  /// Its number on the wire.
  var id: UInt32
  /// The row of its exchange.
  var exchange: RowIndex
  /// What each side sends on it.
  var halves = Sides<StreamHalf>(repeating: StreamHalf())
  /// Whether a side has reset it.
  var isReset = false
  /// Whether no frame of it is expected any more: then it lasts as long as its rows.
  var isClosed = false
  /// Whether a row of it is final.
  var hasFinalMessage = false
}

/// What one side sends on a stream: field section, content, field section.
struct StreamHalf {
  enum State: UInt8 {
    /// Nothing has come, or interim responses.
    case idle
    /// Before the end of the first field section.
    case fields
    /// Before the end of the stream, or trailer fields.
    case content
    /// In the field section after the content.
    case trailers
    /// It has ended.
    case ended
  }

  var state = State.idle
  /// The message that is sent, or was sent last.
  var message = MessageReference.none
  /// Whether octets of it are not known to be all of them.
  var isLossy = false
  /// How often framing had been lost on its side when it started.
  var losses = 0
  /// Whether its content is a tunnel's (RFC 9113 §8.5).
  var isTunnel = false
  /// Whether fields that say how its content is to be read are not known.
  var hasUnknownFields = false
  /// Octets of its field sections that were never captured.
  var missingFields = 0
  /// How its content is decoded.
  var content = OpenContent()

  /// Whether a message is being sent.
  var isInProgress: Bool { state == .fields || state == .content || state == .trailers }
}
