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

  // MARK: Detection

  /// Turns any session except HTTP/2 into one that reads HTTP/1.
  @inline(never)
  private mutating func becomeHTTP1(_ run: inout Run) -> OwnMemory<HTTP1Session> {
    let session: OwnMemory<HTTP1Session>
    switch self {
    case .http1(let known): return known
    case .detecting(let opening): session = OwnMemory(HTTP1Session(opening, &run))
    case .undecided, .http2, .multipath:
      preconditionFailure("These stay what they are, and what is not decided is decided first")
    case .tls(let known):
      known.value.release(&run)
      session = OwnMemory(HTTP1Session(known.value, &run))
    }
    self = .http1(session)
    return session
  }

  /// Chooses the protocol by the first octet of a connection.
  @inline(never)
  private mutating func detect(_ octets: RawSpan, _ run: inout Run) {
    guard case .detecting(let opening) = self, octets.byteCount > 0 else { return }
    if UndecidedProtocol.isUndecided(octets, opening), !continuesHTTP2(octets, opening) {
      self = .undecided(OwnMemory(UndecidedProtocol(opening)))
    } else {
      begin(octets, opening, &run)
    }
  }

  /// Whether the first octets show that HTTP/2 began before the capture.
  private func continuesHTTP2(_ octets: RawSpan, _ opening: ConnectionOpening) -> Bool {
    !opening.isSeen && !StartLine.isLikely(octets.extracting(0..<min(octets.byteCount, 64)))
      && FrameSearch.canFindFrames(in: octets, longest: HTTP2Settings.smallestFrameLimit)
  }

  /// Begins the session that the first octets show.
  private mutating func begin(_ octets: RawSpan, _ opening: ConnectionOpening, _ run: inout Run) {
    self = .detecting(opening)
    if octets.byteCount >= HTTP2Preface.length && HTTP2Preface.matches(octets) || continuesHTTP2(octets, opening) {
      self = .http2(OwnMemory(HTTP2Session(opening, &run)))
    } else if TLSRecords.canStart(with: octets.octet(0)) {
      self = .tls(OwnMemory(TLSSession(opening, &run)))
    } else {
      _ = becomeHTTP1(&run)
    }
  }

  /// The undecided connection that keeps events; nil once the protocol is known.
  private mutating func openUndecided() -> OwnMemory<UndecidedProtocol>? {
    if case .detecting(let opening) = self { self = .undecided(OwnMemory(UndecidedProtocol(opening))) }
    if case .undecided(let held) = self { return held }
    return nil
  }

  /// Keeps an event until the protocol is known, and replays the kept events then. Returns nil while it is unknown.
  @discardableResult
  private mutating func keep(
    _ event: UndecidedProtocol.Event, _ held: OwnMemory<UndecidedProtocol>, _ run: inout Run
  ) -> StreamNeeds? {
    held.value.add(event, &run).map { decide($0, held, &run).needs }
  }

  /// Chooses the protocol, and replays the kept events. Returns the session's needs, and how many of the latest octets it did not take. It
  /// takes all earlier ones: they are too few for a message that waits.
  private mutating func decide(
    _ verdict: UndecidedProtocol.Verdict, _ held: OwnMemory<UndecidedProtocol>, _ run: inout Run
  ) -> (needs: StreamNeeds, left: Int) {
    let opening = held.value.opening
    var events = held.value.events
    held.value.release(&run)
    self = .detecting(opening)
    switch verdict {
    case .http2: self = .http2(OwnMemory(HTTP2Session(opening, &run)))
    case .prefix(let prefix, let lengths): events = pass(prefix, lengths, opening, events, &run)
    case .other:
      if let first = events.lazy.compactMap(\.octets).first(where: { !$0.isEmpty }) {
        first.withOctets { begin($0, opening, &run) }
      } else {
        _ = becomeHTTP1(&run)
      }
    }
    var needs: StreamNeeds = []
    var left = 0
    for event in events {
      switch event {
      case .octets(let side, let octets, let position, let arrival):
        let taken = octets.withOctets { receive(side, $0, at: position, arrival, &run) }
        needs = taken.needs
        left = octets.count - taken.count
      case .charge(let charge, let side): self.charge(charge, to: side, &run)
      case .acknowledgment(let overhead, let side): chargeAcknowledgment(overhead, to: side, &run)
      case .conflict(let range, let side): flagConflict(range, on: side, &run)
      case .missing(let count, let position, let side):
        needs = skipMissing(side, count, at: position, &run)
      case .late(let range, let side): acceptLate(range, on: side, &run)
      }
    }
    return (needs, left)
  }

  /// Whether no octet of either side has come.
  private var isBeforeOctets: Bool {
    switch self {
    case .detecting: true
    case .undecided(let held): held.look { !$0.hasOctets }
    default: false
    }
  }

  /// Decides that an undecided connection is not HTTP/2, because something other than octets has come.
  @inline(__always)
  private mutating func decideWithoutMore(_ run: inout Run) {
    if case .undecided(let held) = self { _ = decide(.other, held, &run) }
  }

  /// Passes a prefix. Its octets belong to no message. Returns the events behind it.
  private mutating func pass(
    _ prefix: ConnectionPrefix, _ lengths: Sides<Int>, _ opening: ConnectionOpening,
    _ events: [UndecidedProtocol.Event],
    _ run: inout Run
  ) -> [UndecidedProtocol.Event] {
    run.note(prefix)
    var opening = opening
    opening.followsPrefix = true
    self = .detecting(opening)
    var left = lengths
    var ends = Sides<StreamPosition>(repeating: .unknown)
    var rest: [UndecidedProtocol.Event] = []
    for event in events {
      switch event {
      case .octets(let side, let octets, let position, let arrival):
        let count = min(left[side], octets.count)
        run.settle(count, as: .stray, of: side)
        run.connection.added.unattributed += count
        left[side] -= count
        if count > 0 { ends[side] = position + count }
        if count < octets.count {
          rest.append(.octets(side, Array(octets[count...]), position + count, arrival))
        } else {
          run.connection.added.unattributed += arrival.overhead
        }
      case .charge(let charge, let side):
        let inside = max(min(ends[side] - charge.position, charge.retransmitted), 0)
        run.connection.added.unattributed += inside
        if charge.end <= ends[side] {
          run.connection.added.unattributed += charge.unplaced + charge.retransmitted - inside
        } else {
          var outside = charge
          outside.position += inside
          outside.length = max(charge.length - inside, 1)
          outside.retransmitted -= inside
          rest.append(.charge(outside, side))
        }
      case .acknowledgment(let overhead, _): run.connection.added.unattributed += overhead
      case .conflict(let range, let side): if range.upperBound > ends[side] { rest.append(event) }
      case .missing, .late: rest.append(event)
      }
    }
    return rest
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
