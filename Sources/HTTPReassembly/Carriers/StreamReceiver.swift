/// Reads the two streams of one connection. The transport knows a session only by this protocol.
///
/// Octets of a side come in the order of the stream. The session's needs come back as `StreamNeeds`. The connection keeps
/// them until the next call.
protocol StreamReceiver {
  /// The state of the whole run.
  associatedtype Context: StreamContext

  /// Starts reading a connection, before the first octet of either side.
  init(_ opening: ConnectionOpening, _ context: inout Context)
  /// Reports a handshake that is complete only now; it took `duration` nanoseconds.
  mutating func connected(after duration: Int64)

  /// Reads captured octets of a side.
  mutating func receive(
    _ side: Side, _ octets: RawSpan, at position: StreamPosition, _ arrival: SegmentArrival, _ context: inout Context
  ) -> Taken
  /// Skips `count` octets of a packet beyond its snap length.
  mutating func skipUnseen(
    _ side: Side, _ count: Int, at position: StreamPosition, _ arrival: SegmentArrival, _ context: inout Context
  ) -> StreamNeeds
  /// Skips `count` octets that were never captured.
  mutating func skipMissing(
    _ side: Side, _ count: Int, at position: StreamPosition, _ context: inout Context
  ) -> StreamNeeds
  /// Ends the stream of a side. `isComplete` is true if its sender closed it (FIN).
  mutating func finish(_ side: Side, isComplete: Bool, _ context: inout Context) -> StreamNeeds
  /// Reports that the answer for a waiting side does not come.
  mutating func stopWaiting(_ side: Side, _ context: inout Context) -> StreamNeeds

  /// Charges a packet to the owners of its octets.
  mutating func charge(_ charge: Charge, to side: Side, _ context: inout Context)
  /// Charges `overhead` octets of a segment without payload to the messages sent on `side`, opposite to the segment's sender.
  mutating func chargeAcknowledgment(_ overhead: Int, to side: Side, _ context: inout Context)
  /// Reports octets of a side that were sent again with different content.
  mutating func flagConflict(_ range: Range<StreamPosition>, on side: Side, _ context: inout Context)
  /// Offers the octets of a side that were sent again with different content.
  mutating func takeCopy(_ octets: RawSpan, at position: StreamPosition, on side: Side, _ context: inout Context)
  /// Reports octets of a gap that come after it was given up.
  mutating func acceptLate(_ range: Range<StreamPosition>, on side: Side, _ context: inout Context)

  /// The side that sends requests; nil while unknown.
  var requestingSide: Side? { get }

  /// Gives up the connection, although it may go on.
  mutating func evict(_ context: inout Context)
  /// Closes the connection. Everything is final.
  mutating func close(_ context: inout Context) -> SessionEnd
}

extension StreamReceiver {
  /// The default for receivers that do not know the side.
  var requestingSide: Side? { nil }

  /// The default for receivers that take the first copy.
  mutating func takeCopy(_ octets: RawSpan, at position: StreamPosition, on side: Side, _ context: inout Context) {}
}

/// The known facts about a connection's opening when its first octets come. Durations are nanoseconds.
struct ConnectionOpening {
  /// The time from SYN to the last ACK of the handshake.
  @OptionalTime var connectDuration: Int64?
  /// The time from the DNS query to the answer that led to the connection.
  @OptionalTime var lookupDuration: Int64?
  /// Whether a SYN of either side was captured. The starts of both streams are known then.
  var isSeen: Bool
  /// Whether the prefix of a proxy's protocol has been passed.
  var followsPrefix = false
}

/// The needs of a session before it can read more of the streams.
struct StreamNeeds: OptionSet {
  let rawValue: UInt8
  @inline(__always)
  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The side has to wait until the other side has answered.
  @inline(__always)
  static func waiting(_ side: Side) -> StreamNeeds { StreamNeeds(rawValue: 1 << UInt8(side)) }
  /// The awaited thing does not come from the other side. It comes soon, or not at all.
  @inline(__always)
  static var briefly: StreamNeeds { StreamNeeds(rawValue: 16) }
  /// At least one more octet of a side has to come.
  @inline(__always)
  static func more(_ side: Side) -> StreamNeeds { StreamNeeds(rawValue: 4 << UInt8(side)) }
}

/// The result of giving octets to a session.
struct Taken {
  /// Octets read. They are fewer than all only when the side has to wait, or the other side has to be read first.
  var count: Int
  var needs: StreamNeeds
}

/// The facts that a session knows at its end.
struct SessionEnd {
  /// The side that its rows call the client; nil without rows.
  var client: Side?
  /// The side that sends requests; nil if the session cannot tell.
  var requestSide: Side?
  /// The protocol that the connection carried.
  var applicationProtocol: ConnectionProtocol
  /// The facts about its TLS; nil without TLS.
  var security: ConnectionSecurity?
  /// Octets of unopened TLS records of application data.
  var unopened = 0
}

/// Octets of a packet or record, charged to the owners of its octets in the stream.
struct Charge {
  /// The position of the first octet of the packet's payload that matters.
  var position: StreamPosition
  /// Repeated payload octets from `position` on; 0 when the payload is new.
  var retransmitted: Int
  /// Network and transport octets of the packet.
  var overhead: Int
  /// The number of octets from `position` on that decide the owner. The rest of the charge goes to the owner of the first
  /// owned octet among them.
  var length = 1
  /// Octets of a TLS record besides the application's data.
  var record = 0
  /// Repeated payload octets without a position in the stream: octets of a TLS record besides the data.
  var repeatedRecord = 0

  /// The position after the octets that decide the owner.
  @inline(__always)
  var end: StreamPosition { position + max(retransmitted, length) }

  /// The octets that decide the owner.
  @inline(__always)
  var range: Range<StreamPosition> { position..<end }

  /// All octets without a position.
  @inline(__always)
  var unplaced: Int { overhead + record + repeatedRecord }

  /// Whether there are no octets to charge.
  @inline(__always)
  var isEmpty: Bool { overhead == 0 && retransmitted == 0 && record == 0 && repeatedRecord == 0 }
}
