import Packets

/// The reader of a QUIC connection's streams.
///
/// ALPN chooses it. A new protocol over QUIC is one more case.
enum QUICApplication {
  /// HTTP/3.
  case http3(OwnMemory<HTTP3Session>)
  /// A protocol that is not read. The octets of its streams are `quic`, and belong to no message.
  case other

  /// Chooses by the protocol's name, which may be one of a draft (`h3-29`).
  init(_ name: [UInt8], client: Side, _ opening: ConnectionOpening, _ run: inout Run) {
    self = Self.isHTTP3(name) ? .http3(OwnMemory(HTTP3Session(opening, client: client, &run))) : .other
  }

  /// Whether a name of ALPN is HTTP/3, or one of its drafts.
  static func isHTTP3(_ name: [UInt8]) -> Bool { name.starts(with: "h3".utf8) && (name.count == 2 || name[2] == 0x2d) }

  /// Reads octets of a stream in order.
  func receive(
    _ side: Side, _ stream: UInt64, _ octets: RawSpan, at position: StreamPosition, _ arrival: SegmentArrival,
    _ run: inout Run
  ) {
    switch self {
    case .http3(let session):
      session.value.receive(side, stream: stream, octets, at: position, arrival, &run)
    case .other: Self.settle(octets.byteCount, of: side, &run)
    }
  }

  /// Gives octets that no reader takes their class.
  static func settle(_ count: Int, of side: Side, _ run: inout Run) {
    run.settle(count, as: .quic, of: side)
    run.ledger.quicPacket += count
    run.connection.added.unattributed += count
  }

  /// Skips octets of a stream that were never captured.
  func skip(_ side: Side, _ stream: UInt64, _ count: Int, at position: StreamPosition, _ run: inout Run) {
    switch self {
    case .http3(let session):
      session.value.skip(side, stream: stream, count, at: position, isInPacket: false, &run)
    case .other: run.countMissing(count)
    }
  }

  /// Takes octets of a gap that come after it was given up.
  func acceptLate(_ side: Side, _ stream: UInt64, _ range: Range<StreamPosition>, _ run: inout Run) {
    switch self {
    case .http3(let session): session.value.acceptLate(range, stream: stream, on: side, &run)
    case .other:
      run.countMissing(-range.count)
      Self.settle(range.count, of: side, &run)
    }
  }

  /// Notes that octets came again with different content.
  func flagConflict(_ side: Side, _ stream: UInt64, _ range: Range<StreamPosition>, _ run: inout Run) {
    run.connection.added.flags.insert(.conflicting)
    if case .http3(let session) = self { session.value.flagConflict(range, stream: stream, on: side, &run) }
  }

  func finish(_ side: Side, _ stream: UInt64, isComplete: Bool, _ run: inout Run) {
    if case .http3(let session) = self {
      session.value.finish(side, stream: stream, isComplete: isComplete, &run)
    }
  }

  func reset(_ side: Side, _ stream: UInt64, _ run: inout Run) {
    if case .http3(let session) = self { session.value.reset(side, stream: stream, &run) }
  }

  /// Takes the payload of a DATAGRAM frame. Returns the message that it belongs to.
  func datagram(_ side: Side, _ octets: RawSpan, _ run: inout Run) -> MessageReference {
    switch self {
    case .http3(let session): return session.value.datagram(side, octets, &run)
    case .other:
      Self.settle(octets.byteCount, of: side, &run)
      return .none
    }
  }

  func charge(_ charge: Charge, _ stream: UInt64, to side: Side, _ run: inout Run) {
    switch self {
    case .http3(let session): session.value.charge(charge, stream: stream, to: side, &run)
    case .other: run.connection.added.unattributed += charge.unplaced + charge.retransmitted
    }
  }

  func chargeAcknowledgment(_ overhead: Int, to side: Side, _ run: inout Run) {
    switch self {
    case .http3(let session): session.value.chargeAcknowledgment(overhead, to: side, &run)
    case .other: run.connection.added.unattributed += overhead
    }
  }

  func evict(_ run: inout Run) {
    if case .http3(let session) = self { session.value.evict(&run) }
  }

  func close(_ run: inout Run) -> SessionEnd {
    switch self {
    case .http3(let session): session.value.close(&run)
    case .other: SessionEnd(client: nil, requestSide: nil, applicationProtocol: .quic)
    }
  }

  func retireEnded(_ run: inout Run) {
    if case .http3(let session) = self { session.value.retireEnded(&run) }
  }

  func forEachOpenMessage(_ body: (RowIndex, _ isInProgress: Bool) -> Void) {
    if case .http3(let session) = self { session.value.forEachOpenMessage(body) }
  }
}
