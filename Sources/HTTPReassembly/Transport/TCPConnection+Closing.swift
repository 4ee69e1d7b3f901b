// How a connection closes (RFC 9293 §3.6, §3.5.3), and its final row.

extension TCPConnection {
  mutating func noteFin(_ position: StreamPosition, from side: Side, _ run: inout Run) {
    guard isInReach(position, side) else { return run.note(.tcpDataOutOfWindow) }
    guard streams[side].fin == .never, position >= streams[side].next || !streams[side].isStarted else { return }
    if !streams[side].isStarted, !streams[side].isHolding {
      streams[side].start(at: position)
    }
    // Beyond a limit nothing is awaited any more.
    let position = min(position, streams[side].limit)
    streams[side].fin = position
    streams[side].limit = min(streams[side].limit, position)
  }

  /// RFC 9293 §3.5.3: a reset is valid if its sequence number is in the window.
  mutating func noteReset(
    _ position: StreamPosition, from side: Side, _ acknowledged: StreamPosition, _ run: inout Run
  ) {
    let stream = streams[side]
    let lowest = min(stream.next, stream.acknowledged == .unknown ? stream.next : stream.acknowledged)
    guard !stream.isStarted || (position >= lowest - 1 && isInReach(position, side)) else {
      return run.note(.tcpResetOutOfWindow)
    }
    guard !streams[side].isReset else { return }
    streams[side].isReset = true
    streams[side].limit = min(streams[side].limit, max(position, max(stream.next, stream.heldEnd)))
    // The receiver of the other stream is gone: it takes what it had acknowledged, and what is captured already.
    let other = streams[1 - side]
    let taken = max(max(other.next, other.heldEnd), other.acknowledged)
    streams[1 - side].limit = min(other.limit, taken)
  }

  /// The connection is over, for the capture or for good: everything that waits is delivered, and its rows are final.
  mutating func finish(_ end: ConnectionEnd, run: inout Run) {
    borrowRun(&run)
    advance(&run, isForced: true)
    if end == .evicted { application?.layer.flagEviction() }
    for side in 0..<2 where !streams[side].isFinished {
      streams[side].isFinished = true
      application?.layer.finish(side, isComplete: false, &run)
    }
    application?.layer.finishAll(&run)
    run.stateOctets -= stateCost + (holes[0].count + holes[1].count) * StateCost.hole
    giveBackRun(&run)
    fillRecord(end, &run)
    run.finished.add(record)
  }

  /// Hands over the messages that are not final yet; `decoders` are those that have their contents.
  func forEachOpenMessage(_ decoders: (any ContentDecoderSource)?, _ body: (Message) -> Void) {
    let client = clientSide
    application?.layer.forEachOpenMessage(decoders) { message in
      var message = message
      message.client = endpoints[client]
      message.server = endpoints[1 - client]
      body(message)
    }
  }

  /// The side that opened the connection, as far as the capture shows it.
  var knownClient: Side? {
    if let opener { return opener }
    return hasSynAck ? (streams[0].hasSyn ? 1 : 0) : nil
  }

  /// The side that opened the connection, else the one that sends requests, else the one that acts like a client.
  private var clientSide: Side {
    if let named = application?.layer.conversation.namedClient { return named }
    if let knownClient { return knownClient }
    if let requests = application?.layer.conversation.requestSide { return requests }
    // Servers listen on lower ports; of equals, the first that was seen speaks first.
    return endpoints[0].port < endpoints[1].port ? 1 : 0
  }

  private mutating func fillRecord(_ end: ConnectionEnd, _ run: inout Run) {
    let client = clientSide
    let server = 1 - client
    record.client = endpoints[client]
    record.server = endpoints[server]
    record.packets = Directional(client: streams[client].packets, server: streams[server].packets)
    record.ipLength = Directional(client: streams[client].ipLength, server: streams[server].ipLength)
    record.payloadLength = Directional(client: streams[client].payloadLength, server: streams[server].payloadLength)
    record.applicationProtocol = application?.layer.applicationProtocol ?? .none
    if streams[0].packets == 0 || streams[1].packets == 0 { record.flags.insert(.oneSided) }
    if opener == nil, !hasSynAck { record.flags.insert(.noHandshake) }
    record.end = end
    if streams[0].isReset || streams[1].isReset {
      record.end = .rst
    } else if streams[0].fin != .never, streams[1].fin != .never {
      record.end = .fin
    }
  }
}
