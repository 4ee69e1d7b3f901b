import HeapModule

/// The state of reading one side of a stream of QUIC (RFC 9114 §6).
struct HTTP3Flow {
  /// The purpose of the stream.
  enum Kind: UInt8 {
    /// A request and its responses, on a stream that the client opened in both directions.
    case request
    /// A unidirectional stream before its type.
    case undecided
    case control
    /// A pushed response.
    case push
    /// The instructions for the dynamic table (RFC 9204 §4.3).
    case encoder
    /// The acknowledgments of such instructions, and types that are reserved or unknown.
    case other
    /// A stream of WebTransport.
    case tunnel
  }

  enum Phase: UInt8 {
    /// Before the type of a unidirectional stream, or in it.
    case type
    /// In the push ID of a push stream.
    case pushID
    /// In the number of a session of WebTransport.
    case session
    /// Before a frame, or in its type.
    case frameType
    /// In the length of a frame.
    case frameLength
    /// In the push ID of a PUSH_PROMISE frame.
    case promise
    /// In content, or in a field section.
    case content
    /// In a frame without fields or content.
    case control
    /// In a frame that may not be on the stream.
    case stray
    /// In octets without frames.
    case rest
    /// A frame header was lost.
    case lost
  }

  /// The purpose of a field section.
  enum Purpose: UInt8 {
    case header
    case trailer
    /// A pushed request.
    case promise
    /// A section without a message.
    case stray
    /// A section of trailer fields, or of the response behind an interim one.
    case undecided
  }

  /// Octets that wait until a section can be read.
  struct Held {
    var octets: [UInt8] = []
    /// Octets that were not captured, instead.
    var hidden = 0
    var isInPacket = false
    /// The octets of both kinds that were read meanwhile.
    var taken = 0
    var arrival: SegmentArrival
  }

  let stream: UInt64
  var kind: Kind
  /// The key of the stream with its messages.
  var key: UInt64
  var phase: Phase
  /// The position of the next octet that is read.
  var position: StreamPosition
  /// Octets of the current integer so far, and its value (RFC 9000 §16).
  var integer = HTTP3Integer()
  /// Octets before the content of the current frame whose owner is not known yet.
  var waiting = 0
  /// Octets of this phase that are still to come.
  var left: UInt64 = 0
  var frameType: UInt64 = 0
  /// The packet with the frame's first octet.
  var firstArrival = SegmentArrival.none
  /// The stream that opened the session of WebTransport that it belongs to; nil while unknown.
  var session: UInt64?
  /// The message that owns the frame, or that is charged for it.
  var message = MessageReference.none
  /// Whether a frame was read.
  var hasFrame = false
  /// Whether trailer fields came.
  var hasTrailers = false

  /// The kept octets of the current field section.
  var section: [UInt8] = []
  var purpose = Purpose.stray
  /// The key of the stream whose message has the section.
  var sectionKey: UInt64 = 0
  /// Octets behind the kept ones that cannot be read, because they are too many or behind a gap.
  var unread = 0
  /// Whether some of its octets were not seen.
  var hasGap = false

  /// Whether the section, or the stream, waits.
  var isWaiting = false
  /// Whether it is a push stream that waits for its promise.
  var awaitsPromise = false
  /// The search for frames behind a gap, while it lasts.
  var search: HTTP3FrameSearch?
  /// Octets that wait behind it, and their number with hidden ones.
  var held = IndexRing<Held>()
  var heldLength = 0
  /// The number of those that were not read yet.
  var unreadLength: Int { heldLength - (held.isEmpty ? 0 : held[0].taken) }
  /// The end that waits behind them.
  var end: MultiplexedStreams.MessageEnd?
  /// Whether no more octets come.
  var isEnded = false
  /// Whether the session knows it no more.
  var isRemoved = false
  /// The number of entries in the dynamic table when the first octet came.
  let inserts: Int

  /// The owners of its latest octets.
  var owners = Owners()
  /// Charges of packets whose message is still unknown.
  var charges = WaitingCharges()
  /// Its memory as the session has counted it.
  var counted = 0

  init(_ stream: UInt64, _ kind: Kind, at position: StreamPosition, inserts: Int) {
    self.stream = stream
    self.kind = kind
    key = stream
    phase = kind == .request ? .frameType : kind == .undecided ? .type : .rest
    self.position = position
    self.inserts = inserts
    owners.begin(at: position)
  }

  /// The position up to which the owners of octets are known.
  @inline(__always)
  var settledPosition: StreamPosition { position - waiting - (search?.missing ?? 0) }

  /// Whether the next octets are content of a DATA frame that goes on behind them.
  @inline(__always)
  func isInData(_ count: Int) -> Bool {
    guard phase == .content, !isWaiting else { return false }
    return frameType == HTTP3Type.data && left > UInt64(truncatingIfNeeded: count)
  }

  /// Whether the stream may end here.
  @inline(__always)
  var isBetweenFrames: Bool {
    phase == .rest || phase == .lost || (phase == .frameType || phase == .type) && !integer.hasBegun
  }

  /// Octets of memory, without held octets.
  @inline(__always)
  var memory: Int {
    MemoryLayout<HTTP3Flow>.stride + 64 + section.capacity + owners.memory + held.memory + charges.memory
  }
}

/// A variable-length integer that comes octet by octet (RFC 9000 §16).
struct HTTP3Integer {
  private var value: UInt64 = 0
  private var left = 0
  private(set) var hasBegun = false

  /// Takes octets from `offset` on. Returns the integer with its last octet.
  mutating func take(_ octets: RawSpan, _ offset: inout Int) -> UInt64? {
    while offset < octets.byteCount {
      let octet = octets.octet(offset)
      offset += 1
      if hasBegun {
        value = value << 8 | UInt64(octet)
        left -= 1
      } else {
        hasBegun = true
        value = UInt64(octet & 0x3f)
        left = 1 << Int(octet >> 6) - 1
      }
      if left == 0 {
        hasBegun = false
        return value
      }
    }
    return nil
  }

  /// Forgets the octets so far.
  mutating func reset() { self = HTTP3Integer() }

  /// The octets of the shortest form of a value.
  static func length(of value: UInt64) -> Int { value < 64 ? 1 : value < 1 << 14 ? 2 : value < 1 << 30 ? 4 : 8 }
}

/// The types of frames (RFC 9114 §7.2, RFC 9297, WebTransport) and of unidirectional streams (§6.2, RFC 9204 §4.2).
enum HTTP3Type {
  static var data: UInt64 { 0 }
  static var headers: UInt64 { 1 }
  static var cancelPush: UInt64 { 3 }
  static var settings: UInt64 { 4 }
  static var pushPromise: UInt64 { 5 }
  static var goAway: UInt64 { 7 }
  static var maxPushID: UInt64 { 0xd }
  /// The signal in front of a bidirectional stream of WebTransport. No length follows it.
  static var webTransportStream: UInt64 { 0x41 }

  static var controlStream: UInt64 { 0 }
  static var pushStream: UInt64 { 1 }
  static var encoderStream: UInt64 { 2 }
  static var webTransportUnidirectional: UInt64 { 0x54 }

  /// Whether a frame may be on the control stream only, or is one of HTTP/2's that HTTP/3 forbids (RFC 9114 §7.2.8).
  static func isMisplaced(_ type: UInt64) -> Bool {
    switch type {
    case 2, cancelPush, settings, 6, goAway, 8, 9, maxPushID: true
    default: false
    }
  }
}

/// Charges of packets that wait until the owners of a stream's octets are known. The one with the least end comes first.
///
/// Octets come in any order, and each frame may make a charge known: a look costs the same however many wait.
struct WaitingCharges {
  private struct Waiting: Comparable {
    let charge: Charge

    static func < (a: Waiting, b: Waiting) -> Bool { a.charge.end < b.charge.end }
    static func == (a: Waiting, b: Waiting) -> Bool { a.charge.end == b.charge.end }
  }

  private var heap = Heap<Waiting>()

  var count: Int { heap.count }

  /// Octets of memory on the heap.
  @inline(__always)
  var memory: Int { MemoryBudget.grown(heap.count) * MemoryLayout<Waiting>.stride }

  mutating func insert(_ charge: Charge) { heap.insert(Waiting(charge: charge)) }

  /// Removes and returns the first charge, if it ends at a position or before.
  @inline(__always)
  mutating func removeFirst(upTo position: StreamPosition) -> Charge? {
    guard let first = heap.min, first.charge.end <= position else { return nil }
    heap.removeMin()
    if heap.isEmpty { heap = Heap() }
    return first.charge
  }
}
