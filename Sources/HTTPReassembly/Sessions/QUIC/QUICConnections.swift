import DequeModule
import Packets

/// The connections of QUIC, by addresses and by the servers' connection IDs (RFC 9000 §5.1). A client's address may change.
///
/// They come from datagrams of UDP. A packet in long form with a known version shows that a datagram is QUIC. All others
/// stay `udp`.
struct QUICConnections {
  private struct Deadline {
    var slot: Int
    /// The number of its connection. A later connection may be in its slot.
    var number: Int
    /// The capture time in nanoseconds after which the connection is checked for silence.
    var time: Int64
  }

  /// A connection with its keys in the table.
  private struct Known {
    var connection: QUICConnection
    var keys: [ConnectionKey]
    var ids: [QUICConnectionID]
  }

  private var entries = Slab<Known>()
  private var slots: [ConnectionKey: Int] = [:]
  private var slotsByID: [QUICConnectionID: Int] = [:]
  /// Deadlines in order of their times. Each is an earlier check plus a fixed duration.
  private var deadlines: Deque<Deadline> = []
  /// Connections that may still be opened, in order of arrival.
  private var opening: Deque<(slot: Int, number: Int)> = []
  /// Octets of memory of the handshakes.
  private var handshakeMemory = 0
  /// Memory for the frames of packets.
  private var room: [UInt8] = []

  /// The number of addresses of one connection. Each change of network or of a router's mapping gives a new one.
  static let addressLimit = 8
  /// The number of remembered connection IDs of one connection's server.
  static let idLimit = 4
  /// The minimum length of a connection ID that identifies a connection. Shorter ones occur by chance.
  private static let shortestID = 8

  /// The number of connections in the table.
  var count: Int { entries.count }

  /// The capture time after which the next connection may have been silent for too long.
  var nextDeadline: Int64? { deadlines.first?.time }

  /// Octets of the table's memory, about. Connections that are being opened need more.
  var memory: Int {
    entries.count * (MemoryLayout<Known>.stride + 320) + opening.count * 2 * InitialKeys.memory + handshakeMemory
  }

  // MARK: Datagrams

  /// Takes a datagram of QUIC. It was charged as `udp`; now its octets get their classes.
  ///
  /// Returns whether the datagram is QUIC.
  mutating func take(
    _ datagram: UDPDatagram, _ octets: RawSpan, at time: Int64, _ mention: ProcessMention, _ run: inout Run,
    _ finished: (Connection) -> Void
  ) -> Bool {
    let captured = min(datagram.capturedPayloadLength, max(octets.byteCount - datagram.payloadOffset, 0))
    guard captured > 0 else { return false }
    let payload = octets.extracting(datagram.payloadOffset..<datagram.payloadOffset + captured)
    let key = ConnectionKey(datagram.source, datagram.destination)
    var slot = slots[key]
    if let known = slot, isSilent(known, at: time, run.configuration) {
      finished(finish(known, .idle, &run.texts))
      slot = nil
    }
    if slot == nil { slot = slotByID(payload, key) }
    if let slot {
      receive(slot, datagram, payload, at: time, mention, &run)
      return true
    }
    // A matching header has a 32-bit version and consistent lengths. Any other datagram is not taken for QUIC.
    guard let header = QUICPacketHeader(payload, at: 0, length: datagram.payloadLength),
      header.kind != .versionNegotiation
    else { return false }
    while entries.count >= run.configuration.quicConnectionLimit, let oldest = deadlines.popFirst() {
      guard isThere(oldest.slot, oldest.number) else { continue }
      run.anomalies.note(.quicConnectionTableFull, connection: oldest.number)
      finished(finish(oldest.slot, .evicted, &run.texts))
    }
    receive(open(datagram, key, at: time, &run), datagram, payload, at: time, mention, &run)
    return true
  }

  /// The capture time when the connection between two endpoints began; nil without one.
  func opened(_ key: ConnectionKey) -> Int64? {
    slots[key].map { slot in entries.look(slot) { $0.connection.opened } }
  }

  /// Notes the process of one end of the connection between two endpoints, if there is one.
  mutating func note(
    _ mention: ProcessMention, ofEnd local: Endpoint, _ key: ConnectionKey, _ texts: inout TextPool
  ) {
    guard let slot = slots[key] else { return }
    entries[slot].connection.note(mention, ofEnd: local, &texts)
  }

  /// Whether a connection is still in its slot.
  private func isThere(_ slot: Int, _ number: Int) -> Bool {
    entries.contains(slot) && entries.look(slot) { $0.connection.number } == number
  }

  private func isSilent(_ slot: Int, at time: Int64, _ configuration: Configuration) -> Bool {
    time > entries.look(slot) { $0.connection.lastSeen }.addingSaturated(configuration.idleTimeout)
  }

  private mutating func open(_ datagram: UDPDatagram, _ key: ConnectionKey, at time: Int64, _ run: inout Run) -> Int {
    let number = run.nextConnection()
    let slot = entries.insert(
      Known(
        connection: QUICConnection(number: number, from: datagram.source, to: datagram.destination, at: time),
        keys: [key], ids: []))
    slots[key] = slot
    let deadline = max(time, run.clock).addingSaturated(run.configuration.idleTimeout)
    deadlines.append(Deadline(slot: slot, number: number, time: max(deadline, deadlines.last?.time ?? .min)))
    opening.append((slot, number))
    limitOpening(run.configuration)
    return slot
  }

  /// The slot of the connection that a datagram from a new address belongs to, by its destination ID.
  private mutating func slotByID(_ payload: RawSpan, _ key: ConnectionKey) -> Int? {
    guard !slotsByID.isEmpty else { return nil }
    var found: Int?
    if let header = QUICPacketHeader(payload, at: 0, length: payload.byteCount) {
      found = slotsByID[header.destinationID]
    } else if payload.octet(0) & 0xc0 == 0x40 {
      // Only the server knows the length of its IDs. Servers mostly use 8, 16, 18 or 20 octets, and no ID starts another.
      for count in Self.shortestID...QUICConnectionID.limit where found == nil && payload.byteCount > count + 20 {
        found = slotsByID[QUICConnectionID(payload, 1..<1 + count)]
      }
    }
    guard let found, entries.look(found, { $0.keys.count }) < Self.addressLimit else { return nil }
    entries[found].keys.append(key)
    slots[key] = found
    return found
  }

  private mutating func receive(
    _ slot: Int, _ datagram: UDPDatagram, _ payload: RawSpan, at time: Int64, _ mention: ProcessMention,
    _ run: inout Run
  ) {
    if room.count < payload.byteCount { room = Array(repeating: 0, count: max(payload.byteCount, 2048)) }
    let (memory, side, client) = entries.look(slot) {
      ($0.connection.handshakeMemory, $0.connection.side(of: datagram), $0.connection.client)
    }
    let found = entries[slot].connection.take(
      payload, length: datagram.payloadLength, overhead: datagram.networkLength + UDPDatagram.headerLength, from: side,
      room: &room, handshakeLimit: run.configuration.quicHandshakeLimit, texts: &run.texts)
    entries[slot].connection.see(at: time)
    if mention.process != .none { entries[slot].connection.note(mention, from: side, &run.texts) }
    handshakeMemory += entries.look(slot) { $0.connection.handshakeMemory } - memory
    if handshakeMemory > run.configuration.quicHandshakeTotalLimit { limitOpening(run.configuration) }
    if run.isDirected, let client = entries.look(slot, { $0.connection.client }) {
      run.packetDirection = side == client ? .up : .down
    }
    if let client, side != client { rememberID(slot, payload, datagram.payloadLength) }
    run.ledger.recharge(UDPDatagram.headerLength, from: .udp, to: .transport)
    run.ledger.recharge(datagram.payloadLength - found.retransmitted, from: .udp, to: .quic)
    run.ledger.recharge(found.retransmitted, from: .udp, to: .retransmitted)
    run.ledger.quicHandshake += found.handshake
    run.ledger.quicPacket += found.packet
    run.ledger.quicProtected += found.protected
  }

  /// Remembers the ID that the server chose for itself.
  private mutating func rememberID(_ slot: Int, _ payload: RawSpan, _ length: Int) {
    guard entries.look(slot, { $0.ids.count }) < Self.idLimit,
      let header = QUICPacketHeader(payload, at: 0, length: length), header.sourceID.count >= Self.shortestID,
      slotsByID[header.sourceID] == nil
    else { return }
    slotsByID[header.sourceID] = slot
    entries[slot].ids.append(header.sourceID)
  }

  /// Stops opening the oldest connections while too many are opened.
  private mutating func limitOpening(_ configuration: Configuration) {
    while opening.count > configuration.quicOpeningLimit || handshakeMemory > configuration.quicHandshakeTotalLimit,
      let oldest = opening.popFirst()
    {
      guard isThere(oldest.slot, oldest.number) else { continue }
      handshakeMemory -= entries.look(oldest.slot) { $0.connection.handshakeMemory }
      entries[oldest.slot].connection.stopOpening()
    }
  }

  // MARK: Ends

  /// Finishes the first connection that has been silent for too long at `time`; nil without one.
  ///
  /// Call it until it returns nil. The deadlines of all other connections are later then.
  mutating func finishSilent(
    before time: Int64, _ configuration: Configuration, _ texts: inout TextPool
  ) -> Connection? {
    while let first = deadlines.first, first.time < time {
      deadlines.removeFirst()
      guard isThere(first.slot, first.number) else { continue }
      if isSilent(first.slot, at: time, configuration) { return finish(first.slot, .idle, &texts) }
      deadlines.append(
        Deadline(
          slot: first.slot, number: first.number,
          time: max(first.time.addingSaturated(configuration.idleTimeout), deadlines.last?.time ?? .min)))
    }
    return nil
  }

  /// Removes a connection. Returns its row.
  private mutating func finish(_ slot: Int, _ end: ConnectionEnd, _ texts: inout TextPool) -> Connection {
    var entry = entries.remove(slot)
    for key in entry.keys { slots[key] = nil }
    for id in entry.ids { slotsByID[id] = nil }
    handshakeMemory -= entry.connection.handshakeMemory
    return entry.connection.row(end, &texts)
  }

  /// Removes all connections, in the order of their numbers. Returns their rows.
  mutating func finishAll(_ texts: inout TextPool) -> [Connection] {
    var rows: [Connection] = []
    for slot in entries.indices { rows.append(finish(slot, .captureEnd, &texts)) }
    self = QUICConnections()
    return rows.sorted { $0.number < $1.number }
  }
}
