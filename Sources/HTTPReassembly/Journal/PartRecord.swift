import Packets

/// What a part of an analysis consists of, one after the other, in the order in which the analysis came to it. Each record begins with its
/// number.
package enum PartRecord: UInt8 {
  /// A packet whose figures are in the records that follow.
  case countedPacket = 1
  /// A packet as it was captured: what becomes of it depends on what other parts say.
  case keptPacket = 2
  /// Something that the capture says beside its packets.
  case event = 3
  /// Time has passed without a packet, up to when a connection was finished, or waited no longer.
  case elapsed = 4
  /// A connection begins.
  case opening = 16
  /// A connection asks how long the lookup of its server's address took.
  case lookup = 17
  /// Numbers of messages, exchanges and connections are given.
  case numbers = 18
  /// Oddities were noted.
  case anomaly = 19
  /// A field name gets a number.
  case fieldName = 20
  /// A message is final.
  case message = 21
  /// An exchange is final.
  case exchange = 22
  /// A connection is final.
  case connection = 23
  /// The ledger and the timeline of the counted packets: the part's last record.
  case accounts = 24
}

/// Why a part of an analysis cannot be read, or cannot be put together with the others.
package enum PartFault: Error, Equatable {
  /// It ends in the middle of something.
  case cut
  /// It has a value that nothing has written.
  case damaged
  /// A connection of it begins with endpoints that a connection of an earlier part still has, and whether it is the same one cannot be told
  /// without its packets.
  case sameEndpoints(Endpoint, Endpoint)
}
