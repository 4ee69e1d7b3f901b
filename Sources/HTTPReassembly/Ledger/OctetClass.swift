/// The classes of the byte ledger. Every octet of every packet's original length falls in exactly one.
public enum OctetClass: Int, CaseIterable, Sendable {
  /// Link-layer header, VLAN tags, trailer and padding; pseudo-headers of capture tools.
  case link
  /// Outer headers of tunnels that were opened.
  case encapsulation
  /// IPv4 headers with options, IPv6 headers with extension headers, of every fragment.
  case network
  /// TCP headers with options.
  case transport
  /// Request-lines and status-lines with their terminators.
  case startLine
  /// Field lines with their terminators, and the empty line that ends the header section.
  case header
  /// Content as transferred: without chunk framing, with its content coding.
  case body
  /// Chunk-size lines, the CRLF after each chunk, the last-chunk, the CRLF that ends the trailer section.
  case framing
  /// Trailer field lines with their terminators.
  case trailer
  /// Octets of an HTTP stream that belong to no message.
  case stray
  /// Octets after a successful CONNECT or Upgrade.
  case tunnel
  /// TLS that carries no octet of a message.
  case tls
  /// TCP payload of a connection that is not HTTP.
  case opaque
  /// TCP payload octets whose sequence numbers were captured before.
  case retransmitted
  /// TCP payload that no receiver would take.
  case outOfWindow
  /// UDP headers and payload.
  case udp
  /// Payload of other transports over IP.
  case otherIP
  /// Whole packets that are not IP.
  case nonIP
  /// The rest of a packet from the first header that could not be decoded.
  case malformed
  /// HTTP/2 octets that belong to no message's fields or content: the preface, and whole frames that carry neither.
  case control
  /// QUIC that carries no octet of a message.
  case quic

  /// The number of classes.
  static let count = 21

  /// The class's name in reports.
  public var name: String {
    switch self {
    case .link: "link"
    case .encapsulation: "encapsulation"
    case .network: "network"
    case .transport: "transport"
    case .startLine: "start_line"
    case .header: "header"
    case .body: "body"
    case .framing: "framing"
    case .trailer: "trailer"
    case .stray: "stray"
    case .tunnel: "tunnel"
    case .tls: "tls"
    case .opaque: "opaque"
    case .retransmitted: "retransmitted"
    case .outOfWindow: "out_of_window"
    case .udp: "udp"
    case .otherIP: "other_ip"
    case .nonIP: "non_ip"
    case .malformed: "malformed"
    case .control: "control"
    case .quic: "quic"
    }
  }
}

/// The direction of octets within their connection.
public enum OctetDirection: Int, CaseIterable, Sendable {
  /// The client of the connection is not known, or there is no connection.
  case unknown
  /// From the client to the server.
  case up
  /// From the server to the client.
  case down

  /// The name in reports; `unknown` has none.
  public var name: String { "\(literal)" }

  /// The name as a static string.
  package var literal: StaticString {
    switch self {
    case .unknown: ""
    case .up: "up"
    case .down: "down"
    }
  }
}
