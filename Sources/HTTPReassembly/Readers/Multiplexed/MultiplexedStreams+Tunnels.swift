import Packets

// Streams that CONNECT opened. Each carries a connection of its own, or the protocol that CONNECT names.

/// The tunnels of a connection, and what is known of those that were closed.
struct StreamTunnels {
  /// The tunnels by the numbers of their streams.
  var open: [UInt64: OwnMemory<StreamTunnel>] = [:]
  /// Those whose both sides have ended, oldest first.
  var ended = IndexRing<UInt64>()
  /// The facts about TLS in those that were closed, together.
  var security: ConnectionSecurity?
  /// Octets of their unopened records of application data.
  var unopened = 0
}

extension MultiplexedStreams {
  /// Ended tunnels that still take charges. They count as open ones.
  private static var endedTunnelLimit: Int { 16 }

  /// Runs a body for a tunnel. Its messages learn that they are in one, and its rows name the same client.
  @discardableResult
  mutating func withTunnel<Result>(
    _ stream: UInt64, _ run: inout Run, _ body: (inout StreamTunnel, inout Run) -> Result
  ) -> Result? {
    guard let tunnel = tunnels?.value.open[stream] else { return nil }
    let (side, arrival) = (run.side, run.arrival)
    let (around, client) = (run.connection.beneath, run.connection.client)
    run.connection.beneath.isTunnelled = true
    // The proxy's name and its TLS are not those of a server behind it.
    run.connection.beneath.serverName = .none
    run.connection.beneath.isSecure = false
    if let own = namedClient ?? requestSide, client == nil { run.connection.client = own }
    defer {
      run.connection.beneath = around
      run.connection.client = client
      run.arrival = arrival
      run.read(side)
    }
    return body(&tunnel.value, &run)
  }

  /// The number of a stream whose tunnel takes octets of the current side; nil for none.
  mutating func openTunnel(_ slot: Int, _ run: inout Run) -> UInt64? {
    let (stream, side) = (list[slot].id, run.side)
    if let tunnel = tunnels?.value.open[stream] { return tunnel.value.isFinished[side] ? nil : stream }
    guard list[slot].opensConnection else { return nil }
    // Later octets are no start.
    list[slot].opensConnection = false
    let isFull = (tunnels?.value.open.count ?? 0) >= run.configuration.tunnelLimit
    guard !isLossy(slot, 0), !isLossy(slot, 1), !isFull else { return nil }
    run.connection.added.flags.insert(.tunnel)
    let known = tunnels ?? OwnMemory(StreamTunnels())
    known.value.open[stream] = OwnMemory(StreamTunnel(&run))
    tunnels = known
    return stream
  }

  // MARK: Tunnels of messages

  /// Reads the frames of the response's side, if the request's side has opened a WebSocket. Its terms hold for both.
  func openAnsweringWebSocket(_ slot: Int, _ row: RowIndex, _ terms: WebSocketTerms, _ run: inout Run) {
    let request = list[slot].halves[1 - run.side].message
    guard list[slot].isExtended, request.isOpen(run.rows), let reader = run.webSocket(of: request.row) else { return }
    reader.value.agree(on: terms)
    run.openWebSocket(of: row, isMasked: false, terms)
  }

  /// The row of the message whose tunnel takes octets of the current side; nil if they belong to no message of an extended CONNECT.
  func tunnelOwner(_ slot: Int, _ run: inout Run) -> RowIndex? {
    let message = list[slot].halves[run.side].message
    guard list[slot].isExtended, message.isOpen(run.rows) else { return nil }
    if isLossy(slot, run.side) { run.webSocket(of: message.row)?.value.lose(after: losses[run.side], &run) }
    return message.row
  }

  // MARK: Ends

  /// Ends a side of a tunnel.
  mutating func finishTunnel(_ stream: UInt64, _ side: Side, isComplete: Bool, _ run: inout Run) {
    let hasEnded = withTunnel(stream, &run) { tunnel, run in
      let wasOpen = !tunnel.isFinished[side]
      tunnel.finish(side, isComplete: isComplete, &run)
      return wasOpen && tunnel.isFinished[1 - side]
    }
    guard hasEnded == true, let tunnels else { return }
    tunnels.value.ended.append(stream)
    if tunnels.value.ended.count > Self.endedTunnelLimit {
      closeTunnel(tunnels.value.ended[0], &run)
      tunnels.value.ended.removeFirst()
    }
  }

  /// Ends a side of all tunnels, because frames of it may be lost.
  mutating func loseTunnels(_ side: Side, _ run: inout Run) {
    guard let tunnels else { return }
    for stream in tunnels.value.open.keys.sorted() { finishTunnel(stream, side, isComplete: false, &run) }
  }

  /// Closes all tunnels. Returns what is known of them; nil without any.
  mutating func closeTunnels(_ run: inout Run) -> StreamTunnels? {
    guard let tunnels else { return nil }
    for stream in tunnels.value.open.keys.sorted() { closeTunnel(stream, &run) }
    return tunnels.value
  }

  private mutating func closeTunnel(_ stream: UInt64, _ run: inout Run) {
    guard let tunnels, let end = withTunnel(stream, &run, { $0.close(&$1) }) else { return }
    tunnels.value.open[stream] = nil
    tunnels.value.unopened += end.unopened
    guard let security = end.security else { return }
    if tunnels.value.security == nil {
      tunnels.value.security = security
    } else {
      tunnels.value.security?.add(security, &run.texts)
    }
  }

  /// Runs a body for each tunnel, in the order of their streams.
  mutating func forEachTunnel(_ run: inout Run, _ body: (inout StreamTunnel, inout Run) -> Void) {
    guard let tunnels else { return }
    for stream in tunnels.value.open.keys.sorted() { withTunnel(stream, &run, body) }
  }

  // MARK: Secrets

  /// Uses new secrets. Returns whether records waited for secrets.
  mutating func lookForSecrets(_ run: inout Run) -> Bool {
    var hasWaited = false
    forEachTunnel(&run) { tunnel, run in if tunnel.lookForSecrets(&run) { hasWaited = true } }
    return hasWaited
  }

  /// Whether records in tunnels wait for secrets.
  var waitsForSecrets: Bool { tunnels?.value.open.values.contains { $0.value.reader.waitsForSecrets } ?? false }

  // MARK: Charges

  /// Charges a packet whose first octet is a tunnel's. It becomes the charge of the octets behind it. Returns whether there are any.
  mutating func chargeTunnel(
    _ charge: inout Charge, _ owners: borrowing Owners, of side: Side, _ run: inout Run
  ) -> Bool {
    guard let stream = owners.owner(of: charge.position).tunnel else { return true }
    let own = charge
    let count = withTunnel(stream, &run) { $0.charge(own, to: side, &$1) } ?? 0
    guard count > 0 else { return true }
    charge = Charge(
      position: own.position + count, retransmitted: max(own.retransmitted - count, 0), overhead: 0)
    return charge.retransmitted > 0
  }

  /// Charges repeated octets of a tunnel, which are one piece of it.
  mutating func chargeTunnel(
    _ stream: UInt64, repeated range: Range<StreamPosition>, of side: Side, _ run: inout Run
  ) {
    let charge = Charge(position: range.lowerBound, retransmitted: range.count, overhead: 0)
    let count = withTunnel(stream, &run) { $0.charge(charge, to: side, &$1) } ?? 0
    run.connection.added.unattributed += range.count - count
  }

  /// Takes late octets of a tunnel. Returns whether it took them.
  mutating func acceptLate(
    _ range: Range<StreamPosition>, ofTunnel stream: UInt64, on side: Side, _ run: inout Run
  ) -> Bool {
    withTunnel(stream, &run) { $0.acceptLate(range, on: side, &$1) } ?? false
  }
}
