// Octets that were never captured, or that could not be opened, and the gaps that the inner session sees (MEASURES §10).
//
// A lost record may have had content. If the keys stay the same, the numbers of the records around tell how many were lost. If
// the keys change, the first number tells what was lost under the new ones.

/// Octets of one direction that may have been content. The next opened record decides.
struct LostRecords {
  /// The position of the first such octet.
  var start: StreamPosition
  /// The position after the last one, once that is decided.
  var end: StreamPosition = 0
  /// The number of content octets, once it is decided that the inner session has to know.
  var count = 0
  var certainty = GapCertainty.possible
  /// The epoch of the side's keys when it began; nil without one.
  var epoch: RecordOpener.Epoch?
  /// Whether a record had been opened in that epoch.
  var hadKeys = false
  /// The number of the first record in it, under the keys of that epoch.
  var sequence: UInt64 = 0
  /// Whether the inner session has to know of them.
  var isDue = false
}

extension TLSSession {
  /// The number of octets of a record that are not content, or more, including the header.
  func expansion(_ side: Side) -> Int {
    let known = sides.look(side) { $0.opener?.value.protection?.expansion ?? nil }
    return known ?? TLSRecords.headerLength + (negotiation?.value.leastExpansion ?? 0)
  }

  /// Notes that octets of a side from a position on may have been content.
  func noteLoss(_ side: Side, from start: StreamPosition) {
    guard sides[side].losses == nil else { return }
    var losses = LostRecords(start: start)
    if let opener = sides[side].opener {
      losses.epoch = opener.value.epoch
      losses.hadKeys = opener.value.protection != nil
      losses.sequence = opener.value.sequence
    }
    sides[side].losses = losses
  }

  /// Decides whether lost octets of a side were content, by an opened record: its keys, and its number under them.
  ///
  /// With `isFirst`, it is the first one that was opened under its keys.
  mutating func judgeLosses(_ side: Side, sequence: UInt64, isFirst: Bool, _ run: inout Run) {
    guard let losses = sides[side].losses, let opener = sides[side].opener else { return }
    if losses.isDue, losses.end == sides[side].recordStart { return tellLosses(side, &run) }
    let epoch = opener.value.epoch
    // The number 0 under the keys of TLS up to 1.2 is the end of the handshake.
    let hasLostUnder = isFirst && epoch != .handshake && sequence > (epoch == .master ? 1 : 0)
    let mayHoldEarly =
      side == client && negotiation?.value.offersEarlyData == true && negotiation?.value.refusesEarlyData == false
      && (losses.epoch ?? .early) == .early
    let mayHoldEarlier = isFirst && losses.hadKeys && (losses.epoch == .application || losses.epoch == .master)
    // The first content under keys that have opened records before, such as the end of a handshake.
    let isUnderSameKeys =
      !isFirst && losses.hadKeys && losses.epoch == epoch && (epoch == .application || epoch == .master)
    guard losses.isDue || hasLostUnder || isUnderSameKeys || mayHoldEarly || mayHoldEarlier else {
      sides[side].losses = nil
      return offerHeld(&run)
    }
    let octets = max(sides[side].recordStart - losses.start, 0)
    // A change of keys within the data takes a KeyUpdate, which may be all that was lost.
    let isUpdated = isFirst && losses.hadKeys && losses.epoch == .application && epoch == .application
    if isUpdated, sequence == 0, octets <= expansion(side) + Self.keyUpdateLength {
      sides[side].losses = nil
      return offerHeld(&run)
    }
    sides[side].losses?.isDue = true
    let records = isUnderSameKeys ? sequence &- losses.sequence : sequence
    sides[side].losses?.count = max(octets - Int(clamping: max(records, 1)) * expansion(side), 1)
    sides[side].losses?.end = sides[side].recordStart
    if hasLostUnder || isUnderSameKeys, epoch == .master || side == client {
      // A server sends tickets under its keys of TLS 1.3, too. All others send nothing but data, from the start of the keys on.
      let isExact = epoch == .application && losses.epoch == epoch && !losses.hadKeys
      sides[side].losses?.certainty = isExact ? .exact : .estimated
    } else {
      sides[side].losses?.certainty = .possible
    }
    tellLosses(side, &run)
  }

  /// Octets of a KeyUpdate with its header (RFC 8446 §4, §4.6.3).
  private static var keyUpdateLength: Int { 5 }

  /// Tells the inner session of lost content, once there is an inner session.
  mutating func tellLosses(_ side: Side, _ run: inout Run) {
    guard inner != nil, let losses = sides[side].losses, losses.isDue else { return }
    sides[side].losses = nil
    skipContent(side, losses.count, losses.start..<max(losses.end, losses.start), certainty: losses.certainty, &run)
  }

  /// Tells the inner session of octets that may have been content, because nothing more of a side can decide it.
  mutating func tellLossesAtEnd(_ side: Side, _ run: inout Run) {
    if sides[side].isLost { noteLoss(side, from: sides[side].lostStart) }
    guard inner != nil, let losses = sides[side].losses else { return }
    sides[side].losses?.isDue = true
    sides[side].losses?.end = sides[side].next
    sides[side].losses?.count = max(sides[side].next - losses.start - expansion(side), 1)
    sides[side].lostStart = sides[side].next
    tellLosses(side, &run)
  }

  /// Skips content of the application in a range of the TCP stream.
  mutating func skipContent(
    _ side: Side, _ count: Int, _ range: Range<StreamPosition>, certainty: GapCertainty, leading: Int = 0,
    _ run: inout Run
  ) {
    guard let inner, let opener = sides[side].opener ?? openOpener(side), count > 0, !sides[side].isClosed else {
      return
    }
    if certainty != .exact, !inner.usesAcknowledgments, opener.value.protection != nil,
      opener.value.protection?.expansion == nil
    {
      // Frames of HTTP/2 continue behind a gap of known length only.
      sides[side].isClosed = true
      innerNeeds = withInner(&run) { inner.finish(side, isComplete: false, &$0) }
      return
    }
    if innerNeeds.contains(.waiting(side)) {
      innerNeeds = withInner(&run) { inner.stopWaiting(side, &$0) }
      offerHeld(&run)
    }
    let position = opener.value.map.end
    opener.value.map.append(
      RecordMap.PlacedRecord(
        start: range.lowerBound, content: position, count: UInt32(clamping: count),
        length: UInt32(clamping: range.count), leading: UInt8(clamping: leading), isOpened: false),
      limit: run.configuration.rememberedRecordLimit)
    let lost = RecordOpener.Held(position: position, octets: [], arrival: .none, missing: count, certainty: certainty)
    if opener.value.held.isEmpty { skip(lost, side, &run) } else { opener.value.held.append(lost) }
    offerHeld(&run)
  }

  /// Hands a gap to the inner session.
  mutating func skip(_ lost: RecordOpener.Held, _ side: Side, _ run: inout Run) {
    guard let inner else { return }
    innerNeeds = withInner(&run) {
      inner.skipMissing(side, lost.missing, at: lost.position, certainty: lost.certainty, &$0)
    }
    // Packets have these octets, or they were counted as missing when their positions were skipped.
    run.countMissing(-lost.missing)
  }

  private func openOpener(_ side: Side) -> OwnMemory<RecordOpener>? {
    let opened = sides[side].opener ?? OwnMemory(RecordOpener())
    sides[side].opener = opened
    return opened
  }

  // MARK: Places

  /// Stops waiting for places that are not known for too long, or for too much that waits for them.
  mutating func limitHeld(_ arrival: SegmentArrival, _ run: inout Run) {
    for side in 0..<2 where sides.look(side, { $0.opener?.value.held.isEmpty == false }) {
      guard let opener = sides[side].opener, !innerNeeds.contains(.waiting(side)), let first = opener.value.held.first
      else { continue }
      let isOld = arrival.time > first.arrival.time.addingSaturated(run.configuration.secretPatience)
      let octets = opener.value.held.reduce(0) { $0 + $1.octets.count }
      let isLarge =
        octets > run.configuration.secretHeldOctetLimit
        || opener.value.held.count > run.configuration.pendingChargeLimit
      if isOld || isLarge { offerHeld(&run, forced: side) }
    }
  }

  /// The position in the application's stream of a side for a position in its TCP stream; nil while lost records before it are not
  /// known, and can become known.
  func place(_ position: StreamPosition, on side: Side) -> StreamPosition? {
    guard position != .unknown, let inner, inner.usesAcknowledgments else { return .unknown }
    return sides.look(side) { side in
      guard position <= side.next else { return .unknown }
      let lost = min(side.isLost ? side.lostStart : .never, side.losses?.start ?? .never)
      if position > lost {
        let mayBeFound = side.opener.map { $0.value.attempts < Self.searchAttemptLimit } ?? false
        return mayBeFound && !side.isClosed && !side.isFinished ? nil : .unknown
      }
      guard let opener = side.opener else { return 0 }
      guard side.isGathering, position > side.recordStart, side.contentType == TLSSide.ContentType.applicationData,
        let length = TLSRecords.length(side.header)
      else { return opener.value.map.position(of: position) }
      let (leading, most) =
        opener.value.protection.map { ($0.leadingLength, $0.mostContent(length)) } ?? (0, length)
      return opener.value.map.position(
        of: position, inNextFrom: side.recordStart, leading: TLSRecords.headerLength + leading, most: most)
    }
  }

  // MARK: Missing octets

  mutating func skipUnseen(
    _ side: Side, _ count: Int, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> StreamNeeds {
    _ = start(side, at: position)
    run.connection.added.unattributed += sides[side].shares.append(
      position..<position + count, arrival, limit: run.configuration.pendingChargeLimit)
    run.countUnseen(count)
    skip(side, count, isInPacket: true, &run)
    settle(side, &run)
    self.count(&run)
    return needs
  }

  mutating func skipMissing(
    _ side: Side, _ count: Int, at position: StreamPosition, _ run: inout Run
  ) -> StreamNeeds {
    _ = start(side, at: position)
    run.countMissing(count)
    skip(side, count, isInPacket: false, &run)
    settle(side, &run)
    self.count(&run)
    return needs
  }

  /// Skips octets. The gathered octets of their record cannot be opened any more.
  private mutating func skip(_ side: Side, _ count: Int, isInPacket: Bool, _ run: inout Run) {
    mayHaveLostMessages = true
    abandonGathered(side, &run)
    abandonSearch(side, &run)
    sides[side].handshake.lose()
    noteLostHello(side, &run)
    let inside = sides[side].isLost ? 0 : min(Int(sides[side].remaining), count)
    if inside > 0 {
      sides[side].isDamaged = true
      sides[side].remaining -= Int32(inside)
      if isInPacket { settle(side, inside, sides[side].unopenedKind, &run) }
      sides[side].next += inside
      if sides[side].remaining == 0 { finishDamaged(side, &run) }
    }
    guard inside < count else { return }
    if !sides[side].isLost {
      sides[side].lostStart = sides[side].headerCount > 0 ? sides[side].recordStart : sides[side].next
    }
    abandonHeader(side, &run)
    sides[side].isLost = true
    sides[side].isConfirmed = true
    if isInPacket { settle(side, count - inside, .other, &run) }
    sides[side].next += count - inside
  }

  /// Abandons the gathered record, and counts its octets as unopened.
  mutating func abandonGathered(_ side: Side, _ run: inout Run) {
    guard sides[side].isGathering else { return }
    sides[side].isGathering = false
    let kind = sides[side].unopenedKind
    let gathered = sides[side].next - sides[side].recordStart
    settle(side, gathered, kind, &run, endingAt: sides[side].next)
    if let opener = sides[side].opener {
      var memory: [UInt8] = []
      swap(&memory, &opener.value.gathered)
      run.records.giveBack(memory)
    }
  }

  /// Abandons an incomplete header. It belongs to no record.
  mutating func abandonHeader(_ side: Side, _ run: inout Run) {
    let count = Int(sides[side].headerCount)
    guard count > 0 else { return }
    sides[side].headerCount = 0
    guard sides[side].isConfirmed else {
      run.settle(count, as: run.connection.beneath.isTunnelled ? .tunnel : .opaque, of: side)
      run.connection.added.unattributed += count
      sides[side].shares.mark(sides[side].next - count..<sides[side].next, .other)
      return
    }
    settle(side, count, .other, &run, endingAt: sides[side].next)
  }

  /// Finishes a record with unseen octets.
  mutating func finishDamaged(_ side: Side, _ run: inout Run) {
    let type = sides[side].contentType
    if type == TLSSide.ContentType.applicationData { noteUnopened(side) }
    guard isProtected(side, type) else { return }
    missContent(side, &run)
    passUnopened(side, &run)
  }
}
