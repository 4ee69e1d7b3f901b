// Where a message ends whose framing was lost in a hole or beyond the snap length (MEASURES §10).
//
// A client that does not pipeline sends nothing new before it has the whole response, and a server answers what it has got. So the
// segments of one message all acknowledge the same octets of the other side, and the next message acknowledges others.

import Packets

/// A message that lost its framing, while more octets may turn out to be its own.
struct BrokenMessage {
  var row: RowIndex
  /// How far its sender had read the other side when it started the message.
  var acknowledged: StreamPosition
  /// Position after the last octet that is known to be its own.
  var end: StreamPosition
  /// How far the other side had read when it first answered it, if that is beyond its end.
  var answeredAt: StreamPosition?
  /// Octets of it that are in no class yet, because nothing says whether they are header or content.
  var unsplit = 0
  /// Whether it broke off in its header section.
  var isInHeader: Bool
  /// Its Content-Length, if that was seen.
  var contentLength: Int?
  /// Whether no content can follow its header section.
  var hasNoContent: Bool

  /// Octets of memory that it takes, of its own.
  static var memory: Int { MemoryLayout<BrokenMessage>.stride + 32 }
}

extension Conversation {
  /// The newest message of the side being read has lost its framing at a position.
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

  /// Octets of the server at a position, of which nothing is known but that they acknowledge a whole request that waits for its
  /// response: they are the response's, whose head was lost.
  mutating func startHeadless(at position: StreamPosition, _ run: inout Run) {
    if isPipelined { return startHeadlessAhead(at: position, &run) }
    let side = run.side
    let acknowledged = run.arrival.acknowledged
    guard !isPipelined, requestSide == 1 - side, acknowledged != .unknown else { return }
    guard let number = waitingRequest(endingAt: acknowledged, run),
      let (start, interimEnd) = read(number, run, { ($0.acknowledged, $0.interimEnd) }),
      interimEnd == .unknown, start <= position, start != .unknown
    else { return }
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

  /// Octets of the server directly behind a hole that begins where a response ended, and the client pipelines: they are a response's,
  /// whose head was lost. Which request it answers is found out with the responses around it.
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
    // There may be other messages in the hole, and behind it.
    followsHole[side] = true
  }

  /// Takes octets of the packet being read for the broken message before them, if they are its own. False when they are not.
  mutating func extendBroken(by count: Int, unseen: Int, _ run: inout Run) -> Bool {
    let side = run.side
    guard let message = broken[side] else { return false }
    // The responses to requests that were sent together acknowledge the same; behind another hole may be another response.
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

  /// Whether octets that acknowledge up to a position are a broken message's.
  func isOwn(_ acknowledged: StreamPosition, of message: BrokenMessage, _ run: borrowing Run) -> Bool {
    if acknowledged == message.acknowledged { return true }
    // While a request goes on, the server may say so with an interim response.
    let exchange = run.rows.messages.look(Int(message.row)) { $0.message.kind == .request ? $0.exchange : -1 }
    return read(exchange, run) { $0.interimEnd } == acknowledged
  }

  /// The octets that were never captured behind a broken message are its own, but for those behind `limit`.
  private mutating func adoptGap(
    of message: OwnMemory<BrokenMessage>, _ side: Side, upTo limit: StreamPosition? = nil, _ run: inout Run
  ) {
    let own = limit.map { min(max($0 - message.value.end, 0), gap[side]) } ?? gap[side]
    run.rows[message: message.value.row].missing += own
    message.value.end += own
    gap[side] -= own
    owners[side].endNewest(at: message.value.end)
  }

  /// Another message starts at a position, or the stream ends there, or nobody knows: nothing more is the broken message's.
  mutating func settleBroken(_ side: Side, before position: StreamPosition?, _ run: inout Run) {
    guard let message = broken[side] else { return }
    broken[side] = nil
    let found = message.value
    if position == found.end, gap[side] == 0 {
      // Where nobody knows what is header and what is content, the whole is right and its parts are not.
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

  /// The other side has acknowledged what was sent up to a position, and nothing beyond: a broken message ends there.
  ///
  /// Its answer may come before the hole behind it is known to be one. Where a later answer acknowledges all of the hole, another message of
  /// this side is in it.
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
  /// Whether it is known which of the octets in no class are what.
  fileprivate var isSplitKnown: Bool {
    unsplit == 0 || isInHeader && (hasNoContent || contentLength.map { $0 <= unsplit } ?? false)
  }

  /// How many of the octets in no class are the header section's.
  fileprivate var header: Int {
    guard isInHeader else { return 0 }
    if hasNoContent { return unsplit }
    // Its end is known where it comes to this: what Content-Length does not count is header.
    guard let contentLength, contentLength <= unsplit else { return 0 }
    return unsplit - contentLength
  }
}
