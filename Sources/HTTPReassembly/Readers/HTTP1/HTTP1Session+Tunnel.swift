import Packets

/// A tunnel that HTTP/1 opened, with a reader at the same positions of the same streams.
///
/// The reader is TLS. The parsers of HTTP/1 read clear text in the tunnel themselves.
struct OpenTunnel {
  let tls: OwnMemory<TLSSession>
  /// The position of each side's first octet in the tunnel; `.never` while there is none.
  var starts = Sides<StreamPosition>(repeating: .never)

  init(_ session: consuming TLSSession) { tls = OwnMemory(session) }

  var reader: Reader { .tls(tls) }

  /// Whether octets of a side belong to the reader.
  func hasStarted(_ side: Side) -> Bool { starts[side] != .never }

  /// Octets of its own memory, without the memory that its reader counts.
  static var memory: Int { MemoryLayout<OpenTunnel>.stride + 32 }
}

// The parts of HTTP/1 sessions that a reader in a tunnel takes over.

extension HTTP1Session {
  /// Runs a body for the reader in the tunnel. Its messages learn the outer layers, and its rows name the same client.
  mutating func inside<Result>(
    _ tunnel: OwnMemory<OpenTunnel>, _ run: inout Run, _ body: (Reader, inout Run) -> Result
  ) -> Result {
    let (around, client) = (run.connection.beneath, run.connection.client)
    run.connection.beneath.isTunnelled = true
    if let named = conversation.namedClient { run.connection.client = named }
    defer {
      run.connection.beneath = around
      run.connection.client = client
    }
    return body(tunnel.value.reader, &run)
  }

  /// The tunnel, if it has a reader that octets of a side belong to.
  func tunnel(of side: Side) -> OwnMemory<OpenTunnel>? {
    guard let tunnel, tunnel.value.hasStarted(side) else { return nil }
    return tunnel
  }

  // MARK: Octets

  /// Reads octets of a side that are TLS inside a tunnel. If they are not, it returns nil and has read none of them.
  @inline(never)
  mutating func receiveTunnelled(
    _ side: Side, _ octets: RawSpan, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> Taken? {
    guard let tunnel = enterTunnel(side, octets, at: position, &run) else { return nil }
    guard !tunnel.value.reader.refuses(side, octets) else {
      leaveTunnel(side, at: position, &run)
      return nil
    }
    let taken = inside(tunnel, &run) { $0.receive(side, octets, at: position, arrival, &$1) }
    return Taken(count: taken.count, needs: needs)
  }

  /// The tunnel, if these octets belong to it. It has begun on that side, or begins with them.
  private mutating func enterTunnel(
    _ side: Side, _ octets: RawSpan, at position: StreamPosition, _ run: inout Run
  ) -> OwnMemory<OpenTunnel>? {
    if let tunnel = tunnel(of: side) { return tunnel }
    guard octets.byteCount > 0, parsers.look(side, { $0.isOpenTunnel }) else { return nil }
    // Behind a gap, or behind octets of another protocol, TLS must start with a hello.
    let isFresh = parsers.look(side) { $0.isFreshTunnel }
    let isOpened = tunnel?.value.tls.value.inner != nil
    guard isOpened || TLSRecords.canStart(with: octets.octet(0)), isOpened || isFresh || Hello.starts(octets) else {
      return nil
    }
    let opened: OwnMemory<OpenTunnel>
    if let tunnel {
      opened = tunnel
    } else {
      guard Int(run.connection.beneath.depth) < run.configuration.nestedTLSLimit else {
        run.note(.tunnelTooDeep)
        return nil
      }
      let isWhole = isFresh && parsers.look(1 - side, { $0.isFreshTunnel })
      conversation.fixClient(run)
      opened = OwnMemory(OpenTunnel(TLSSession(ConnectionOpening(isSeen: isWhole), &run)))
      tunnel = opened
    }
    startTunnel(side, at: position, opened, &run)
    return opened
  }

  /// Gives octets from a position on to the reader in the tunnel, with the charges that wait for them.
  private mutating func startTunnel(
    _ side: Side, at position: StreamPosition, _ tunnel: OwnMemory<OpenTunnel>, _ run: inout Run
  ) {
    tunnel.value.starts[side] = position
    guard !pending.isEmpty else { return }
    let charges = pending.takeCharges(side) { $0.position >= position }
    let conflicts = pending.takeConflicts(side) { $0.lowerBound >= position }
    inside(tunnel, &run) { reader, run in
      for charge in charges { reader.charge(charge, to: side, &run) }
      for range in conflicts { reader.flagConflict(range, on: side, &run) }
    }
  }

  /// Leaves the tunnel on a side that began like TLS, but is not. The octets taken for its first header are not reported further.
  private mutating func leaveTunnel(_ side: Side, at position: StreamPosition, _ run: inout Run) {
    guard let tunnel else { return }
    let taken = inside(tunnel, &run) { tunnel.value.tls.value.refuse(side, &$1) }
    tunnel.value.starts[side] = .never
    parsers[side] = HTTP1Parser(position: position)
    parsers[side].answered(isTunnel: true)
    parsers[side].passTunnel()
    conversation.outsideMessages(taken, as: .tunnel, &run)
    guard !tunnel.value.hasStarted(1 - side) else { return }
    tunnel.value.tls.value.release(&run)
    self.tunnel = nil
  }

  /// The tunnel, if its reader owns uncaptured octets of a side. It begins with them if its other side is TLS.
  mutating func tunnel(passing position: StreamPosition, of side: Side, _ run: inout Run) -> OwnMemory<OpenTunnel>? {
    guard let tunnel else { return nil }
    if tunnel.value.hasStarted(side) { return tunnel }
    guard parsers.look(side, { $0.isFreshTunnel }), tunnel.value.tls.value.sides[1 - side].isConfirmed else {
      return nil
    }
    startTunnel(side, at: position, tunnel, &run)
    return tunnel
  }

  // MARK: Secrets

  /// Uses new secrets. Returns the session's needs; nil when no record in the tunnel waited for secrets.
  mutating func lookForSecrets(_ run: inout Run) -> StreamNeeds? {
    guard let tunnel, inside(tunnel, &run, { $0.lookForSecrets(&$1) }) != nil else { return nil }
    return needs
  }

  /// Whether records in the tunnel wait for secrets.
  var waitsForSecrets: Bool { tunnel?.value.reader.waitsForSecrets ?? false }

  // MARK: Ends

  /// The facts that the reader in the tunnel knows at its end; nil without one.
  mutating func closeTunnel(_ run: inout Run) -> SessionEnd? {
    guard let tunnel else { return nil }
    defer { self.tunnel = nil }
    return inside(tunnel, &run) { $0.close(&$1) }
  }

  // MARK: Charges

  /// Charges a packet that ends in the tunnel.
  mutating func chargeTunnelled(
    _ charge: Charge, to side: Side, _ tunnel: OwnMemory<OpenTunnel>, _ run: inout Run
  ) {
    let start = tunnel.value.starts[side]
    guard charge.position < start else { return inside(tunnel, &run) { $0.charge(charge, to: side, &$1) } }
    let before = start - charge.position
    var own = charge
    own.length = min(charge.length, before)
    own.retransmitted = min(charge.retransmitted, before)
    conversation.charge(own, to: side, &run)
    let rest = Charge(position: start, retransmitted: charge.retransmitted - own.retransmitted, overhead: 0)
    inside(tunnel, &run) { $0.charge(rest, to: side, &$1) }
  }

  /// Runs a body with the part of a range that belongs to the tunnel, if there is one. Returns the part before it.
  mutating func outsideTunnel(
    _ range: Range<StreamPosition>, of side: Side, _ run: inout Run,
    inside body: (Reader, Range<StreamPosition>, inout Run) -> Void
  ) -> Range<StreamPosition> {
    guard let tunnel, range.upperBound > tunnel.value.starts[side] else { return range }
    let start = tunnel.value.starts[side]
    let own = max(range.lowerBound, start)..<range.upperBound
    inside(tunnel, &run) { body($0, own, &$1) }
    return min(range.lowerBound, start)..<start
  }
}
