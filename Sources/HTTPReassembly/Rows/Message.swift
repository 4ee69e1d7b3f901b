/// What a message is (RFC 9110 §6, §15.2).
public enum MessageKind: UInt8, Sendable {
  /// A request.
  case request
  /// A final response.
  case response
  /// An interim (1xx) response.
  case interim

  /// The kind's name in reports.
  public var name: String { "\(literal)" }

  /// The name, as it stands in the program.
  package var literal: StaticString {
    switch self {
    case .request: "request"
    case .response: "response"
    case .interim: "interim"
    }
  }
}

/// How far the counts of a message can be relied on.
public enum Exactness: UInt8, Sendable {
  /// Every octet was seen.
  case exact
  /// Nothing is missing from the counts, but some octets were not seen.
  case inferred
  /// The end was not seen: the counts are lower bounds.
  case atLeast

  /// The name in reports.
  public var name: String { "\(literal)" }

  /// The name, as it stands in the program.
  package var literal: StaticString {
    switch self {
    case .exact: "exact"
    case .inferred: "inferred"
    case .atLeast: "at_least"
    }
  }
}

/// How sure it is that a row belongs to the request that it is given to (MEASURES §10).
public enum Pairing: UInt8, Sendable {
  /// It is that request's: nothing was lost between, or the acknowledgments say so.
  case exact
  /// It is most likely that request's: octets were lost, and requests overlapped.
  case inferred
  /// The request is not known.
  case unknown

  /// The name in reports.
  public var name: String { "\(literal)" }

  /// The name, as it stands in the program.
  package var literal: StaticString {
    switch self {
    case .exact: "exact"
    case .inferred: "inferred"
    case .unknown: "unknown"
    }
  }
}

/// Where a host name came from, best first.
public enum HostSource: UInt8, Sendable {
  /// There is none.
  case unknown
  /// The authority of an absolute-form or authority-form request target.
  case target
  /// The `Host` field.
  case hostField
  /// The pseudo-header field `:authority` (RFC 9113 §8.3.1).
  case authority
  /// The server name in a TLS ClientHello.
  case serverNameIndication
  /// The same, of a ClientHello that has, or may have, another one encrypted (RFC 9849): then it is a public name.
  case publicServerName
  /// A captured DNS answer, or a name record of the capture file, for the server's address.
  case dns
  /// The server's address itself.
  case address

  /// The name in reports.
  public var name: String { "\(literal)" }

  /// The name, as it stands in the program.
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

/// Oddities of one message, as they stand in the `flags` column.
public struct MessageFlags: OptionSet, Sendable, Hashable {
  /// One bit a flag.
  public var rawValue: UInt64
  /// Wraps a bit set.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The connection or the capture ended before the message did.
  public static let incomplete = MessageFlags(rawValue: 1 << 0)
  /// Its framing is in error, and where it ends could not be told.
  public static let framingError = MessageFlags(rawValue: 1 << 1)
  /// Its body ends with the connection (RFC 9112 §6.3 rule 8).
  public static let closeDelimited = MessageFlags(rawValue: 1 << 2)
  /// Content-Length occurs more than once, always with the same value.
  public static let contentLengthRepeated = MessageFlags(rawValue: 1 << 3)
  /// Content-Length occurs with different values.
  public static let contentLengthConflicting = MessageFlags(rawValue: 1 << 4)
  /// Content-Length is not a number.
  public static let contentLengthInvalid = MessageFlags(rawValue: 1 << 5)
  /// Both Content-Length and Transfer-Encoding: the latter was followed.
  public static let contentLengthWithTransferEncoding = MessageFlags(rawValue: 1 << 6)
  /// Transfer-Encoding whose last coding is not chunked, or an unknown one.
  public static let transferEncodingUnusual = MessageFlags(rawValue: 1 << 7)
  /// A line ends with LF alone.
  public static let bareLineFeed = MessageFlags(rawValue: 1 << 8)
  /// A field line is folded (RFC 9112 §5.2).
  public static let obsoleteFold = MessageFlags(rawValue: 1 << 9)
  /// A line of the header section is no field line.
  public static let fieldLineMalformed = MessageFlags(rawValue: 1 << 10)
  /// An HTTP/1.1 request without Host.
  public static let hostMissing = MessageFlags(rawValue: 1 << 11)
  /// More than one Host.
  public static let hostRepeated = MessageFlags(rawValue: 1 << 12)
  /// An HTTP/0.9 simple request or its response.
  public static let version09 = MessageFlags(rawValue: 1 << 13)
  /// The request that this response answers was not captured.
  public static let requestNotSeen = MessageFlags(rawValue: 1 << 14)
  /// Pairing after a hole in the capture is the likeliest, not certain; or two pairs are as likely.
  public static let pairingUncertain = MessageFlags(rawValue: 1 << 15)
  /// The connection switched protocols after this message.
  public static let switchedProtocols = MessageFlags(rawValue: 1 << 16)
  /// The message was carried inside a tunnel (CONNECT or Upgrade).
  public static let tunnelled = MessageFlags(rawValue: 1 << 17)
  /// A line was longer than is kept; its octets are counted.
  public static let lineTooLong = MessageFlags(rawValue: 1 << 18)
  /// Octets of this message were sent again with different content.
  public static let conflicting = MessageFlags(rawValue: 1 << 19)
  /// Content was not decoded because decoding is off.
  public static let notDecoded = MessageFlags(rawValue: 1 << 20)
  /// Content was not decoded: some octets of it were not seen.
  public static let contentNotSeen = MessageFlags(rawValue: 1 << 21)
  /// Content was not decoded: unknown content coding.
  public static let codingUnknown = MessageFlags(rawValue: 1 << 22)
  /// Content was not decoded: the coded stream is corrupt.
  public static let codingCorrupt = MessageFlags(rawValue: 1 << 23)
  /// Content was not decoded: the coded stream stops before its end.
  public static let codingTruncated = MessageFlags(rawValue: 1 << 24)
  /// Octets follow the end of the coded stream.
  public static let codingTrailingJunk = MessageFlags(rawValue: 1 << 25)
  /// Content was not decoded to its end: it is larger than the limit.
  public static let codingBeyondLimit = MessageFlags(rawValue: 1 << 26)
  /// The header section ended by a chunk, field or line error.
  public static let chunkSizeInvalid = MessageFlags(rawValue: 1 << 27)
  /// A chunk's data is not followed by a line terminator.
  public static let chunkNotTerminated = MessageFlags(rawValue: 1 << 28)
  /// The header section was left off by the snap length or a hole.
  public static let headerNotSeen = MessageFlags(rawValue: 1 << 29)
  /// Transfer-Encoding in an HTTP/1.0 message.
  public static let transferEncodingInHTTP10 = MessageFlags(rawValue: 1 << 30)
  /// The connection was evicted from a full table before the message ended.
  public static let evicted = MessageFlags(rawValue: 1 << 31)

  /// A field refers to an entry of the dynamic table that was not seen: its octets are exact, and its text is not known.
  public static let fieldUnknown = MessageFlags(rawValue: 1 << 32)
  /// The server promised the request (RFC 9113 §8.4): it sent it itself.
  public static let pushed = MessageFlags(rawValue: 1 << 33)
  /// Its stream was reset before it ended (RFC 9113 §5.4.2).
  public static let streamReset = MessageFlags(rawValue: 1 << 34)
  /// Its field block cannot be read to its end, or says what a message cannot say (RFC 7541, RFC 9113 §8.1.1).
  public static let fieldBlockMalformed = MessageFlags(rawValue: 1 << 35)
  /// The messages of its gRPC call do not fit its content.
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

/// The octets of one message on the wire, by what they are (RFC 9112 §2.1, MEASURES §7).
public struct MessageOctets: Sendable, Hashable {
  /// Request-line or status-line with its terminator; in HTTP/2 the representations of pseudo-header fields.
  public var startLine = 0
  /// Field lines with their terminators and the empty line; in HTTP/2 the representations of fields.
  public var header = 0
  /// Content as transferred.
  public var body = 0
  /// Chunk framing; in HTTP/2 frame headers, padding, and what else stands before the content of a frame.
  public var framing = 0
  /// Trailer field lines with their terminators; in HTTP/2 the representations of trailer fields.
  public var trailer = 0

  /// All zero.
  public init() {}

  /// `message_bytes`: the sum of the five.
  public var total: Int { startLine + header + body + framing + trailer }

  /// Adds those of another message, each to its own.
  @inlinable
  public static func += (sum: inout MessageOctets, other: MessageOctets) {
    sum.startLine += other.startLine
    sum.header += other.header
    sum.body += other.body
    sum.framing += other.framing
    sum.trailer += other.trailer
  }
}

/// How long a message's start-line and header section are in the spelling of HTTP/1.1 (MEASURES §7), in octets.
struct ExpandedLengths: Sendable {
  /// What is neither known nor as long as on the wire has a length.
  private var start: Int32
  private var fields: Int32

  /// As long as on the wire: HTTP/1.
  static var asSent: ExpandedLengths { ExpandedLengths(start: -1, fields: -1) }
  /// Fields that are not known are in it.
  static var unknown: ExpandedLengths { ExpandedLengths(start: -2, fields: -2) }

  private init(start: Int32, fields: Int32) {
    self.start = start
    self.fields = fields
  }

  init(startLine: Int, header: Int) {
    self.init(start: Int32(clamping: startLine), fields: Int32(clamping: header))
  }

  /// As they are held: -1 where a length is that on the wire, -2 where it is not known.
  var raw: (startLine: Int, header: Int) { (Int(start), Int(fields)) }

  init(raw: (startLine: Int, header: Int)) {
    self.init(start: Int32(clamping: raw.startLine), fields: Int32(clamping: raw.header))
  }

  func startLine(_ octets: MessageOctets) -> Int? { start >= 0 ? Int(start) : start == -1 ? octets.startLine : nil }
  func header(_ octets: MessageOctets) -> Int? { fields >= 0 ? Int(fields) : fields == -1 ? octets.header : nil }
}

/// One HTTP request or response as it was seen on the wire. Lengths are octets, times nanoseconds since the
/// Unix epoch; texts are handles into the run's `TextPool`.
public struct Message: Sendable {
  /// Number in the order of the first octets' delivery, from 1.
  public var number = 0
  /// Number of the exchange that it belongs to, from 1.
  public var exchange = 0
  /// Number of its connection, from 1.
  public var connection = 0
  /// Request, final response or interim response.
  public var kind = MessageKind.request
  /// Capture time of the earliest packet with octets of it.
  public var firstTime: Int64 = 0
  /// Capture time of the latest packet whose octets of it were new.
  public var lastTime: Int64 = 0
  /// The side that opened the connection.
  public var client = Endpoint(address: IPAddress(high: 0, low: 0), port: 0)
  /// The other side.
  public var server = Endpoint(address: IPAddress(high: 0, low: 0), port: 0)
  /// Whether the message was inside TLS that was opened (`https`).
  public var isSecure = false
  /// The request's method; a response has that of its request.
  public var method = TextID.none
  /// Lower-case host without default port; a response has that of its request.
  public var host = TextID.none
  /// Where `host` came from.
  public var hostSource = HostSource.unknown
  /// Path as sent, without the query; a response has that of its request.
  public var path = TextID.none
  /// Octets of the query, without the `?`; nil when there is no `?`. Requests only.
  public var queryLength: Int?
  /// Status code of a response, 0 for a request.
  public var status = 0
  /// Protocol version as sent, `HTTP/1.1`.
  public var version = TextID.none
  /// Content-Type field value.
  public var contentType = TextID.none
  /// Content-Encoding field values, combined.
  public var contentEncoding = TextID.none
  /// Transfer-Encoding field values, combined.
  public var transferEncoding = TextID.none
  /// Octets of the message.
  public var octets = MessageOctets()
  /// Octets of the content without its codings; nil when it could not be decoded, `flags` says why.
  public var decodedBody: Int?
  /// Payload octets sent again whose first copy belongs to this message.
  public var retransmitted = 0
  /// Network and transport octets charged to this message (MEASURES §2).
  public var overhead = 0
  /// What the TLS records charged to this message have beside the application's data (MEASURES §6).
  public var tls = 0
  /// Octets of this message that no packet holds, and that are in none of its other figures.
  public var missing = 0
  /// Octets of this message that are in a packet, and counted, but beyond the packet's snap length.
  public var unseen = 0
  /// How sure it is that the message belongs to its exchange; `exact` for a request.
  public var pairing = Pairing.exact
  /// How far the counts can be relied on.
  public var exactness = Exactness.exact
  /// Oddities.
  public var flags: MessageFlags = []
  /// Octets of HTTP/2 frames that are charged to this message and carry neither fields nor content of it (MEASURES §7).
  public var control = 0
  /// Those of its `ip_bytes` that went the other way: its receiver's acknowledgments and frames.
  public var returned = 0
  /// The mark of the request's target with its query; 0 where no table wants it.
  var target: UInt64 = 0
  /// Whether the server sent it: responses, pushed requests, and requests of a side that did not open the connection.
  public var isFromServer = false
  /// The stream that carried it (RFC 9113 §5.1.1); 0 for HTTP/1, which has none.
  public var stream: UInt32 = 0
  /// The process that it belongs to (`TextPool.process`); `TextID.none` when that is not known.
  public var process = TextID.none
  /// The path of the API that its totals are counted under: its path, or the template of it. Known when the message is final.
  public var apiPath = TextID.none
  /// Octets that its header section would have in the spelling of HTTP/1.1.
  var expanded = ExpandedLengths.asSent
  /// -1 for content that is no gRPC.
  private var grpcCount: Int32 = -1
  /// -1 when there is none.
  private var grpcCode: Int32 = -1

  /// An empty message.
  public init() {}

  /// `ip_bytes`: message, TLS, control, retransmitted and overhead octets.
  public var ipLength: Int { octets.total + tls + control + retransmitted + overhead }

  /// `ip_bytes` from the client and from the server.
  public var directions: Directional<Int> {
    isFromServer
      ? Directional(client: returned, server: ipLength - returned)
      : Directional(client: ipLength - returned, server: returned)
  }

  /// Octets of the start-line in the spelling of HTTP/1.1; nil when fields of it are not known.
  public var expandedStartLine: Int? { expanded.startLine(octets) }
  /// Octets of the header section in the spelling of HTTP/1.1; nil when fields of it are not known.
  public var expandedHeader: Int? { expanded.header(octets) }

  /// Messages of gRPC that were seen in the content; nil when it is no gRPC.
  public var grpcMessages: Int? {
    get { grpcCount < 0 ? nil : Int(grpcCount) }
    set { grpcCount = newValue.map { Int32(clamping: $0) } ?? -1 }
  }

  /// The status of the gRPC call, from `grpc-status`; nil without one.
  public var grpcStatus: Int? {
    get { grpcCode < 0 ? nil : Int(grpcCode) }
    set { grpcCode = newValue.map { Int32(clamping: $0) } ?? -1 }
  }
}
