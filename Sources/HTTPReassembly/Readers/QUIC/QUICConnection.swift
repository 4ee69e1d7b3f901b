import Packets

/// One connection of QUIC (RFC 9000, RFC 9001): its packets are opened as far as keys are known, and its streams are read.
///
/// ```
/// datagram ─► packets ─► opened ─► frames ─► QUICStreams ─► HTTP3Session
///                │ keys may come
///                └─► held, and read again after keys have come
/// ```
///
/// Side 0 sent the first captured datagram.
struct QUICConnection {
  /// The counts of one side so far.
  struct Flow {
    var packets = 0
    var ipLength = 0
    var payloadLength = 0
  }

  let number: Int
  let opened: Int64
  private(set) var lastSeen: Int64
  let endpoints: Sides<Endpoint>
  /// Further addresses of the server, which it may prefer (RFC 9000 §9.6).
  private var furtherServers: [Endpoint] = []
  private var flows = Sides<Flow>(repeating: Flow())
  /// The side whose Initial packets the client's keys open.
  var client: Side?
  /// The facts from the hellos. Its texts are retained.
  var facts = ConnectionSecurity()
  /// Whether packets of the application were opened, and whether others were not.
  var hasOpened = false
  var hasUnopened = false
  /// Whether a side has reset it without its keys (RFC 9000 §10.3).
  var isReset = false
  /// Whether the server negotiated another version, and no hello of it followed, or closed the connection during the handshake.
  var isRefused = false
  private var added = ConnectionContext.Added()
  private var retransmitted = 0
  /// Octets of unopened packets.
  private var unopened = 0
  private var processes = ConnectionProcesses()
  private var hasSeveralProcesses = false
  /// The version of the server's packets, else of the client's first one.
  var version: UInt32 = 0
  /// The duration of the handshake in nanoseconds, for the first exchange.
  @OptionalTime var handshakeDuration: Int64? = nil
  /// The duration of the name's lookup in nanoseconds.
  @OptionalTime private var lookupDuration: Int64? = nil
  /// Connection IDs that a side chose or gave up since they were last taken.
  var newIDs: [QUICConnectionID] = []
  var oldIDs: [QUICConnectionID] = []
  /// Whether there are such IDs.
  @inline(__always)
  var hasOtherIDs: Bool { !newIDs.isEmpty || !oldIDs.isEmpty }
  /// The state of opening; nil once it is given up.
  private(set) var opener: OwnMemory<QUICOpener>?
  /// The streams, from the first data of the application on.
  var streams: OwnMemory<QUICStreams>?

  /// The number of the server's addresses beside its first one.
  static let furtherServerLimit = 4

  init(number: Int, from source: Endpoint, to destination: Endpoint, at time: Int64, _ run: inout Run) {
    self.number = number
    opened = time
    lastSeen = time
    endpoints = Sides(source, destination)
    opener = OwnMemory(QUICOpener())
    lookupDuration = run.shared.names.takeLookup(of: destination.address, for: number)
  }

  /// The number of datagrams so far.
  @inline(__always)
  var datagrams: Int { flows[0].packets + flows[1].packets }

  /// Octets of memory of the state of opening, and of the packets that it holds.
  var openerMemory: Int { opener?.look { $0.memory } ?? 0 }

  /// Whether its streams are read.
  var isOpened: Bool { streams != nil }

  /// Notes the capture time of a datagram.
  mutating func see(at time: Int64) { lastSeen = max(lastSeen, time) }

  /// Notes the process of a datagram that `side` sent.
  mutating func note(_ mention: ProcessMention, from side: Side, _ texts: inout TextPool) {
    if processes.note(mention, from: side, &texts) { hasSeveralProcesses = true }
  }

  /// Notes the process of one end.
  mutating func note(_ mention: ProcessMention, ofEnd local: Endpoint, _ texts: inout TextPool) {
    note(mention, from: endpoints[1] == local ? 1 : 0, &texts)
  }

  /// The side that sent a datagram. Any address but the server's belongs to the client.
  @inline(__always)
  func side(of datagram: UDPDatagram) -> Side {
    guard let client else { return datagram.source == endpoints[1] ? 1 : 0 }
    let isServer = datagram.source == endpoints[1 - client] || furtherServers.contains(datagram.source)
    return isServer ? 1 - client : client
  }

  /// Notes that a datagram with one of the server's connection IDs goes to an address.
  mutating func noteServer(_ endpoint: Endpoint) {
    guard let client, endpoint != endpoints[1 - client], endpoint != endpoints[client],
      !furtherServers.contains(endpoint), furtherServers.count < Self.furtherServerLimit
    else { return }
    furtherServers.append(endpoint)
  }

  // MARK: The run's view of this connection

  /// Lends the run to `body`, with this connection as the current one.
  mutating func withRun<Result>(_ run: inout Run, _ body: (inout QUICConnection, inout Run) -> Result) -> Result {
    run.connection.number = number
    run.connection.endpoints = endpoints
    run.connection.client = client
    run.connection.directedClient = client
    run.connection.processes = processes
    run.connection.added = ConnectionContext.Added()
    let around = run.connection.beneath
    run.connection.beneath = ConnectionContext.Beneath()
    run.connection.beneath.isSecure = true
    run.connection.beneath.isNamePublic = facts.isServerNamePublic
    run.connection.beneath.serverName = facts.serverName
    run.connection.beneath.handshake = handshakeDuration
    defer {
      handshakeDuration = run.connection.beneath.handshake
      run.connection.beneath = around
      let new = run.connection.added
      added.unattributed += new.unattributed
      added.control += new.control
      added.missing += new.missing
      added.unseen += new.unseen
      added.messages += new.messages
      added.flags.formUnion(new.flags)
    }
    return body(&self, &run)
  }

  // MARK: Datagrams

  /// Takes a datagram, whose octets are pending: `length` of them on the wire, and `overhead` of its IP and UDP headers.
  ///
  /// `payload` are the captured ones. `room` is at least as long.
  mutating func take(
    _ payload: RawSpan, length: Int, overhead: Int, from side: Side, at time: Int64, _ room: inout PacketRoom,
    _ run: inout Run
  ) {
    lastSeen = max(lastSeen, time)
    flows[side].packets += 1
    flows[side].ipLength += overhead + length
    flows[side].payloadLength += length
    withRun(&run) { connection, run in
      let arrival = SegmentArrival(
        time: time, acknowledged: .unknown, segment: .unknown, ordinal: connection.datagrams, overhead: 0)
      var account = DatagramAccount(side: side, overhead: overhead, arrival: arrival)
      run.numbers.beginPacket()
      connection.read(payload, length: length, &account, &room, &run)
      if run.isDirected, connection.client != nil { run.turnPacket(to: side) }
      run.settle(UDPDatagram.headerLength, as: .transport, of: side)
      connection.settle(&account, &run)
      if connection.isHolding { connection.readHeld(isForced: false, &room, &run) }
      connection.streams?.value.giveUpOverdue(&run)
    }
  }

  /// Reads the packets of a datagram, or one of them that was held.
  private mutating func read(
    _ payload: RawSpan, length: Int, _ account: inout DatagramAccount, _ room: inout PacketRoom, _ run: inout Run
  ) {
    var offset = 0
    while offset < length {
      let rest = length - offset
      guard offset < payload.byteCount else {
        account.protected += rest
        hasUnopened = true
        return
      }
      guard payload.octet(offset) & 0x80 != 0 else {
        offset = readShort(payload, from: offset, length: length, &account, &room, &run)
        continue
      }
      guard let header = QUICPacketHeader(payload, at: offset, length: length, isKnown: version != 0) else {
        if offset == 0 { account.protected += rest } else { account.packet += rest }
        return
      }
      readLong(header, payload, &account, &room, &run)
      offset = header.end
      // A hello tells how to open packets that came before. They are read before the next packet, which may answer them.
      if isHolding, !account.hasWaited { readHeld(isForced: false, &room, &run) }
    }
  }

  private mutating func readLong(
    _ header: QUICPacketHeader, _ payload: RawSpan, _ account: inout DatagramAccount, _ room: inout PacketRoom,
    _ run: inout Run
  ) {
    let length = header.end - header.start
    let side = account.side
    if header.kind != .versionNegotiation, version == 0 || side != client { version = header.version }
    let level: QUICLevel
    switch header.kind {
    case .versionNegotiation:
      if let client, side != client, !(opener?.look { $0.hasServerHello } ?? false) { isRefused = true }
      account.packet += length
      return
    case .retry:
      noteRetry(header, from: side)
      account.packet += length
      return
    case .initial: level = .initial
    case .zeroRTT: level = .early
    case .handshake: level = .handshake
    }
    opener?.value.hasHandshake = true
    let place = PacketPlace(start: header.start, numberOffset: header.numberOffset, end: header.end, isLong: true)
    let packet =
      header.end > payload.byteCount
      ? .closed
      : level == .initial
        ? openInitial(header, place, payload, of: account, &room, &run)
        : open(level, header.version, place, payload, from: side, &room, &run)
    if case .opened = packet { noteIDs(header, level, from: side) }
    finish(packet, level, place, payload, length, &account, &room, &run)
  }

  /// Counts a packet, and reads its frames if it was opened.
  mutating func finish(
    _ packet: QUICOpening, _ level: QUICLevel, _ place: PacketPlace, _ payload: RawSpan, _ length: Int,
    _ account: inout DatagramAccount, _ room: inout PacketRoom, _ run: inout Run
  ) {
    switch packet {
    case .closed:
      account.protected += length
      if level.isApplication { hasUnopened = true }
    case .waits: hold(payload.extracting(place.start..<place.end), &account, &run)
    case .opened(let number, let count):
      guard let opener else { return }
      guard opener.value.sides[account.side].numbers[level.space].note(number) else {
        account.repeated += length
        return
      }
      if level.isApplication { hasOpened = true }
      readFrames(level, count, of: length, &account, &room, &run)
    }
  }

  // MARK: Account

  /// Gives the octets of a datagram their class, except those of streams, and charges it to its owner (MEASURES §8). It does not change the
  /// account, which would be copied if it were lent.
  private mutating func settle(_ account: inout DatagramAccount, _ run: inout Run) {
    let side = account.side
    run.settle(account.handshake + account.packet + account.protected, as: .quic, of: side)
    if account.repeated > 0 { run.settle(account.repeated, as: .retransmitted, of: side) }
    run.ledger.quicHandshake += account.handshake
    run.ledger.quicPacket += account.packet
    run.ledger.quicProtected += account.protected
    retransmitted += account.repeated + account.repeatedData
    unopened += account.protected
    facts.handshake += account.handshake
    facts.record += account.record
    run.connection.added.unattributed += account.packet - account.record + account.protected + account.repeated
    if let (stream, charge) = account.owner, let streams {
      var charge = charge
      charge.overhead = account.overhead
      charge.record = account.record
      return streams.value.application.charge(charge, stream, to: side, &run)
    }
    if account.message.isOpen(run.rows) {
      run.rows[message: account.message.row].overhead += account.overhead
      run.rows[message: account.message.row].tls += account.record
      return
    }
    run.connection.added.unattributed += account.record
    if account.acknowledges, let streams {
      streams.value.application.chargeAcknowledgment(account.overhead, to: 1 - side, &run)
    } else if account.handshake > 0, account.protected == 0 {
      // MEASURES §6: if a datagram contains only the handshake, its headers count as handshake.
      facts.handshake += account.overhead
    } else {
      run.connection.added.unattributed += account.overhead
    }
  }

  // MARK: Packets that wait

  /// Holds a packet until its keys have come. The datagram's headers stay with its first one.
  private mutating func hold(_ packet: RawSpan, _ account: inout DatagramAccount, _ run: inout Run) {
    guard let opener else { return }
    var held = QUICOpener.Held(side: account.side, octets: [], overhead: account.overhead, arrival: account.arrival)
    packet.append(0..<packet.byteCount, to: &held.octets)
    account.overhead = 0
    if opener.value.held.isEmpty { opener.value.heldSince = run.clock }
    opener.value.heldOctets += packet.byteCount
    run.shared.heldOctets += packet.byteCount
    opener.value.held.append(held)
  }

  /// Whether packets wait for keys.
  @inline(__always)
  var isHolding: Bool { opener?.look { !$0.held.isEmpty } ?? false }

  /// The capture time until which packets wait; nil when none does.
  func holdDeadline(_ patience: Int64) -> Int64? {
    guard isHolding, let opener else { return nil }
    return opener.value.heldSince.addingSaturated(patience)
  }

  /// Reads held packets again if keys may have come, or for good if they have waited for too long, or are too many.
  private mutating func readHeld(isForced: Bool, _ room: inout PacketRoom, _ run: inout Run) {
    guard isHolding, let opener else { return }
    var isForced = isForced
    if opener.value.heldOctets > run.configuration.secretHeldOctetLimit
      || opener.value.held.count > run.configuration.heldSegmentLimit
      || run.shared.heldOctets > run.configuration.secretHeldOctetTotalLimit
      || run.clock > opener.value.heldSince.addingSaturated(run.configuration.secretPatience)
    {
      isForced = true
    }
    if isForced { opener.value.hasGivenUp = true }
    var seen = isForced ? -1 : opener.value.triedProgress
    while isHolding, seen != opener.value.progress {
      seen = opener.value.progress
      let since = opener.value.heldSince
      var held: [QUICOpener.Held] = []
      swap(&held, &opener.value.held)
      run.shared.heldOctets -= opener.value.heldOctets
      opener.value.heldOctets = 0
      for packet in held {
        var account = DatagramAccount(
          side: packet.side, overhead: packet.overhead, arrival: packet.arrival, hasWaited: true)
        packet.octets.withOctets { read($0, length: $0.byteCount, &account, &room, &run) }
        settle(&account, &run)
      }
      opener.value.heldSince = since
    }
    opener.value.triedProgress = opener.value.progress
  }

  /// Tries held packets again after secrets have come, or gives them up.
  mutating func lookForSecrets(isForced: Bool, _ room: inout PacketRoom, _ run: inout Run) {
    withRun(&run) { connection, run in
      connection.opener?.value.progress += 1
      connection.readHeld(isForced: isForced, &room, &run)
    }
  }

  /// Gives up opening, because there are too many connections.
  mutating func stopOpening(_ room: inout PacketRoom, _ run: inout Run) {
    lookForSecrets(isForced: true, &room, &run)
    noteSecrets(run)
    opener = nil
  }

  // MARK: Row

  /// Ends the connection. Its rows are final. Returns its own row, which retains its texts.
  mutating func finish(_ end: ConnectionEnd, _ room: inout PacketRoom, _ run: inout Run) -> Connection {
    lookForSecrets(isForced: true, &room, &run)
    let known = withRun(&run) { connection, run in connection.streams?.value.close(isEvicted: end == .evicted, &run) }
    noteSecrets(run)
    opener = nil
    // Servers listen on lower ports. If both ports are equal, the side seen first is the client.
    let client = client ?? (endpoints[0].port < endpoints[1].port ? 1 : 0)
    let (own, others) = (flows[client], flows[1 - client])
    var row = Connection()
    row.number = number
    row.client = endpoints[client]
    row.server = endpoints[1 - client]
    row.applicationProtocol = .quic
    if let known, known.applicationProtocol != .other { row.applicationProtocol = known.applicationProtocol }
    row.opened = opened
    row.closed = lastSeen
    row.packets = Directional(client: own.packets, server: others.packets)
    row.ipLength = Directional(client: own.ipLength, server: others.ipLength)
    row.payloadLength = Directional(client: own.payloadLength, server: others.payloadLength)
    facts.opening = hasOpened ? (hasUnopened ? .partly : .yes) : unopened > 0 ? .no : .none
    if let nested = known?.security {
      facts.addCosts(of: nested)
      run.texts.release([nested.serverName, nested.applicationProtocol])
    }
    row.security = facts
    row.security?.mostUnopened = nil
    // QUIC has no older one (RFC 9001 §4.2).
    row.security?.version = 0x0304
    row.quicVersion = version
    row.unattributed = added.unattributed
    row.control = added.control
    row.missing = added.missing
    row.unseen = added.unseen
    row.messages = added.messages
    row.retransmitted = retransmitted
    row.unopened = unopened + (known?.unopened ?? 0)
    row.end = isReset ? .rst : end
    row.flags = added.flags
    if own.packets == 0 || others.packets == 0 { row.flags.insert(.oneSided) }
    if self.client == nil { row.flags.insert(.noHandshake) }
    if isRefused, !hasOpened { row.flags.insert(.quicRefused) }
    if hasSeveralProcesses { row.flags.insert(.severalProcesses) }
    row.process = processes.settle(client: client, &run.texts)
    return row
  }

  /// The streams, whose reading begins if it has not; nil if that is impossible.
  @inline(__always)
  mutating func openStreams(_ run: inout Run) -> OwnMemory<QUICStreams>? { streams ?? beginStreams(&run) }

  @inline(never)
  private mutating func beginStreams(_ run: inout Run) -> OwnMemory<QUICStreams>? {
    guard let opener, let client else { return nil }
    var name = opener.value.protocolName
    if name.isEmpty, opener.value.offersHTTP3 { name = Array("h3".utf8) }
    let opening = ConnectionOpening(connectDuration: nil, lookupDuration: lookupDuration, isSeen: true)
    let opened = OwnMemory(QUICStreams(QUICApplication(name, client: client, opening, &run), client: client))
    streams = opened
    return opened
  }
}
