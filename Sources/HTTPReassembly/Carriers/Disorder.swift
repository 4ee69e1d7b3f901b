import Packets

/// The out-of-order state of a connection. Few connections have any, so it lies in memory of its own (`OwnMemory`).
struct Disorder {
  /// Payload of each direction that waits behind a gap.
  var held = Sides<HeldSegments>(repeating: HeldSegments())
  /// The time since which more octets of each direction are acknowledged than delivered.
  var acknowledgedSince = Sides<WaitStart>(repeating: .never)
  /// Gaps of each direction that were given up, newest last.
  var holes = Sides<[Range<StreamPosition>]>(repeating: [])
  /// The next check for octets that it awaits.
  var look = NextLook()
  /// A segment that may be the first of a new connection. The next segment decides.
  var stranger: Stranger?
  /// Whether subflows carry its streams. They wait for octets of their own before it can have them.
  var isCarried = false
  /// Sides whose stream may go on in another connection after its end here.
  var goesOnElsewhere = Sides<Bool>(repeating: false)
}

/// The next check of a connection without packets.
struct NextLook {
  /// The capture time after which it is due; `.max` without a check.
  var deadline = Int64.max
  /// Whether it comes after the short of two waits.
  var isSoon = false
  /// Whether it has not been taken yet.
  var isNew = false
}

/// Octets of memory of a connection's parts, including the allocator's overhead. `connectionOctetLimit` counts them.
enum StreamMemory {
  /// A connection without its session: its value and its entry in the table.
  static func connection<Receiver>(_ type: TCPConnection<Receiver>.Type) -> Int {
    MemoryLayout<TCPConnection<Receiver>>.stride + 48
  }
  /// The `Disorder` without its elements.
  static var disorder: Int {
    8 + 2 * (MemoryLayout<HeldSegments>.stride + MemoryLayout<WaitStart>.stride + 8)
      + MemoryLayout<Stranger?>.stride + 48
  }
  /// A remembered gap.
  static var hole: Int { 2 * MemoryLayout<Range<StreamPosition>>.stride }
  /// A segment behind a gap, without its octets.
  static var heldSegment: Int { MemoryLayout<HeldSegment>.stride * 3 / 2 + 48 }
}
