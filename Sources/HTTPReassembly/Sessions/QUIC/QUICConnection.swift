import Packets

/// One connection of QUIC. Its Initial packets are opened (RFC 9000, RFC 9001); all other packets stay protected.
///
/// Side 0 sent the first captured datagram.
struct QUICConnection {
  /// The counts of one side so far.
  struct Flow {
    var packets = 0
    var ipLength = 0
    var payloadLength = 0
    /// The largest number of an opened Initial packet; -1 before the first.
    var largest = -1
    /// The numbers among the 64 up to `largest` that have come. Bit 0 is `largest` itself.
    var seen: UInt64 = 0
    var handshake = HandshakeOctets()
    var keys: InitialKeys?
    /// Whether its hello has been read, or cannot be.
    var hasHello = false
    /// The start of its next message in `handshake`.
    var messageStart = 0
  }

  let number: Int
  let opened: Int64
  private(set) var lastSeen: Int64
  let endpoints: Sides<Endpoint>
  private(set) var flows = Sides<Flow>(repeating: Flow())
  /// The side whose Initial packets the client's keys open.
  private(set) var client: Side?
  /// The facts from the hellos. Its texts are retained.
  private(set) var facts = ConnectionSecurity()
  private(set) var retransmitted = 0
  /// Octets of unopened packets.
  private var unopened = 0
  private var processes = ConnectionProcesses()
  private var hasSeveralProcesses = false
  /// The source of the keys: the client's first destination connection ID, or the ID from a Retry packet.
  private var keySource: QUICConnectionID?
  private var keyVersion: UInt32 = 0
  /// The version of the server's packets, else of the client's first one.
  private var version: UInt32 = 0
  private var hasRetried = false
  /// The number of keys that were made in vain. Each costs some microseconds.
  private var failures = 0
  static let failureLimit = 8

  init(number: Int, from source: Endpoint, to destination: Endpoint, at time: Int64) {
    self.number = number
    opened = time
    lastSeen = time
    endpoints = Sides(source, destination)
  }

  /// Octets of memory of the handshakes.
  var handshakeMemory: Int { flows.look(0) { $0.handshake.memory } + flows.look(1) { $0.handshake.memory } }

  /// Notes the capture time of a datagram.
  mutating func see(at time: Int64) { lastSeen = max(lastSeen, time) }

  /// Frees the keys and the handshakes, because there are too many connections.
  mutating func stopOpening() {
    for side in 0..<2 {
      flows[side].keys = nil
      flows[side].handshake = HandshakeOctets()
    }
    failures = Self.failureLimit
  }

  /// Notes the process of a datagram that `side` sent.
  mutating func note(_ mention: ProcessMention, from side: Side, _ texts: inout TextPool) {
    if processes.note(mention, from: side, &texts) { hasSeveralProcesses = true }
  }

  /// Notes the process of one end.
  mutating func note(_ mention: ProcessMention, ofEnd local: Endpoint, _ texts: inout TextPool) {
    note(mention, from: endpoints[1] == local ? 1 : 0, &texts)
  }

  /// The side that sent a datagram. Any address but the server's belongs to the client.
  func side(of datagram: UDPDatagram) -> Side {
    if let client { return datagram.source == endpoints[1 - client] ? 1 - client : client }
    return datagram.source == endpoints[1] ? 1 : 0
  }

  // MARK: Datagrams

  /// Takes a datagram.
  ///
  /// - Parameters:
  ///   - payload: Its captured octets.
  ///   - length: Its octets on the wire.
  ///   - overhead: Octets of its IP and UDP headers.
  ///   - side: The sender.
  ///   - room: Takes the frames of opened packets. It is at least as long as `payload`.
  ///   - handshakeLimit: The maximum number of assembled octets of one side's handshake.
  ///   - texts: Takes the texts of hellos.
  /// - Returns: The kinds of its octets, which add up to `length`.
  mutating func take(
    _ payload: RawSpan, length: Int, overhead: Int, from side: Side, room: inout [UInt8], handshakeLimit: Int,
    texts: inout TextPool
  ) -> QUICOctets {
    var found = QUICOctets()
    var offset = 0
    while offset < length {
      let rest = length - offset
      guard offset < payload.byteCount else {
        found.protected += rest
        break
      }
      guard payload.octet(offset) & 0x80 != 0 else {
        // A packet in short form ends with its datagram. Behind other packets, zeros are padding outside packets.
        if offset == 0 || payload.octet(offset) & 0x40 != 0 { found.protected += rest } else { found.packet += rest }
        break
      }
      guard let header = QUICPacketHeader(payload, at: offset, length: length) else {
        if offset == 0 { found.protected += rest } else { found.packet += rest }
        break
      }
      take(header, payload, from: side, &found, &room, handshakeLimit, &texts)
      offset = header.end
    }
    count(found, length: length, overhead: overhead, from: side)
    return found
  }

  private mutating func count(_ found: QUICOctets, length: Int, overhead: Int, from side: Side) {
    flows[side].packets += 1
    flows[side].ipLength += overhead + length
    flows[side].payloadLength += length
    retransmitted += found.retransmitted
    unopened += found.protected
    if found.protected > 0 { facts.opening = .no }
    facts.handshake += found.handshake
    // MEASURES §6: if a datagram contains only the handshake, its headers count as handshake.
    if found.handshake > 0, found.protected == 0 { facts.handshake += overhead }
  }

  private mutating func take(
    _ header: QUICPacketHeader, _ payload: RawSpan, from side: Side, _ found: inout QUICOctets, _ room: inout [UInt8],
    _ handshakeLimit: Int, _ texts: inout TextPool
  ) {
    let length = header.end - header.start
    if header.kind != .versionNegotiation, version == 0 || side != client { version = header.version }
    switch header.kind {
    case .versionNegotiation: found.packet += length
    case .retry:
      noteRetry(header, from: side)
      found.packet += length
    case .handshake, .zeroRTT: found.protected += length
    case .initial:
      guard header.end <= payload.byteCount, let packet = open(header, payload, from: side, &room) else {
        found.protected += length
        return
      }
      guard isNew(packet.number, from: side) else {
        found.retransmitted += length
        return
      }
      let frames = room.withOctets { InitialFrames($0.extracting(0..<packet.length)) }
      for piece in frames.handshake where !flows[side].hasHello {
        let isMore = room.withOctets {
          flows[side].handshake.take($0, piece.range, at: piece.position, limit: handshakeLimit)
        }
        if isMore { readHello(of: side, &texts) }
      }
      found.handshake += frames.handshakeLength
      found.packet += length - frames.handshakeLength
    }
  }

  /// Notes the ID that the server chose. It protects the next Initial packets of both sides (RFC 9001 §5.2).
  private mutating func noteRetry(_ header: QUICPacketHeader, from side: Side) {
    guard !hasRetried, side != client else { return }
    hasRetried = true
    keySource = header.sourceID
    for side in 0..<2 { flows[side].keys = nil }
  }

  /// Whether a packet with this number was not captured before.
  private mutating func isNew(_ number: Int, from side: Side) -> Bool {
    let largest = flows[side].largest
    if number > largest {
      let shift = number - largest
      flows[side].seen = shift < 64 && largest >= 0 ? flows[side].seen << UInt64(shift) | 1 : 1
      flows[side].largest = number
      return true
    }
    // Numbers far behind are not remembered, and count as new.
    guard largest - number < 64 else { return true }
    let bit: UInt64 = 1 << UInt64(largest - number)
    defer { flows[side].seen |= bit }
    return flows[side].seen & bit == 0
  }

  // MARK: Keys

  private mutating func open(
    _ header: QUICPacketHeader, _ payload: RawSpan, from side: Side, _ room: inout [UInt8]
  ) -> (number: Int, length: Int)? {
    if client != nil, let packet = open(header, payload, from: side, with: keySource, &room) { return packet }
    // The client's first packets contain the ID that they are protected with.
    guard client == nil || client == side else { return nil }
    guard let packet = open(header, payload, from: side, with: header.destinationID, &room) else { return nil }
    client = side
    return packet
  }

  /// Opens a packet with the keys made from an ID. The keys are kept if they open it.
  private mutating func open(
    _ header: QUICPacketHeader, _ payload: RawSpan, from side: Side, with source: QUICConnectionID?,
    _ room: inout [UInt8]
  ) -> (number: Int, length: Int)? {
    guard let source else { return nil }
    let largest = flows[side].largest
    if source == keySource, header.version == keyVersion, let keys = flows[side].keys {
      return keys.open(header, in: payload, after: largest, into: &room)
    }
    guard failures < Self.failureLimit, let version = QUICVersion(header.version) else { return nil }
    let isClient = client == nil || side == client
    guard let keys = InitialKeys(source, version, ofClient: isClient),
      let packet = keys.open(header, in: payload, after: largest, into: &room)
    else {
      failures += 1
      return nil
    }
    if source != keySource || header.version != keyVersion { flows[1 - side].keys = nil }
    keySource = source
    keyVersion = header.version
    flows[side].keys = keys
    return packet
  }

  // MARK: Handshake

  /// Reads the hello of a side when it is complete.
  private mutating func readHello(of side: Side, _ texts: inout TextPool) {
    let (start, known) = (flows[side].messageStart, flows[side].handshake.count)
    guard known >= start + 4 else { return }
    let isClient = side == client
    let (type, length) = flows[side].handshake.octets.withOctets {
      ($0.octet(start), Int($0.octet(start + 1)) << 16 | Int($0.bigEndian16(start + 2)))
    }
    guard type == (isClient ? HandshakeMessages.Kind.clientHello : HandshakeMessages.Kind.serverHello) else {
      return endHello(of: side)
    }
    let end = start + 4 + length
    guard known >= end else { return }
    let content = Array(flows[side].handshake.octets[start + 4..<end])
    if let hello = content.withOctets({ Hello($0, isClient: isClient) }) {
      if isClient { take(client: hello, content, &texts) } else { take(server: hello) }
      // After a HelloRetryRequest, both sides send another hello later in the same stream of octets.
      if !isClient, hello.isRetryRequest {
        flows[side].messageStart = end
        return readHello(of: side, &texts)
      }
    }
    endHello(of: side)
  }

  /// Ends the hello of a side. Later messages in Initial packets are ignored.
  private mutating func endHello(of side: Side) {
    flows[side].hasHello = true
    flows[side].handshake = HandshakeOctets()
  }

  private mutating func take(client hello: Hello, _ content: [UInt8], _ texts: inout TextPool) {
    if facts.serverName == .none, let name = hello.hostName(in: content) {
      facts.serverName = texts.intern(name)
      facts.isServerNamePublic = hello.extensions.contains(.encryptedClientHello)
    }
    // The server's choice is protected. QUIC requires a choice (RFC 9001 §8.1), so a single offer is the choice.
    let start = hello.protocolName.lowerBound
    if !hello.protocolName.isEmpty, facts.applicationProtocol == .none,
      content.withOctets({ Int($0.bigEndian16(start - 3)) }) == hello.protocolName.count + 1
    {
      facts.applicationProtocol = texts.intern(Array(content[hello.protocolName]))
    }
  }

  private mutating func take(server hello: Hello) {
    facts.version = hello.version
    facts.suite = hello.suite
    if !hello.isRetryRequest { facts.isResumed = hello.extensions.contains(.preSharedKey) }
  }

  // MARK: Row

  /// The connection's row in reports, which retains its texts.
  mutating func row(_ end: ConnectionEnd, _ texts: inout TextPool) -> Connection {
    // Servers listen on lower ports. If both ports are equal, the side seen first is the client.
    let client = client ?? (endpoints[0].port < endpoints[1].port ? 1 : 0)
    let (own, others) = (flows[client], flows[1 - client])
    var row = Connection()
    row.number = number
    row.client = endpoints[client]
    row.server = endpoints[1 - client]
    row.applicationProtocol = .quic
    row.opened = opened
    row.closed = lastSeen
    row.packets = Directional(client: own.packets, server: others.packets)
    row.ipLength = Directional(client: own.ipLength, server: others.ipLength)
    row.payloadLength = Directional(client: own.payloadLength, server: others.payloadLength)
    row.security = facts
    row.security?.mostUnopened = nil
    // QUIC has no older one (RFC 9001 §4.2).
    row.security?.version = 0x0304
    row.quicVersion = version
    row.unattributed = own.ipLength + others.ipLength - facts.handshake
    row.retransmitted = retransmitted
    row.unopened = unopened
    row.end = end
    if own.packets == 0 || others.packets == 0 { row.flags.insert(.oneSided) }
    if self.client == nil { row.flags.insert(.noHandshake) }
    if hasSeveralProcesses { row.flags.insert(.severalProcesses) }
    row.process = processes.settle(client: client, &texts)
    return row
  }
}

/// The kinds of octets of one or more datagrams (MEASURES §8).
struct QUICOctets {
  /// CRYPTO data.
  var handshake = 0
  /// Other octets of opened packets, packets without protection, and octets behind a datagram's last packet.
  var packet = 0
  /// Whole packets that were not opened.
  var protected = 0
  /// Whole packets that were captured before.
  var retransmitted = 0

  /// The sum of all kinds.
  var total: Int { handshake + packet + protected + retransmitted }
}
