// The octets between the start and the end of a message, and the octets outside messages.

extension Conversation {
  /// Notes the times of a line of the current message that came in several packets.
  mutating func noteTimes(of line: LineStart, _ run: inout Run) {
    guard !owners.look(run.side, { $0.isEmpty }) else { return }
    var arrival = line.arrival
    run.rows.messages[Int(row(run))].note(arrival)
    arrival.time = line.latest
    run.rows.messages[Int(row(run))].note(arrival)
  }

  mutating func count(_ count: Int, as part: FramedPart, _ run: inout Run) {
    guard !owners.look(run.side, { $0.isEmpty }) else { return run.ledger.settle(count, as: .stray) }
    let row = row(run)
    switch part {
    case .header:
      run.rows[message: row].octets.header += count
      run.ledger.settle(count, as: .header)
    case .framing:
      run.rows[message: row].octets.framing += count
      run.ledger.settle(count, as: .framing)
    case .trailer:
      run.rows[message: row].octets.trailer += count
      run.ledger.settle(count, as: .trailer)
    }
    run.rows.messages[Int(row)].note(run.arrival)
  }

  @inline(__always)
  mutating func body(_ octets: RawSpan, _ run: inout Run) {
    guard !owners.look(run.side, { $0.isEmpty }) else { return run.ledger.settle(octets.byteCount, as: .stray) }
    let row = row(run)
    run.rows.messages.change(Int(row)) { open in
      open.message.octets.body += octets.byteCount
      open.note(run.arrival)
    }
    run.ledger.settle(octets.byteCount, as: .body)
    if let content = contents[run.side], content.value.isOpen { content.value.take(octets, of: row, &run) }
  }

  mutating func unseenBody(_ count: Int, _ run: inout Run) {
    guard !owners.look(run.side, { $0.isEmpty }) else { return run.ledger.settle(count, as: .stray) }
    let row = row(run)
    run.rows[message: row].octets.body += count
    run.rows.messages[Int(row)].note(run.arrival)
    run.rows[message: row].unseen += count
    loseContent(&run)
    run.ledger.settle(count, as: .body)
    run.countUnseen(count)
  }

  mutating func missingBody(_ count: Int, _ run: inout Run) {
    run.countMissing(count)
    guard !owners.look(run.side, { $0.isEmpty }) else { return }
    run.rows[message: row(run)].missing += count
    loseContent(&run)
  }

  /// Notes that not all of the newest message's content could be seen.
  private mutating func loseContent(_ run: inout Run) {
    contents[run.side]?.value.lose()
    run.rows[message: row(run)].flags.insert(.contentNotSeen)
  }

  mutating func missingOutsideMessages(_ count: Int, _ run: inout Run) {
    run.countMissing(count)
    if let row = tunnelOwner(run) { return run.missTunnel(count, of: row) }
    followsHole[run.side] = true
    gap[run.side] += count
  }

  mutating func unseenOutsideMessages(_ count: Int, as reason: OutsideReason, _ run: inout Run) {
    run.countUnseen(count)
    if reason == .stray, extendBroken(by: count, unseen: count, &run) { return }
    if reason == .tunnel, let row = tunnelOwner(run) {
      run.takeUnseenTunnel(count, of: row)
    } else {
      outsideMessages(count, as: reason, &run)
    }
    followsHole[run.side] = true
  }

  mutating func lostOctets(
    _ count: Int, at position: StreamPosition, as reason: OutsideReason, _ run: inout Run
  ) {
    if reason == .stray, broken[run.side] == nil { startHeadless(at: position, &run) }
    outsideMessages(count, as: reason, &run)
  }

  mutating func outsideMessages(_ count: Int, as reason: OutsideReason, _ run: inout Run) {
    droppedLine(count, as: reason, &run)
    if !isAligned || recovery != nil, broken[run.side] == nil {
      strayAcknowledged[run.side] = run.arrival.acknowledged
    }
  }

  mutating func droppedLine(_ count: Int, as reason: OutsideReason, _ run: inout Run) {
    if reason == .stray, extendBroken(by: count, unseen: 0, &run) { return }
    if recovery != nil { gap[run.side] = 0 }
    if reason == .tunnel, let row = tunnelOwner(run) { return run.countTunnel(count, of: row) }
    run.connection.added.unattributed += count
    switch reason {
    case .tunnel: run.ledger.settle(count, as: .tunnel)
    case .stray: run.ledger.settle(count, as: .stray)
    case .undecided:
      if isHTTP { run.ledger.settle(count, as: .stray) } else { undecided[run.side] += count }
    }
  }
}

// The octets in a tunnel that a message opened by Upgrade (RFC 9110 §7.8). They belong to the messages that opened it.

extension Conversation {
  /// Gives the octets of the current side from a position on to the response with status 101 that has just ended.
  mutating func continueInTunnel(at position: StreamPosition, _ run: inout Run) {
    guard !isUpgraded, run.rows[message: row(run)].status == 101 else { return }
    openTunnel(run.side, at: position, &run)
  }

  /// Gives the octets of a side from a position on to its newest request, if the request's response has switched protocols.
  mutating func continueRequestInTunnel(_ side: Side, at position: StreamPosition, _ run: inout Run) {
    guard !isUpgraded, !owners.look(side, { $0.isEmpty || $0.hasMessageInProgress }) else { return }
    let row = owners.look(side) { $0.newest.row }
    let (kind, exchange) = run.rows.messages.look(Int(row)) { ($0.message.kind, $0.exchange) }
    // The inside of a CONNECT's tunnel is a connection of its own.
    let isUpgrade = read(exchange, run) { $0.switches == true && $0.method != .connect }
    guard kind == .request, isUpgrade == true else { return }
    openTunnel(side, at: position, &run)
  }

  /// Takes it that the answer to the newest request was lost and has switched protocols, as the request asked.
  ///
  /// The octets of a side begin with a frame of WebSocket or HTTP/2, or a hello of TLS. No message does: its first octet is in no token. The
  /// client's octets tell without a gap too, as in a capture of its direction alone.
  ///
  /// - Returns: Whether it is so. The figures of the tunnel are inferred.
  mutating func inferSwitch(_ octets: RawSpan, of side: Side, at position: StreamPosition, _ run: inout Run) -> Bool {
    guard let requestSide, side == requestSide || followsHole[side], !owners.look(requestSide, { $0.isEmpty }) else {
      return false
    }
    let row = owners.look(requestSide) { $0.newest.row }
    let exchange = run.rows.messages.look(Int(row)) { $0.exchange }
    guard let asked = read(exchange, run, { $0.asksToSwitch && $0.switches == nil ? $0.asksForHTTP2 : nil }),
      let asksForHTTP2 = asked
    else { return false }
    if !webSocket.isEmpty {
      var reader = WebSocketReader(isMasked: side == requestSide, webSocket)
      guard reader.accepts(octets) else { return false }
    } else if asksForHTTP2 {
      guard side == requestSide ? HTTP2Preface.starts(octets) : UndecidedProtocol.areFrames(octets) else {
        return false
      }
      change(exchange, &run) { $0.switches = true }
      isUpgraded = true
      return true
    } else {
      guard Hello.starts(octets) else { return false }
    }
    isTunnel = true
    run.connection.added.flags.insert(.tunnel)
    change(exchange, &run) { $0.switches = true }
    run.rows[message: row].exactness.weaken()
    continueRequestInTunnel(requestSide, at: position, &run)
    run.webSocket(of: row)?.value.doubt()
    return true
  }

  private mutating func openTunnel(_ side: Side, at position: StreamPosition, _ run: inout Run) {
    owners[side].continueNewest()
    let row = owners.look(side) { $0.newest.row }
    run.rows.messages[Int(row)].tunnelStart = position
    if !webSocket.isEmpty { run.openWebSocket(of: row, isMasked: side == requestSide, webSocket) }
  }

  /// Notes that the end of the current side's WebSocket is not seen, unless a frame closed it. The message before it is whole.
  func cutTunnel(_ run: borrowing Run) {
    guard let row = tunnelOwner(run), let reader = run.webSocket(of: row), !reader.look({ $0.isClosed }) else { return }
    reader.value.cut()
  }

  /// The row of the message that owns the tunnel's octets of the current side; nil without one.
  @inline(__always)
  func tunnelOwner(_ run: borrowing Run) -> RowIndex? {
    guard isTunnel, owners.look(run.side, { $0.hasMessageInProgress }) else { return nil }
    let row = row(run)
    return run.rows.messages.look(Int(row)) { $0.tunnelStart } == .never ? nil : row
  }
}
