/// What reads the streams of one connection: one protocol at a time.
///
/// A further protocol is one more folder, and one more case here. It is chosen by the first octets; one that learns later that it is
/// another protocol's turn hands on what it knows, as `tls` does with a side that is none.
enum Session {
  /// Nothing has come yet.
  case detecting(ConnectionOpening)
  /// HTTP/1, a tunnel that it opened, or what has not shown to be anything: every stream may turn into HTTP/1.
  case http1(OwnMemory<HTTP1Session>)
  /// TLS, opened or not.
  case tls(OwnMemory<TLSSession>)
}

extension Session: StreamReceiver {
  init(_ opening: ConnectionOpening, _ run: inout Run) { self = .detecting(opening) }

  mutating func connected(after duration: Int64) {
    switch self {
    case .detecting(var opening):
      opening.connectDuration = duration
      self = .detecting(opening)
    case .http1(let session): session.value.connected(after: duration)
    case .tls(let session): session.value.opening.connectDuration = duration
    }
  }

  // MARK: Detection

  /// The session that reads HTTP/1 from here on, whatever the connection was until now.
  @inline(never)
  private mutating func becomeHTTP1(_ run: inout Run) -> OwnMemory<HTTP1Session> {
    let session: OwnMemory<HTTP1Session>
    switch self {
    case .http1(let known): return known
    case .detecting(let opening): session = OwnMemory(HTTP1Session(opening, &run))
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
    if TLSRecords.canStart(with: octets.octet(0)) {
      self = .tls(OwnMemory(TLSSession(opening, &run)))
    } else {
      _ = becomeHTTP1(&run)
    }
  }

  // MARK: Octets

  @inline(__always)
  mutating func receive(
    _ side: Side, _ octets: RawSpan, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> Taken {
    if case .http1(let session) = self { return session.value.receive(side, octets, at: position, arrival, &run) }
    return receiveOther(side, octets, at: position, arrival, &run)
  }

  private mutating func receiveOther(
    _ side: Side, _ octets: RawSpan, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> Taken {
    detect(octets, &run)
    if case .tls(let session) = self, session.value.canRead(side, firstOctet: octets.octet(0)),
      let taken = session.value.receive(side, octets, at: position, arrival, &run)
    {
      return taken
    }
    return becomeHTTP1(&run).value.receive(side, octets, at: position, arrival, &run)
  }

  mutating func skipUnseen(
    _ side: Side, _ count: Int, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> StreamNeeds {
    if case .tls(let session) = self, session.value.canRead(side, firstOctet: nil) {
      return session.value.skipUnseen(side, count, at: position, arrival, &run)
    }
    return becomeHTTP1(&run).value.skipUnseen(side, count, at: position, arrival, &run)
  }

  mutating func skipMissing(
    _ side: Side, _ count: Int, at position: StreamPosition, _ run: inout Run
  ) -> StreamNeeds {
    if case .tls(let session) = self, session.value.canRead(side, firstOctet: nil) {
      return session.value.skipMissing(side, count, at: position, &run)
    }
    return becomeHTTP1(&run).value.skipMissing(side, count, at: position, &run)
  }

  mutating func finish(_ side: Side, isComplete: Bool, _ run: inout Run) -> StreamNeeds {
    switch self {
    case .detecting: return []
    case .http1(let session): return session.value.finish(side, isComplete: isComplete, &run)
    case .tls(let session): return session.value.finish(side, isComplete: isComplete, &run)
    }
  }

  mutating func stopWaiting(_ side: Side, _ run: inout Run) -> StreamNeeds {
    switch self {
    case .detecting: []
    case .http1(let session): session.value.stopWaiting(side)
    case .tls(let session): session.value.stopWaiting(side, &run)
    }
  }

  mutating func evict(_ run: inout Run) {
    switch self {
    case .detecting: break
    case .http1(let session): session.value.evict(&run)
    case .tls(let session): session.value.evict(&run)
    }
  }

  mutating func close(_ run: inout Run) -> SessionEnd {
    switch self {
    case .detecting: SessionEnd(client: nil, requestSide: nil, applicationProtocol: .other)
    case .http1(let session): session.value.close(&run)
    case .tls(let session): session.value.close(&run)
    }
  }

  // MARK: Charges

  mutating func charge(_ charge: Charge, to side: Side, _ run: inout Run) {
    if case .tls(let session) = self { return session.value.charge(charge, to: side, &run) }
    becomeHTTP1(&run).value.charge(charge, to: side, &run)
  }

  @inline(__always)
  mutating func chargeAcknowledgment(_ overhead: Int, to side: Side, _ run: inout Run) {
    switch self {
    case .detecting: run.connection.added.unattributed += overhead
    case .http1(let session): session.value.chargeAcknowledgment(overhead, to: side, &run)
    case .tls(let session): session.value.chargeAcknowledgment(overhead, to: side, &run)
    }
  }

  mutating func flagConflict(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {
    if case .tls(let session) = self { return session.value.flagConflict(range, on: side, &run) }
    becomeHTTP1(&run).value.flagConflict(range, on: side, &run)
  }

  mutating func acceptLate(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {
    if case .tls(let session) = self { return session.value.acceptLate(range, &run) }
    becomeHTTP1(&run).value.acceptLate(range, on: side, &run)
  }
}

extension Session {
  /// Makes every ended message final, though charges may still come: there are too many rows.
  mutating func retireEnded(_ run: inout Run) {
    switch self {
    case .detecting: break
    case .http1(let session): session.value.retireEnded(&run)
    case .tls(let session): session.value.retireEnded(&run)
    }
  }

  /// Hands over the rows of messages that are not final yet, and whether each of them is in progress.
  func forEachOpenMessage(_ body: (RowIndex, _ isInProgress: Bool) -> Void) {
    switch self {
    case .detecting: break
    case .http1(let session): session.value.forEachOpenMessage(body)
    case .tls(let session): session.value.forEachOpenMessage(body)
    }
  }

  /// What is known while the connection goes on; nil before anything is.
  var known: SessionEnd? {
    switch self {
    case .detecting: nil
    case .http1(let session): session.value.known
    case .tls(let session): session.value.known
    }
  }
}
