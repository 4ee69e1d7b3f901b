// The opening of a connection (RFC 9293 §3.5), and the charges of segments without payload.

extension TCPConnection {
  mutating func noteSyn(_ segment: TCPSegment, from side: Side, at time: Int64, _ run: inout Receiver.Context) {
    forgetSpoofedStart(of: side, segment, &run)
    let position = streams[side].space.position(of: segment.sequence &+ 1, near: streams[side].start)
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

  /// Restarts a stream at its SYN, if earlier segments of that side were spoofed.
  ///
  /// Those have other sequence numbers and no payload. They are a RST or FIN that the other side has not taken.
  private mutating func forgetSpoofedStart(of side: Side, _ segment: TCPSegment, _ run: inout Receiver.Context) {
    let stream = streams[side]
    guard !stream.hasSyn, stream.payloadLength == segment.payloadLength, stream.packets > 1,
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
