/// Octets of memory that the parts of a connection take, with what the allocator adds: what `connectionOctetLimit` counts.
enum StateCost {
  /// A connection: itself, and its places in the table.
  static var connection: Int { MemoryLayout<TCPConnection>.stride + 128 }
  /// A connection at rest.
  static func atRest(_ rest: ConnectionAtRest) -> Int { rest.octets.count + 48 + 128 }
  /// What reads its streams, from their first octets on.
  static var application: Int {
    MemoryLayout<Conversation>.stride + 2 * (MemoryLayout<HTTP1Parser>.stride + MemoryLayout<TLSRecords>.stride) + 192
  }
  /// A message that is not the newest of its direction.
  static var message: Int { MemoryLayout<OpenMessage>.stride * 3 / 2 }
  /// An exchange that is not final.
  static var exchange: Int { MemoryLayout<OpenExchange>.stride * 3 / 2 }
  /// A hole that is remembered.
  static var hole: Int { 2 * MemoryLayout<Range<StreamPosition>>.stride }
  /// A segment behind a hole, without its octets.
  static var heldSegment: Int { MemoryLayout<HeldSegment>.stride * 3 / 2 + 48 }
}
