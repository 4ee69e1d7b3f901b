/// Reads the two streams of one connection: all that the transport knows of a session.
///
/// Octets of a side come in the order of the stream. What the streams must know of the session comes back as `StreamNeeds`, and
/// the connection keeps it until the next call.
protocol StreamReceiver {
  /// What belongs to the whole run.
  associatedtype Context: StreamContext

  /// Starts reading a connection, before the first octet of either side.
  init(_ opening: ConnectionOpening, _ context: inout Context)
  /// The handshake is complete only now: it took `duration` nanoseconds.
  mutating func connected(after duration: Int64)

  /// Reads captured octets of a side.
  mutating func receive(
    _ side: Side, _ octets: RawSpan, at position: StreamPosition, _ arrival: SegmentArrival, _ context: inout Context
  ) -> Taken
  /// Passes over `count` octets that are in the packet, but beyond the snap length.
  mutating func skipUnseen(
    _ side: Side, _ count: Int, at position: StreamPosition, _ arrival: SegmentArrival, _ context: inout Context
  ) -> StreamNeeds
  /// Passes over `count` octets that were never captured.
  mutating func skipMissing(
    _ side: Side, _ count: Int, at position: StreamPosition, _ context: inout Context
  ) -> StreamNeeds
  /// The stream of a side ends; `isComplete` when its sender closed it (FIN).
  mutating func finish(_ side: Side, isComplete: Bool, _ context: inout Context) -> StreamNeeds
  /// The answer that a side waits for does not come.
  mutating func stopWaiting(_ side: Side, _ context: inout Context) -> StreamNeeds

  /// Charges a packet to whatever owns its octets.
  mutating func charge(_ charge: Charge, to side: Side, _ context: inout Context)
  /// Charges `overhead` octets of a segment without payload to what is being sent on `side`, the opposite side of its sender.
  mutating func chargeAcknowledgment(_ overhead: Int, to side: Side, _ context: inout Context)
  /// Octets of a side were sent again with different content.
  mutating func flagConflict(_ range: Range<StreamPosition>, on side: Side, _ context: inout Context)
  /// Octets of a hole come after the hole was given up.
  mutating func acceptLate(_ range: Range<StreamPosition>, on side: Side, _ context: inout Context)

  /// The side that sends requests; nil where that is not known yet.
  var requestingSide: Side? { get }

  /// The connection is given up, though it may go on.
  mutating func evict(_ context: inout Context)
  /// The connection is over: everything is final.
  mutating func close(_ context: inout Context) -> SessionEnd
}

extension StreamReceiver {
  /// Most need not say.
  var requestingSide: Side? { nil }
}

/// How a connection was opened, as far as it is known when its first octets come. Durations are nanoseconds.
struct ConnectionOpening {
  /// SYN to the last ACK of the handshake.
  @OptionalTime var connectDuration: Int64?
  /// DNS query to the answer that led to the connection.
  @OptionalTime var lookupDuration: Int64?
  /// Whether a SYN was captured, of either side: then both streams' starts are known.
  var isSeen: Bool
}

/// What a session needs of the streams next.
struct StreamNeeds: OptionSet {
  let rawValue: UInt8
  @inline(__always)
  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A side cannot be read before the other side has answered.
  @inline(__always)
  static func waiting(_ side: Side) -> StreamNeeds { StreamNeeds(rawValue: 1 << UInt8(side)) }
  /// What is waited for does not come from the other side: it comes soon, or not at all.
  @inline(__always)
  static var briefly: StreamNeeds { StreamNeeds(rawValue: 16) }
  /// At least one more octet of a side must come.
  @inline(__always)
  static func more(_ side: Side) -> StreamNeeds { StreamNeeds(rawValue: 4 << UInt8(side)) }
}

/// What became of octets that a session was given.
struct Taken {
  /// Octets read: fewer than all only when the side has to wait, or the other side has to be read first.
  var count: Int
  var needs: StreamNeeds
}

/// What a session knows at its end.
struct SessionEnd {
  /// The side that its rows call the client; nil when there were none.
  var client: Side?
  /// The side that sends requests; nil where the session cannot tell.
  var requestSide: Side?
  /// What the connection carried.
  var applicationProtocol: ConnectionProtocol
  /// What its TLS says of itself; nil where there is none.
  var security: ConnectionSecurity?
  /// Octets of TLS records of application data that were not opened.
  var unopened = 0
}

/// Octets of a packet, or of a record, to be charged to whatever owns them in the stream.
struct Charge {
  /// The first octet of the packet's payload that matters.
  var position: StreamPosition
  /// Payload octets from `position` on that were sent again; 0 when the payload is new.
  var retransmitted: Int
  /// Network and transport octets of the packet.
  var overhead: Int
  /// Octets from `position` on of which the first that anybody owns says whose the rest of the charge is.
  var length = 1
  /// What a TLS record has beside the application's data.
  var record = 0
  /// Payload octets that were sent again and have no position in the stream: what a TLS record has beside the data.
  var repeatedRecord = 0

  /// Position after the octets that decide whose it is.
  @inline(__always)
  var end: StreamPosition { position + max(retransmitted, length) }

  /// The octets that decide whose it is.
  @inline(__always)
  var range: Range<StreamPosition> { position..<end }

  /// All but the octets that have a position.
  @inline(__always)
  var unplaced: Int { overhead + record + repeatedRecord }

  /// Whether there is nothing to charge.
  @inline(__always)
  var isEmpty: Bool { overhead == 0 && retransmitted == 0 && record == 0 && repeatedRecord == 0 }
}
