import Packets

/// The records of a part of an analysis, in the order in which the analysis made them. Each begins with its number.
package enum PartRecord: UInt8 {
  /// A packet whose figures are in the next records.
  case countedPacket = 1
  /// A packet as it was captured, because its result depends on other parts.
  case keptPacket = 2
  /// An event of the capture beside its packets.
  case event = 3
  /// Time has passed without a packet, up to the end of a connection or of its wait.
  case elapsed = 4
  /// A connection begins.
  case opening = 16
  /// A connection asks for the duration of the lookup of its server's address.
  case lookup = 17
  /// Messages, exchanges and connections got numbers.
  case numbers = 18
  /// Anomalies were noted.
  case anomaly = 19
  /// A field name gets a number.
  case fieldName = 20
  /// A message is final.
  case message = 21
  /// An exchange is final.
  case exchange = 22
  /// A connection is final.
  case connection = 23
  /// The ledger and the timeline of the counted packets, as the part's last record.
  case accounts = 24
}

/// The reason why a part of an analysis cannot be read, or cannot be merged with the others.
package enum PartFault: Error, Equatable {
  /// The part ends in the middle of a record.
  case cut
  /// The part has a value that no recorder writes.
  case damaged
  /// A connection of the part has the endpoints of an open connection of an earlier part. Only its packets could tell whether it is the
  /// same.
  case sameEndpoints(Endpoint, Endpoint)
}
