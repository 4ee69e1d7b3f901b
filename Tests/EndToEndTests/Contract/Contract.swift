/// The columns that scripts rely on, as INTERFACE.md lists them.
enum Contract {
  static let messages = columns(
    """
    message, exchange, connection, type, first_time, last_time, client, server, scheme, method, host, host_source, path, \
    query_bytes, status, version, content_type, content_encoding, transfer_encoding, start_line_bytes, header_bytes, \
    body_bytes, framing_bytes, trailer_bytes, message_bytes, decoded_body_bytes, retransmitted_bytes, overhead_bytes, \
    ip_bytes, missing_bytes, exactness, flags, stream, tls_bytes, control_bytes, expanded_start_line_bytes, \
    expanded_header_bytes, unseen_bytes, pairing, api_path, grpc_messages, grpc_status, process, pid, app, \
    process_source, tunnel_bytes
    """)

  static let exchanges = columns(
    """
    exchange, connection, request, response, method, host, path, status, started, dns_ms, connect_ms, tls_ms, send_ms, \
    wait_ms, receive_ms, request_bytes, response_bytes, ip_bytes, stream, version, pairing, api_path, process, \
    tunnel_bytes, events
    """)

  static let apis = columns("host, path, \(figuresOfAPIs)")
  static let apisByMethod = columns("host, path, method, \(figuresOfAPIs)")

  static let connections = columns(
    """
    connection, client, server, protocol, opened, closed, client_packets, server_packets, client_ip_bytes, \
    server_ip_bytes, client_payload_bytes, server_payload_bytes, setup_bytes, teardown_bytes, unattributed_bytes, \
    retransmitted_bytes, missing_bytes, messages, end, flags, sni, alpn, tls_version, cipher_suite, tls_resumed, \
    tls_opened, handshake_bytes, tls_record_bytes, control_bytes, process, pid, app, process_source, \
    tls_plaintext_at_most_bytes, proxied_by, origin_client, origin_server, quic_version, mptcp
    """)

  static let ledger = columns("class, bytes")
  static let hosts = columns(
    """
    host, host_source, connections, http1_connections, http2_connections, tls_connections, quic_connections, \
    other_connections, reused_connections, resumed_connections, requests, reusing_requests, responses, up_bytes, \
    down_bytes, ip_bytes, start_line_bytes, header_bytes, body_bytes, framing_bytes, trailer_bytes, message_bytes, \
    tls_record_bytes, control_bytes, handshake_bytes, setup_bytes, teardown_bytes, retransmitted_bytes, \
    overhead_bytes, unopened_bytes, unattributed_bytes, tunnel_bytes, http1_exchanges, http1_bytes, http2_exchanges, \
    http2_bytes, http3_exchanges, http3_bytes, alt_svc, https_records, quic_unanswered, quic_refused, quic_raced
    """)
  static let timeline =
    columns("start, end, direction, packets, bytes") + classes.map { "\($0)_bytes" }
  static let steps =
    columns("step, label, start, end, packets, up_bytes, down_bytes, unknown_bytes, bytes")
    + classes.map { "\($0)_bytes" }
  static let contents = columns(
    """
    host, path, direction, contents, body_bytes, coded, coded_bytes, decoded_bytes, uncoded, uncoded_bytes, \
    gzip_estimate_bytes, repeated, repeated_bytes, not_modified, known_not_modified, saved_bytes
    """)
  static let fields = columns("host, path, direction, field, messages, bytes, expanded_bytes, repeated_bytes")
  static let webSockets = columns(
    """
    message, exchange, connection, direction, host, path, api_path, first_time, last_time, frames, messages, text, binary, \
    pings, pongs, frame_bytes, keepalive_bytes, payload_bytes, decoded_bytes, tunnel_bytes, missing_bytes, close_code, \
    exactness
    """)
  static let grpc = columns("row, exchange, message, direction, number, wire_bytes, decoded_bytes, compressed, time")
  static let anomalies = columns("name, count, first_time, first_connection, example")

  /// The classes of MEASURES.md, in its order.
  static let classes = columns(
    """
    link, encapsulation, network, transport, start_line, header, body, framing, trailer, stray, tunnel, tls, opaque, \
    retransmitted, out_of_window, udp, other_ip, non_ip, malformed, control, quic
    """)

  /// What follows the classes in ledger.csv.
  static let figuresOfLedger = columns(
    "total, original, difference, missing, packets, truncated_packets, dropped_packets")

  /// What was added behind these since, and stays.
  static let laterFiguresOfLedger = columns(
    """
    synthetic, tls_handshake, tls_application_data, tls_other, pending, tls_record, quic_handshake, quic_packet, \
    quic_protected
    """)

  /// The header row of a file.
  static func header(_ file: String) -> [String] {
    switch file {
    case "messages.csv": messages
    case "exchanges.csv": exchanges
    case "apis.csv": apis
    case "connections.csv": connections
    case "ledger.csv": ledger
    case "hosts.csv": hosts
    case "steps.csv": steps
    case "timeline.csv": timeline
    case "contents.csv": contents
    case "fields.csv": fields
    case "grpc.csv": grpc
    case "websockets.csv": webSockets
    default: anomalies
    }
  }

  private static let figuresOfAPIs = """
    requests, responses, request_start_line_bytes, request_header_bytes, request_body_bytes, request_framing_bytes, \
    request_trailer_bytes, request_bytes, request_ip_bytes, response_start_line_bytes, response_header_bytes, \
    response_body_bytes, response_framing_bytes, response_trailer_bytes, response_bytes, response_decoded_body_bytes, \
    response_ip_bytes, missing_bytes, status_4xx, status_5xx, wait_ms_p50, wait_ms_p95, request_tls_bytes, \
    response_tls_bytes, request_control_bytes, response_control_bytes, request_expanded_header_bytes, \
    response_expanded_header_bytes, inferred_bytes, aborted, request_tunnel_bytes, \
    response_tunnel_bytes
    """

  private static func columns(_ list: String) -> [String] {
    list.split(separator: ",").map { String($0.drop { $0 == " " }) }
  }
}
