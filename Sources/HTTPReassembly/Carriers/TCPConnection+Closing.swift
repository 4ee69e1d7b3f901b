// The close of a connection (RFC 9293 §3.6, §3.5.3), and its final row.

extension TCPConnection {
  mutating func noteFin(_ position: StreamPosition, from side: Side, _ run: inout Receiver.Context) {
    guard isInReach(position, side) else { return run.note(.tcpDataOutOfWindow) }
    guard streams[side].fin == .never, position >= streams[side].next || !streams[side].isStarted else { return }
    if !streams[side].isStarted, !streams[side].isHolding {
      streams[side].start(at: position)
    }
    // Octets beyond a limit are not awaited any more.
    let position = min(position, streams[side].limit)
    streams[side].fin = position
    streams[side].limit = min(streams[side].limit, position)
  }

  /// RFC 9293 §3.5.3: a reset is valid if its sequence number is in the window.
  mutating func noteReset(
    _ position: StreamPosition, from side: Side, _ acknowledged: StreamPosition, _ run: inout Receiver.Context
  ) {
    let stream = streams[side]
    let lowest = min(stream.next, stream.acknowledged == .unknown ? stream.next : stream.acknowledged)
    guard !stream.isStarted || (position >= lowest - 1 && isInReach(position, side)) else {
      return run.note(.tcpResetOutOfWindow)
    }
    guard !streams[side].isReset else { return }
    streams[side].isReset = true
    streams[side].limit = min(streams[side].limit, max(position, max(stream.next, heldEnd(side))))
    // The receiver of the other stream is gone. It has taken the octets that it acknowledged and those captured already.
    let other = streams[1 - side]
    streams[1 - side].limit = min(other.limit, knownEnd(1 - side))
  }

  /// Ends the connection, for the capture or for good. Waiting octets are delivered, and its rows are final.
  ///
  /// Returns the connection's own row.
  mutating func finish(_ end: ConnectionEnd, run: inout Receiver.Context) -> Connection {
    borrowRun(&run)
    if hasStranger { settleStranger(nil, &run) }
    advance(&run, isForced: true)
    if end == .evicted { session?.evict(&run) }
    for side in 0..<2 where !streams[side].isFinished {
      streams[side].isFinished = true
      finishSession(side, isComplete: false, &run)
    }
    let known = session?.close(&run)
    run.connectionMemory -= memory
    giveBackRun(&run)
    return row(end, known)
  }

  /// The side that opened the connection, if the capture shows it.
  var knownClient: Side? {
    if let opener { return opener }
    return hasSynAck ? (streams[0].hasSyn ? 1 : 0) : nil
  }

  /// The side that opened the connection, else the session's client, else the side that acts like a client.
  func clientSide(_ known: SessionEnd?) -> Side {
    if let client = known?.client { return client }
    if let knownClient { return knownClient }
    if let requests = known?.requestSide { return requests }
    // Servers listen on lower ports. If both ports are equal, the side seen first is the client.
    return endpoints[0].port < endpoints[1].port ? 1 : 0
  }

  private func row(_ end: ConnectionEnd, _ known: SessionEnd?) -> Connection {
    let client = clientSide(known)
    let server = 1 - client
    var row = Connection()
    row.number = record.number
    row.client = endpoints[client]
    row.server = endpoints[server]
    row.applicationProtocol = known?.applicationProtocol ?? .none
    row.opened = record.opened
    row.closed = record.closed
    row.packets = Directional(client: streams[client].packets, server: streams[server].packets)
    row.ipLength = Directional(client: streams[client].ipLength, server: streams[server].ipLength)
    row.payloadLength = Directional(client: streams[client].payloadLength, server: streams[server].payloadLength)
    row.setup = record.setup
    row.teardown = record.teardown
    row.unattributed = record.unattributed
    row.control = record.control
    row.retransmitted = record.retransmitted
    row.security = known?.security
    row.missing = record.missing
    row.unseen = record.unseen
    row.unopened = known?.unopened ?? 0
    row.messages = Int(record.messages)
    row.flags = record.flags
    if streams[0].packets == 0 || streams[1].packets == 0 { row.flags.insert(.oneSided) }
    if opener == nil, !hasSynAck { row.flags.insert(.noHandshake) }
    row.end = end
    if streams[0].isReset || streams[1].isReset {
      row.end = .rst
    } else if streams[0].fin != .never, streams[1].fin != .never {
      row.end = .fin
    }
    return row
  }
}
