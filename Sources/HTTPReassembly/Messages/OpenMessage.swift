/// A message that still takes octets, or charges that come late. Plain values only: what decodes its content is beside it.
struct OpenMessage {
  var message = Message()
  /// The exchange that it belongs to, by its number in its conversation.
  var exchange = 0
  /// Its content, when that is decoded meanwhile.
  var pendingContent: PendingContent?

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
  /// Whether a content is being read that is looked at, or has a coding.
  var isOpen = false

  /// Octets of memory that it takes, of its own.
  static var memory: Int { MemoryLayout<OpenContent>.stride + 64 }

  /// The message is another one's from now on.
  mutating func close() { if isOpen { self = OpenContent() } }
}

/// A request with its responses, while something of it is still open.
struct OpenExchange {
  var exchange = Exchange()
  /// Where the request's host came from.
  var hostSource = HostSource.unknown
  /// What the request's method means for the framing of its response.
  var method = MethodKind.ordinary
  /// Whether the request asks to switch protocols, so that its stream waits for the answer.
  var asksToSwitch = false
  /// Whether the protocols are switched, once the response has told.
  var switches: Bool?
  /// Whether the request is an HTTP/0.9 simple request.
  var isSimple = false
  /// Whether the final response has started.
  var isAnswered = false
  /// Its messages that are not final yet.
  var openMessages = 0
  /// How far the client had read the responses when it sent the request.
  var acknowledged = StreamPosition.unknown
  var requestFirst: Int64?
  var requestLast: Int64?
  var responseFirst: Int64?
  var responseLast: Int64?
}
