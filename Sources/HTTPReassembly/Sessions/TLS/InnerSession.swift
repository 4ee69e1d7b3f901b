import Packets

/// The reader of a TLS connection's opened application data.
///
/// Its positions are positions in that data, and it does not depend on the layers beneath. A new protocol is one more case,
/// chosen by ALPN, else by the first octets.
enum InnerSession {
  /// HTTP/1, or an unknown protocol. Octets that are not HTTP become `opaque` in the end.
  case http1(OwnMemory<HTTP1Session>)
  /// HTTP/2.
  case http2(OwnMemory<HTTP2Session>)
  /// A protocol that ALPN names and that is not read. Its octets are `opaque`, and belong to no message.
  case opaque(ConnectionProtocol)

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
    default: self = .opaque(.other)
    }
  }

  /// Whether acknowledgments tell which messages belong together.
  var usesAcknowledgments: Bool {
    if case .http1 = self { return true }
    return false
  }

  func receive(
    _ side: Side, _ octets: RawSpan, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> Taken {
    switch self {
    case .http1(let session): return session.value.receive(side, octets, at: position, arrival, &run)
    case .http2(let session): return session.value.receive(side, octets, at: position, arrival, &run)
    case .opaque:
      run.settle(octets.byteCount, as: .opaque, of: side)
      run.connection.added.unattributed += octets.byteCount
      return Taken(count: octets.byteCount, needs: [])
    }
  }

  /// Skips octets that were never captured, or that could not be opened.
  func skipMissing(
    _ side: Side, _ count: Int, at position: StreamPosition, certainty: GapCertainty, _ run: inout Run
  ) -> StreamNeeds {
    switch self {
    case .http1(let session): return session.value.skipMissing(side, count, at: position, certainty: certainty, &run)
    case .http2(let session): return session.value.skipMissing(side, count, at: position, &run)
    case .opaque:
      run.countMissing(count)
      return []
    }
  }

  func finish(_ side: Side, isComplete: Bool, _ run: inout Run) -> StreamNeeds {
    switch self {
    case .http1(let session): session.value.finish(side, isComplete: isComplete, &run)
    case .http2(let session): session.value.finish(side, isComplete: isComplete, &run)
    case .opaque: []
    }
  }

  func stopWaiting(_ side: Side, _ run: inout Run) -> StreamNeeds {
    switch self {
    case .http1(let session): session.value.stopWaiting(side, &run)
    case .http2(let session): session.value.stopWaiting(side)
    case .opaque: []
    }
  }

  /// Uses new secrets. Returns the session's needs; nil when no record waited for secrets.
  func lookForSecrets(_ run: inout Run) -> StreamNeeds? {
    switch self {
    case .http1(let session): session.value.lookForSecrets(&run)
    case .http2(let session): session.value.lookForSecrets(&run)
    case .opaque: nil
    }
  }

  /// Whether records in it wait for secrets.
  var waitsForSecrets: Bool {
    switch self {
    case .http1(let session): session.value.waitsForSecrets
    case .http2(let session): session.value.waitsForSecrets
    case .opaque: false
    }
  }

  func evict(_ run: inout Run) {
    switch self {
    case .http1(let session): session.value.evict(&run)
    case .http2(let session): session.value.evict(&run)
    case .opaque: break
    }
  }

  func close(_ run: inout Run) -> SessionEnd {
    switch self {
    case .http1(let session): session.value.close(&run)
    case .http2(let session): session.value.close(&run)
    case .opaque(let applicationProtocol):
      SessionEnd(client: nil, requestSide: nil, applicationProtocol: applicationProtocol)
    }
  }

  func charge(_ charge: Charge, to side: Side, _ run: inout Run) {
    switch self {
    case .http1(let session): session.value.charge(charge, to: side, &run)
    case .http2(let session): session.value.charge(charge, to: side, &run)
    case .opaque: run.connection.added.unattributed += charge.unplaced + charge.retransmitted
    }
  }

  func chargeAcknowledgment(_ overhead: Int, to side: Side, _ run: inout Run) {
    switch self {
    case .http1(let session): session.value.chargeAcknowledgment(overhead, to: side, &run)
    case .http2(let session): session.value.chargeAcknowledgment(overhead, to: side, &run)
    case .opaque: run.connection.added.unattributed += overhead
    }
  }

  func flagConflict(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {
    switch self {
    case .http1(let session): session.value.flagConflict(range, on: side, &run)
    case .http2(let session): session.value.flagConflict(range, on: side, &run)
    case .opaque: break
    }
  }

  func retireEnded(_ run: inout Run) {
    switch self {
    case .http1(let session): session.value.retireEnded(&run)
    case .http2(let session): session.value.retireEnded(&run)
    case .opaque: break
    }
  }

  func forEachOpenMessage(_ body: (RowIndex, _ isInProgress: Bool) -> Void) {
    switch self {
    case .http1(let session): session.value.forEachOpenMessage(body)
    case .http2(let session): session.value.forEachOpenMessage(body)
    case .opaque: break
    }
  }

  var known: SessionEnd? {
    switch self {
    case .http1(let session): session.value.known
    case .http2(let session): session.value.known
    case .opaque: nil
    }
  }
}
