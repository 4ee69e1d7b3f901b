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

  /// Takes it that the answer to the newest request was lost and has opened a WebSocket, as the request asked.
  ///
  /// The octets of a side begin with a frame then, which no message does: its first octet is in no token. The client's octets tell
  /// without a gap too, as in a capture of its direction alone.
  ///
  /// - Returns: Whether it is so. The figures of the tunnel are inferred.
  mutating func inferWebSocket(_ octets: RawSpan, of side: Side, at position: StreamPosition, _ run: inout Run) -> Bool
  {
    guard let requestSide, side == requestSide || followsHole[side], !owners.look(requestSide, { $0.isEmpty }) else {
      return false
    }
    var reader = WebSocketReader(isMasked: side == requestSide, webSocket)
    let row = owners.look(requestSide) { $0.newest.row }
    let exchange = run.rows.messages.look(Int(row)) { $0.exchange }
    guard reader.accepts(octets), read(exchange, run, { $0.asksToSwitch && $0.switches == nil }) == true else {
      return false
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

  /// The row of the message that owns the tunnel's octets of the current side; nil without one.
  @inline(__always)
  func tunnelOwner(_ run: borrowing Run) -> RowIndex? {
    guard isTunnel, owners.look(run.side, { $0.hasMessageInProgress }) else { return nil }
    let row = row(run)
    return run.rows.messages.look(Int(row)) { $0.tunnelStart } == .never ? nil : row
  }
}
