import Packets

/// The choice of a protocol by the first octets of a connection. Events before the choice are kept, and replayed then.
extension Session {
  /// Turns a session of TLS, or without a protocol, into one that reads HTTP/1.
  @inline(never)
  mutating func becomeHTTP1(_ run: inout Run) -> OwnMemory<HTTP1Session> {
    let session: OwnMemory<HTTP1Session>
    switch self {
    case .reading(.http1(let known)): return known
    case .detecting(let opening): session = OwnMemory(HTTP1Session(opening, &run))
    case .reading(.tls(let known)):
      known.value.release(&run)
      session = OwnMemory(HTTP1Session(known.value, &run))
    case .undecided, .reading, .multipath:
      preconditionFailure("These stay what they are, and what is not decided is decided first")
    }
    self = .reading(.http1(session))
    return session
  }

  /// Chooses the protocol by the first octet of a connection.
  @inline(never)
  mutating func detect(_ octets: RawSpan, _ run: inout Run) {
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
    if HTTP2Preface.starts(octets) || continuesHTTP2(octets, opening) {
      self = .reading(.http2(OwnMemory(HTTP2Session(opening, &run))))
    } else if TLSRecords.canStart(with: octets.octet(0)) {
      self = .reading(.tls(OwnMemory(TLSSession(opening, &run))))
    } else {
      _ = becomeHTTP1(&run)
    }
  }

  /// The undecided connection that keeps events; nil once the protocol is known.
  mutating func openUndecided() -> OwnMemory<UndecidedProtocol>? {
    if case .detecting(let opening) = self { self = .undecided(OwnMemory(UndecidedProtocol(opening))) }
    if case .undecided(let held) = self { return held }
    return nil
  }

  /// Keeps an event until the protocol is known, and replays the kept events then. Returns nil while it is unknown.
  @discardableResult
  mutating func keep(
    _ event: UndecidedProtocol.Event, _ held: OwnMemory<UndecidedProtocol>, _ run: inout Run
  ) -> StreamNeeds? {
    held.value.add(event, &run).map { decide($0, held, &run).needs }
  }

  /// Chooses the protocol, and replays the kept events. Returns the session's needs, and how many of the latest octets it did not take. It
  /// takes all earlier ones: they are too few for a message that waits.
  mutating func decide(
    _ verdict: UndecidedProtocol.Verdict, _ held: OwnMemory<UndecidedProtocol>, _ run: inout Run
  ) -> (needs: StreamNeeds, left: Int) {
    var (opening, events) = (held.value.opening, held.value.events)
    if case .http2 = verdict, held.value.missesPreface {
      // Frames behind a gap are those of a connection whose start was not seen.
      opening.isSeen = false
      events.removeAll { event in
        guard case .missing(let count, _, let side) = event, held.value.startsWithFrames(side) else { return false }
        run.countMissing(count)
        return true
      }
    }
    held.value.release(&run)
    self = .detecting(opening)
    switch verdict {
    case .http2: self = .reading(.http2(OwnMemory(HTTP2Session(opening, &run))))
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
  var isBeforeOctets: Bool {
    switch self {
    case .detecting: true
    case .undecided(let held): held.look { !$0.hasOctets }
    default: false
    }
  }

  /// Decides that an undecided connection is not HTTP/2, because something other than octets has come.
  @inline(__always)
  mutating func decideWithoutMore(_ run: inout Run) {
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
    let ends = Self.ends(of: lengths, events)
    var left = lengths
    var rest: [UndecidedProtocol.Event] = []
    for event in events {
      switch event {
      case .octets(let side, let octets, let position, let arrival):
        let count = min(left[side], octets.count)
        run.settle(count, as: .stray, of: side)
        run.connection.added.unattributed += count
        left[side] -= count
        if count < octets.count {
          rest.append(.octets(side, Array(octets[count...]), position + count, arrival))
        } else {
          run.connection.added.unattributed += arrival.overhead
        }
      case .charge(let charge, let side):
        let inside = ends[side] == .unknown ? 0 : max(min(ends[side] - charge.position, charge.retransmitted), 0)
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

  /// The positions where a prefix ends on each side; `.unknown` on a side without octets of it. Charges may come before its octets.
  private static func ends(of lengths: Sides<Int>, _ events: [UndecidedProtocol.Event]) -> Sides<StreamPosition> {
    var left = lengths
    var ends = Sides<StreamPosition>(repeating: .unknown)
    for case .octets(let side, let octets, let position, _) in events where left[side] > 0 && !octets.isEmpty {
      let count = min(left[side], octets.count)
      left[side] -= count
      ends[side] = position + count
    }
    return ends
  }
}
