/// TLS in a tunnel that messages of HTTP/1 opened: a session inside a session, at the same positions of the same streams.
struct TunnelledSession {
  var session: TLSSession
  /// Position of each side's first octet that is its; `.never` while nothing of the side is.
  var starts = Sides<StreamPosition>(repeating: .never)

  init(_ session: consuming TLSSession) { self.session = session }

  /// Whether octets of a side are its.
  func hasStarted(_ side: Side) -> Bool { starts[side] != .never }

  /// Octets of memory that it takes, of its own, beside what its session counts.
  static var memory: Int { MemoryLayout<TunnelledSession>.stride - MemoryLayout<TLSSession>.stride + 32 }
}

// What HTTP/1 leaves to the session in its tunnel.

extension HTTP1Session {
  /// Lets the session in the tunnel work: its messages learn where they are, and its rows name the same client.
  private mutating func withTunnel<Result>(_ run: inout Run, _ body: (inout Run) -> Result) -> Result {
    let (around, client) = (run.connection.beneath, run.connection.client)
    run.connection.beneath.isTunnelled = true
    if let named = conversation.namedClient { run.connection.client = named }
    defer {
      run.connection.beneath = around
      run.connection.client = client
    }
    return body(&run)
  }

  // MARK: Octets

  /// Reads octets of a side that are TLS inside a tunnel. Nil when they are not; then nothing of them has been read.
  @inline(never)
  mutating func receiveTunnelled(
    _ side: Side, _ octets: RawSpan, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> Taken? {
    guard let tunnel = enterTunnel(side, octets, at: position, &run) else { return nil }
    let taken = withTunnel(&run) { tunnel.value.session.receive(side, octets, at: position, arrival, &$0) }
    guard let taken else {
      leaveTunnel(side, at: position, &run)
      return nil
    }
    return Taken(count: taken.count, needs: needs)
  }

  /// The session in the tunnel, if these octets are its: it has begun on that side, or begins with them.
  private mutating func enterTunnel(
    _ side: Side, _ octets: RawSpan, at position: StreamPosition, _ run: inout Run
  ) -> OwnMemory<TunnelledSession>? {
    if let tunnel, tunnel.value.hasStarted(side) { return tunnel }
    guard octets.byteCount > 0, parsers.look(side, { $0.isOpenTunnel }) else { return nil }
    // Behind a hole, or words of another protocol, only a hello is taken for TLS.
    let isFresh = parsers.look(side) { $0.isFreshTunnel }
    let isOpened = tunnel?.value.session.inner != nil
    guard isOpened || TLSRecords.canStart(with: octets.octet(0)), isOpened || isFresh || Hello.starts(octets) else {
      return nil
    }
    let opened: OwnMemory<TunnelledSession>
    if let tunnel {
      opened = tunnel
    } else {
      guard Int(run.connection.beneath.depth) < run.configuration.nestedTLSLimit else {
        run.note(.tunnelTooDeep)
        return nil
      }
      let isWhole = isFresh && parsers.look(1 - side, { $0.isFreshTunnel })
      conversation.fixClient(run)
      opened = OwnMemory(TunnelledSession(TLSSession(ConnectionOpening(isSeen: isWhole), &run)))
      tunnel = opened
    }
    startTunnel(side, at: position, opened, &run)
    return opened
  }

  /// What comes from a position on is the session's in the tunnel, with the charges that wait for it.
  private mutating func startTunnel(
    _ side: Side, at position: StreamPosition, _ tunnel: OwnMemory<TunnelledSession>, _ run: inout Run
  ) {
    tunnel.value.starts[side] = position
    guard let pending else { return }
    let charges = pending.charges[side].filter { $0.position >= position }
    let conflicts = pending.conflicts[side].filter { $0.lowerBound >= position }
    pending.charges[side].removeAll { $0.position >= position }
    pending.conflicts[side].removeAll { $0.lowerBound >= position }
    if pending.isEmpty { self.pending = nil }
    withTunnel(&run) { run in
      for charge in charges { tunnel.value.session.charge(charge, to: side, &run) }
      for range in conflicts { tunnel.value.session.flagConflict(range, on: side, &run) }
    }
  }

  /// A side that began like TLS is none: what was taken of its first header is told no further.
  private mutating func leaveTunnel(_ side: Side, at position: StreamPosition, _ run: inout Run) {
    guard let tunnel else { return }
    let taken = withTunnel(&run) { tunnel.value.session.refuse(side, &$0) }
    tunnel.value.starts[side] = .never
    parsers[side] = HTTP1Parser(position: position)
    parsers[side].answered(isTunnel: true)
    parsers[side].passTunnel()
    conversation.outsideMessages(taken, as: .tunnel, &run)
    guard !tunnel.value.hasStarted(1 - side) else { return }
    tunnel.value.session.release(&run)
    self.tunnel = nil
  }

  /// The session in the tunnel, if octets of a side that are not there are its. It begins with them where its other side is TLS.
  mutating func tunnel(passing position: StreamPosition, of side: Side, _ run: inout Run) -> OwnMemory<
    TunnelledSession
  >? {
    guard let tunnel else { return nil }
    if tunnel.value.hasStarted(side) { return tunnel }
    guard parsers.look(side, { $0.isFreshTunnel }), tunnel.value.session.sides[1 - side].isConfirmed else { return nil }
    startTunnel(side, at: position, tunnel, &run)
    return tunnel
  }

  mutating func skipUnseenTunnelled(
    _ tunnel: OwnMemory<TunnelledSession>, _ side: Side, _ count: Int, at position: StreamPosition,
    _ arrival: SegmentArrival, _ run: inout Run
  ) -> StreamNeeds {
    _ = withTunnel(&run) { tunnel.value.session.skipUnseen(side, count, at: position, arrival, &$0) }
    return needs
  }

  mutating func skipMissingTunnelled(
    _ tunnel: OwnMemory<TunnelledSession>, _ side: Side, _ count: Int, at position: StreamPosition, _ run: inout Run
  ) -> StreamNeeds {
    _ = withTunnel(&run) { tunnel.value.session.skipMissing(side, count, at: position, &$0) }
    return needs
  }

  // MARK: Secrets

  /// Secrets have come. Returns what the streams have to know; nil when nothing in the tunnel waited for them.
  mutating func lookForSecrets(_ run: inout Run) -> StreamNeeds? {
    guard let tunnel, withTunnel(&run, { tunnel.value.session.lookForSecrets(&$0) }) != nil else { return nil }
    return needs
  }

  /// Whether what is in the tunnel waits for secrets.
  var waitsForSecrets: Bool { tunnel?.value.session.waitsForSecrets ?? false }

  // MARK: Ends

  mutating func stopWaitingInTunnel(_ side: Side, _ run: inout Run) {
    guard let tunnel, tunnel.value.hasStarted(side) else { return }
    _ = withTunnel(&run) { tunnel.value.session.stopWaiting(side, &$0) }
  }

  mutating func finishTunnelled(_ side: Side, isComplete: Bool, _ run: inout Run) {
    guard let tunnel, tunnel.value.hasStarted(side) else { return }
    _ = withTunnel(&run) { tunnel.value.session.finish(side, isComplete: isComplete, &$0) }
  }

  mutating func evictTunnelled(_ run: inout Run) {
    if let tunnel { withTunnel(&run) { tunnel.value.session.evict(&$0) } }
  }

  /// What the session in the tunnel knows of the connection at its end; nil without one.
  mutating func closeTunnelled(_ run: inout Run) -> SessionEnd? {
    guard let tunnel else { return nil }
    defer { self.tunnel = nil }
    return withTunnel(&run) { tunnel.value.session.close(&$0) }
  }

  mutating func retireEndedTunnelled(_ run: inout Run) {
    if let tunnel { withTunnel(&run) { tunnel.value.session.retireEnded(&$0) } }
  }

  // MARK: Charges

  /// Charges a packet of which at least the end is the tunnel's.
  mutating func chargeTunnelled(
    _ charge: Charge, to side: Side, _ tunnel: OwnMemory<TunnelledSession>, _ run: inout Run
  ) {
    let start = tunnel.value.starts[side]
    guard charge.position < start else {
      return withTunnel(&run) { tunnel.value.session.charge(charge, to: side, &$0) }
    }
    let before = start - charge.position
    var own = charge
    own.length = min(charge.length, before)
    own.retransmitted = min(charge.retransmitted, before)
    conversation.charge(own, to: side, &run)
    let rest = Charge(position: start, retransmitted: charge.retransmitted - own.retransmitted, overhead: 0)
    withTunnel(&run) { tunnel.value.session.charge(rest, to: side, &$0) }
  }

  mutating func chargeAcknowledgmentTunnelled(
    _ overhead: Int, to side: Side, _ tunnel: OwnMemory<TunnelledSession>, _ run: inout Run
  ) {
    withTunnel(&run) { tunnel.value.session.chargeAcknowledgment(overhead, to: side, &$0) }
  }

  /// Flags what a range stands for in the tunnel. Returns the part of it that comes before.
  mutating func flagConflictTunnelled(
    _ range: Range<StreamPosition>, on side: Side, _ run: inout Run
  ) -> Range<StreamPosition> {
    guard let tunnel, range.upperBound > tunnel.value.starts[side] else { return range }
    let start = tunnel.value.starts[side]
    let inside = max(range.lowerBound, start)..<range.upperBound
    withTunnel(&run) { tunnel.value.session.flagConflict(inside, on: side, &$0) }
    return min(range.lowerBound, start)..<start
  }

  /// Takes late octets of the tunnel. Returns the part of the range that comes before.
  mutating func acceptLateTunnelled(
    _ range: Range<StreamPosition>, on side: Side, _ run: inout Run
  ) -> Range<StreamPosition> {
    guard let tunnel, range.upperBound > tunnel.value.starts[side] else { return range }
    let start = tunnel.value.starts[side]
    tunnel.value.session.acceptLate(max(range.lowerBound, start)..<range.upperBound, &run)
    return min(range.lowerBound, start)..<start
  }
}
