// Where messages may start and end, as far as the other side tells.

extension Conversation {
  func mayBeNextResponse(at position: StreamPosition, _ arrival: SegmentArrival, _ run: borrowing Run) -> Bool {
    if isPipelined { return true }
    let acknowledged = run.rows.messages.look(Int(row(run))) { $0.acknowledged }
    return position == arrival.segment && (arrival.acknowledged == .unknown || arrival.acknowledged != acknowledged)
  }

  func mayStart(at position: StreamPosition, _ arrival: SegmentArrival, _ run: borrowing Run) -> Bool {
    guard isBeyondBroken(arrival, run), let requestSide else { return broken[run.side] == nil }
    let start = LineStart(position: position, arrival: arrival)
    return isPossible(startOf: run.side == requestSide ? .request : .response, at: start, run)
  }

  mutating func refusedStart(_ run: inout Run) {
    // A message that was sent together with the one before acknowledges the same, as a part of that would: it may be one that is not counted.
    followsHole[run.side] = true
    needsMoreProof = true
    serialPairs = 0
  }

  /// Whether a packet's octets are none of a message that has lost its framing.
  func isBeyondBroken(_ arrival: SegmentArrival, _ run: borrowing Run) -> Bool {
    guard let message = broken[run.side], !isPipelined else { return true }
    return !isOwn(arrival.acknowledged, of: message.value, run)
  }

  func nextBoundary(
    after position: StreamPosition, before end: StreamPosition, _ run: borrowing Run
  ) -> StreamPosition? {
    // A client has read whole responses when it sends a request.
    guard requestSide == 1 - run.side else { return nil }
    var next: StreamPosition?
    for number in max(nextToAnswer, exchanges.end - Self.boundaryLimit)..<max(nextToAnswer, exchanges.end) {
      guard let acknowledged = read(number, run, { $0.acknowledged }), acknowledged > position, acknowledged < end
      else {
        continue
      }
      next = min(next ?? acknowledged, acknowledged)
    }
    return next
  }

  func nextRequest(in octets: RawSpan, from offset: Int, _ run: borrowing Run) -> Int? {
    // Of a client that has sent many requests, none with content, all octets are header sections.
    guard isPipelined, run.side == requestSide, requestLengths.shortest != nil else { return nil }
    return octets.endOfHeaderSection(from: offset)
  }

  /// Waiting requests, the newest ones, whose acknowledgments say where responses may start.
  static var boundaryLimit: Int { 16 }

  mutating func resynchronized(at start: LineStart, _ run: inout Run) {
    let isConfirmed = run.side == requestSide && requestEnd(acknowledgedBefore: start, run) == start.position
    let row = row(run)
    run.rows.messages[Int(row)].doubts.insert(.start)
    isUnsure[run.side] = true
    // Unless the response before says that it starts there.
    guard run.side == requestSide, !isConfirmed else { return }
    change(run.rows.messages.look(Int(row)) { $0.exchange }, &run) { $0.isDoubtful = true }
  }

  mutating func hasNoContent(_ run: inout Run) {
    run.rows[message: row(run)].flags.remove(.closeDelimited)
  }

  mutating func opensTunnel(_ run: inout Run) {
    run.rows[message: row(run)].flags.remove(.closeDelimited)
    isTunnel = true
    run.connection.added.flags.insert(.tunnel)
    answer = true
  }

  /// Something starts, or the stream ends, where the newest message of a side ended: there it did end.
  mutating func confirmEnd(of side: Side, at position: StreamPosition, _ run: inout Run) {
    guard !owners.look(side, { $0.isEmpty }) else { return }
    let (row, end) = owners.look(side) { ($0.newest.row, $0.newest.end) }
    // What ends where the connection does may have begun to be others' long before: that it is closed says nothing of it.
    guard end == position, !run.rows[message: row].flags.contains(.closeDelimited) else { return }
    run.rows.messages[Int(row)].doubts.remove(.end)
  }

  /// The stream of a side is over; it ends at a position if its sender has closed it.
  mutating func endStream(_ side: Side, at position: StreamPosition?, _ run: inout Run) {
    settleBroken(side, before: position, &run)
    if let position { confirmEnd(of: side, at: position, &run) }
  }

  /// The messages in progress end because the connection is no longer followed.
  mutating func flagEviction(_ run: inout Run) {
    for side in 0..<2 where owners.look(side, { $0.hasMessageInProgress }) {
      run.rows[message: owners[side].newest.row].flags.insert(.evicted)
    }
  }

  /// The class of octets that are in no message and came too late to be read in their order.
  var lateClass: OctetClass { isTunnel ? .tunnel : isHTTP ? .stray : .opaque }

  /// The connection ends: what never turned out to be HTTP is opaque.
  mutating func settleUndecided(_ run: inout Run) {
    for side in 0..<2 {
      run.settle(undecided[side], as: .opaque, of: side)
      undecided[side] = 0
    }
  }
}

extension RawSpan {
  /// Where the first header section ends that these octets, from `offset` on, are the rest of: behind the rest of a line, and nothing
  /// but field lines, comes its empty line. Nil where anything else comes.
  func endOfHeaderSection(from offset: Int) -> Int? {
    var line = offset
    var isFirst = true
    while let lineFeed = firstOffset(of: ASCII.lineFeed, in: line..<byteCount) {
      let end = lineFeed > line && octet(lineFeed - 1) == ASCII.carriageReturn ? lineFeed - 1 : lineFeed
      let next = lineFeed + 1
      // Of the first line only the terminator may be left: of a field line's, or of the empty one.
      if end == line, !isFirst || StartLine.isLikely(extracting(next..<byteCount)) { return next }
      if !isFirst, FieldLine(extracting(line..<end)) == nil { return nil }
      isFirst = false
      line = next
    }
    return nil
  }
}
