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
    /// The capture time in nanoseconds after which the connection is checked.
    var time: Int64
  }

  /// A connection with its keys in the table.
  private struct Known {
    var connection: QUICConnection
    var keys: [ConnectionKey]
    var ids: [QUICConnectionID]
    /// Octets of memory of its state of opening, as counted.
    var openerMemory = 0
    /// Whether it is among those that wait for secrets.
    var isWaiting = false
  }

  /// Further connections between the same endpoints.
  private struct Shared {
    /// Oldest first. IDs tell them apart.
    var slots: [Int] = []
    /// Keys that may still be tried in vain for datagrams without a known ID.
    var trials = Allowance(QUICConnections.trialReserve)
  }

  private var entries = Slab<Known>()
  /// The latest connection between two endpoints.
  private var slots: [ConnectionKey: Int] = [:]
  /// The one that was last looked up in `slots`. Most datagrams belong to the connection of the datagram before.
  private var found: (key: ConnectionKey, slot: Int)?
  private var others: [ConnectionKey: Shared] = [:]
  private var slotsByID: [QUICConnectionID: Int] = [:]
  /// Deadlines in order of their times. Each is an earlier check plus a fixed duration.
  private var deadlines: Deque<Deadline> = []
  /// Connections that may still be opened, in order of arrival.
  private var opening: Deque<(slot: Int, number: Int)> = []
  /// Connections with packets that wait for keys, in the order of their deadlines.
  private var waiting: Deque<Deadline> = []
  /// Octets of memory of the states of opening.
  private var openerMemory = 0
  /// Memory for opened packets.
  private var room = PacketRoom()

  /// The number of addresses of one connection. Each change of network or of a router's mapping gives a new one.
  static let addressLimit = 8
  /// The number of further connections between the same endpoints. Clients with one socket for all have a few.
  static let sharedLimit = 31
  /// The number of them by whose keys a datagram without an ID is tried.
  private static let trialLimit = 8
  /// Keys that may be tried in vain for datagrams between the same endpoints. Each datagram allows one more, and one for each hundred octets.
  static let trialReserve = 64
  /// The minimum length of a connection ID that identifies a connection. Shorter ones occur by chance.
  private static let shortestID = 8

  /// The number of connections in the table.
  var count: Int { entries.count }

  /// The capture time after which the next connection may have been silent for too long, or its packets have waited for too long.
  var nextDeadline: Int64? {
    guard let check = deadlines.first?.time else { return waiting.first?.time }
    return min(check, waiting.first?.time ?? .max)
  }

  /// Octets of the table's memory, about.
  var memory: Int { entries.count * (MemoryLayout<Known>.stride + 320) + openerMemory }

  // MARK: Datagrams

  /// Takes a datagram if it is QUIC. Its octets are pending.
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
    var slot = slot(of: key)
    var isNew = false
    if var known = slot {
      var isCertain = false
      if !others.isEmpty { (known, isCertain) = select(known, datagram, payload, key, &run) }
      slot = known
      if isSilent(known, at: time, run.configuration.idleTimeout) {
        finished(finish(known, .idle, &run))
        slot = nil
      } else if !isCertain, isAnother(than: known, datagram, payload) {
        slot = nil
        isNew = true
      }
    }
    if slot == nil, !isNew { slot = slotByID(datagram, payload, key) }
    if let slot {
      receive(slot, datagram, payload, at: time, mention, &run)
      return true
    }
    // A matching header has a 32-bit version and consistent lengths. Any other datagram is not taken for QUIC.
    guard let header = QUICPacketHeader(payload, at: 0, length: datagram.payloadLength),
      header.kind != .versionNegotiation
    else { return false }
    while entries.count >= run.configuration.quicConnectionLimit, let row = finishOldest(&run) {
      run.anomalies.note(.quicConnectionTableFull, connection: row.number)
      finished(row)
    }
    while others[key]?.slots.count ?? 0 >= Self.sharedLimit, let oldest = others[key]?.slots.first {
      run.anomalies.note(.quicConnectionTableFull, connection: entries.look(oldest) { $0.connection.number })
      finished(finish(oldest, .evicted, &run))
    }
    receive(open(datagram, key, at: time, &run), datagram, payload, at: time, mention, &run)
    return true
  }

  /// The slot of the connection that was looked up last, if a datagram surely belongs to it: its packet has the short form, and no other
  /// connection shares the endpoints.
  @inline(__always)
  func next(_ datagram: UDPDatagram, _ octets: RawSpan, at time: Int64, idleTimeout: Int64) -> Int? {
    guard let found, others.isEmpty, datagram.capturedPayloadLength > 0,
      octets.octet(datagram.payloadOffset) & 0x80 == 0,
      found.key == ConnectionKey(datagram.source, datagram.destination),
      !isSilent(found.slot, at: time, idleTimeout)
    else { return nil }
    return found.slot
  }

  /// Takes a datagram of the connection in a slot, as `next` has found it. Its octets are pending.
  @inline(__always)
  mutating func takeNext(
    _ slot: Int, _ datagram: UDPDatagram, _ octets: RawSpan, at time: Int64, _ mention: ProcessMention,
    _ run: inout Run
  ) {
    receive(slot, datagram, octets.extracting(datagram.payload(in: octets)), at: time, mention, &run)
  }

  /// The slot of the latest connection between two endpoints.
  @inline(__always)
  private mutating func slot(of key: ConnectionKey) -> Int? {
    if let found, found.key == key { return found.slot }
    guard let slot = slots[key] else { return nil }
    found = (key, slot)
    return slot
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
    for other in others.isEmpty ? [] : others[key]?.slots ?? [] {
      entries[other].connection.note(mention, ofEnd: local, &texts)
    }
  }

  /// Whether a connection is still in its slot.
  private func isThere(_ slot: Int, _ number: Int) -> Bool {
    entries.contains(slot) && entries.look(slot) { $0.connection.number } == number
  }

  @inline(__always)
  private func isSilent(_ slot: Int, at time: Int64, _ idleTimeout: Int64) -> Bool {
    time > entries.look(slot) { $0.connection.lastSeen }.addingSaturated(idleTimeout)
  }

  /// Whether a datagram between the endpoints of a connection begins another one.
  private mutating func isAnother(than slot: Int, _ datagram: UDPDatagram, _ payload: RawSpan) -> Bool {
    guard payload.octet(0) & 0x80 != 0,
      let header = QUICPacketHeader(payload, at: 0, length: datagram.payloadLength, isKnown: true)
    else { return false }
    room.reserve(payload.byteCount)
    let side = entries.look(slot) { $0.connection.side(of: datagram) }
    return entries[slot].connection.isAnother(header, payload, from: side, &room)
  }

  private mutating func open(_ datagram: UDPDatagram, _ key: ConnectionKey, at time: Int64, _ run: inout Run) -> Int {
    let number = run.numbers.nextConnection()
    let slot = entries.insert(
      Known(
        connection: QUICConnection(
          number: number, from: datagram.source, to: datagram.destination, at: time, &run),
        keys: [key], ids: []))
    found = nil
    if let older = slots.updateValue(slot, forKey: key) { others[key, default: Shared()].slots.append(older) }
    let deadline = max(time, run.clock).addingSaturated(run.configuration.idleTimeout)
    deadlines.append(Deadline(slot: slot, number: number, time: max(deadline, deadlines.last?.time ?? .min)))
    opening.append((slot, number))
    return slot
  }

  /// The slot of the connection that a datagram belongs to, where endpoints share several, and whether its IDs tell so.
  ///
  /// Without IDs the keys tell. Without either it is the latest connection that may be meant.
  private mutating func select(
    _ latest: Int, _ datagram: UDPDatagram, _ payload: RawSpan, _ key: ConnectionKey, _ run: inout Run
  ) -> (slot: Int, isCertain: Bool) {
    let length = datagram.payloadLength
    let header = QUICPacketHeader(payload, at: 0, length: length, isKnown: true)
    let newestFirst = [latest] + (others[key]?.slots ?? []).reversed()
    var possible: Int?
    for slot in newestFirst {
      switch entries.look(slot, { $0.connection.fit(header, payload, from: $0.connection.side(of: datagram)) }) {
      case .certain: return (slot, true)
      case .possible: possible = possible ?? slot
      case .unknown: break
      }
    }
    // All connections of a client's socket may move to another address.
    if let moved = slotByID(datagram, payload, key) { return (moved, true) }
    guard newestFirst.count > 1, mayTry(payload.byteCount, key) else { return (possible ?? latest, false) }
    room.reserve(payload.byteCount)
    for slot in newestFirst.prefix(1 + Self.trialLimit) {
      let side = entries.look(slot) { $0.connection.side(of: datagram) }
      if entries[slot].connection.opens(header, payload, length: length, from: side, &room, &run) {
        return (slot, true)
      }
      others[key]?.trials.pay(1)
    }
    return (possible ?? latest, false)
  }

  /// Whether keys may be tried for a datagram of `length` octets between endpoints that several connections share.
  private mutating func mayTry(_ length: Int, _ key: ConnectionKey) -> Bool {
    others[key]?.trials.earn(1 + length / 100, most: Self.trialReserve)
    return others[key]?.trials.left ?? 0 > 0
  }

  /// The slot of the connection that a datagram from a new address belongs to, by its destination ID.
  private mutating func slotByID(_ datagram: UDPDatagram, _ payload: RawSpan, _ key: ConnectionKey) -> Int? {
    guard !slotsByID.isEmpty else { return nil }
    var (found, id): (Int?, QUICConnectionID?)
    if let header = QUICPacketHeader(payload, at: 0, length: payload.byteCount) {
      id = header.destinationID
      // A client makes its first destination up. No packet of a server has the long form on another path.
      found = slotsByID[header.destinationID].flatMap { slot in
        entries.look(slot) { $0.connection.isClient(header.destinationID) } ? nil : slot
      }
    } else if payload.octet(0) & 0x80 == 0 {
      // Only its owner knows the length of an ID. Most have 8, 16, 18 or 20 octets, and no ID starts another.
      for count in Self.shortestID...QUICConnectionID.limit where found == nil && payload.byteCount > count + 20 {
        let start = QUICConnectionID(payload, 1..<1 + count)
        (id, found) = (start, slotsByID[start])
      }
    }
    guard let found, let id else { return nil }
    if entries.look(found, { $0.keys.contains(key) }) { return found }
    guard entries.look(found, { $0.keys.count }) < Self.addressLimit else { return nil }
    entries[found].keys.append(key)
    let isToClient = entries.look(found) { $0.connection.isClient(id) }
    entries[found].connection.noteServer(isToClient ? datagram.source : datagram.destination)
    self.found = nil
    if slots[key] == nil { slots[key] = found } else { others[key, default: Shared()].slots.append(found) }
    return found
  }

  private mutating func receive(
    _ slot: Int, _ datagram: UDPDatagram, _ payload: RawSpan, at time: Int64, _ mention: ProcessMention,
    _ run: inout Run
  ) {
    room.reserve(payload.byteCount)
    room.trialOctets.earn(payload.byteCount, most: PacketRoom.trialOctetLimit)
    let side = entries.look(slot) { $0.connection.side(of: datagram) }
    if mention.process != .none { entries[slot].connection.note(mention, from: side, &run.texts) }
    entries[slot].connection.take(
      payload, length: datagram.payloadLength, overhead: datagram.networkLength + UDPDatagram.headerLength, from: side,
      at: time, &room, &run)
    let (hasOtherIDs, mayWait) = entries.look(slot) {
      ($0.connection.hasOtherIDs, $0.isWaiting || $0.connection.isHolding)
    }
    if hasOtherIDs { rememberIDs(slot) }
    // Packets in short form seldom change it.
    let isCounted =
      payload.octet(0) & 0x80 == 0
      && entries.look(slot) { !$0.connection.isHolding && $0.connection.datagrams % 64 > 0 }
    if !isCounted { countMemory(slot) }
    if mayWait { noteWaiting(slot, run) }
    if opening.count > run.configuration.quicOpeningLimit || openerMemory > run.configuration.quicOpeningOctetLimit {
      limitOpening(&run)
    }
  }

  private mutating func countMemory(_ slot: Int) {
    let memory = entries.look(slot) { $0.connection.openerMemory }
    openerMemory += memory - entries.look(slot) { $0.openerMemory }
    entries[slot].openerMemory = memory
  }

  /// Remembers the IDs that both sides chose for themselves, and forgets those that were retired. The packets of either side may be the first
  /// ones on another path.
  private mutating func rememberIDs(_ slot: Int) {
    for id in entries[slot].connection.newIDs where id.count >= Self.shortestID && slotsByID[id] == nil {
      slotsByID[id] = slot
      entries[slot].ids.append(id)
    }
    for id in entries[slot].connection.oldIDs {
      guard let index = entries[slot].ids.firstIndex(of: id) else { continue }
      entries[slot].ids.remove(at: index)
      slotsByID[id] = nil
    }
    entries[slot].connection.newIDs = []
    entries[slot].connection.oldIDs = []
  }

  /// Stops opening the oldest connections while too many are opened, except those whose streams are read.
  private mutating func limitOpening(_ run: inout Run) {
    var left = opening.count
    while left > 0,
      opening.count > run.configuration.quicOpeningLimit || openerMemory > run.configuration.quicOpeningOctetLimit,
      let oldest = opening.popFirst()
    {
      left -= 1
      guard isThere(oldest.slot, oldest.number) else { continue }
      // A connection that is read ends when it is idle, or evicted.
      if entries.look(oldest.slot, { $0.connection.isOpened }) { continue }
      entries[oldest.slot].connection.stopOpening(&room, &run)
      countMemory(oldest.slot)
    }
  }

  // MARK: Secrets

  /// Whether connections wait for keys.
  var isWaiting: Bool { !waiting.isEmpty }
  /// The number of connections that wait for keys; some may no longer wait.
  var waitingCount: Int { waiting.count }

  /// Notes that packets of a connection have begun to wait.
  private mutating func noteWaiting(_ slot: Int, _ run: borrowing Run) {
    let (isNoted, number) = entries.look(slot) { ($0.isWaiting, $0.connection.number) }
    let patience = run.configuration.secretPatience
    guard let deadline = entries.look(slot, { $0.connection.holdDeadline(patience) }) else {
      if isNoted { entries[slot].isWaiting = false }
      return
    }
    guard !isNoted else { return }
    entries[slot].isWaiting = true
    waiting.append(Deadline(slot: slot, number: number, time: max(deadline, waiting.last?.time ?? .min)))
  }

  /// Offers new secrets to the connections that wait for them.
  mutating func offerSecrets(_ run: inout Run) {
    var left: Deque<Deadline> = []
    for waiter in waiting where isThere(waiter.slot, waiter.number) && entries.look(waiter.slot, { $0.isWaiting }) {
      entries[waiter.slot].connection.lookForSecrets(isForced: false, &room, &run)
      rememberIDs(waiter.slot)
      countMemory(waiter.slot)
      if entries.look(waiter.slot, { $0.connection.isHolding }) {
        left.append(waiter)
      } else {
        entries[waiter.slot].isWaiting = false
      }
    }
    waiting = left
  }

  /// Gives up packets that have waited for too long at `time`.
  mutating func giveUpWaiting(before time: Int64, _ run: inout Run) {
    while let first = waiting.first, first.time < time {
      waiting.removeFirst()
      guard isThere(first.slot, first.number), entries.look(first.slot, { $0.isWaiting }) else { continue }
      entries[first.slot].isWaiting = false
      entries[first.slot].connection.lookForSecrets(isForced: true, &room, &run)
      rememberIDs(first.slot)
      countMemory(first.slot)
    }
  }

  // MARK: Rows

  /// Passes every open message of each connection to `body`, with the connection's endpoints and its client.
  func forEachOpenMessage(_ body: (RowIndex, _ isInProgress: Bool, _ client: Endpoint, _ server: Endpoint) -> Void) {
    for slot in entries.indices {
      let (streams, client, endpoints) = entries.look(slot) {
        ($0.connection.streams, $0.connection.client ?? 0, $0.connection.endpoints)
      }
      streams?.look { $0.application }.forEachOpenMessage {
        body($0, $1, endpoints[client], endpoints[1 - client])
      }
    }
  }

  /// Makes the rows of ended messages final, because there are too many.
  mutating func retireEnded(_ run: inout Run) {
    for slot in entries.indices where entries.look(slot, { $0.connection.isOpened }) {
      entries[slot].connection.withRun(&run) { connection, run in
        connection.streams?.value.application.retireEnded(&run)
      }
    }
  }

  // MARK: Ends

  /// Finishes the first connection that has been silent for too long at `time`; nil without one.
  ///
  /// Call it until it returns nil. The deadlines of all other connections are later then.
  mutating func finishSilent(before time: Int64, _ run: inout Run) -> Connection? {
    while let first = deadlines.first, first.time < time {
      deadlines.removeFirst()
      guard isThere(first.slot, first.number) else { continue }
      if isSilent(first.slot, at: time, run.configuration.idleTimeout) { return finish(first.slot, .idle, &run) }
      deadlines.append(
        Deadline(
          slot: first.slot, number: first.number,
          time: max(first.time.addingSaturated(run.configuration.idleTimeout), deadlines.last?.time ?? .min)))
    }
    return nil
  }

  /// Evicts the connection whose next check is due first; nil without one.
  mutating func finishOldest(_ run: inout Run) -> Connection? {
    while let oldest = deadlines.popFirst() {
      if isThere(oldest.slot, oldest.number) { return finish(oldest.slot, .evicted, &run) }
    }
    return nil
  }

  /// Removes a connection. Returns its row.
  private mutating func finish(_ slot: Int, _ end: ConnectionEnd, _ run: inout Run) -> Connection {
    var entry = entries.remove(slot)
    found = nil
    for key in entry.keys {
      var older = others.isEmpty ? nil : others[key]
      if slots[key] == slot { slots[key] = older?.slots.popLast() } else { older?.slots.removeAll { $0 == slot } }
      if !others.isEmpty { others[key] = older?.slots.isEmpty ?? true ? nil : older }
    }
    for id in entry.ids where slotsByID[id] == slot { slotsByID[id] = nil }
    openerMemory -= entry.openerMemory
    return entry.connection.finish(end, &room, &run)
  }

  /// Removes all connections, in the order of their numbers. Returns their rows.
  mutating func finishAll(_ run: inout Run) -> [Connection] {
    let order = entries.indices.map { slot in (slot, entries.look(slot) { $0.connection.number }) }
    let rows = order.sorted { $0.1 < $1.1 }.map { finish($0.0, .captureEnd, &run) }
    self = QUICConnections()
    return rows
  }
}
