/// A message that still takes octets, or charges that come late. Plain values only: what decodes its content is beside it.
struct OpenMessage {
  var message = Message()
  /// The exchange that it belongs to, by its number in its conversation.
  var exchange = 0
  /// Its content, when that is decoded meanwhile.
  var pendingContent: PendingContent?
  /// How far its sender had read the other side when it started the message.
  var acknowledged = StreamPosition.unknown
  /// Whether its header section announces content that does not follow if the request, which is not known, is HEAD.
  var announcesContent = false
  /// Whether its row changes no more.
  var isFinal = false
  /// Why the message cannot be exact though no octet of it is missing.
  var doubts: Doubts = []

  /// What is not certain of a message whose octets were all seen.
  struct Doubts: OptionSet {
    let rawValue: UInt8
    /// It was found after framing had been lost.
    static let start = Doubts(rawValue: 1 << 0)
    /// Its request is not known, and nothing shows that its content ends where it seems to.
    static let end = Doubts(rawValue: 1 << 1)
  }

  /// Octets of it have come with a packet.
  @inline(__always)
  mutating func note(_ arrival: SegmentArrival) {
    if arrival.time < message.firstTime { message.firstTime = arrival.time }
    if arrival.time > message.lastTime { message.lastTime = arrival.time }
  }
}

/// How the content of the message that is being read is decoded.
struct OpenContent {
  /// Takes the content codings off, while that works.
  var decoder: (any ContentDecoding)?
  /// The codings that `decoder` was made for.
  var codings: [String] = []
  /// Whether the content has no coding, so that its length needs no decoder.
  var isIdentity = true
  /// Whether a content is being read that is looked at, or has a coding, or messages of gRPC.
  var isOpen = false
  /// The messages of gRPC in it; nil when it is none.
  var grpc: GRPCContent?

  /// Octets of memory that it takes, of its own.
  var memory: Int { MemoryLayout<OpenContent>.stride + 64 + (grpc == nil ? 0 : GRPCContent.memory) }

  /// The message is another one's from now on.
  mutating func close() { if isOpen { self = OpenContent() } }
}

/// A request with its responses, while something of it is still open.
struct OpenExchange {
  var exchange = Exchange()
  /// Where the request's host came from.
  var hostSource = HostSource.unknown
  /// The mark of the request's target with its query; 0 where no table wants it.
  var target: UInt64 = 0
  /// What the request's method means for the framing of its response.
  var method = MethodKind.ordinary
  /// Whether the request asks to switch protocols, so that its stream waits for the answer.
  var asksToSwitch = false
  /// Whether it asks for HTTP/2 without TLS.
  var asksForHTTP2 = false
  /// The size of the dynamic table that it allows then, in octets; nil when it does not say.
  var tableSize: Int?
  /// Whether the protocols are switched, once the response has told.
  var switches: Bool?
  /// Whether the request is an HTTP/0.9 simple request.
  var isSimple = false
  /// Whether the final response has started.
  var isAnswered = false
  /// Its messages that are not final yet.
  var openMessages = 0
  /// Position of the request's first octet.
  var start = StreamPosition.unknown
  /// Position after the request's last octet; `.never` until that is known.
  var end = StreamPosition.never
  /// How far the client had read the responses when it sent the request.
  var acknowledged = StreamPosition.unknown
  /// Whether content follows the request's header section.
  var hasContent = false
  /// Position after the last interim response to the request.
  var interimEnd = StreamPosition.unknown
  /// Whether the request was found after framing had been lost.
  var isDoubtful = false
  /// Whether octets before the request are not known, in which other requests may have been.
  var followsHole = false
  /// What is then between it and the request before it.
  var interval = MessageInterval()
  var requestFirst: Int64?
  var requestLast: Int64?
  var responseFirst: Int64?
  var responseLast: Int64?

  /// How many acknowledgments say that a response at `start` answers the request, 0 to 2: the request's, of everything before
  /// the response, and the response's, of the whole request.
  func keys(of start: StreamPosition, _ acknowledged: StreamPosition) -> Int {
    (self.acknowledged == start ? 1 : 0) + (end == acknowledged ? 1 : 0)
  }
}
