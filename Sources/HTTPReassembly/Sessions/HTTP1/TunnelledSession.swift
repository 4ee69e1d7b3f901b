/// TLS in a tunnel that HTTP/1 opened. It is a session inside a session, at the same positions of the same streams.
struct TunnelledSession {
  var session: TLSSession
  /// The position of each side's first octet in the tunnel; `.never` while there is none.
  var starts = Sides<StreamPosition>(repeating: .never)

  init(_ session: consuming TLSSession) { self.session = session }

  /// Whether octets of a side belong to the tunnel.
  func hasStarted(_ side: Side) -> Bool { starts[side] != .never }

  /// Octets of its own memory, without the memory that its session counts.
  static var memory: Int { MemoryLayout<TunnelledSession>.stride - MemoryLayout<TLSSession>.stride + 32 }
}

// The parts of HTTP/1 sessions that a session in a tunnel takes over.

extension HTTP1Session {
  /// Runs a body for the session in the tunnel. Its messages learn the outer layers, and its rows name the same client.
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

  /// Reads octets of a side that are TLS inside a tunnel. If they are not, it returns nil and has read none of them.
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

  /// The session in the tunnel, if these octets belong to it. It has begun on that side, or begins with them.
  private mutating func enterTunnel(
    _ side: Side, _ octets: RawSpan, at position: StreamPosition, _ run: inout Run
  ) -> OwnMemory<TunnelledSession>? {
    if let tunnel, tunnel.value.hasStarted(side) { return tunnel }
    guard octets.byteCount > 0, parsers.look(side, { $0.isOpenTunnel }) else { return nil }
    // Behind a gap, or behind octets of another protocol, TLS must start with a hello.
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

  /// Gives octets from a position on to the session in the tunnel, with the charges that wait for them.
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

  /// Leaves the tunnel on a side that began like TLS, but is not. The octets taken for its first header are not reported further.
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

  /// The session in the tunnel, if it owns uncaptured octets of a side. It begins with them if its other side is TLS.
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

  /// Uses new secrets. Returns the session's needs; nil when no record in the tunnel waited for secrets.
  mutating func lookForSecrets(_ run: inout Run) -> StreamNeeds? {
    guard let tunnel, withTunnel(&run, { tunnel.value.session.lookForSecrets(&$0) }) != nil else { return nil }
    return needs
  }

  /// Whether records in the tunnel wait for secrets.
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

  /// The facts that the session in the tunnel knows at its end; nil without one.
  mutating func closeTunnelled(_ run: inout Run) -> SessionEnd? {
    guard let tunnel else { return nil }
    defer { self.tunnel = nil }
    return withTunnel(&run) { tunnel.value.session.close(&$0) }
  }

  mutating func retireEndedTunnelled(_ run: inout Run) {
    if let tunnel { withTunnel(&run) { tunnel.value.session.retireEnded(&$0) } }
  }

  // MARK: Charges

  /// Charges a packet that ends in the tunnel.
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

  /// Flags a conflict of the tunnel's part of a range. Returns the part before it.
  mutating func flagConflictTunnelled(
    _ range: Range<StreamPosition>, on side: Side, _ run: inout Run
  ) -> Range<StreamPosition> {
    guard let tunnel, range.upperBound > tunnel.value.starts[side] else { return range }
    let start = tunnel.value.starts[side]
    let inside = max(range.lowerBound, start)..<range.upperBound
    withTunnel(&run) { tunnel.value.session.flagConflict(inside, on: side, &$0) }
    return min(range.lowerBound, start)..<start
  }

  /// Takes late octets of the tunnel. Returns the part of the range before them.
  mutating func acceptLateTunnelled(
    _ range: Range<StreamPosition>, on side: Side, _ run: inout Run
  ) -> Range<StreamPosition> {
    guard let tunnel, range.upperBound > tunnel.value.starts[side] else { return range }
    let start = tunnel.value.starts[side]
    tunnel.value.session.acceptLate(max(range.lowerBound, start)..<range.upperBound, &run)
    return min(range.lowerBound, start)..<start
  }
}
