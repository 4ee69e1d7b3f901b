/// One direction of a TCP connection: what has been captured of its octets, and what is still awaited.
///
/// Plain values only, so that looking at one of them copies nothing else: what is on the heap is in `Disorder`.
struct TCPStream {
  var space = SequenceSpace()
  /// Whether delivery has begun: the first position is known, by SYN or because nothing earlier came.
  var isStarted = false
  /// Whether a SYN was captured.
  var hasSyn = false
  /// Whether payload is held behind a hole; kept up by `TCPConnection.changeHeld`.
  var isHolding = false
  /// Whether the sender has reset the connection.
  var isReset = false
  /// Whether the session has been told of the end.
  var isFinished = false
  /// Shift of this side's window scale option; nil while not known.
  var windowScale: UInt8?
  /// The largest window that this side has advertised for the other, scaled, in octets.
  var advertisedWindow: UInt32 = 0
  /// Where the stream starts: after the SYN, or at the first octet that came.
  private(set) var start: StreamPosition = 0
  /// Position of the next octet to deliver.
  var next: StreamPosition = 0
  /// Position after the last octet that the peer acknowledged; `.unknown` before its first ACK.
  var acknowledged = StreamPosition.unknown
  /// Position of the FIN; `.never` without one.
  var fin = StreamPosition.never
  /// Payload from here on is taken by no receiver: after FIN or RST.
  var limit = StreamPosition.never
  /// Newest record of this stream in the payload history.
  var newestPayload: PayloadHistory.Mark = 0
  var packets = 0
  var ipLength = 0
  var payloadLength = 0
  /// Capture time since which something is held back or known to be missing; nil when nothing is.
  @OptionalTime var stuckSince: Int64? = nil

  /// Octets beyond what is known of a stream that a receiver could still take: the largest window (RFC 7323 §2.3).
  static let largestWindow = 1 << 30

  /// Holes remembered: a capture that loses more has lost count of what a late segment is.
  static let holeLimit = 64

  /// The acknowledgment number that covers everything delivered so far, as a position: one more after the FIN.
  @inline(__always)
  var deliveredThrough: StreamPosition { isFinished && fin == next ? next + 1 : next }

  /// Octets that the peer has acknowledged beyond all that was captured; 0 where none are awaited.
  @inline(__always)
  var uncapturedTail: Int {
    guard isStarted, !isHolding, acknowledged > next, limit > next else { return 0 }
    return acknowledged - next
  }

  /// Whether all that was captured is delivered, the end too if it has come by FIN, and no RST has come.
  @inline(__always)
  var isSettled: Bool { !isHolding && (fin == .never || isFinished) && !isReset }

  /// Whether it is open, all that was captured of it is delivered, and nothing is awaited.
  @inline(__always)
  var isUndisturbed: Bool {
    isStarted && !isHolding && limit == .never && !isReset && stuckSince == nil && acknowledged <= next
  }

  /// Whether everything up to the FIN is delivered.
  @inline(__always)
  var isAtFin: Bool { isStarted && fin != .never && next >= fin && !isHolding }

  /// Whether the FIN was captured before all octets up to it.
  @inline(__always)
  var isFinAhead: Bool { fin != .never && next < fin }

  /// Learns how much this side takes from the other one.
  @inline(__always)
  mutating func noteWindow(_ segment: TCPSegment) {
    if segment.flags.contains(.syn) {
      // Both sides must send the option for either to scale (RFC 7323 §2.2).
      windowScale = segment.windowScale ?? 0
      advertisedWindow = max(advertisedWindow, UInt32(segment.window))
    } else {
      // Without the handshake the shift can be anything up to 14 (RFC 7323 §2.3).
      advertisedWindow = max(advertisedWindow, UInt32(segment.window) << UInt32(min(windowScale ?? 14, 14)))
    }
  }

  /// Starts the stream at a position: everything before it is from before the capture, or before the connection.
  mutating func start(at position: StreamPosition) {
    isStarted = true
    start = position
    next = position
  }
}
