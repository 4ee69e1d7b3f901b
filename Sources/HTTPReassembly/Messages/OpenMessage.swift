/// A message that still takes octets or late charges. It has plain values only; the decoder of its content is elsewhere.
struct OpenMessage {
  var message = Message()
  /// The exchange that it belongs to, by its number in its conversation.
  var exchange = 0
  /// Its content, while another thread decodes it.
  var pendingContent: PendingContent?
  /// How far its sender had read the other side when it started the message.
  var acknowledged = StreamPosition.unknown
  /// Position of the first octet in the tunnel that it opened, and owns; `.never` without one.
  var tunnelStart = StreamPosition.never
  /// The reader of the frames in that tunnel, by its slot among the run's WebSockets; -1 without one.
  var webSocket: RowIndex = -1
  /// Whether its header section announces content that is absent if the unknown request is HEAD.
  var announcesContent = false
  /// Whether its row is final.
  var isFinal = false
  /// Reasons why the message cannot be exact though no octet of it is missing.
  var doubts: Doubts = []

  /// Uncertainties of a message whose octets were all seen.
  struct Doubts: OptionSet {
    let rawValue: UInt8
    /// The message was found after framing had been lost.
    static let start = Doubts(rawValue: 1 << 0)
    /// The request is unknown, and its content may end elsewhere.
    static let end = Doubts(rawValue: 1 << 1)
    /// Fields that tell what it is, or what its request is, are unknown.
    static let fields = Doubts(rawValue: 1 << 2)
    /// The request is unknown, and octets that look like a response were taken for one, not for content.
    static let content = Doubts(rawValue: 1 << 3)
  }

  /// Notes that a packet brought octets of it.
  @inline(__always)
  mutating func note(_ arrival: SegmentArrival) {
    if arrival.time < message.firstTime { message.firstTime = arrival.time }
    if arrival.time > message.lastTime { message.lastTime = arrival.time }
  }
}

/// The decoding of the content of the message in progress.
struct OpenContent {
  /// The decoder, as long as decoding works.
  var decoder: (any ContentDecoding)?
  /// The codings that `decoder` was made for.
  var codings: [String] = []
  /// Whether the content has no coding, so that its length needs no decoder.
  var isIdentity = true
  /// Whether the content in progress has an observer, a coding, gRPC messages, or events.
  var isOpen = false
  /// The gRPC messages in it; nil if it has none.
  var grpc: GRPCContent?
  /// The events in it; nil if it is no event stream.
  var events: EventStream?

  /// Octets of memory of a decoder without what it holds of its content, which its source counts: an object with its stages and counts.
  private static var decoderMemory: Int { 320 }

  /// Octets of memory that it takes itself.
  var memory: Int {
    MemoryLayout<OpenContent>.stride + 64 + (decoder == nil ? 0 : Self.decoderMemory)
      + (grpc == nil ? 0 : GRPCContent.memory)
      + (events == nil ? 0 : EventStream.memory)
  }

  /// Starts anew for another message.
  mutating func close() { if isOpen { self = OpenContent() } }
}

/// A request with its responses, until all are final.
struct OpenExchange {
  var exchange = Exchange()
  /// The source of the request's host.
  var hostSource = HostSource.unknown
  /// The mark of the request's target with its query; 0 if no table needs it.
  var target: UInt64 = 0
  /// The effect of the request's method on the framing of its response.
  var method = MethodKind.ordinary
  /// Whether the request's own fields told its method, host and path. Only HTTP/2 asks.
  var isRequestKnown = false
  /// Whether the request asks to switch protocols, so that its stream waits for the response.
  var asksToSwitch = false
  /// Whether it asks for HTTP/2 without TLS.
  var asksForHTTP2 = false
  /// The dynamic table size that it allows for HTTP/2, in octets; nil if it sets none.
  var tableSize: Int?
  /// Whether the protocols switch; nil until the response tells.
  var switches: Bool?
  /// Whether the request is an HTTP/0.9 simple request.
  var isSimple = false
  /// Whether the final response has started.
  var isAnswered = false
  /// The number of its messages that are not final.
  var openMessages = 0
  /// Position of the request's first octet.
  var start = StreamPosition.unknown
  /// Position after the request's last octet; `.never` until it is known.
  var end = StreamPosition.never
  /// How far the client had read the responses when it sent the request.
  var acknowledged = StreamPosition.unknown
  /// Whether content follows the request's header section.
  var hasContent = false
  /// Position after the last interim response to the request.
  var interimEnd = StreamPosition.unknown
  /// Whether the request was found after framing had been lost.
  var isDoubtful = false
  /// Whether unknown octets precede the request, which may contain other requests.
  var followsHole = false
  /// The interval between it and the request before, in that case.
  var interval = MessageInterval()
  var requestFirst: Int64?
  var requestLast: Int64?
  var responseFirst: Int64?
  var responseLast: Int64?

  /// Whether a request was certainly lost directly before it.
  var isBehindRequest: Bool {
    followsHole && exchange.request != nil && acknowledged != .unknown && interval.holdsMessage
  }

  /// The number of acknowledgments (0 to 2) that match a response at `start` to the request. The request's has to acknowledge all octets
  /// before the response, and the response's the whole request.
  func keys(of start: StreamPosition, _ acknowledged: StreamPosition) -> Int {
    (self.acknowledged == start ? 1 : 0) + (end == acknowledged ? 1 : 0)
  }
}
