/// The account of every octet of every packet. All figures are octets unless they say otherwise.
public struct Ledger: Sendable, Equatable {
  /// Octets by class, in the order of `OctetClass`, once for each direction.
  private var octets: InlineArray<63, Int> = .init(repeating: 0)
  /// Where the octets of the current direction begin; new charges go there.
  private var base = 0

  /// Packets read.
  public internal(set) var packets = 0
  /// The sum of the packets' original lengths.
  public internal(set) var original = 0
  /// Packets whose captured length is below their original length.
  public internal(set) var truncatedPackets = 0
  /// Packets that were dropped, as the capture tool or the kernel says.
  public internal(set) var droppedPackets = 0
  /// Packets that are copies of others, with their original lengths; no other figure counts them. Nil if copies were not looked for.
  public internal(set) var copies: Copies?

  /// Packets that were captured more than once. The first capture of each is no copy.
  public struct Copies: Sendable, Equatable {
    /// The number of copies.
    public var packets = 0
    /// The sum of their original lengths in octets.
    public var octets = 0

    /// No copies.
    public init() {}
  }

  /// Octets of TCP streams that were not captured: gaps, and octets that the snap length cut off.
  public internal(set) var missing = 0
  /// Octets of class `link` that a capture tool invented; they were never on a wire.
  public internal(set) var synthetic = 0
  /// Octets of class `tls` in whole handshake and change_cipher_spec records.
  public internal(set) var tlsHandshake = 0
  /// Octets of class `tls` in whole application data records that were not opened.
  public internal(set) var tlsApplicationData = 0
  /// Octets of class `quic` in CRYPTO frames.
  public internal(set) var quicHandshake = 0
  /// Octets of class `quic` in opened packets and in packets that need no keys, without CRYPTO data.
  public internal(set) var quicPacket = 0
  /// Octets of class `quic` in packets that were not opened.
  public internal(set) var quicProtected = 0
  /// Octets of class `tls` in application data records that were opened, without the application's data.
  public internal(set) var tlsRecord = 0
  /// Octets of class `tunnel` in frame headers, masking keys and control frames of WebSocket (RFC 6455 §5.2).
  public internal(set) var webSocketFrame = 0
  /// Octets of class `tunnel` in payload of data frames of WebSocket, as sent.
  public internal(set) var webSocketPayload = 0
  /// Octets whose class is not known yet; 0 once the analysis is finished.
  public internal(set) var pending = 0

  package init() {}

  /// A ledger with these figures and nothing in any class.
  package init(
    packets: Int, original: Int, truncatedPackets: Int = 0, droppedPackets: Int = 0, missing: Int = 0,
    synthetic: Int = 0, tlsHandshake: Int = 0, tlsApplicationData: Int = 0, tlsRecord: Int = 0,
    quicHandshake: Int = 0, quicPacket: Int = 0, quicProtected: Int = 0, pending: Int = 0
  ) {
    self.packets = packets
    self.original = original
    self.truncatedPackets = truncatedPackets
    self.droppedPackets = droppedPackets
    self.missing = missing
    self.synthetic = synthetic
    self.tlsHandshake = tlsHandshake
    self.tlsApplicationData = tlsApplicationData
    self.quicHandshake = quicHandshake
    self.quicPacket = quicPacket
    self.quicProtected = quicProtected
    self.tlsRecord = tlsRecord
    self.pending = pending
  }

  /// Octets of one class.
  public subscript(_ octetClass: OctetClass) -> Int {
    let index = octetClass.rawValue
    // By its span: an inline array is copied whole when it is asked for an element by a computed index.
    let octets = octets.span
    return octets[index] + octets[index + OctetClass.count] + octets[index + 2 * OctetClass.count]
  }

  /// Octets of one class that were sent in one direction. Only a timeline needs directions (`Configuration.tables`): without one, all
  /// octets are `OctetDirection.unknown`.
  public subscript(_ octetClass: OctetClass, _ direction: OctetDirection) -> Int {
    octets.span[direction.rawValue * OctetClass.count + octetClass.rawValue]
  }

  /// Octets of class `tls` in no other subclass: alerts, and records of unknown kind.
  public var tlsOther: Int { self[.tls] - tlsHandshake - tlsApplicationData - tlsRecord }

  /// Octets of class `tunnel` that are not known to be WebSocket.
  public var tunnelOther: Int { self[.tunnel] - webSocketFrame - webSocketPayload }

  /// The sum of all classes.
  public var total: Int {
    var sum = 0
    let octets = octets.span
    for index in octets.indices { sum += octets[index] }
    return sum
  }

  /// `original` minus `total`. It is 0, or the program has a defect.
  public var difference: Int { original - total }

  /// Puts `count` octets into a class.
  @inline(__always)
  package mutating func charge(_ count: Int, to octetClass: OctetClass) {
    octets[base &+ octetClass.rawValue] += count
  }

  /// Sets the direction of the next charges.
  @inline(__always)
  mutating func turn(to direction: OctetDirection) { base = direction.rawValue &* OctetClass.count }

  /// Moves octets whose direction became known only after they were charged.
  @inline(__always)
  mutating func move(_ count: Int, of octetClass: OctetClass, to direction: OctetDirection) {
    octets[octetClass.rawValue] -= count
    octets[direction.rawValue * OctetClass.count + octetClass.rawValue] += count
  }

  /// Octets charged before the direction of their packet is known: headers, and all of QUIC.
  struct Early: Equatable {
    var (link, network, transport, encapsulation, quic, retransmitted) = (0, 0, 0, 0, 0, 0)

    /// Whether octets of classes were charged since then that few packets have.
    @inline(__always)
    func hasRareOctets(since other: Early) -> Bool {
      (encapsulation ^ other.encapsulation) | (quic ^ other.quic) | (retransmitted ^ other.retransmitted) != 0
    }
  }

  /// Octets that were charged early and have no known direction.
  @inline(__always)
  var early: Early {
    let octets = octets.span
    return Early(
      link: octets[OctetClass.link.rawValue], network: octets[OctetClass.network.rawValue],
      transport: octets[OctetClass.transport.rawValue], encapsulation: octets[OctetClass.encapsulation.rawValue],
      quic: octets[OctetClass.quic.rawValue], retransmitted: octets[OctetClass.retransmitted.rawValue])
  }

  /// Moves `count` octets from pending to their class.
  @inline(__always)
  mutating func settle(_ count: Int, as octetClass: OctetClass) {
    pending -= count
    octets[base &+ octetClass.rawValue] += count
  }

  /// Every figure in a fixed order, for saved partial analyses.
  var figures: [Int] {
    get {
      octets.indices.map { octets[$0] } + [
        packets, original, truncatedPackets, missing, synthetic, tlsHandshake, tlsApplicationData, tlsRecord,
        quicHandshake, quicPacket, quicProtected, webSocketFrame, webSocketPayload,
      ]
    }
    set {
      guard newValue.count == octets.count + 13 else { return }
      for index in octets.indices { octets[index] = newValue[index] }
      let rest = newValue[octets.count...]
      func figure(_ index: Int) -> Int { rest[rest.startIndex + index] }
      (packets, original, truncatedPackets, missing) = (figure(0), figure(1), figure(2), figure(3))
      (synthetic, tlsHandshake, tlsApplicationData) = (figure(4), figure(5), figure(6))
      (tlsRecord, quicHandshake, quicPacket, quicProtected) = (figure(7), figure(8), figure(9), figure(10))
      (webSocketFrame, webSocketPayload) = (figure(11), figure(12))
    }
  }

  /// Adds another ledger, which counts other packets.
  mutating func add(_ other: Ledger) {
    for index in octets.indices { octets[index] += other.octets[index] }
    packets += other.packets
    original += other.original
    truncatedPackets += other.truncatedPackets
    missing += other.missing
    synthetic += other.synthetic
    tlsHandshake += other.tlsHandshake
    tlsApplicationData += other.tlsApplicationData
    tlsRecord += other.tlsRecord
    quicHandshake += other.quicHandshake
    quicPacket += other.quicPacket
    quicProtected += other.quicProtected
    webSocketFrame += other.webSocketFrame
    webSocketPayload += other.webSocketPayload
    pending += other.pending
  }

  /// Moves octets whose class turned out to be another.
  package mutating func recharge(_ count: Int, from old: OctetClass, to new: OctetClass) {
    octets[base &+ old.rawValue] -= count
    octets[base &+ new.rawValue] += count
  }

  /// Whether every figure is the same; directions do not matter.
  public static func == (a: Ledger, b: Ledger) -> Bool {
    for octetClass in OctetClass.allCases where a[octetClass] != b[octetClass] { return false }
    return a.packets == b.packets && a.original == b.original && a.truncatedPackets == b.truncatedPackets
      && a.droppedPackets == b.droppedPackets && a.copies == b.copies && a.missing == b.missing
      && a.synthetic == b.synthetic
      && a.quicHandshake == b.quicHandshake && a.quicPacket == b.quicPacket && a.quicProtected == b.quicProtected
      && a.tlsHandshake == b.tlsHandshake && a.tlsApplicationData == b.tlsApplicationData && a.tlsRecord == b.tlsRecord
      && a.webSocketFrame == b.webSocketFrame && a.webSocketPayload == b.webSocketPayload
  }
}

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
