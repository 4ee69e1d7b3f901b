import DequeModule
import Packets

/// The connections of Multipath TCP (RFC 8684), and the subflows that are no part of a known one.
///
/// A connection is followed from its handshake on, which has the keys. A further subflow is joined to it if it proves that it knows them.
/// Of other subflows, each data segment says where in the larger stream its octets are. While the distance of both positions stays the
/// same, such a subflow has everything. It changes when octets in between were sent on another subflow.
struct MultipathConnections {
  /// A subflow that asks to join, until it proves that it may.
  private struct Joining {
    /// The side that asks, and the nonces of both sides.
    var side: Side
    /// Nil while only the answer is known: it may be captured first.
    var token: UInt32?
    var nonces = Sides<UInt32?>(repeating: nil)
    /// The code of an answer that came first.
    var answer: [UInt8] = []
  }

  /// The latest place of one direction of a subflow that is not followed. Numbers are modulo 2³².
  private struct Unfollowed {
    /// The distance of the positions.
    var distance: UInt32
    /// The number behind its last octet, in the larger stream.
    var end: UInt32
    /// Whether the larger stream ends there.
    var isEnded = false
  }

  /// The name of a subflow's connection.
  private struct Name {
    /// The server's token.
    var token: UInt32
    /// The slot of the connection that the subflow began; -1 if it began none.
    var slot = -1
  }

  private var connections = Slab<OwnMemory<MultipathConnection>>()
  /// The connections' slots by both tokens. Of equal tokens, each has another number in the lowest octet.
  private var slots: [UInt64: Int] = [:]
  /// The names of connections by the numbers of subflows.
  private var names: [Int: Name] = [:]
  private var joining: [Int: Joining] = [:]
  /// The connection of each server whose keys are not all known; -1 for several.
  private var keyless: [Endpoint: Int] = [:]
  /// Subflows that are not followed, by the number and the direction.
  private var unfollowed: [Int: Unfollowed] = [:]
  /// Connections without a subflow, and since when. Some have one again, or are gone.
  private var silent: Deque<(slot: Int, since: Int64)> = []
  private var waiting = WaitingConnections()

  /// Connections that are followed at once. Subflows of further ones are connections of their own.
  static let limit = 1 << 14
  /// Subflows that ask to join at once.
  static let joiningLimit = 1 << 12
  /// Connections that wait for a subflow at once. Beyond it, the one that has waited longest ends.
  static let silentLimit = 1 << 10
  /// Connections with the same token.
  static let sameTokenLimit = 4

  /// Octets of the shortest TCP headers with a mapping, with a request to join, and with any option of Multipath TCP.
  private static let shortestMapped = 36
  private static let shortestJoining = 32
  private static let shortestHeader = 24

  /// Whether a segment may say something about Multipath TCP. Nearly no segment does.
  @inline(__always)
  func mayConcern(_ segment: TCPSegment) -> Bool {
    segment.headerLength >= Self.shortestMapped && segment.payloadLength > 0
      || segment.headerLength >= Self.shortestJoining && segment.flags.contains(.syn)
      || !isEmpty && (segment.headerLength >= Self.shortestHeader || segment.flags.contains(.fin))
  }

  /// Whether a connection is followed.
  @inline(__always)
  var hasConnections: Bool { connections.count > 0 }

  /// Whether no subflow is known.
  @inline(__always)
  private var isEmpty: Bool { !hasConnections && joining.isEmpty && unfollowed.isEmpty }

  /// Whether a segment makes its connection depend on others: its handshake agrees on paths, or it asks to join a connection.
  static func isDependent(_ segment: TCPSegment, _ octets: RawSpan) -> Bool {
    guard segment.headerLength >= shortestHeader, let header = segment.header(in: octets) else { return false }
    var offset = header.lowerBound + 20
    while let option = MultipathOption.next(in: octets, from: &offset, to: header.upperBound) {
      switch option {
      case .capable(_, .some, _, _): if !segment.flags.contains(.syn) || segment.flags.contains(.ack) { return true }
      case .joinRequest, .joinAnswer, .joinConfirmation: return true
      default: break
      }
    }
    return false
  }

  /// Octets of memory of the tables.
  var memory: Int {
    slots.capacity * 24 + names.capacity * 32 + unfollowed.capacity * 24 + joining.capacity * 48 + silent.count * 16
  }

  // MARK: Segments

  /// Takes the options of a segment, before its connection takes the segment.
  @inline(never)
  mutating func take(
    _ segment: TCPSegment, _ octets: RawSpan, of connection: inout TCPConnection<Session>, _ run: inout Run
  ) {
    guard !segment.hasBadChecksum, let header = segment.header(in: octets) else { return }
    var offset = header.lowerBound + 20
    while let option = MultipathOption.next(in: octets, from: &offset, to: header.upperBound) {
      take(option, segment, of: &connection, &run)
    }
    if segment.flags.contains(.fin), !unfollowed.isEmpty {
      endUnfollowed(connection.side(of: segment), &connection, &run)
    }
  }

  private mutating func take(
    _ option: MultipathOption, _ segment: TCPSegment, of connection: inout TCPConnection<Session>, _ run: inout Run
  ) {
    let (number, side) = (connection.record.number, connection.side(of: segment))
    let isAnswer = segment.flags.isSuperset(of: [.syn, .ack])
    switch option {
    case .capable(let version, let sender, let receiver, let length):
      guard let sender, version <= 1, !segment.flags.contains(.syn) || isAnswer else { return }
      begin(&connection, side, version: version, keys: (sender, receiver), isAnswer: isAnswer, &run)
      if let length, segment.payloadLength > 0, case .multipath(let subflow)? = connection.session {
        subflow.value.takeFirst(length, of: bringer(segment, connection), &run)
      }
    case .joinRequest(let token, let nonce):
      guard segment.flags.contains(.syn), !isAnswer, connection.session == nil else { return }
      let found = findAll(token, at: segment.destination)
      names[number] = Name(token: found.first.flatMap { connections[$0].look { $0.token } } ?? token)
      var asking = joining[number] ?? Joining(side: side)
      guard joining.count < Self.joiningLimit, !found.isEmpty, asking.side == side else { return doubt(number, &run) }
      (asking.token, asking.nonces[side]) = (token, nonce)
      joining[number] = asking
      if !asking.answer.isEmpty { join(&connection, proof: asking.answer, of: 1 - side, &run) }
    case .joinAnswer(let code, let nonce):
      guard isAnswer, connection.session == nil, joining.count < Self.joiningLimit else { return }
      var asking = joining[number] ?? Joining(side: 1 - side)
      guard asking.side == 1 - side else { return }
      (asking.answer, asking.nonces[side]) = (code, nonce)
      joining[number] = asking
      join(&connection, proof: code, of: side, &run)
    case .joinConfirmation(let code):
      guard !segment.flags.contains(.syn), joining[number]?.side == side else { return }
      join(&connection, proof: code, of: side, &run)
    case .signal(let signal):
      guard case .multipath(let subflow)? = connection.session else {
        return takeUnfollowed(signal, segment, number, side, &run)
      }
      let isCertain = subflow.value.take(signal, bringer(segment, connection), &run)
      if !isCertain { doubt(subflow.look { $0.connection.look { $0.number } }, &run) }
    case .fail:
      // The peers' copies of the octets differ (RFC 8684 §3.7). Which one was read is not known here.
      if case .multipath(let subflow)? = connection.session {
        doubt(subflow.look { $0.connection.look { $0.number } }, &run)
      }
    case .fastClose:
      if case .multipath(let subflow)? = connection.session { subflow.value.takeFastClose(from: side, &run) }
    }
  }

  private func bringer(
    _ segment: TCPSegment, _ connection: borrowing TCPConnection<Session>
  ) -> MultipathSubflow.Bringer {
    let side = connection.side(of: segment)
    let stream = connection.streams[side]
    return MultipathSubflow.Bringer(
      side: side, start: stream.isStarted ? stream.start : nil,
      position: connection.expected(segment.sequence, of: side),
      ordinal: connection.packets + 1)
  }

  /// No later row of a connection is exact.
  private func doubt(_ number: Int, _ run: inout Run) {
    guard run.rows.doubtedConnections.insert(number).inserted else { return }
    run.anomalies.note(.tcpMultipathNotFollowed, connection: number)
  }

  private mutating func takeUnfollowed(
    _ signal: MultipathOption.Signal, _ segment: TCPSegment, _ number: Int, _ side: Side, _ run: inout Run
  ) {
    guard let sequence = signal.sequence, signal.length != 0 else { return }
    let (start, key) = (UInt32(truncatingIfNeeded: sequence.value), number &* 2 &+ side)
    if segment.payloadLength > 0, joining.removeValue(forKey: number) != nil { doubt(number, &run) }
    // A mapping of the end alone has the subflow's number 0. One of length 0 means that the rest is the subflow's own.
    if segment.payloadLength > 0, signal.subflowSequence != 0 {
      let end = start &+ UInt32(signal.length - (signal.isLast ? 1 : 0))
      let place = Unfollowed(distance: start &- signal.subflowSequence, end: end)
      let known = unfollowed.updateValue(place, forKey: key)
      if let known, known.distance != place.distance { doubt(number, &run) }
      if let known, Int32(bitPattern: end &- known.end) < 0 { unfollowed[key]?.end = known.end }
    }
    if signal.isLast, unfollowed[key]?.end == start &+ UInt32(signal.length - 1) { unfollowed[key]?.isEnded = true }
  }

  /// A subflow that is not followed ends. If the larger stream does not, its last content is not known to be whole.
  private func endUnfollowed(_ side: Side, _ connection: inout TCPConnection<Session>, _ run: inout Run) {
    guard let last = unfollowed[connection.record.number &* 2 &+ side], !last.isEnded else { return }
    connection.openDisorder(&run).value.goesOnElsewhere[side] = true
  }

  // MARK: Handshakes

  /// Begins a connection at its handshake, or learns the client's key.
  private mutating func begin(
    _ first: inout TCPConnection<Session>, _ side: Side, version: UInt8, keys: (sender: UInt64, receiver: UInt64?),
    isAnswer: Bool, _ run: inout Run
  ) {
    guard isAnswer == (keys.receiver == nil) else { return }
    let server = isAnswer ? side : 1 - side
    if first.session == nil {
      guard connections.count < Self.limit else { return }
      let stream = TCPConnection<Session>(carriedBy: first, client: 1 - server, run: &run)
      let connection = OwnMemory(MultipathConnection(stream, version: version, server: server))
      run.connectionMemory += MultipathConnection.memory
      connection.value.slot = connections.insert(connection)
      let slot = connection.look { $0.slot }
      learn(keys.receiver ?? keys.sender, of: server, slot)
      names[first.record.number] = connection.look { $0.token }.map { Name(token: $0, slot: slot) }
      first.session = .multipath(OwnMemory(MultipathSubflow(connection, isReversed: false, isFirst: true)))
      if keys.receiver == nil { noteKeys(slot) }
    }
    guard case .multipath(let subflow)? = first.session, let receiver = keys.receiver else { return }
    let (slot, isOwn) = subflow.look { subflow in
      subflow.connection.look { ($0.slot, subflow.isFirst && $0.server == server && $0.keys[server] == receiver) }
    }
    guard isOwn else { return }
    learn(keys.sender, of: 1 - server, slot)
    noteKeys(slot)
  }

  private mutating func learn(_ key: UInt64, of side: Side, _ slot: Int) {
    guard let token = connections[slot].value.learn(key: key, of: side) else { return }
    for number in 0..<UInt64(Self.sameTokenLimit) where slots[UInt64(token) << 8 | number] == nil {
      slots[UInt64(token) << 8 | number] = slot
      return
    }
  }

  /// The slots of the connections with a token. Without any, it is the only one of that server whose token is not certain.
  private func findAll(_ token: UInt32, at server: Endpoint) -> [Int] {
    let found = findAll(token)
    guard found.isEmpty, let slot = keyless[server], slot >= 0 else { return found }
    return [slot]
  }

  private func findAll(_ token: UInt32) -> [Int] {
    (0..<UInt64(Self.sameTokenLimit)).compactMap { slots[UInt64(token) << 8 | $0] }
  }

  /// Notes whether the keys of the connection in a slot are known.
  private mutating func noteKeys(_ slot: Int, isGone: Bool = false) {
    let (server, hasKeys) = connections.look(slot) { $0.look { ($0.stream.endpoints[$0.server], $0.hasKeys) } }
    if hasKeys || isGone {
      if keyless[server] == slot { keyless[server] = nil }
    } else if keyless.count < Self.limit {
      keyless[server] = keyless[server] == nil ? slot : -1
    }
  }

  /// Joins a subflow to the connection that its code is for.
  private mutating func join(
    _ connection: inout TCPConnection<Session>, proof code: [UInt8], of side: Side, _ run: inout Run
  ) {
    let number = connection.record.number
    guard connection.session == nil, let request = joining[number], let token = request.token else { return }
    let (own, other) = (request.nonces[side], request.nonces[1 - side])
    for slot in findAll(token, at: connection.endpoints[1 - request.side]) {
      let found = connections[slot]
      guard !found.look({ $0.isGivenUp }) else { continue }
      // The side that is asked has the token.
      let asked = found.look { $0.tokens[1 - $0.server] == token ? 1 - $0.server : $0.server }
      let isReversed = asked == request.side
      let prover = isReversed ? 1 - side : side
      // Without the client's key, or a nonce that was lost, nothing can be proven. It is not certain then that the octets belong
      // together, and no row is exact.
      let isProvable = found.look { $0.hasKeys } && own != nil && other != nil
      guard !isProvable || found.look({ $0.isProof(code, of: prover, own: own ?? 0, other: other ?? 0) }) else {
        continue
      }
      if !isProvable { doubt(found.look { $0.number }, &run) }
      joining[number] = nil
      names[number] = found.look { $0.token }.map { Name(token: $0) }
      found.value.hasFurtherSubflows = true
      connection.session = .multipath(OwnMemory(MultipathSubflow(found, isReversed: isReversed, isFirst: false)))
      return
    }
  }

  // MARK: Ends

  /// Takes the row of a connection of TCP that has ended. Passes the rows that are final to `body`.
  mutating func end(
    _ row: Connection, _ session: Session?, _ end: ConnectionEnd, _ run: inout Run, _ body: (Connection) -> Void
  ) {
    var row = row
    forget(&row, &run)
    guard case .multipath(let subflow)? = session else { return body(run.settled(row)) }
    let connection = subflow.look { $0.connection }
    subflow.value.release(&run)
    watch(connection)
    connection.value.subflows -= 1
    if subflow.look({ $0.isFirst }) {
      connection.value.firstRow = row
    } else {
      row.joined = connection.look { $0.number }
      connection.value.furtherRows.append(row)
      run.connectionMemory += MemoryLayout<Connection>.stride
    }
    guard connection.look({ $0.subflows }) == 0 else { return }
    let (slot, isClosed) = connection.look { ($0.slot, $0.stream.isClosed) }
    guard !isClosed, end != .evicted, end != .captureEnd else { return finish(slot, end, &run, body) }
    connection.value.silentSince = run.clock
    silent.append((slot, run.clock))
    if silent.count > Self.silentLimit { finishOldest(&run, body) }
  }

  /// Forgets a connection of TCP, and the larger one that it began and gave up.
  private mutating func forget(_ row: inout Connection, _ run: inout Run) {
    if !unfollowed.isEmpty {
      unfollowed[row.number &* 2] = nil
      unfollowed[row.number &* 2 &+ 1] = nil
    }
    if !joining.isEmpty { joining[row.number] = nil }
    guard !names.isEmpty else { return }
    guard let name = names.removeValue(forKey: row.number) else { return }
    row.multipath = name.token
    guard name.slot >= 0, connections[name.slot].look({ $0.isGivenUp }) else { return }
    let connection = remove(name.slot, &run)
    run.connectionMemory -= connection.look { $0.stream.memory }
  }

  private mutating func remove(_ slot: Int, _ run: inout Run) -> OwnMemory<MultipathConnection> {
    noteKeys(slot, isGone: true)
    let connection = connections.remove(slot)
    for token in connection.look({ [$0.tokens[0], $0.tokens[1]] }) {
      guard let token else { continue }
      for number in 0..<UInt64(Self.sameTokenLimit) where slots[UInt64(token) << 8 | number] == slot {
        slots[UInt64(token) << 8 | number] = nil
      }
    }
    run.connectionMemory -= MultipathConnection.memory
    return connection
  }

  /// Ends a connection without subflows. The row of its first subflow gets its costs, and is final last.
  private mutating func finish(_ slot: Int, _ end: ConnectionEnd, _ run: inout Run, _ body: (Connection) -> Void) {
    let connection = remove(slot, &run)
    let costs = connection.value.stream.finish(end, run: &run)
    run.connectionMemory -= connection.look { $0.furtherRows.count } * MemoryLayout<Connection>.stride
    for row in connection.look({ $0.furtherRows }) { body(run.settled(row)) }
    guard var row = connection.look({ $0.firstRow }) else { return }
    row.add(costs, flags: connection.look { $0.stream.record.flags })
    body(run.settled(row))
  }

  /// Ends the connection that has waited longest for a subflow. Returns whether there was one.
  @discardableResult
  mutating func finishOldest(_ run: inout Run, _ body: (Connection) -> Void) -> Bool {
    while let oldest = silent.popFirst() {
      guard isSilent(oldest) else { continue }
      finish(oldest.slot, .evicted, &run, body)
      return true
    }
    return false
  }

  /// Ends all connections with the capture. The subflows of all have ended.
  mutating func finishAll(_ run: inout Run, _ body: (Connection) -> Void) {
    while let oldest = silent.popFirst() { if isSilent(oldest) { finish(oldest.slot, .captureEnd, &run, body) } }
    waiting.removeAll()
  }

  private func isSilent(_ entry: (slot: Int, since: Int64)) -> Bool {
    connections.contains(entry.slot) && connections.look(entry.slot) { $0.look { $0.silentSince } } == entry.since
  }

  // MARK: Time without packets

  /// The capture time after which the next connection times out, or stops waiting for octets; nil if there is none.
  func nextDeadline(_ configuration: Configuration) -> Int64? {
    guard connections.count > 0 else { return nil }
    let end = silent.first.map { $0.since.addingSaturated(configuration.idleTimeout) }
    guard let look = waiting.first?.deadline else { return end }
    return min(look, end ?? .max)
  }

  /// Does what is due at the next deadline.
  mutating func takeDue(_ run: inout Run, _ body: (Connection) -> Void) {
    guard let deadline = nextDeadline(run.configuration) else { return }
    (run.anomalies.now, run.clock) = (deadline, deadline)
    guard let look = waiting.first, look.deadline == deadline else {
      if let first = silent.popFirst(), isSilent(first) { finish(first.slot, .idle, &run, body) }
      return
    }
    waiting.removeFirst()
    let slot = Int(look.slot)
    guard connections.contains(slot), connections.look(slot, { $0.look { $0.stream.lookDeadline } }) == deadline else {
      return
    }
    if let look = connections[slot].value.stream.passTime(&run) { watch(slot, look) }
  }

  /// Notes that a connection waits for octets, if it does so since one of its subflows worked on it.
  mutating func watch(_ connection: OwnMemory<MultipathConnection>) {
    if let look = connection.value.stream.takeLook() { watch(connection.look { $0.slot }, look) }
  }

  private mutating func watch(_ slot: Int, _ look: NextLook) {
    waiting.add(slot, deadline: look.deadline, isSoon: look.isSoon)
  }

  // MARK: Messages

  /// Makes the rows of ended messages final.
  mutating func retireEnded(_ run: inout Run) {
    for slot in connections.indices { connections[slot].value.work(false, &run) { $0.session?.retireEnded(&$1) } }
  }

  /// Calls `body` with the row of each message that is not final, whether it is in progress, and the ends of its connection.
  func forEachOpenMessage(_ body: (RowIndex, Bool, Endpoint, Endpoint) -> Void) {
    for slot in connections.indices {
      connections.look(slot) { held in
        held.look { connection in
          let client = connection.stream.clientSide(connection.stream.session?.known)
          let ends = connection.stream.endpoints
          connection.stream.session?.forEachOpenMessage { body($0, $1, ends[client], ends[1 - client]) }
        }
      }
    }
  }
}
