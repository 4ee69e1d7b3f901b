// The ends of messages whose framing was lost in a gap or beyond the snap length (MEASURES §10).
//
// A client that does not pipeline sends no new request before it has the whole response. A server answers the request that
// it has got. The segments of one message therefore acknowledge the same octets of the other side, and the next message
// acknowledges others.

import Packets

/// A message that lost its framing. More octets may turn out to belong to it.
struct BrokenMessage {
  var row: RowIndex
  /// The position up to which its sender had read the other side when it started the message.
  var acknowledged: StreamPosition
  /// The position after its last known octet.
  var end: StreamPosition
  /// The position up to which the other side had read when it first answered; nil if not beyond the end.
  var answeredAt: StreamPosition?
  /// Octets of the message without a class, because it is unknown whether they are header or content.
  var unsplit = 0
  /// Whether it broke off in its header section.
  var isInHeader: Bool
  /// Its Content-Length; nil if it was not seen.
  var contentLength: Int?
  /// Whether no content can follow its header section.
  var hasNoContent: Bool

  /// Octets of its own memory.
  static var memory: Int { MemoryLayout<BrokenMessage>.stride + 32 }
}

extension Conversation {
  /// Marks the newest message of the current side as broken. Its framing was lost at a position.
  mutating func openBroken(
    _ row: RowIndex, _ kind: MessageKind, _ section: HeaderSection?, at position: StreamPosition, _ run: inout Run
  ) {
    let (status, exchange, acknowledged) = run.rows.messages.look(Int(row)) {
      ($0.message.status, $0.exchange, $0.acknowledged)
    }
    guard !isPipelined, acknowledged != .unknown else { return }
    let method = knownMethod(of: exchange, run)
    let framing = section?.framing
    let hasNoContent =
      kind == .request
      ? section != nil && framing?.hasContentLength == false && framing?.hasTransferEncoding == false
        && run.texts.withOctets(run.rows[message: row].method) { Method.isWithoutContent($0) }
      : status < 200 || status == 204 || status == 304 || method == .head
    broken[run.side] = OwnMemory(
      BrokenMessage(
        row: row, acknowledged: acknowledged, end: position, isInHeader: section != nil,
        contentLength: framing?.contentLength, hasNoContent: hasNoContent))
  }

  /// Starts a response whose head was lost, at octets of the server that acknowledge a whole waiting request.
  mutating func startHeadless(at position: StreamPosition, _ run: inout Run) {
    if isPipelined { return startHeadlessAhead(at: position, &run) }
    let side = run.side
    let acknowledged = run.arrival.acknowledged
    guard !isPipelined, requestSide == 1 - side, acknowledged != .unknown else { return }
    guard let number = waitingRequest(endingAt: acknowledged, run),
      let (start, interimEnd) = read(number, run, { ($0.acknowledged, $0.interimEnd) }),
      interimEnd == .unknown, start <= position, start != .unknown
    else { return }
    // A request that was sent before the latest response ended is not the only one that may be answered here.
    let end = owners.look(side) { $0.isEmpty ? .unknown : $0.newest.end }
    guard end == .unknown || end == .never || end <= start else { return }
    openHeadless(number, from: start, at: position, &run)
  }

  private mutating func openHeadless(
    _ number: Int, from start: StreamPosition, at position: StreamPosition, _ run: inout Run
  ) {
    let side = run.side
    let missing = min(position - start, gap[side])
    var flags: MessageFlags = [.incomplete, .headerNotSeen, .contentNotSeen]
    followsHole[side] = false
    let pair = give(Pair(exchange: number, pairing: .exact), isInterim: false, &flags, &run)
    let line = LineStart(position: position - missing, arrival: run.arrival)
    let row = open(.response, at: line, of: pair.exchange, &run)
    run.rows[message: row].flags.formUnion(flags)
    run.rows[message: row].exactness = .atLeast
    run.rows[message: row].missing = missing
    take(pair, for: row, isInterim: false, at: line, &run)
    run.note(.httpMessageIncomplete)
    owners[side].endNewest(at: position)
    broken[side] = OwnMemory(
      BrokenMessage(
        row: row, acknowledged: run.arrival.acknowledged, end: position, isInHeader: false, contentLength: nil,
        hasNoContent: false))
  }

  /// Starts a response whose head was lost, for a client that pipelines.
  ///
  /// Its octets come directly behind a gap that begins at the end of a response. The responses around it decide later which
  /// request it answers.
  private mutating func startHeadlessAhead(at position: StreamPosition, _ run: inout Run) {
    let side = run.side
    let (missing, arrival) = (gap[side], run.arrival)
    let here = LineStart(position: position, arrival: arrival)
    guard requestSide == 1 - side, arrival.acknowledged != .unknown, missing > 0 else { return }
    let interval = interval(before: here, run)
    guard interval.isBehindWhole, Int(interval.length) == missing else { return }
    let start = LineStart(position: position - missing, arrival: arrival)
    let wasAligned = isAligned
    isAligned = false
    let pair = deferPair(at: start, isBehindHole: true, wasAligned: wasAligned, &run)
    unpaired?.value.nextIsHeadless = true
    let row = open(.response, at: start, of: pair.exchange, &run)
    run.rows[message: row].flags.formUnion([.incomplete, .headerNotSeen, .contentNotSeen])
    run.rows[message: row].exactness = .atLeast
    run.rows[message: row].missing = missing
    owners[side].endNewest(at: position)
    take(pair, for: row, isInterim: false, at: here, &run)
    run.note(.httpMessageIncomplete)
    broken[side] = OwnMemory(
      BrokenMessage(
        row: row, acknowledged: arrival.acknowledged, end: position, isInHeader: false, contentLength: nil,
        hasNoContent: false))
    // Other messages may lie in the gap and behind it.
    followsHole[side] = true
  }

  /// Adds octets of the current packet to the broken message before them. Returns false if they do not belong to it.
  mutating func extendBroken(by count: Int, unseen: Int, _ run: inout Run) -> Bool {
    let side = run.side
    guard let message = broken[side] else { return false }
    // Responses to requests that were sent together acknowledge the same octets. Another response may follow another gap.
    guard isPipelined ? gap[side] == 0 : isOwn(run.arrival.acknowledged, of: message.value, run) else {
      settleBroken(side, before: isPipelined ? nil : message.value.end + gap[side], &run)
      return false
    }
    adoptGap(of: message, side, &run)
    let row = message.value.row
    message.value.end += count
    message.value.unsplit += count
    run.rows[message: row].octets.body += count
    run.rows[message: row].unseen += unseen
    run.rows[message: row].flags.insert(.contentNotSeen)
    run.rows.messages[Int(row)].note(run.arrival)
    owners[side].endNewest(at: message.value.end)
    return true
  }

  /// Whether octets with this acknowledgment belong to a broken message.
  func isOwn(_ acknowledged: StreamPosition, of message: BrokenMessage, _ run: borrowing Run) -> Bool {
    if acknowledged == message.acknowledged { return true }
    // The server may acknowledge a part of a request with an interim response.
    let exchange = run.rows.messages.look(Int(message.row)) { $0.message.kind == .request ? $0.exchange : -1 }
    return read(exchange, run) { $0.interimEnd } == acknowledged
  }

  /// Adds the octets of the gap behind a broken message to it, up to `limit`.
  private mutating func adoptGap(
    of message: OwnMemory<BrokenMessage>, _ side: Side, upTo limit: StreamPosition? = nil, _ run: inout Run
  ) {
    let own = limit.map { min(max($0 - message.value.end, 0), gap[side]) } ?? gap[side]
    run.rows[message: message.value.row].missing += own
    message.value.end += own
    gap[side] -= own
    owners[side].endNewest(at: message.value.end)
  }

  /// Ends the broken message, because another message starts at a position, the stream ends there, or the end is unknown.
  mutating func settleBroken(_ side: Side, before position: StreamPosition?, _ run: inout Run) {
    guard let message = broken[side] else { return }
    broken[side] = nil
    let found = message.value
    if position == found.end, gap[side] == 0, recovery?.value.certainty[side] ?? .exact == .exact {
      // Without a known border between header and content, only the total is right.
      if found.isSplitKnown {
        run.rows[message: found.row].exactness = .inferred
        run.rows[message: found.row].flags.remove(.incomplete)
      }
      run.rows[message: found.row].flags.insert(.contentNotSeen)
    }
    guard found.unsplit > 0 else { return }
    let header = found.header
    run.rows[message: found.row].octets.header += header
    run.rows[message: found.row].octets.body -= header
    run.settle(header, as: .header, of: side)
    run.settle(found.unsplit - header, as: .body, of: side)
  }

  /// Ends a broken message where the acknowledgments of the other side end.
  ///
  /// Its answer may come before the gap behind it is recognized. If a later answer acknowledges the whole gap, another
  /// message of this side lies in it.
  mutating func endBroken(_ side: Side, at position: StreamPosition, _ run: inout Run) {
    guard let message = broken[side], position > message.value.end || position == message.value.end + gap[side] else {
      return
    }
    let answeredAt = message.value.answeredAt ?? position
    message.value.answeredAt = answeredAt
    guard message.value.end + gap[side] == position else { return }
    adoptGap(of: message, side, upTo: answeredAt, &run)
    settleBroken(side, before: answeredAt == position ? position : nil, &run)
  }
}

extension BrokenMessage {
  /// Whether the class of each octet without a class can be told.
  fileprivate var isSplitKnown: Bool {
    unsplit == 0 || isInHeader && (hasNoContent || contentLength.map { $0 <= unsplit } ?? false)
  }

  /// The number of header octets among the octets without a class.
  fileprivate var header: Int {
    guard isInHeader else { return 0 }
    if hasNoContent { return unsplit }
    // The message's end is known here, so octets beyond Content-Length are header.
    guard let contentLength, contentLength <= unsplit else { return 0 }
    return unsplit - contentLength
  }
}
