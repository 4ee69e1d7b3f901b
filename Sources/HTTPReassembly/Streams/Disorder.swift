import Packets

/// What a connection has out of order: few ever have anything, so that it lies in memory of its own (`OwnMemory`).
struct Disorder {
  /// Payload of each direction that waits behind a hole.
  var held = Sides<HeldSegments>(repeating: HeldSegments())
  /// Since when more octets of each direction are acknowledged than have been delivered.
  var acknowledgedSince = Sides<WaitStart>(repeating: .never)
  /// Holes of each direction that were given up, newest last.
  var holes = Sides<[Range<StreamPosition>]>(repeating: [])
  /// Capture time after which the connection is looked at again, because it waits for octets; `.max` when it is not.
  var lookDeadline = Int64.max
  /// A segment that may be the first one of a new connection: what comes next tells.
  var stranger: Stranger?
}

/// Octets of memory that the parts of a connection take, with what the allocator adds: what `connectionOctetLimit` counts.
enum StreamMemory {
  /// A connection without its session: itself, and what the table has of it.
  static func connection<Receiver>(_ type: TCPConnection<Receiver>.Type) -> Int {
    MemoryLayout<TCPConnection<Receiver>>.stride + 48
  }
  /// What is out of order, without the elements.
  static var disorder: Int {
    8 + 2 * (MemoryLayout<HeldSegments>.stride + MemoryLayout<WaitStart>.stride + 8)
      + MemoryLayout<Stranger?>.stride + 48
  }
  /// A hole that is remembered.
  static var hole: Int { 2 * MemoryLayout<Range<StreamPosition>>.stride }
  /// A segment behind a hole, without its octets.
  static var heldSegment: Int { MemoryLayout<HeldSegment>.stride * 3 / 2 + 48 }
}
