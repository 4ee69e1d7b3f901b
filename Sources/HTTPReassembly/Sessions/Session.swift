import Packets

/// The reader of one connection's streams, one protocol at a time.
///
/// A new protocol is one more folder, and one more case here. The first octets choose the protocol. A session that later
/// finds another protocol hands its facts on, as `tls` does with a side that is not TLS.
enum Session {
  /// No octet has come yet.
  case detecting(ConnectionOpening)
  /// Too few octets have come to tell the protocol, or only charges.
  case undecided(OwnMemory<UndecidedProtocol>)
  /// HTTP/1, a tunnel that it opened, or an unknown protocol. Every stream may turn into HTTP/1.
  case http1(OwnMemory<HTTP1Session>)
  /// TLS, opened or not.
  case tls(OwnMemory<TLSSession>)
  /// HTTP/2 without TLS.
  case http2(OwnMemory<HTTP2Session>)
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
    case .http1(let session): session.value.connected(after: duration)
    case .http2(let session): session.value.connected(after: duration)
    case .tls(let session): session.value.opening.connectDuration = duration
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
    run.beginPacket()
    if case .http1(let session) = self, !session.look({ $0.isUnrecognized }) {
      let taken = session.value.receive(side, octets, at: position, arrival, &run)
      return session.look { $0.isUpgraded } ? goOn(taken, after: session, &run) : taken
    }
    return receiveOther(side, octets, at: position, arrival, &run)
  }

  /// Continues with HTTP/2 after a response of HTTP/1.
  @inline(never)
  private mutating func goOn(_ taken: Taken, after session: OwnMemory<HTTP1Session>, _ run: inout Run) -> Taken {
    guard let upgrade = session.value.handOver(&run) else { return taken }
    self = .http2(OwnMemory(HTTP2Session(upgrade, &run)))
    return Taken(count: taken.count, needs: [])
  }

  /// Looks for frames or a hello in an unrecognized connection whose earlier octets are unknown. If there are any, it is HTTP/2 or TLS.
  private mutating func look(for octets: RawSpan, in session: OwnMemory<HTTP1Session>, _ run: inout Run) {
    session.value.noteSearch()
    // A hello is certain enough behind lost octets, such as those of a prefix.
    if session.value.tunnel == nil, Hello.starts(octets) {
      _ = session.value.close(&run)
      self = .tls(OwnMemory(TLSSession(ConnectionOpening(isSeen: false), &run)))
      return
    }
    guard !StartLine.isLikely(octets.extracting(0..<min(octets.byteCount, 64))),
      FrameSearch.canFindFrames(in: octets, longest: HTTP2Settings.smallestFrameLimit)
    else { return }
    _ = session.value.close(&run)
    self = .http2(OwnMemory(HTTP2Session(ConnectionOpening(isSeen: false), &run)))
  }

  /// Goes on behind a ClientHello that stands before clear text.
  private mutating func leaveHello(_ session: OwnMemory<TLSSession>, _ run: inout Run) {
    var opening = session.value.opening
    opening.followsPrefix = true
    if let pending = session.value.takePending() {
      for charge in pending.charges[0] + pending.charges[1] {
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
    if case .tls(let session) = self, session.value.endsAtHello(side, octets.octet(0)) { leaveHello(session, &run) }
    if case .detecting = self { detect(octets, &run) }
    if case .http1(let session) = self, session.look({ $0.isUnrecognized }) { look(for: octets, in: session, &run) }
    if case .http2(let session) = self { return session.value.receive(side, octets, at: position, arrival, &run) }
    if case .undecided(let held) = self {
      let (verdict, count) = held.value.add(side, octets, at: position, arrival, &run)
      guard let verdict else {
        return Taken(count: count, needs: count < octets.byteCount ? .waiting(side) : [])
      }
      let decided = decide(verdict, held, &run)
      return Taken(count: count - decided.left, needs: decided.needs)
    }
    if case .tls(let session) = self, session.look({ $0.canRead(side, firstOctet: octets.octet(0)) }),
      let taken = session.value.receive(side, octets, at: position, arrival, &run)
    {
      return taken
    }
    let session = becomeHTTP1(&run)
    let taken = session.value.receive(side, octets, at: position, arrival, &run)
    return session.look { $0.isUpgraded } ? goOn(taken, after: session, &run) : taken
  }

  mutating func skipUnseen(
    _ side: Side, _ count: Int, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> StreamNeeds {
    if let subflow = subflow() {
      subflow.value.receive(side, RawSpan(), length: count, at: position, arrival, &run)
      return []
    }
    decideWithoutMore(&run)
    if case .http2(let session) = self { return session.value.skipUnseen(side, count, at: position, arrival, &run) }
    if case .tls(let session) = self, session.value.canRead(side, firstOctet: nil) {
      return session.value.skipUnseen(side, count, at: position, arrival, &run)
    }
    return becomeHTTP1(&run).value.skipUnseen(side, count, at: position, arrival, &run)
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
    if case .http2(let session) = self { return session.value.skipMissing(side, count, at: position, &run) }
    if case .tls(let session) = self, session.value.canRead(side, firstOctet: nil) {
      return session.value.skipMissing(side, count, at: position, &run)
    }
    return becomeHTTP1(&run).value.skipMissing(side, count, at: position, &run)
  }

  mutating func finish(_ side: Side, isComplete: Bool, _ run: inout Run) -> StreamNeeds {
    decideWithoutMore(&run)
    switch self {
    case .detecting, .undecided: return []
    case .http2(let session): return session.value.finish(side, isComplete: isComplete, &run)
    case .http1(let session): return session.value.finish(side, isComplete: isComplete, &run)
    case .tls(let session): return session.value.finish(side, isComplete: isComplete, &run)
    case .multipath(let subflow):
      subflow.value.finish(side, isComplete: isComplete, &run)
      return []
    }
  }

  mutating func stopWaiting(_ side: Side, _ run: inout Run) -> StreamNeeds {
    switch self {
    case .detecting, .multipath: []
    case .undecided(let held): held.look { $0.hasOctets } ? decide(.other, held, &run).needs : []
    case .http1(let session): session.value.stopWaiting(side, &run)
    case .http2(let session): session.value.stopWaiting(side)
    case .tls(let session): session.value.stopWaiting(side, &run)
    }
  }

  mutating func evict(_ run: inout Run) {
    decideWithoutMore(&run)
    switch self {
    case .detecting, .undecided, .multipath: break
    case .http1(let session): session.value.evict(&run)
    case .http2(let session): session.value.evict(&run)
    case .tls(let session): session.value.evict(&run)
    }
  }

  mutating func close(_ run: inout Run) -> SessionEnd {
    decideWithoutMore(&run)
    return switch self {
    case .detecting, .undecided: SessionEnd(client: nil, requestSide: nil, applicationProtocol: .other)
    case .http1(let session): session.value.close(&run)
    case .tls(let session): session.value.close(&run)
    case .http2(let session): session.value.close(&run)
    case .multipath(let subflow):
      subflow.value.known ?? SessionEnd(client: nil, requestSide: nil, applicationProtocol: .other)
    }
  }

  // MARK: Charges

  mutating func charge(_ charge: Charge, to side: Side, _ run: inout Run) {
    if case .tls(let session) = self { return session.value.charge(charge, to: side, &run) }
    if case .http2(let session) = self { return session.value.charge(charge, to: side, &run) }
    if let subflow = subflow() { return subflow.value.charge(charge, to: side, &run) }
    if let held = openUndecided() {
      keep(.charge(charge, side), held, &run)
      return
    }
    becomeHTTP1(&run).value.charge(charge, to: side, &run)
  }

  @inline(__always)
  mutating func chargeAcknowledgment(_ overhead: Int, to side: Side, _ run: inout Run) {
    if case .http1(let session) = self {
      session.value.chargeAcknowledgment(overhead, to: side, &run)
    } else {
      chargeOtherAcknowledgment(overhead, to: side, &run)
    }
  }

  private mutating func chargeOtherAcknowledgment(_ overhead: Int, to side: Side, _ run: inout Run) {
    switch self {
    case .tls(let session): session.value.chargeAcknowledgment(overhead, to: side, &run)
    case .http2(let session): session.value.chargeAcknowledgment(overhead, to: side, &run)
    case .undecided(let held): keep(.acknowledgment(overhead, side), held, &run)
    case .multipath(let subflow): subflow.value.chargeAcknowledgment(overhead, to: side, &run)
    case .detecting, .http1: run.connection.added.unattributed += overhead
    }
  }

  mutating func flagConflict(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {
    if case .http2(let session) = self { return session.value.flagConflict(range, on: side, &run) }
    if let subflow = subflow() { return subflow.value.flagConflict(range, on: side, &run) }
    if let held = openUndecided() {
      keep(.conflict(range, side), held, &run)
      return
    }
    if case .tls(let session) = self { return session.value.flagConflict(range, on: side, &run) }
    becomeHTTP1(&run).value.flagConflict(range, on: side, &run)
  }

  mutating func takeCopy(_ octets: RawSpan, at position: StreamPosition, on side: Side, _ run: inout Run) {
    if case .tls(let session) = self { session.value.takeCopy(octets, at: position, on: side, &run) }
    if case .multipath(let subflow) = self { subflow.value.takeCopy(octets, at: position, on: side, &run) }
  }

  mutating func acceptLate(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {
    if case .multipath(let subflow) = self { return subflow.value.acceptLate(range, on: side, &run) }
    if isBeforeOctets, let held = openUndecided() {
      keep(.late(range, side), held, &run)
      return
    }
    decideWithoutMore(&run)
    if case .http2(let session) = self { return session.value.acceptLate(range, on: side, &run) }
    if case .tls(let session) = self { return session.value.acceptLate(range, &run) }
    becomeHTTP1(&run).value.acceptLate(range, on: side, &run)
  }
}

extension Session {
  /// Makes every ended message final, although charges may still come, because there are too many rows.
  mutating func retireEnded(_ run: inout Run) {
    switch self {
    case .detecting, .undecided, .multipath: break
    case .http1(let session): session.value.retireEnded(&run)
    case .http2(let session): session.value.retireEnded(&run)
    case .tls(let session): session.value.retireEnded(&run)
    }
  }

  /// Uses new secrets. Returns the session's needs; nil when no record waited for secrets.
  mutating func lookForSecrets(_ run: inout Run) -> StreamNeeds? {
    switch self {
    case .detecting, .undecided: nil
    case .http1(let session): session.value.lookForSecrets(&run)
    case .http2(let session): session.value.lookForSecrets(&run)
    case .tls(let session): session.value.lookForSecrets(&run)
    case .multipath(let subflow): subflow.value.lookForSecrets(&run)
    }
  }

  /// Whether records wait for secrets.
  var waitsForSecrets: Bool {
    switch self {
    case .detecting, .undecided: false
    case .http1(let session): session.value.waitsForSecrets
    case .http2(let session): session.value.waitsForSecrets
    case .tls(let session): session.value.waitsForSecrets
    case .multipath(let subflow): subflow.look { $0.connection.look { $0.stream.session?.waitsForSecrets ?? false } }
    }
  }

  /// Calls `body` with the row of each message that is not final yet, and with whether it is in progress.
  func forEachOpenMessage(_ body: (RowIndex, _ isInProgress: Bool) -> Void) {
    switch self {
    case .detecting, .undecided, .multipath: break
    case .http1(let session): session.value.forEachOpenMessage(body)
    case .http2(let session): session.value.forEachOpenMessage(body)
    case .tls(let session): session.value.forEachOpenMessage(body)
    }
  }

  /// The side that its rows call the client, else the side that sends requests; nil while unknown.
  var requestingSide: Side? { known.flatMap { $0.client ?? $0.requestSide } }

  /// The known facts while the connection continues; nil before there are any.
  var known: SessionEnd? {
    switch self {
    case .detecting, .undecided: nil
    case .http1(let session): session.value.known
    case .http2(let session): session.value.known
    case .tls(let session): session.value.known
    case .multipath(let subflow): subflow.look { $0.known }
    }
  }
}
