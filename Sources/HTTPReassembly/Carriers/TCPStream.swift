/// One direction of a TCP connection: its captured octets, and the octets that are still awaited.
///
/// It has plain values only, so that reading one of them copies nothing else. Values on the heap are in `Disorder`.
struct TCPStream {
  var space = SequenceSpace()
  /// Whether delivery has begun. The first position is known by SYN, or because no earlier octets came.
  var isStarted = false
  /// Whether a SYN was captured.
  var hasSyn = false
  /// Whether payload is held behind a gap; updated by `TCPConnection.changeHeld`.
  var isHolding = false
  /// The reset of the connection by the sender.
  var reset = Reset.none
  /// The meaning of a wrong checksum in this direction.
  var checksums = Checksums.unknown
  /// Whether the session knows that the stream has ended.
  var isFinished = false
  /// The shift of this side's window scale option (RFC 7323 §2.2), at most 14; nil while unknown.
  var windowScale: UInt8? {
    get { storedWindowScale == .max ? nil : storedWindowScale }
    set { storedWindowScale = newValue ?? .max }
  }
  /// In one octet, as there are two streams in every open connection.
  private var storedWindowScale = UInt8.max
  /// The largest window that this side has advertised to the other, scaled, in octets.
  var advertisedWindow: UInt32 = 0
  /// The start of the stream: after the SYN, or at the first octet that came.
  private(set) var start: StreamPosition = 0
  /// The position of the next octet to deliver.
  var next: StreamPosition = 0
  /// The position after the last octet that the peer acknowledged; `.unknown` before its first ACK.
  var acknowledged = StreamPosition.unknown
  /// The position of the FIN; `.never` without one.
  var fin = StreamPosition.never
  /// The position after FIN or RST. No receiver takes payload from here on.
  var limit = StreamPosition.never
  /// The newest record of this stream in the payload history.
  var newestPayload: PayloadHistory.Mark = 0
  var packets = 0
  var ipLength = 0
  var payloadLength = 0
  /// The capture time since which octets are held or known to be missing; nil when there are none.
  @OptionalTime var stuckSince: Int64? = nil

  /// A reset of a connection.
  enum Reset {
    case none
    /// With a number beyond the next one: a receiver challenges it (RFC 9293 §3.10.7.4), unless octets before it are lost.
    case ahead
    case taken
  }

  /// Whether the sender has reset the connection.
  @inline(__always)
  var isReset: Bool { reset != .none }

  /// The meaning of a wrong checksum.
  enum Checksums {
    /// No checksum was verified yet. A sender's own capture has unfinished ones.
    case unknown
    /// Checksums were right, so that a wrong one tells that octets are damaged.
    case telling
    /// A damaged segment came, and was held.
    case damaged
    /// It tells nothing: the first one was wrong, or the receiver took octets with a wrong one.
    case useless
  }

  /// Octets beyond the known end of a stream that a receiver could still take: the largest window (RFC 7323 §2.3).
  static let largestWindow = 1 << 30

  /// The number of remembered gaps. With more losses, a capture cannot explain a late segment any more.
  static let holeLimit = 64

  /// The acknowledgment number that covers all delivered octets, as a position. The FIN adds one.
  @inline(__always)
  var deliveredThrough: StreamPosition { isFinished && fin == next ? next + 1 : next }

  /// Acknowledged octets beyond the captured ones; 0 if none are awaited.
  @inline(__always)
  var uncapturedTail: Int {
    guard isStarted, !isHolding, acknowledged > next, limit > next else { return 0 }
    return acknowledged - next
  }

  /// Whether all captured octets are delivered, including the end by FIN, and no RST has come.
  @inline(__always)
  var isSettled: Bool { !isHolding && (fin == .never || isFinished) && !isReset }

  /// Whether the stream is open, all its captured octets are delivered, and none are awaited.
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

  /// Learns the window that this side offers to the other.
  @inline(__always)
  mutating func noteWindow(_ segment: TCPSegment) {
    if segment.flags.contains(.syn) {
      // Both sides must send the option for either to scale (RFC 7323 §2.2).
      windowScale = segment.windowScale ?? 0
      advertisedWindow = max(advertisedWindow, UInt32(segment.window))
    } else {
      // Without the handshake, the shift can be any number up to 14 (RFC 7323 §2.3).
      advertisedWindow = max(advertisedWindow, UInt32(segment.window) << UInt32(min(windowScale ?? 14, 14)))
    }
  }

  /// Starts the stream at a position. All earlier octets are from before the capture or the connection.
  mutating func start(at position: StreamPosition) {
    isStarted = true
    start = position
    next = position
  }
}
