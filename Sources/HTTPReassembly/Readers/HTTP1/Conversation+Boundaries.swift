// The positions where messages may start and end, by the acknowledgments of the other side.

import Packets

extension Conversation {
  func mayBeNextResponse(at position: StreamPosition, _ arrival: SegmentArrival, _ run: borrowing Run) -> Bool {
    if isPipelined { return true }
    let acknowledged = run.rows.messages.look(Int(row(run))) { $0.acknowledged }
    return position == arrival.segment && (arrival.acknowledged == .unknown || arrival.acknowledged != acknowledged)
  }

  mutating func mayStart(at position: StreamPosition, _ arrival: SegmentArrival, _ run: borrowing Run) -> Bool {
    guard isBeyondBroken(arrival, run), let requestSide else { return broken[run.side] == nil }
    let start = LineStart(position: position, arrival: arrival)
    return isPossible(startOf: run.side == requestSide ? .request : .response, at: start, run)
  }

  mutating func refusedStart(_ run: inout Run) {
    // A message sent together with the one before acknowledges the same octets, as a part of that one would. This may
    // be such a message, which is not counted.
    followsHole[run.side] = true
    needsMoreProof = true
    serialPairs = 0
  }

  /// Whether a packet's octets do not belong to a message that has lost its framing.
  func isBeyondBroken(_ arrival: SegmentArrival, _ run: borrowing Run) -> Bool {
    guard let message = broken[run.side], !isPipelined else { return true }
    // The final response follows an interim one, and acknowledges the same request.
    if run.rows.messages.look(Int(message.value.row), { $0.message.kind == .interim }) { return true }
    return !isOwn(arrival.acknowledged, of: message.value, run)
  }

  func nextBoundary(
    after position: StreamPosition, before end: StreamPosition, _ run: borrowing Run
  ) -> StreamPosition? {
    // A client that sends a request has read whole responses.
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
    // A client whose many requests had no content sends header sections only.
    guard isPipelined, run.side == requestSide, requestLengths.shortest != nil else { return nil }
    return octets.endOfHeaderSection(from: offset)
  }

  /// The number of newest waiting requests whose acknowledgments show where responses may start.
  static var boundaryLimit: Int { 16 }

  mutating func resynchronized(at start: LineStart, _ run: inout Run) {
    let isConfirmed = run.side == requestSide && requestEnd(acknowledgedBefore: start, run) == start.position
    let row = row(run)
    run.rows.messages[Int(row)].doubts.insert(.start)
    isUnsure[run.side] = true
    // The response before may confirm the start.
    guard run.side == requestSide, !isConfirmed else { return }
    change(run.rows.messages.look(Int(row)) { $0.exchange }, &run) { $0.isDoubtful = true }
  }

  func isRefused(_ run: borrowing Run) -> Bool {
    guard owners.look(run.side, { $0.hasMessageInProgress }) else { return false }
    let (kind, exchange) = run.rows.messages.look(Int(row(run))) { ($0.message.kind, $0.exchange) }
    guard kind == .request else { return false }
    return read(exchange, run) { $0.isAnswered && $0.exchange.status >= 300 } ?? false
  }

  mutating func hasNoContent(isCertain: Bool, _ run: inout Run) {
    run.rows[message: row(run)].flags.remove(.closeDelimited)
    guard !isCertain else { return }
    run.rows.messages[Int(row(run))].doubts.insert(.content)
    doubt(run.arrival.segment)
  }

  mutating func opensTunnel(_ run: inout Run) {
    run.rows[message: row(run)].flags.remove(.closeDelimited)
    isTunnel = true
    run.connection.added.flags.insert(.tunnel)
    answer = true
  }

  /// Confirms the end of a side's newest message, if another message starts there or the stream ends there.
  mutating func confirmEnd(of side: Side, at position: StreamPosition, _ run: inout Run) {
    guard !owners.look(side, { $0.isEmpty }) else { return }
    let (row, end) = owners.look(side) { ($0.newest.row, $0.newest.end) }
    // A close-delimited message may have contained other messages. The close does not confirm its end.
    guard end == position, !run.rows[message: row].flags.contains(.closeDelimited) else { return }
    run.rows.messages[Int(row)].doubts.remove(.end)
  }

  /// Ends the stream of a side, at a position if its sender has closed it.
  mutating func endStream(_ side: Side, at position: StreamPosition?, _ run: inout Run) {
    settleBroken(side, before: position, &run)
    if let position { confirmEnd(of: side, at: position, &run) }
  }

  /// Flags the messages in progress that end because the connection is evicted.
  mutating func flagEviction(_ run: inout Run) {
    for side in 0..<2 where owners.look(side, { $0.hasMessageInProgress }) {
      run.rows[message: owners[side].newest.row].flags.insert(.evicted)
    }
  }

  /// The class of octets that belong to no message and came too late to be read in order.
  var lateClass: OctetClass { isTunnel ? .tunnel : isHTTP ? .stray : .opaque }

  /// Makes undecided octets opaque at the end of the connection. They never turned out to be HTTP.
  mutating func settleUndecided(_ run: inout Run) {
    for side in 0..<2 {
      run.settle(undecided[side], as: .opaque, of: side)
      undecided[side] = 0
    }
  }
}

extension RawSpan {
  /// The end of a header section whose rest starts at `offset`; nil when other octets come.
  ///
  /// The rest of a line comes first, then only field lines, then the empty line.
  func endOfHeaderSection(from offset: Int) -> Int? {
    var line = offset
    var isFirst = true
    while let lineFeed = firstOffset(of: ASCII.lineFeed, in: line..<byteCount) {
      let end = lineFeed > line && octet(lineFeed - 1) == ASCII.carriageReturn ? lineFeed - 1 : lineFeed
      let next = lineFeed + 1
      // The first line may have only its terminator left. It belongs to a field line, or to the empty line.
      if end == line, !isFirst || StartLine.isLikely(extracting(next..<byteCount)) { return next }
      if !isFirst, FieldLine(extracting(line..<end)) == nil { return nil }
      isFirst = false
      line = next
    }
    return nil
  }
}

// The distances between messages across lost octets.

extension Conversation {
  /// The interval between a message that starts on the current side and the message before it there.
  func interval(before start: LineStart, _ run: borrowing Run) -> MessageInterval {
    guard !owners.look(run.side, { $0.isEmpty }) else { return firstInterval(before: start, run) }
    let newest = owners.look(run.side) { $0.newest }
    guard newest.end != .never, newest.end <= start.position else { return MessageInterval() }
    let isCertain = recovery?.value.certainty[run.side] != .possible
    let isWhole = run.rows.messages.look(Int(newest.row)) { open in
      // Without its request, a response's content is uncertain. Content that did come ends where its framing says.
      let hasContent = open.message.octets.body + open.message.octets.framing > 0
      return open.message.exactness != .atLeast
        && (!open.doubts.contains(.end) || hasContent && !open.message.flags.contains(.closeDelimited))
        && isCertain
    }
    return MessageInterval(length: Int32(clamping: start.position - newest.end), isBehindWhole: isWhole)
  }

  /// The interval between the start of the current side's stream and a message; unknown if messages came before it.
  private func firstInterval(before start: LineStart, _ run: borrowing Run) -> MessageInterval {
    let beginning = beginning(run.side)
    guard beginning != .unknown else { return MessageInterval() }
    let isCertain = recovery?.value.certainty[run.side] != .possible
    return MessageInterval(
      length: Int32(clamping: start.position - beginning), isBehindWhole: isCertain)
  }

  /// Notes the distance of a request that has started, from a client that pipelines or behind a gap.
  mutating func noteDistance(of start: LineStart, _ interval: MessageInterval, _ run: inout Run) {
    let number = exchanges.end - 1
    if interval.length >= 0 {
      change(number, &run) { $0.interval = interval }
    } else if isPipelined, let before = read(number - 1, run, { $0.exchange.request == nil ? nil : $0.start }),
      let before
    {
      requestLengths.note(start.position - before)
    }
  }
}
