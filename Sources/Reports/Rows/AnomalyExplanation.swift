import HTTPReassembly

/// An anomaly in words: the event, its meaning for the figures, and advice.
package struct AnomalyExplanation: Sendable {
  /// The event.
  package let event: String
  /// The meaning for the figures.
  package let meaning: String
  /// The advice.
  package let remedy: String

  /// The explanation of an anomaly.
  package init(_ anomaly: Anomaly) {
    let (event, effect) = Self.known[anomaly] ?? ("The input has an oddity of this name", .counted)
    self.event = event
    (meaning, remedy) = effect.words
  }

  /// All three in one line.
  package var text: String { "\(event). \(meaning) \(remedy)" }

  /// Whether an anomaly has words of its own.
  static func isKnown(_ anomaly: Anomaly) -> Bool { known[anomaly] != nil }

  /// The kinds of effects on the figures.
  private enum Effect {
    case none, order, stopped, counted, unread, checksum, lost, unended, cut, late, oneSided, malformed, limit, closed,
      coding, flood, framing, coarse, conflict

    var words: (meaning: String, remedy: String) {
      switch self {
      case .none: ("No figure is affected.", "There is nothing to do.")
      case .order:
        (
          "Packets that are a little late change no figure.",
          "Where bytes count as never captured, sort the packets by time: reordercap."
        )
      case .stopped: ("Later packets are in no row and no sum.", "Run it again to the end.")
      case .counted: ("The bytes are counted as they are; figures stay exact.", "Look at the sender if it is yours.")
      case .unread:
        (
          "The packet is counted, and its payload is in no row.",
          "Capture where packets are plain: at the app, or behind the tunnel."
        )
      case .checksum:
        (
          "Its bytes are counted, and are in no message.",
          "Where the sender's network card fills checksums in, leave out --verify-checksums."
        )
      case .lost:
        (
          "Rows over the gap are inferred or at_least; their bytes are lower bounds.",
          "Capture again with a larger buffer, or nearer to the app."
        )
      case .unended:
        (
          "Its row says at_least: the bytes that were seen.",
          "Where bytes are missing, capture with a larger buffer; where a side gave up, there is nothing to do."
        )
      case .cut: ("Headers beyond the cut are unknown, and rows there are incomplete.", "Capture whole packets: -s 0.")
      case .late: ("Messages before the start of the capture are in no row.", "Start the capture before the app.")
      case .oneSided: ("Only one direction has rows and bytes.", "Capture where both directions pass.")
      case .malformed:
        (
          "The rest of the packet or stream belongs to no message.",
          "Look at the first example: the sender is broken, or it is not HTTP."
        )
      case .limit:
        (
          "A limit was reached: sums stay exact, and later rows are counted together or left out.",
          "Split the capture, or use --filter or --template."
        )
      case .closed: ("These bytes are tls, and in no message.", "Pass the key log of this very run: --keys FILE.")
      case .coding:
        ("The decoded length is unknown; transferred bytes are exact.", "Look at the sender's Content-Encoding.")
      case .flood:
        (
          "The frames are control bytes of the connection; all are counted.",
          "Look at the sender: it is a bug, or an attack."
        )
      case .framing:
        (
          "Messages are cut by RFC 9112; another reader may cut them in another way.",
          "Repair the sender: requests are smuggled like this."
        )
      case .coarse: ("Sums stay exact; percentiles or intervals are coarser.", "Split the capture for finer ones.")
      case .conflict:
        (
          "The first copy counts as the data, the other as retransmitted.",
          "Look for injected packets, or a bad merge of captures."
        )
      }
    }
  }

  private static let known: [Anomaly: (String, Effect)] = [
    .unsupportedLinkType: ("The capture has a link type that is not read", .unread),
    .linkHeaderMalformed: ("A link header could not be read", .malformed),
    .linkPayloadEncrypted: ("A radio frame is encrypted", .unread),
    .linkChecksumBad: ("A frame has a wrong checksum", .counted),
    .linkFragmented: ("A frame is a fragment of the link layer", .unread),
    .linkHeaderMissing: ("IP packets have no link header, though the capture says Ethernet; they are read", .none),
    .packetCommentNotRead: ("A comment that names a process could not be read", .none),
    .packetDroppedBySystem: ("The capturing system says that it dropped a packet", .lost),
    .tunnelTooDeep: ("Tunnels are nested too deeply", .unread),
    .tunnelHeaderMalformed: ("The header of a tunnel could not be read", .malformed),
    .tunnelLengthOfSegment: ("A packet in a tunnel was captured before its network card cut it to segments", .none),
    .packetNotOpened: ("An IP packet lies behind a header that is not read", .unread),
    .ipHeaderMalformed: ("An IP header could not be read", .malformed),
    .ipLengthBeyondFrame: ("An IP packet claims more bytes than its frame has", .malformed),
    .ipHeaderNotCaptured: ("The snap length cuts an IP header", .cut),
    .ipv4ChecksumBad: ("An IPv4 header has a wrong checksum, as before a network card fills it in", .none),
    .ipTotalLengthZero: ("An IP packet has length 0, as with segmentation offload", .none),
    .ipv6ExtensionChainTooLong: ("An IPv6 packet has too many extension headers", .malformed),
    .fragmentMalformed: ("A fragment of an IP packet is malformed", .malformed),
    .fragmentOverlap: ("Fragments of an IP packet overlap", .counted),
    .fragmentConflict: ("Fragments overlap with different bytes", .conflict),
    .fragmentBeyondLimit: ("A packet of fragments is longer than IP allows", .malformed),
    .fragmentIncomplete: ("Fragments of a packet are missing", .lost),
    .fragmentTableFull: ("Too many packets of fragments are incomplete at once", .limit),
    .tcpHeaderMalformed: ("A TCP header could not be read", .malformed),
    .tcpHeaderNotCaptured: ("The snap length cuts a TCP header", .cut),
    .tcpChecksumBad: ("A TCP segment has a wrong checksum, and is left out", .checksum),
    .tcpNoHandshake: ("The capture has a connection without its start", .late),
    .tcpOneSided: ("The capture has one direction of a connection only", .oneSided),
    .tcpHole: ("Bytes of a connection were never captured", .lost),
    .tcpLateData: ("Bytes came after a gap had been given up", .lost),
    .tcpConflictingOverlap: ("Retransmitted bytes differ from the first copy", .conflict),
    .tcpDataAfterReset: ("Bytes came after a reset", .counted),
    .tcpDataBeyondFin: ("Bytes came beyond the end of a stream", .counted),
    .tcpDataOutOfWindow: ("Bytes are far outside of the receiver's window", .counted),
    .tcpResetOutOfWindow: ("A reset has a number that its receiver does not take, and is ignored", .counted),
    .tcpSynInConnection: ("A SYN came within a connection", .counted),
    .tcpPortReused: ("A new connection has the ports of an open one", .counted),
    .tcpSimultaneousOpen: ("Both sides opened a connection at once", .none),
    .tcpHoldLimit: ("Too many bytes wait behind a gap", .lost),
    .tcpMultipathNotFollowed: ("A connection moved on to other paths (Multipath TCP) that are not joined", .lost),
    .connectionTableFull: ("Too many connections are open at once", .limit),
    .connectionMemoryFull: ("Connections take all of their memory", .limit),
    .quicConnectionTableFull: ("Too many QUIC connections are open at once", .limit),
    .quicStreamsFull: ("Too many streams of a QUIC connection are open at once", .limit),
    .quicFrameUnknown: ("A QUIC frame could not be read, or has an unknown type", .malformed),
    .tlsRecordMalformed: ("A TLS record could not be read", .malformed),
    .tlsHandshakeMalformed: ("A TLS handshake message could not be read", .malformed),
    .tlsRecordNotVerified: ("A TLS record does not verify with its key", .closed),
    .tlsEarlyDataRefused: ("A server refused TLS early data", .closed),
    .tlsSuiteNotOpened: ("A connection uses a cipher suite that is not opened", .closed),
    .tlsKeysFull: ("There are more TLS secrets than are kept", .limit),
    .httpStartLineMalformed: ("A line where a message begins is not a start-line", .malformed),
    .httpResynchronized: ("Messages were found again after a gap or an error", .lost),
    .httpEmptyLineBeforeStart: ("An empty line precedes a request", .counted),
    .httpBareLineFeed: ("A line ends with LF alone", .counted),
    .httpObsoleteFold: ("A field goes on in the next line (obs-fold)", .counted),
    .httpFieldLineMalformed: ("A line of a header section is not a field", .counted),
    .httpSpaceBeforeColon: ("A field name has a space before its colon", .framing),
    .httpLineTooLong: ("A line is longer than is kept", .limit),
    .httpNonASCII: ("A field line has bytes beyond ASCII", .counted),
    .httpHostMissing: ("An HTTP/1.1 request has no Host field", .counted),
    .httpHostRepeated: ("A request has several Host fields", .framing),
    .httpContentLengthRepeated: ("Content-Length is there several times", .framing),
    .httpContentLengthConflicting: ("Content-Length has several values", .framing),
    .httpContentLengthInvalid: ("Content-Length is not a number", .framing),
    .httpContentLengthWithTransferEncoding: ("A message has Content-Length and Transfer-Encoding", .framing),
    .httpTransferEncodingUnknown: ("Transfer-Encoding has an unknown coding", .framing),
    .httpTransferEncodingInHTTP10: ("An HTTP/1.0 message has Transfer-Encoding", .framing),
    .httpTransferEncodingNotChunked: ("The last transfer coding is not chunked", .framing),
    .httpChunkSizeInvalid: ("A chunk's size is not a number", .malformed),
    .httpChunkNotTerminated: ("A chunk does not end with CRLF", .malformed),
    .httpVersionUnknown: ("A message has an unknown HTTP version", .counted),
    .httpVersion09: ("A request is HTTP/0.9", .counted),
    .httpMethodUnknown: ("A request has an unregistered method", .counted),
    .httpResponseWithoutRequest: ("A response has no request in the capture", .late),
    .httpRequestQueueFull: ("Too many requests wait for a response", .limit),
    .httpMessagesFull: ("Too many messages are in progress at once", .limit),
    .httpMessageIncomplete: ("A message has no end: a side gave up or closed, or it was not captured", .unended),
    .http2PrefaceMalformed: ("An HTTP/2 preface is malformed", .malformed),
    .http2FrameMalformed: ("An HTTP/2 frame is malformed", .malformed),
    .http2FrameTooLong: ("An HTTP/2 frame is longer than allowed", .counted),
    .http2FrameIncomplete: ("The end of an HTTP/2 frame was not seen", .lost),
    .http2PaddingMalformed: ("The padding of an HTTP/2 frame is malformed", .counted),
    .http2Resynchronized: ("HTTP/2 frames were found again after a gap", .lost),
    .http2StreamIdle: ("A frame belongs to a stream that was never opened", .counted),
    .http2StreamClosed: ("A frame belongs to a closed stream", .counted),
    .http2StreamsFull: ("Too many streams are open at once", .limit),
    .http2RapidReset: ("Many streams are reset right after their start", .flood),
    .http2SettingsFlood: ("There are very many SETTINGS frames", .flood),
    .http2PingFlood: ("There are very many PING frames", .flood),
    .http2EmptyFrameFlood: ("There are very many empty frames", .flood),
    .http2ContinuationFlood: ("There are very many CONTINUATION frames", .flood),
    .http2FieldBlockInterrupted: ("Another frame interrupts a field block", .malformed),
    .http2FieldBlockTooLong: ("A field block is longer than is kept", .limit),
    .http2PseudoFieldMissing: ("A request or response lacks a pseudo-header field", .counted),
    .http2TrailersWithoutEnd: ("Trailers do not end their stream", .counted),
    .hpackMalformed: ("A field block cannot be decoded (HPACK)", .malformed),
    .http3FrameMalformed: ("An HTTP/3 frame is malformed", .malformed),
    .http3FrameUnexpected: ("An HTTP/3 frame is on a stream where it may not be", .counted),
    .http3FrameIncomplete: ("The end of an HTTP/3 frame was not seen", .lost),
    .http3StreamsFull: ("Too many streams are open at once", .limit),
    .http3FieldSectionTooLong: ("A field section is longer than is kept", .limit),
    .http3FieldSectionsWaiting: ("Too much waits for fields of the dynamic table", .limit),
    .http3PseudoFieldMissing: ("A request or response lacks a pseudo-header field", .counted),
    .qpackMalformed: ("A field section cannot be decoded (QPACK)", .malformed),
    .webSocketFrameInvalid: ("A WebSocket has octets that are no frame", .counted),
    .grpcMessageMalformed: ("A gRPC message is malformed", .coding),
    .grpcMessagesFull: ("Too many messages of gRPC calls wait for their call's end", .limit),
    .contentCodingUnknown: ("A content has a coding that is not decoded", .coding),
    .contentCorrupt: ("A content does not decode", .coding),
    .contentTruncated: ("A coded content ends too early", .coding),
    .contentTrailingJunk: ("Bytes follow the end of a coded content", .coding),
    .contentBeyondLimit: ("A decoded content is longer than --decode-limit", .coding),
    .contentCodingsTooMany: ("A content has too many codings", .coding),
    .dnsMalformed: ("A DNS message could not be read", .counted),
    .apiTableFull: ("There are more APIs than are kept apart", .limit),
    .apiTextsFull: ("The names of APIs take all of their memory", .limit),
    .latenciesCoarsened: ("Waiting times take all of their memory", .coarse),
    .hostTableFull: ("There are more hosts than are kept apart", .limit),
    .timelineCoarsened: ("The timeline has longer intervals than asked for", .coarse),
    .contentTableFull: ("There are more contents than are known again", .limit),
    .fieldTableFull: ("There are more header fields than are kept apart", .limit),
    .groupTableFull: ("There are more groups than are kept apart", .limit),
    .reportFull: ("The reports reached --max-report", .limit),
    .timestampBackwards: ("A packet is older than the one before it, as with several queues of a network card", .order),
    .readingStopped: ("A signal stopped the reading before the end of the capture", .stopped),
  ]
}
