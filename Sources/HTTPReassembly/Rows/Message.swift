/// The kinds of messages (RFC 9110 §6, §15.2).
public enum MessageKind: UInt8, Sendable {
  /// A request.
  case request
  /// A final response.
  case response
  /// An interim (1xx) response.
  case interim

  /// The kind's name in reports.
  public var name: String { "\(literal)" }

  /// The name as a static string.
  package var literal: StaticString {
    switch self {
    case .request: "request"
    case .response: "response"
    case .interim: "interim"
    }
  }
}

/// How reliable the counts of a message are.
public enum Exactness: UInt8, Sendable {
  /// Every octet was seen.
  case exact
  /// Every octet is counted, but some were not seen.
  case inferred
  /// The end was not seen: the counts are lower bounds.
  case atLeast

  /// Notes that not all octets were seen.
  mutating func weaken() { if self == .exact { self = .inferred } }

  /// The name in reports.
  public var name: String { "\(literal)" }

  /// The name as a static string.
  package var literal: StaticString {
    switch self {
    case .exact: "exact"
    case .inferred: "inferred"
    case .atLeast: "at_least"
    }
  }
}

/// How certain it is that a row belongs to its request (MEASURES §10).
public enum Pairing: UInt8, Sendable {
  /// The row belongs to the request: nothing was lost between them, or the acknowledgments prove it.
  case exact
  /// The row most likely belongs to the request: octets were lost, and requests overlapped.
  case inferred
  /// The request is not known.
  case unknown

  /// The name in reports.
  public var name: String { "\(literal)" }

  /// The name as a static string.
  package var literal: StaticString {
    switch self {
    case .exact: "exact"
    case .inferred: "inferred"
    case .unknown: "unknown"
    }
  }
}

/// The source of a host name, best first.
public enum HostSource: UInt8, Sendable {
  /// There is no host name.
  case unknown
  /// The authority of an absolute-form or authority-form request target.
  case target
  /// The `Host` field.
  case hostField
  /// The pseudo-header field `:authority` (RFC 9113 §8.3.1).
  case authority
  /// The server name in a TLS ClientHello.
  case serverNameIndication
  /// The server name of a ClientHello that has, or may have, an encrypted one inside (RFC 9849). It is then a public name.
  case publicServerName
  /// A captured DNS response, or a name record of the capture file, for the server's address.
  case dns
  /// The server's address itself.
  case address

  /// The name in reports.
  public var name: String { "\(literal)" }

  /// The name as a static string.
  package var literal: StaticString {
    switch self {
    case .unknown: ""
    case .target: "target"
    case .hostField: "host"
    case .authority: "authority"
    case .serverNameIndication: "sni"
    case .publicServerName: "sni_public"
    case .dns: "dns"
    case .address: "address"
    }
  }
}

/// Oddities of one message, as in the `flags` column.
public struct MessageFlags: NamedBits, Sendable, Hashable {
  /// One bit for each flag.
  public var rawValue: UInt64
  /// Wraps a bit set.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The connection or the capture ended before the message did.
  public static let incomplete = MessageFlags(rawValue: 1 << 0)
  /// The framing is in error, and the end of the message is unknown.
  public static let framingError = MessageFlags(rawValue: 1 << 1)
  /// The body ends with the connection (RFC 9112 §6.3 rule 8).
  public static let closeDelimited = MessageFlags(rawValue: 1 << 2)
  /// Content-Length occurs more than once, always with the same value.
  public static let contentLengthRepeated = MessageFlags(rawValue: 1 << 3)
  /// Content-Length occurs with different values.
  public static let contentLengthConflicting = MessageFlags(rawValue: 1 << 4)
  /// Content-Length is not a number.
  public static let contentLengthInvalid = MessageFlags(rawValue: 1 << 5)
  /// It has both Content-Length and Transfer-Encoding; Transfer-Encoding decides.
  public static let contentLengthWithTransferEncoding = MessageFlags(rawValue: 1 << 6)
  /// The last transfer coding is not chunked, or a coding is unknown.
  public static let transferEncodingUnusual = MessageFlags(rawValue: 1 << 7)
  /// A line ends with LF alone.
  public static let bareLineFeed = MessageFlags(rawValue: 1 << 8)
  /// A field line is folded (RFC 9112 §5.2).
  public static let obsoleteFold = MessageFlags(rawValue: 1 << 9)
  /// A line of the header section is no field line.
  public static let fieldLineMalformed = MessageFlags(rawValue: 1 << 10)
  /// An HTTP/1.1 request has no Host field.
  public static let hostMissing = MessageFlags(rawValue: 1 << 11)
  /// There is more than one Host field.
  public static let hostRepeated = MessageFlags(rawValue: 1 << 12)
  /// An HTTP/0.9 simple request or its response.
  public static let version09 = MessageFlags(rawValue: 1 << 13)
  /// The request that this response answers was not captured.
  public static let requestNotSeen = MessageFlags(rawValue: 1 << 14)
  /// The pairing after a gap in the capture is likely, not certain, or two pairings are equally likely.
  public static let pairingUncertain = MessageFlags(rawValue: 1 << 15)
  /// The connection switched protocols after this message.
  public static let switchedProtocols = MessageFlags(rawValue: 1 << 16)
  /// The message was carried inside a tunnel (CONNECT or Upgrade).
  public static let tunnelled = MessageFlags(rawValue: 1 << 17)
  /// A line was longer than the limit; its octets are counted.
  public static let lineTooLong = MessageFlags(rawValue: 1 << 18)
  /// Octets of this message were sent again with different content.
  public static let conflicting = MessageFlags(rawValue: 1 << 19)
  /// Content was not decoded because decoding is off.
  public static let notDecoded = MessageFlags(rawValue: 1 << 20)
  /// Content was not decoded: some of its octets were not seen.
  public static let contentNotSeen = MessageFlags(rawValue: 1 << 21)
  /// Content was not decoded: a content coding is unknown.
  public static let codingUnknown = MessageFlags(rawValue: 1 << 22)
  /// Content was not decoded: the coded stream is corrupt.
  public static let codingCorrupt = MessageFlags(rawValue: 1 << 23)
  /// Content was not decoded: the coded stream stops before its end.
  public static let codingTruncated = MessageFlags(rawValue: 1 << 24)
  /// Octets follow the end of the coded stream.
  public static let codingTrailingJunk = MessageFlags(rawValue: 1 << 25)
  /// Content was not decoded to its end: it exceeds the limit.
  public static let codingBeyondLimit = MessageFlags(rawValue: 1 << 26)
  /// A chunk-size is malformed.
  public static let chunkSizeInvalid = MessageFlags(rawValue: 1 << 27)
  /// A chunk's data is not followed by a line terminator.
  public static let chunkNotTerminated = MessageFlags(rawValue: 1 << 28)
  /// The header section is missing, because of the snap length or a gap.
  public static let headerNotSeen = MessageFlags(rawValue: 1 << 29)
  /// An HTTP/1.0 message has Transfer-Encoding.
  public static let transferEncodingInHTTP10 = MessageFlags(rawValue: 1 << 30)
  /// The connection was evicted from a full table before the message ended.
  public static let evicted = MessageFlags(rawValue: 1 << 31)

  /// A field refers to an unknown entry of the dynamic table: its octets are exact, its text is unknown.
  public static let fieldUnknown = MessageFlags(rawValue: 1 << 32)
  /// The server promised the request (RFC 9113 §8.4), and so sent it itself.
  public static let pushed = MessageFlags(rawValue: 1 << 33)
  /// The stream was reset before the message ended (RFC 9113 §5.4.2).
  public static let streamReset = MessageFlags(rawValue: 1 << 34)
  /// The field block cannot be read to its end, or has fields that a message must not have (RFC 7541, RFC 9113 §8.1.1).
  public static let fieldBlockMalformed = MessageFlags(rawValue: 1 << 35)
  /// The gRPC messages do not fit the content.
  public static let grpcMalformed = MessageFlags(rawValue: 1 << 36)

  /// Names in reports, by bit.
  public static let names: [String] = [
    "incomplete", "framing_error", "close_delimited", "content_length_repeated",
    "content_length_conflicting", "content_length_invalid", "content_length_with_transfer_encoding",
    "transfer_encoding_unusual", "bare_lf", "obs_fold", "field_line_malformed", "host_missing", "host_repeated",
    "http_0_9", "request_not_seen", "pairing_uncertain", "switched_protocols", "tunnelled", "line_too_long",
    "conflicting", "not_decoded", "content_not_seen", "coding_unknown", "coding_corrupt", "coding_truncated",
    "coding_trailing_junk", "coding_beyond_limit", "chunk_size_invalid", "chunk_not_terminated",
    "header_not_seen", "transfer_encoding_in_http_1_0", "evicted", "field_unknown", "pushed", "stream_reset",
    "field_block_malformed", "grpc_malformed",
  ]
}

/// The octets of one message on the wire, by kind (RFC 9112 §2.1, MEASURES §7).
public struct MessageOctets: Sendable, Hashable {
  /// Octets of the request-line or status-line with its terminator; in HTTP/2, of the pseudo-header fields' representations.
  public var startLine = 0
  /// Octets of field lines with their terminators and the empty line; in HTTP/2, of the fields' representations.
  public var header = 0
  /// Octets of content as transferred.
  public var body = 0
  /// Octets of chunk framing. In HTTP/2: frame headers, padding, and other octets before the content of a frame.
  public var framing = 0
  /// Octets of trailer field lines with their terminators; in HTTP/2, of the trailer fields' representations.
  public var trailer = 0

  /// Creates counts of zero.
  public init() {}

  /// `message_bytes`: the sum of all five.
  public var total: Int { startLine + header + body + framing + trailer }

  /// Adds the octets of another message, each kind to its own.
  @inlinable
  public static func += (sum: inout MessageOctets, other: MessageOctets) {
    sum.startLine += other.startLine
    sum.header += other.header
    sum.body += other.body
    sum.framing += other.framing
    sum.trailer += other.trailer
  }
}

/// The lengths of a message's start-line and header section in the spelling of HTTP/1.1 (MEASURES §7), in octets.
struct ExpandedLengths: Sendable, Equatable {
  /// A length, or -1 for the length on the wire, or -2 for an unknown length.
  private var start: Int32
  private var fields: Int32

  /// Lengths on the wire, as for HTTP/1.
  static var asSent: ExpandedLengths { ExpandedLengths(start: -1, fields: -1) }
  /// Lengths of sections with unknown fields.
  static var unknown: ExpandedLengths { ExpandedLengths(start: -2, fields: -2) }

  private init(start: Int32, fields: Int32) {
    self.start = start
    self.fields = fields
  }

  init(startLine: Int, header: Int) {
    self.init(start: Int32(clamping: startLine), fields: Int32(clamping: header))
  }

  /// The stored values: -1 for a length on the wire, -2 for an unknown length.
  var raw: (startLine: Int, header: Int) { (Int(start), Int(fields)) }

  init(raw: (startLine: Int, header: Int)) {
    self.init(start: Int32(clamping: raw.startLine), fields: Int32(clamping: raw.header))
  }

  func startLine(_ octets: MessageOctets) -> Int? { start >= 0 ? Int(start) : start == -1 ? octets.startLine : nil }
  func header(_ octets: MessageOctets) -> Int? { fields >= 0 ? Int(fields) : fields == -1 ? octets.header : nil }
}

/// One HTTP request or response as seen on the wire. Lengths are in octets, times in nanoseconds since the Unix epoch. Texts are handles
/// into the run's `TextPool`.
public struct Message: Sendable, Equatable {
  /// Number in the order of the first octets' delivery, from 1.
  public var number = 0
  /// Number of the exchange that it belongs to, from 1.
  public var exchange = 0
  /// Number of its connection, from 1.
  public var connection = 0
  /// The kind: request, final response or interim response.
  public var kind = MessageKind.request
  /// Capture time of the earliest packet with octets of it.
  public var firstTime: Int64 = 0
  /// Capture time of the latest packet with new octets of it.
  public var lastTime: Int64 = 0
  /// The side that opened the connection.
  public var client = Endpoint(address: IPAddress(high: 0, low: 0), port: 0)
  /// The other side.
  public var server = Endpoint(address: IPAddress(high: 0, low: 0), port: 0)
  /// Whether the message was inside opened TLS (`https`).
  public var isSecure = false
  /// The request's method; a response has its request's.
  public var method = TextID.none
  /// The host, lower-case and without default port; a response has its request's.
  public var host = TextID.none
  /// The source of `host`.
  public var hostSource = HostSource.unknown
  /// The path as sent, without the query; a response has its request's.
  public var path = TextID.none
  /// Octets of the query, without the `?`; nil without a `?`. Only requests have it.
  public var queryLength: Int?
  /// Status code of a response; 0 for a request.
  public var status = 0
  /// Protocol version as sent, `HTTP/1.1`.
  public var version = TextID.none
  /// The Content-Type field value.
  public var contentType = TextID.none
  /// The Content-Encoding field values, combined.
  public var contentEncoding = TextID.none
  /// The Transfer-Encoding field values, combined.
  public var transferEncoding = TextID.none
  /// Octets of the message.
  public var octets = MessageOctets()
  /// Octets of the content without its codings; nil if it was not decoded, and `flags` says why.
  public var decodedBody: Int?
  /// Payload octets sent again whose first copy belongs to this message.
  public var retransmitted = 0
  /// Network and transport octets charged to this message (MEASURES §2).
  public var overhead = 0
  /// Octets of the TLS records charged to this message, without the application's data (MEASURES §6).
  public var tls = 0
  /// Octets behind the message in the tunnel that its exchange opened by Upgrade or extended CONNECT (MEASURES §11).
  public var tunnel = 0
  /// The frames in that tunnel, if it is a WebSocket (`TextPool.webSocket`). Known once the message is final.
  public var webSocket = TextID.none
  /// Octets of this message that are in no packet, and in none of its other figures.
  public var missing = 0
  /// Octets of this message that packets had and are counted, but that lie beyond the snap length.
  public var unseen = 0
  /// How certain it is that the message belongs to its exchange; `exact` for a request.
  public var pairing = Pairing.exact
  /// How reliable the counts are.
  public var exactness = Exactness.exact
  /// Oddities of the message.
  public var flags: MessageFlags = []
  /// Octets of HTTP/2 frames charged to this message that carry neither its fields nor its content (MEASURES §7).
  public var control = 0
  /// The part of its `ip_bytes` that its receiver sent: acknowledgments and frames.
  public var returned = 0
  /// The mark of the request's target with its query; 0 if no table needs it.
  var target: UInt64 = 0
  /// Whether the server sent it: responses, pushed requests, and requests of the side that did not open the connection.
  public var isFromServer = false
  /// The offers of its Alt-Svc fields.
  public var alternatives: AlternativeServices = []
  /// The stream that carried it (RFC 9113 §5.1.1, RFC 9114 §6), below 2⁶²; nil for HTTP/1. HTTP/3's first request is on stream 0.
  public var stream: UInt64? {
    get { streamCode == 0 ? nil : streamCode - 1 }
    set { streamCode = newValue.map { $0 &+ 1 } ?? 0 }
  }
  /// 0 without a stream, else its number and 1.
  var streamCode: UInt64 = 0
  /// The process of the message (`TextPool.process`); `TextID.none` if unknown.
  public var process = TextID.none
  /// The path of the API that counts it: its path or its path's template. Known once the message is final.
  public var apiPath = TextID.none
  /// The lengths in the spelling of HTTP/1.1.
  var expanded = ExpandedLengths.asSent
  /// -1 if the content is not gRPC.
  private var grpcCount: Int32 = -1
  /// -1 without a status.
  private var grpcCode: Int32 = -1
  /// -1 if the content is no event stream, or its events are unknown.
  private var eventCount: Int32 = -1

  /// Creates an empty message.
  public init() {}

  /// `ip_bytes`: message, tunnel, TLS, control, retransmitted and overhead octets.
  public var ipLength: Int { octets.total + tunnel + tls + control + retransmitted + overhead }

  /// `ip_bytes` from the client and from the server.
  public var directions: Directional<Int> {
    @inline(__always) get {
      isFromServer
        ? Directional(client: returned, server: ipLength - returned)
        : Directional(client: ipLength - returned, server: returned)
    }
  }

  /// Octets of the start-line in the spelling of HTTP/1.1; nil if some of its fields are unknown.
  public var expandedStartLine: Int? { expanded.startLine(octets) }
  /// Octets of the header section in the spelling of HTTP/1.1; nil if some of its fields are unknown.
  public var expandedHeader: Int? { expanded.header(octets) }

  /// The number of gRPC messages seen in the content; nil if the content is not gRPC.
  public var grpcMessages: Int? {
    get { grpcCount < 0 ? nil : Int(grpcCount) }
    set { grpcCount = newValue.map { Int32(clamping: $0) } ?? -1 }
  }

  /// The number of events seen in the content; nil if it is no event stream (`text/event-stream`), or octets of it are unknown.
  public var events: Int? {
    get { eventCount < 0 ? nil : Int(eventCount) }
    set { eventCount = newValue.map { Int32(clamping: $0) } ?? -1 }
  }

  /// The status of the gRPC call, from `grpc-status`; nil without one.
  public var grpcStatus: Int? {
    get { grpcCode < 0 ? nil : Int(grpcCode) }
    set { grpcCode = newValue.map { Int32(clamping: $0) } ?? -1 }
  }
}
