import Packets

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
