// The opening of a connection (RFC 9293 §3.5), and the charges of segments without payload.

extension TCPConnection {
  mutating func noteSyn(_ segment: TCPSegment, from side: Side, at time: Int64, _ run: inout Receiver.Context) {
    forgetSpoofedStart(of: side, segment, &run)
    let position = streams[side].space.position(of: segment.sequence &+ 1, near: streams[side].start)
    if !streams[side].isStarted, streams[side].isHolding || streams[side].acknowledged != .unknown {
      settleEarlier(side, position, &run)
    }
    if !streams[side].isStarted {
      streams[side].start(at: position)
    } else if position != streams[side].start {
      run.note(.tcpSynInConnection)
      // A SYN with RST opens no connection (RFC 9293 §3.10.7). It was charged as a reset.
      if !segment.flags.contains(.rst), segment.payloadLength == 0 {
        openDisorder(&run).value.stranger = Stranger(
          segment: segment, octets: [], time: time, source: nil, isAcknowledging: false)
      }
      return
    }
    streams[side].hasSyn = true
    if segment.flags.contains(.ack) {
      hasSynAck = true
      startAcknowledged(1 - side, segment.acknowledgment)
    } else if opener == nil {
      opener = side
      synTime = time
      lookupDuration = run.shared.names.takeLookup(of: endpoints[1 - side].address, for: record.number)
    } else if opener != side, !hasSynAck {
      // RFC 9293 §3.5: the SYNs of both sides crossed. The sender of the first one counts as the opener.
      if !record.flags.contains(.simultaneousOpen) { run.note(.tcpSimultaneousOpen) }
      record.flags.insert(.simultaneousOpen)
    }
  }

  /// Tells what came before the SYN of a stream from the octets of an earlier connection. If it holds some of those, it starts with them.
  @inline(never)
  private mutating func settleEarlier(_ side: Side, _ position: StreamPosition, _ run: inout Receiver.Context) {
    let acknowledged = streams[side].acknowledged
    if streams[side].isHolding, !(0...Self.lateSyn ~= heldFirst(side) - position) {
      // The stream began before the capture, and another connection begins now.
      startInMiddle(side, at: heldFirst(side), &run)
    } else if acknowledged != .unknown, !(0...Self.lateSyn ~= acknowledged - position) {
      streams[side].acknowledged = .unknown
    }
  }

  /// Octets that may come, or be acknowledged, before a late SYN of their stream.
  private static var lateSyn: Int { 1 << 20 }

  /// Restarts a stream at its SYN, if earlier segments of that side were spoofed.
  ///
  /// Those have other sequence numbers and no payload, and the other side has sent none. They are a RST or FIN that it has not taken.
  private mutating func forgetSpoofedStart(of side: Side, _ segment: TCPSegment, _ run: inout Receiver.Context) {
    guard streams[side].packets > 1, streams[1 - side].payloadLength == 0 else { return }
    let stream = streams[side]
    guard !stream.hasSyn, stream.payloadLength == segment.payloadLength,
      stream.space.position(of: segment.sequence &+ 1, near: stream.next) != stream.next
    else { return }
    var fresh = TCPStream()
    fresh.packets = stream.packets
    fresh.ipLength = stream.ipLength
    fresh.payloadLength = stream.payloadLength
    fresh.advertisedWindow = stream.advertisedWindow
    fresh.windowScale = stream.windowScale
    fresh.space.learn(segment.sequence &+ 1)
    streams[side] = fresh
    if let disorder {
      run.connectionMemory -= disorder.value.holes[side].count * StreamMemory.hole
      disorder.value.holes[side] = []
    }
    if streams[1 - side].fin == .never { streams[1 - side].limit = .never }
    isClosed = false
  }

  /// Starts the opener's stream by a SYN-ACK, even if its SYN was not captured.
  mutating func startAcknowledged(_ side: Side, _ sequence: UInt32) {
    guard !streams[side].isStarted else { return }
    streams[side].start(at: streams[side].space.position(of: sequence, near: 0))
  }

  /// Completes the handshake when the opener sends anything after the SYN-ACK.
  mutating func establish(by side: Side, at time: Int64) {
    guard !isEstablished, side == knownClient, hasSynAck || record.flags.contains(.simultaneousOpen) else { return }
    isEstablished = true
    if let synTime {
      connectDuration = max(time - synTime, 0)
      session?.connected(after: max(time - synTime, 0))
    }
  }

  /// Charges a segment without payload (MEASURES §2).
  mutating func chargeBare(
    _ segment: TCPSegment, from side: Side, _ acknowledged: StreamPosition, _ overhead: Int, at time: Int64,
    _ run: inout Receiver.Context
  ) {
    if segment.flags.contains(.syn) {
      record.setup += overhead
    } else if segment.flags.contains(.fin) {
      record.teardown += overhead
    } else if !isEstablished, side == knownClient, hasSynAck {
      record.setup += overhead
      establish(by: side, at: time)
    } else if isClosed || (streams[1 - side].fin != .never && acknowledged > streams[1 - side].fin) {
      record.teardown += overhead
    } else {
      chargeAcknowledgment(overhead, to: 1 - side, &run)
    }
  }

  /// Charges a segment that acknowledges octets of a side.
  mutating func chargeAcknowledgment(_ overhead: Int, to side: Side, _ run: inout Receiver.Context) {
    if needs.contains(.briefly), let last = disorder?.value.held.look(side, { $0.last }) {
      // The owner of the acknowledged octets is known only when they are read.
      let charge = Charge(position: last.position, retransmitted: 0, overhead: overhead, length: max(last.length, 1))
      session?.charge(charge, to: side, &run)
    } else if session != nil {
      session?.chargeAcknowledgment(overhead, to: side, &run)
    } else {
      record.unattributed += overhead
    }
  }
}

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
    guard streams[side].reset != .taken else { return }
    streams[side].reset = stream.isStarted && position > knownEnd(side) ? .ahead : .taken
    streams[side].limit = min(streams[side].limit, max(position, max(stream.next, heldEnd(side))))
    // The receiver of the other stream is gone. It has taken the octets that it acknowledged and those captured already.
    let other = streams[1 - side]
    streams[1 - side].limit = min(other.limit, knownEnd(1 - side))
  }

  /// Takes a reset back that has not the next number, because its receiver or its sender goes on.
  mutating func refuteReset(_ run: inout Receiver.Context) {
    guard streams[0].reset != .taken, streams[1].reset != .taken, streams[0].isReset || streams[1].isReset
    else { return }
    run.note(.tcpResetOutOfWindow)
    for side in 0..<2 {
      streams[side].reset = .none
      streams[side].limit = streams[side].fin
    }
    isClosed = streams[0].isFinished && streams[1].isFinished
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
