import Packets

/// A connection of HTTP/3 (RFC 9114): the frames on its streams, and the messages that they carry.
///
/// QUIC brings the octets of each stream in order, by the stream's own offsets.
struct HTTP3Session {
  /// The side that opened the connection, which sends requests.
  let client: Side

  /// Starts reading a connection.
  init(_ opening: ConnectionOpening, client: Side, _ run: inout Run) {
    self.client = client
  }

  // MARK: Octets

  /// Reads octets of a stream, which follow on the octets before. Each gets its class. `arrival.overhead` is not charged here.
  mutating func receive(
    _ side: Side, stream: UInt64, _ octets: RawSpan, at offset: StreamPosition, _ arrival: SegmentArrival,
    _ run: inout Run
  ) {
    run.settle(octets.byteCount, as: .stray, of: side)
    run.connection.added.unattributed += octets.byteCount
  }

  /// Skips octets that are not there. They lie beyond a packet's snap length, or were never captured.
  mutating func skip(
    _ side: Side, stream: UInt64, _ count: Int, at offset: StreamPosition, isInPacket: Bool, _ run: inout Run
  ) {
    guard isInPacket else { return run.countMissing(count) }
    run.countUnseen(count)
    run.settle(count, as: .stray, of: side)
    run.connection.added.unattributed += count
  }

  /// Ends a side of a stream. `isComplete` says whether its last octet was read.
  mutating func finish(_ side: Side, stream: UInt64, isComplete: Bool, _ run: inout Run) {}

  /// Ends a side of a stream whose sender has reset it (RFC 9000 §19.4).
  mutating func reset(_ side: Side, stream: UInt64, _ run: inout Run) {}

  /// Notes that a side asks the other one to stop sending on a stream (RFC 9000 §19.5).
  mutating func stopSending(_ side: Side, stream: UInt64, _ run: inout Run) {}

  /// Takes the payload of a DATAGRAM frame (RFC 9221, RFC 9297).
  mutating func datagram(_ side: Side, _ octets: RawSpan, _ run: inout Run) {
    run.settle(octets.byteCount, as: .tunnel, of: side)
    run.connection.added.unattributed += octets.byteCount
    run.connection.added.flags.insert(.tunnel)
  }

  // MARK: Charges

  /// Charges a packet to the owner of octets of a stream, and what no message owns to the connection.
  mutating func charge(_ charge: Charge, stream: UInt64, to side: Side, _ run: inout Run) {
    run.connection.added.unattributed += charge.unplaced + charge.retransmitted
  }

  /// Charges a packet without stream data to the owner of the latest octets of the side that it acknowledges.
  mutating func chargeAcknowledgment(_ overhead: Int, to side: Side, _ run: inout Run) {
    run.connection.added.unattributed += overhead
  }

  // MARK: Ends

  /// Gives up the connection and its messages in progress, although they may go on.
  mutating func evict(_ run: inout Run) {}

  /// Closes the connection. Everything is final.
  mutating func close(_ run: inout Run) -> SessionEnd {
    SessionEnd(client: nil, requestSide: client, applicationProtocol: .quic)
  }

  /// Calls `body` with the row of each message that is not final yet, and with whether it is in progress.
  func forEachOpenMessage(_ body: (RowIndex, _ isInProgress: Bool) -> Void) {}

  /// Makes every ended message final, although charges may still come, because there are too many rows.
  mutating func retireEnded(_ run: inout Run) {}
}
