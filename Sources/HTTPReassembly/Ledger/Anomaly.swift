/// A named oddity of the input. The program counts it and goes on with the analysis; it is never an error of the program.
///
/// The raw value is the name in reports.
public enum Anomaly: String, CaseIterable, Sendable {
  // Link and internet layers
  case unsupportedLinkType = "unsupported_link_type"
  case linkHeaderMalformed = "link_header_malformed"
  case linkPayloadEncrypted = "link_payload_encrypted"
  case linkChecksumBad = "link_checksum_bad"
  case linkFragmented = "link_fragmented"
  case linkHeaderMissing = "link_header_missing"
  case packetCommentNotRead = "packet_comment_not_read"
  case packetDroppedBySystem = "packet_dropped_by_system"
  case tunnelTooDeep = "tunnel_too_deep"
  case tunnelHeaderMalformed = "tunnel_header_malformed"
  case tunnelLengthOfSegment = "tunnel_length_of_segment"
  case packetNotOpened = "packet_not_opened"
  case ipHeaderMalformed = "ip_header_malformed"
  case ipLengthBeyondFrame = "ip_length_beyond_frame"
  case ipHeaderNotCaptured = "ip_header_not_captured"
  case ipv4ChecksumBad = "ipv4_checksum_bad"
  case ipTotalLengthZero = "ip_total_length_zero"
  case ipv6ExtensionChainTooLong = "ipv6_extension_chain_too_long"
  case fragmentMalformed = "fragment_malformed"
  case fragmentOverlap = "fragment_overlap"
  case fragmentConflict = "fragment_conflict"
  case fragmentBeyondLimit = "fragment_beyond_limit"
  case fragmentIncomplete = "fragment_incomplete"
  case fragmentTableFull = "fragment_table_full"

  // Transport layer
  case tcpHeaderMalformed = "tcp_header_malformed"
  case tcpHeaderNotCaptured = "tcp_header_not_captured"
  case tcpChecksumBad = "tcp_checksum_bad"
  case tcpNoHandshake = "tcp_no_handshake"
  case tcpOneSided = "tcp_one_sided"
  case tcpHole = "tcp_hole"
  case tcpLateData = "tcp_late_data"
  case tcpConflictingOverlap = "tcp_conflicting_overlap"
  case tcpDataAfterReset = "tcp_data_after_reset"
  case tcpDataBeyondFin = "tcp_data_beyond_fin"
  case tcpDataOutOfWindow = "tcp_data_out_of_window"
  case tcpResetOutOfWindow = "tcp_reset_out_of_window"
  case tcpSynInConnection = "tcp_syn_in_connection"
  case tcpPortReused = "tcp_port_reused"
  case tcpSimultaneousOpen = "tcp_simultaneous_open"
  case tcpHoldLimit = "tcp_hold_limit"
  case tcpMultipathNotFollowed = "tcp_multipath_not_followed"
  case connectionTableFull = "connection_table_full"
  case connectionMemoryFull = "connection_memory_full"
  case quicConnectionTableFull = "quic_connection_table_full"
  case quicStreamsFull = "quic_streams_full"
  case quicFrameUnknown = "quic_frame_unknown"

  // TLS
  case tlsRecordMalformed = "tls_record_malformed"
  case tlsHandshakeMalformed = "tls_handshake_malformed"
  case tlsRecordNotVerified = "tls_record_not_verified"
  case tlsEarlyDataRefused = "tls_early_data_refused"
  case tlsSuiteNotOpened = "tls_suite_not_opened"
  case tlsKeysFull = "tls_keys_full"

  // HTTP
  case httpStartLineMalformed = "http_start_line_malformed"
  case httpResynchronized = "http_resynchronized"
  case httpEmptyLineBeforeStart = "http_empty_line_before_start"
  case httpBareLineFeed = "http_bare_lf"
  case httpObsoleteFold = "http_obs_fold"
  case httpFieldLineMalformed = "http_field_line_malformed"
  case httpSpaceBeforeColon = "http_space_before_colon"
  case httpLineTooLong = "http_line_too_long"
  case httpNonASCII = "http_non_ascii"
  case httpHostMissing = "http_host_missing"
  case httpHostRepeated = "http_host_repeated"
  case httpContentLengthRepeated = "http_content_length_repeated"
  case httpContentLengthConflicting = "http_content_length_conflicting"
  case httpContentLengthInvalid = "http_content_length_invalid"
  case httpContentLengthWithTransferEncoding = "http_content_length_with_transfer_encoding"
  case httpTransferEncodingUnknown = "http_transfer_encoding_unknown"
  case httpTransferEncodingInHTTP10 = "http_transfer_encoding_in_http_1_0"
  case httpTransferEncodingNotChunked = "http_transfer_encoding_not_chunked"
  case httpChunkSizeInvalid = "http_chunk_size_invalid"
  case httpChunkNotTerminated = "http_chunk_not_terminated"
  case httpVersionUnknown = "http_version_unknown"
  case httpVersion09 = "http_0_9"
  case httpMethodUnknown = "http_method_unknown"
  case httpResponseWithoutRequest = "http_response_without_request"
  case httpRequestQueueFull = "http_request_queue_full"
  case httpMessagesFull = "http_messages_full"
  case httpMessageIncomplete = "http_message_incomplete"

  // HTTP/2
  case http2PrefaceMalformed = "http2_preface_malformed"
  case http2FrameMalformed = "http2_frame_malformed"
  case http2FrameTooLong = "http2_frame_too_long"
  case http2FrameIncomplete = "http2_frame_incomplete"
  case http2PaddingMalformed = "http2_padding_malformed"
  case http2Resynchronized = "http2_resynchronized"
  case http2StreamIdle = "http2_stream_idle"
  case http2StreamClosed = "http2_stream_closed"
  case http2StreamsFull = "http2_streams_full"
  case http2RapidReset = "http2_rapid_reset"
  case http2SettingsFlood = "http2_settings_flood"
  case http2PingFlood = "http2_ping_flood"
  case http2EmptyFrameFlood = "http2_empty_frame_flood"
  case http2ContinuationFlood = "http2_continuation_flood"
  case http2FieldBlockInterrupted = "http2_field_block_interrupted"
  case http2FieldBlockTooLong = "http2_field_block_too_long"
  case http2PseudoFieldMissing = "http2_pseudo_field_missing"
  case http2TrailersWithoutEnd = "http2_trailers_without_end"
  case hpackMalformed = "hpack_malformed"

  // HTTP/3
  case http3FrameMalformed = "http3_frame_malformed"
  case http3FrameUnexpected = "http3_frame_unexpected"
  case http3FrameIncomplete = "http3_frame_incomplete"
  case http3StreamsFull = "http3_streams_full"
  case http3FieldSectionTooLong = "http3_field_section_too_long"
  case http3FieldSectionsWaiting = "http3_field_sections_waiting"
  case http3PseudoFieldMissing = "http3_pseudo_field_missing"
  case qpackMalformed = "qpack_malformed"

  // WebSocket
  case webSocketFrameInvalid = "websocket_frame_invalid"

  // gRPC
  case grpcMessageMalformed = "grpc_message_malformed"
  case grpcMessagesFull = "grpc_messages_full"

  // Content
  case contentCodingUnknown = "content_coding_unknown"
  case contentCorrupt = "content_corrupt"
  case contentTruncated = "content_truncated"
  case contentTrailingJunk = "content_trailing_junk"
  case contentBeyondLimit = "content_beyond_limit"
  case contentCodingsTooMany = "content_codings_too_many"

  // Names and tables
  case dnsMalformed = "dns_malformed"
  case apiTableFull = "api_table_full"
  case apiTextsFull = "api_texts_full"
  case latenciesCoarsened = "latencies_coarsened"
  case hostTableFull = "host_table_full"
  case timelineCoarsened = "timeline_coarsened"
  case contentTableFull = "content_table_full"
  case fieldTableFull = "field_table_full"
  case groupTableFull = "group_table_full"
  case reportFull = "report_full"

  // Input
  case timestampBackwards = "timestamp_backwards"
  case readingStopped = "reading_stopped"
}

/// How often an anomaly was seen, and where it was seen first.
public struct AnomalyCount: Sendable, Equatable {
  /// Times seen, at least 1.
  public var count: Int
  /// Capture time of the first occurrence, in nanoseconds since the Unix epoch.
  public var firstTime: Int64
  /// Number of the connection of the first occurrence; 0 if it had none.
  public var firstConnection: Int
  /// A few octets that show the first occurrence, as they were on the wire. They are hostile, so escape them.
  public var example: [UInt8]
}

/// The anomalies of a run.
public struct AnomalyLog: Sendable, Equatable {
  /// The longest example kept, in octets: enough to recognize a line, too few to leak a document.
  package static let exampleLimit = 96

  private var counts: [AnomalyCount?] = Array(repeating: nil, count: Anomaly.allCases.count)
  private static let positions = Dictionary(
    uniqueKeysWithValues: Anomaly.allCases.enumerated().map { ($1, $0) })

  /// Capture time of anomalies noted from now on.
  package var now: Int64 = 0
  /// The number of occurrences, all anomalies together.
  private(set) var noted = 0

  package init() {}

  /// Counts one occurrence.
  package mutating func note(_ anomaly: Anomaly, connection: Int = 0) {
    guard let position = Self.positions[anomaly] else { return }
    if counts[position] == nil {
      counts[position] = AnomalyCount(count: 0, firstTime: now, firstConnection: connection, example: [])
    }
    counts[position]?.count += 1
    noted &+= 1
  }

  /// Adds counts that were made elsewhere.
  mutating func add(_ anomaly: Anomaly, _ others: AnomalyCount) {
    guard let position = Self.positions[anomaly] else { return }
    noted &+= others.count
    if counts[position] != nil { counts[position]?.count += others.count } else { counts[position] = others }
  }

  /// Counts one occurrence, and keeps the start of `example` if it is the first of this anomaly.
  package mutating func note(_ anomaly: Anomaly, connection: Int = 0, example: RawSpan) {
    note(anomaly, connection: connection)
    guard let position = Self.positions[anomaly], var first = counts[position], first.count == 1 else { return }
    example.append(0..<min(example.byteCount, Self.exampleLimit), to: &first.example)
    counts[position] = first
  }

  /// Sets the count of an anomaly (at least 1), and the time and connection of its first occurrence.
  package mutating func set(_ anomaly: Anomaly, count: Int, firstTime: Int64, firstConnection: Int) {
    guard let position = Self.positions[anomaly] else { return }
    counts[position] = AnomalyCount(
      count: count, firstTime: firstTime, firstConnection: firstConnection, example: [])
  }

  /// Every anomaly that was seen, in the order of `Anomaly`.
  public var all: [(anomaly: Anomaly, count: AnomalyCount)] {
    zip(Anomaly.allCases, counts).compactMap { anomaly, count in count.map { (anomaly, $0) } }
  }

  /// The number of times an anomaly was seen.
  public subscript(_ anomaly: Anomaly) -> Int {
    Self.positions[anomaly].flatMap { counts[$0]?.count } ?? 0
  }
}
