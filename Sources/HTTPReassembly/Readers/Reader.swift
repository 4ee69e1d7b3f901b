import Packets

/// The reader of two streams of octets. Readers nest: TLS carries a reader of its data, and a tunnel of HTTP carries a reader of its octets.
///
/// Its positions are positions of the streams that it reads. It does not depend on the layers beneath. A new protocol is one more case.
/// Functions that few packets need are not inlined: the compiler would repeat the whole chain of readers in each reader.
/// `StreamReceiver` describes the functions that have no comment.
enum Reader {
  /// HTTP/1, a tunnel that it opened, or an unknown protocol. Octets that are not HTTP become `opaque` in the end.
  case http1(OwnMemory<HTTP1Session>)
  /// HTTP/2.
  case http2(OwnMemory<HTTP2Session>)
  /// TLS, opened or not.
  case tls(OwnMemory<TLSSession>)
  /// A protocol that ALPN names.
  case other(OtherProtocol)

  /// Chooses the protocol by ALPN, else by the first octets of either side. `alpn` is nil when it cannot be seen.
  init(alpn: [UInt8]?, _ octets: RawSpan, _ opening: ConnectionOpening, _ run: inout Run) {
    let name = alpn.map { String(decoding: $0, as: UTF8.self) }
    switch name {
    case nil where UndecidedProtocol.isHTTP2(octets), "h2": self = .http2(OwnMemory(HTTP2Session(opening, &run)))
    // The choice may be lost together with the first records.
    case nil where UndecidedProtocol.areFrames(octets): self = .http2(OwnMemory(HTTP2Session(opening, &run)))
    // Names of drafts, such as h2-16, have the same frames.
    case _ where name?.hasPrefix("h2-") == true: self = .http2(OwnMemory(HTTP2Session(opening, &run)))
    case nil, "http/1.1", "http/1.0", "http/0.9": self = .http1(OwnMemory(HTTP1Session(opening, &run)))
    default: self = .other(OtherProtocol())
    }
  }

  /// Whether acknowledgments tell which messages belong together.
  var usesAcknowledgments: Bool {
    if case .http1 = self { return true }
    return false
  }

  func connected(after duration: Int64) {
    switch self {
    case .http1(let session): session.value.connected(after: duration)
    case .http2(let session): session.value.connected(after: duration)
    case .tls(let session): session.value.opening.connectDuration = duration
    case .other: break
    }
  }

  // MARK: Octets

  /// Whether a side cannot be this protocol when it starts with an octet; nil means that the octet was not captured.
  func refuses(_ side: Side, firstOctet: UInt8?) -> Bool {
    guard case .tls(let session) = self else { return false }
    return !session.look { $0.canRead(side, firstOctet: firstOctet) }
  }

  /// Whether octets of a side are another protocol. Only the first octets of a side can show that.
  func refuses(_ side: Side, _ octets: RawSpan) -> Bool {
    guard case .tls(let session) = self else { return false }
    return session.look { $0.refuses(side, octets) }
  }

  /// Reads captured octets of a side, which it does not refuse.
  func receive(
    _ side: Side, _ octets: RawSpan, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> Taken {
    switch self {
    case .http1(let session): session.value.receive(side, octets, at: position, arrival, &run)
    case .http2(let session): session.value.receive(side, octets, at: position, arrival, &run)
    case .tls(let session): session.value.receive(side, octets, at: position, arrival, &run)
    case .other(let reader): reader.receive(side, octets, at: position, arrival, &run)
    }
  }

  func skipUnseen(
    _ side: Side, _ count: Int, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> StreamNeeds {
    switch self {
    case .http1(let session): session.value.skipUnseen(side, count, at: position, arrival, &run)
    case .http2(let session): session.value.skipUnseen(side, count, at: position, arrival, &run)
    case .tls(let session): session.value.skipUnseen(side, count, at: position, arrival, &run)
    case .other(let reader): reader.skipUnseen(side, count, at: position, arrival, &run)
    }
  }

  /// Skips octets that were never captured, or that could not be opened.
  func skipMissing(
    _ side: Side, _ count: Int, at position: StreamPosition, certainty: GapCertainty = .exact, _ run: inout Run
  ) -> StreamNeeds {
    switch self {
    case .http1(let session): session.value.skipMissing(side, count, at: position, certainty: certainty, &run)
    case .http2(let session): session.value.skipMissing(side, count, at: position, &run)
    case .tls(let session): session.value.skipMissing(side, count, at: position, &run)
    case .other(let reader): reader.skipMissing(side, count, at: position, &run)
    }
  }

  func acceptLate(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {
    switch self {
    case .http1(let session): session.value.acceptLate(range, on: side, &run)
    case .http2(let session): session.value.acceptLate(range, on: side, &run)
    case .tls(let session): session.value.acceptLate(range, &run)
    case .other(let reader): reader.acceptLate(range, on: side, &run)
    }
  }

  func takeCopy(_ octets: RawSpan, at position: StreamPosition, on side: Side, _ run: inout Run) {
    if case .tls(let session) = self { session.value.takeCopy(octets, at: position, on: side, &run) }
  }

  // MARK: Needs

  /// The needs of the reader.
  var needs: StreamNeeds {
    switch self {
    case .http1(let session): session.value.needs
    case .http2(let session): session.value.needs
    case .tls(let session): session.value.needs
    case .other: []
    }
  }

  func stopWaiting(_ side: Side, _ run: inout Run) -> StreamNeeds {
    switch self {
    case .http1(let session): session.value.stopWaiting(side, &run)
    case .http2(let session): session.value.stopWaiting(side)
    case .tls(let session): session.value.stopWaiting(side, &run)
    case .other: []
    }
  }

  /// Uses new secrets. Returns the reader's needs; nil when no record waited for secrets.
  @inline(never)
  func lookForSecrets(_ run: inout Run) -> StreamNeeds? {
    switch self {
    case .http1(let session): session.value.lookForSecrets(&run)
    case .http2(let session): session.value.lookForSecrets(&run)
    case .tls(let session): session.value.lookForSecrets(&run)
    case .other: nil
    }
  }

  /// Whether records wait for secrets.
  @inline(never)
  var waitsForSecrets: Bool {
    switch self {
    case .http1(let session): session.value.waitsForSecrets
    case .http2(let session): session.value.waitsForSecrets
    case .tls(let session): session.value.waitsForSecrets
    case .other: false
    }
  }

  // MARK: Charges

  func charge(_ charge: Charge, to side: Side, _ run: inout Run) {
    switch self {
    case .http1(let session): session.value.charge(charge, to: side, &run)
    case .http2(let session): session.value.charge(charge, to: side, &run)
    case .tls(let session): session.value.charge(charge, to: side, &run)
    case .other(let reader): reader.charge(charge, to: side, &run)
    }
  }

  func chargeAcknowledgment(_ overhead: Int, to side: Side, _ run: inout Run) {
    switch self {
    case .http1(let session): session.value.chargeAcknowledgment(overhead, to: side, &run)
    case .http2(let session): session.value.chargeAcknowledgment(overhead, to: side, &run)
    case .tls(let session): session.value.chargeAcknowledgment(overhead, to: side, &run)
    case .other(let reader): reader.chargeAcknowledgment(overhead, to: side, &run)
    }
  }

  func flagConflict(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {
    switch self {
    case .http1(let session): session.value.flagConflict(range, on: side, &run)
    case .http2(let session): session.value.flagConflict(range, on: side, &run)
    case .tls(let session): session.value.flagConflict(range, on: side, &run)
    case .other(let reader): reader.flagConflict(range, on: side, &run)
    }
  }

  // MARK: Ends

  func finish(_ side: Side, isComplete: Bool, _ run: inout Run) -> StreamNeeds {
    switch self {
    case .http1(let session): session.value.finish(side, isComplete: isComplete, &run)
    case .http2(let session): session.value.finish(side, isComplete: isComplete, &run)
    case .tls(let session): session.value.finish(side, isComplete: isComplete, &run)
    case .other: []
    }
  }

  func evict(_ run: inout Run) {
    switch self {
    case .http1(let session): session.value.evict(&run)
    case .http2(let session): session.value.evict(&run)
    case .tls(let session): session.value.evict(&run)
    case .other: break
    }
  }

  func close(_ run: inout Run) -> SessionEnd {
    switch self {
    case .http1(let session): session.value.close(&run)
    case .http2(let session): session.value.close(&run)
    case .tls(let session): session.value.close(&run)
    case .other(let reader): reader.close(&run)
    }
  }

  // MARK: Rows

  /// Makes every ended message final, although charges may still come, because there are too many rows.
  @inline(never)
  func retireEnded(_ run: inout Run) {
    switch self {
    case .http1(let session): session.value.retireEnded(&run)
    case .http2(let session): session.value.retireEnded(&run)
    case .tls(let session): session.value.retireEnded(&run)
    case .other: break
    }
  }

  /// Calls `body` with the row of each message that is not final yet, and with whether it is in progress.
  @inline(never)
  func forEachOpenMessage(_ body: (RowIndex, _ isInProgress: Bool) -> Void) {
    switch self {
    case .http1(let session): session.value.forEachOpenMessage(body)
    case .http2(let session): session.value.forEachOpenMessage(body)
    case .tls(let session): session.value.forEachOpenMessage(body)
    case .other: break
    }
  }

  /// The known facts while the connection continues; nil before there are any.
  var known: SessionEnd? {
    switch self {
    case .http1(let session): session.value.known
    case .http2(let session): session.value.known
    case .tls(let session): session.value.known
    case .other: nil
    }
  }
}
