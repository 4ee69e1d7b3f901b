import Packets

/// The reader of one connection's streams, and the choice of it.
///
/// The first octets choose the protocol. A reader that later finds another protocol hands its facts on: TLS with a side that is not TLS,
/// HTTP/1 with a response that switches to HTTP/2.
enum Session {
  /// No octet has come yet.
  case detecting(ConnectionOpening)
  /// Too few octets have come to tell the protocol, or only charges.
  case undecided(OwnMemory<UndecidedProtocol>)
  /// The protocol is known. Every stream of HTTP/1 or of an unknown protocol may still turn into HTTP/1.
  case reading(Reader)
  /// Octets of a larger connection, which has its own reader.
  case multipath(OwnMemory<MultipathSubflow>)
}

extension Session: StreamReceiver {
  init(_ opening: ConnectionOpening, _ run: inout Run) { self = .detecting(opening) }

  mutating func connected(after duration: Int64) {
    switch self {
    case .detecting(var opening):
      opening.connectDuration = duration
      self = .detecting(opening)
    case .undecided(let held): held.value.opening.connectDuration = duration
    case .reading(let reader): reader.connected(after: duration)
    case .multipath(let subflow): subflow.value.connected(after: duration)
    }
  }

  // MARK: Octets

  /// The subflow that hands its octets over to a larger connection; nil for a connection of its own. A connection that agreed on paths and
  /// does not use them is one of its own, from its first octets on.
  @inline(__always)
  private mutating func subflow() -> OwnMemory<MultipathSubflow>? {
    guard case .multipath(let subflow) = self else { return nil }
    guard let opening = subflow.value.giveUp() else { return subflow }
    self = .detecting(opening)
    return nil
  }

  @inline(__always)
  mutating func receive(
    _ side: Side, _ octets: RawSpan, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> Taken {
    run.numbers.beginPacket()
    if case .reading(.http1(let session)) = self, !session.look({ $0.isUnrecognized }) {
      return read(session, side, octets, at: position, arrival, &run)
    }
    return receiveOther(side, octets, at: position, arrival, &run)
  }

  @inline(__always)
  private mutating func read(
    _ session: OwnMemory<HTTP1Session>, _ side: Side, _ octets: RawSpan, at position: StreamPosition,
    _ arrival: SegmentArrival, _ run: inout Run
  ) -> Taken {
    let taken = session.value.receive(side, octets, at: position, arrival, &run)
    return session.look { $0.isUpgraded } ? goOn(taken, after: session, &run) : taken
  }

  /// Continues with HTTP/2 after a response of HTTP/1.
  @inline(never)
  private mutating func goOn(_ taken: Taken, after session: OwnMemory<HTTP1Session>, _ run: inout Run) -> Taken {
    guard let upgrade = session.value.handOver(&run) else { return taken }
    self = .reading(.http2(OwnMemory(HTTP2Session(upgrade, &run))))
    return Taken(count: taken.count, needs: [])
  }

  /// Looks for frames or a hello in an unrecognized connection whose earlier octets are unknown. If there are any, it is HTTP/2 or TLS.
  private mutating func look(for octets: RawSpan, in session: OwnMemory<HTTP1Session>, _ run: inout Run) {
    session.value.noteSearch()
    // A hello is certain enough behind lost octets, such as those of a prefix.
    if session.value.tunnel == nil, Hello.starts(octets) {
      _ = session.value.close(&run)
      self = .reading(.tls(OwnMemory(TLSSession(ConnectionOpening(isSeen: false), &run))))
      return
    }
    guard !StartLine.isLikely(octets.extracting(0..<min(octets.byteCount, 64))),
      FrameSearch.canFindFrames(in: octets, longest: HTTP2Settings.smallestFrameLimit)
    else { return }
    _ = session.value.close(&run)
    self = .reading(.http2(OwnMemory(HTTP2Session(ConnectionOpening(isSeen: false), &run))))
  }

  /// Goes on behind a ClientHello that stands before clear text.
  private mutating func leaveHello(_ session: OwnMemory<TLSSession>, _ run: inout Run) {
    var opening = session.value.opening
    opening.followsPrefix = true
    for side in 0..<2 {
      for charge in session.value.pending.takeCharges(side) {
        run.connection.added.unattributed += charge.unplaced + charge.retransmitted
      }
    }
    session.value.release(&run)
    self = .detecting(opening)
  }

  private mutating func receiveOther(
    _ side: Side, _ octets: RawSpan, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> Taken {
    if let subflow = subflow() {
      subflow.value.receive(side, octets, length: octets.byteCount, at: position, arrival, &run)
      return Taken(count: octets.byteCount, needs: [])
    }
    if case .reading(.tls(let session)) = self, session.value.endsAtHello(side, octets.octet(0)) {
      leaveHello(session, &run)
    }
    if case .detecting = self { detect(octets, &run) }
    if case .reading(.http1(let session)) = self, session.look({ $0.isUnrecognized }) {
      look(for: octets, in: session, &run)
    }
    if case .undecided(let held) = self {
      let (verdict, count) = held.value.add(side, octets, at: position, arrival, &run)
      guard let verdict else {
        return Taken(count: count, needs: count < octets.byteCount ? .waiting(side) : [])
      }
      let decided = decide(verdict, held, &run)
      return Taken(count: count - decided.left, needs: decided.needs)
    }
    if case .reading(let reader) = self, !reader.refuses(side, octets) {
      if case .http1(let session) = reader { return read(session, side, octets, at: position, arrival, &run) }
      return reader.receive(side, octets, at: position, arrival, &run)
    }
    return read(becomeHTTP1(&run), side, octets, at: position, arrival, &run)
  }

  /// The reader that goes on with octets of a side that cannot be seen.
  private mutating func reader(passing side: Side, _ run: inout Run) -> Reader {
    if case .reading(let reader) = self, !reader.refuses(side, firstOctet: nil) { return reader }
    return .http1(becomeHTTP1(&run))
  }

  mutating func skipUnseen(
    _ side: Side, _ count: Int, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> StreamNeeds {
    if let subflow = subflow() {
      subflow.value.receive(side, RawSpan(), length: count, at: position, arrival, &run)
      return []
    }
    decideWithoutMore(&run)
    return reader(passing: side, &run).skipUnseen(side, count, at: position, arrival, &run)
  }

  mutating func skipMissing(
    _ side: Side, _ count: Int, at position: StreamPosition, _ run: inout Run
  ) -> StreamNeeds {
    if let subflow = subflow() {
      subflow.value.skipMissing(side, count, at: position, &run)
      return []
    }
    if isBeforeOctets, let held = openUndecided() {
      return keep(.missing(count, position, side), held, &run) ?? []
    }
    decideWithoutMore(&run)
    return reader(passing: side, &run).skipMissing(side, count, at: position, &run)
  }

  mutating func finish(_ side: Side, isComplete: Bool, _ run: inout Run) -> StreamNeeds {
    decideWithoutMore(&run)
    switch self {
    case .detecting, .undecided: return []
    case .reading(let reader): return reader.finish(side, isComplete: isComplete, &run)
    case .multipath(let subflow):
      subflow.value.finish(side, isComplete: isComplete, &run)
      return []
    }
  }

  mutating func stopWaiting(_ side: Side, _ run: inout Run) -> StreamNeeds {
    switch self {
    case .detecting, .multipath: []
    case .undecided(let held): held.look { $0.hasOctets } ? decide(.other, held, &run).needs : []
    case .reading(let reader): reader.stopWaiting(side, &run)
    }
  }

  mutating func evict(_ run: inout Run) {
    decideWithoutMore(&run)
    switch self {
    case .detecting, .undecided, .multipath: break
    case .reading(let reader): reader.evict(&run)
    }
  }

  mutating func close(_ run: inout Run) -> SessionEnd {
    decideWithoutMore(&run)
    return switch self {
    case .detecting, .undecided: SessionEnd(client: nil, requestSide: nil, applicationProtocol: .other)
    case .reading(let reader): reader.close(&run)
    case .multipath(let subflow):
      subflow.value.known ?? SessionEnd(client: nil, requestSide: nil, applicationProtocol: .other)
    }
  }

  // MARK: Charges

  mutating func charge(_ charge: Charge, to side: Side, _ run: inout Run) {
    if case .reading(let reader) = self { return reader.charge(charge, to: side, &run) }
    if let subflow = subflow() { return subflow.value.charge(charge, to: side, &run) }
    if let held = openUndecided() { keep(.charge(charge, side), held, &run) }
  }

  @inline(__always)
  mutating func chargeAcknowledgment(_ overhead: Int, to side: Side, _ run: inout Run) {
    if case .reading(.http1(let session)) = self {
      session.value.chargeAcknowledgment(overhead, to: side, &run)
    } else {
      chargeOtherAcknowledgment(overhead, to: side, &run)
    }
  }

  private mutating func chargeOtherAcknowledgment(_ overhead: Int, to side: Side, _ run: inout Run) {
    switch self {
    case .reading(let reader): reader.chargeAcknowledgment(overhead, to: side, &run)
    case .undecided(let held): keep(.acknowledgment(overhead, side), held, &run)
    case .multipath(let subflow): subflow.value.chargeAcknowledgment(overhead, to: side, &run)
    case .detecting: run.connection.added.unattributed += overhead
    }
  }

  mutating func flagConflict(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {
    if case .reading(let reader) = self { return reader.flagConflict(range, on: side, &run) }
    if let subflow = subflow() { return subflow.value.flagConflict(range, on: side, &run) }
    if let held = openUndecided() { keep(.conflict(range, side), held, &run) }
  }

  mutating func takeCopy(_ octets: RawSpan, at position: StreamPosition, on side: Side, _ run: inout Run) {
    if case .reading(let reader) = self { reader.takeCopy(octets, at: position, on: side, &run) }
    if case .multipath(let subflow) = self { subflow.value.takeCopy(octets, at: position, on: side, &run) }
  }

  mutating func acceptLate(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {
    if case .multipath(let subflow) = self { return subflow.value.acceptLate(range, on: side, &run) }
    if isBeforeOctets, let held = openUndecided() {
      keep(.late(range, side), held, &run)
      return
    }
    decideWithoutMore(&run)
    if case .reading(let reader) = self { reader.acceptLate(range, on: side, &run) }
  }
}

extension Session {
  /// Makes every ended message final, although charges may still come, because there are too many rows.
  mutating func retireEnded(_ run: inout Run) {
    switch self {
    case .detecting, .undecided, .multipath: break
    case .reading(let reader): reader.retireEnded(&run)
    }
  }

  /// Uses new secrets. Returns the session's needs; nil when no record waited for secrets.
  mutating func lookForSecrets(_ run: inout Run) -> StreamNeeds? {
    switch self {
    case .detecting, .undecided: nil
    case .reading(let reader): reader.lookForSecrets(&run)
    case .multipath(let subflow): subflow.value.lookForSecrets(&run)
    }
  }

  /// Whether records wait for secrets.
  var waitsForSecrets: Bool {
    switch self {
    case .detecting, .undecided: false
    case .reading(let reader): reader.waitsForSecrets
    case .multipath(let subflow): subflow.look { $0.connection.look { $0.stream.session?.waitsForSecrets ?? false } }
    }
  }

  /// Calls `body` with the row of each message that is not final yet, and with whether it is in progress.
  func forEachOpenMessage(_ body: (RowIndex, _ isInProgress: Bool) -> Void) {
    switch self {
    case .detecting, .undecided, .multipath: break
    case .reading(let reader): reader.forEachOpenMessage(body)
    }
  }

  /// The side that its rows call the client, else the side that sends requests; nil while unknown.
  var requestingSide: Side? { known.flatMap { $0.client ?? $0.requestSide } }

  /// The known facts while the connection continues; nil before there are any.
  var known: SessionEnd? {
    switch self {
    case .detecting, .undecided: nil
    case .reading(let reader): reader.known
    case .multipath(let subflow): subflow.look { $0.known }
    }
  }
}
